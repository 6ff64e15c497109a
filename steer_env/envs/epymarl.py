"""The games as EPyMARL takes them: tuples with an entry for each player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from steer_env.envs.autoreset import ends_of_games
from steer_env.envs.keywords import check_seed
from steer_env.envs.parallel_vector import BySide, Info, ParallelVectorEnv
from steer_env.errors import InvalidType, InvalidValue, got

ENV_ID = "Players-v0"
"""The name that importing this module registers."""

Rows = tuple[NDArray[np.float32], ...]


class PlayersEnv(gym.Env[Rows, Sequence[Any]]):
    """A game with an entry for each player of the sides that learn, in tuples.

    EPyMARL's "gymma", and other programs for level-based foraging or the robotic warehouse,
    train on environments of this form: spaces are ``Tuple``, observations, actions and rewards
    have an entry for each player, the pursuers first, and the flags are those of the episode.
    A player that is caught stays in the tuples: its observations and rewards are 0 from then
    on, and its actions are ignored.

    EPyMARL makes it by the id "steer_env.envs.epymarl:Players-v0", and takes discrete actions
    only, hence the default. The game's keywords are entries of ``env_args`` in a file of its
    own, which ``--env-config`` names; its ``time_limit`` should be the game's horizon.

    Args:
        action_type: "discrete" or "continuous".
        **keywords: of `ParallelVectorEnv` but for `num_envs` and `autoreset_mode`.

    Attributes:
        n_agents: the number of players.
        games: the `ParallelVectorEnv` of one game that it steps.

    Raises:
        InvalidType: for an unknown keyword or a value of the wrong type.
        InvalidValue: for a value that is not valid; the message says what is.

    Example:
        >>> import gymnasium as gym
        >>> env = gym.make("steer_env.envs.epymarl:Players-v0", pursuers=3, opponent="evade")
        >>> observations, info = env.reset(seed=0)
        >>> observations, rewards, terminated, truncated, info = env.step((0, 4, 8))
        >>> len(observations), len(rewards), terminated
        (3, 3, False)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium's own is no ClassVar)
        "render_modes": ParallelVectorEnv.metadata["render_modes"],
        "render_fps": ParallelVectorEnv.metadata["render_fps"],
    }

    def __init__(
        self, action_type: str = "discrete", render_mode: str | None = None, **keywords: Any
    ) -> None:
        for keyword in ("num_envs", "autoreset_mode"):
            if keyword in keywords:
                raise InvalidType(f"{keyword} is fixed here: this is one game")
        self.games = ParallelVectorEnv(
            1,
            action_type=action_type,
            render_mode=render_mode,
            autoreset_mode="Disabled",
            num_threads=1,
            **keywords,
        )
        self.render_mode = render_mode
        self._counts = {name: self.games.config.count(name) for name in self.games.sides}
        self.n_agents = sum(self._counts.values())
        self.observation_space = self._for_each(self.games.observation_spaces)
        self.action_space = self._for_each(self.games.action_spaces)

    def _for_each(self, of_sides: dict[str, Any]) -> spaces.Tuple[Any]:
        return spaces.Tuple(
            [of_sides[name] for name, count in self._counts.items() for _ in range(count)]
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, Info]:
        """Begins a new episode; see `PursuitEnv.reset` for the seed and the options."""
        observations, info = self.games.reset(seed=check_seed(seed), options=options)
        return self._rows(observations), _numbers(info)

    def step(  # type: ignore[override]
        self, actions: Sequence[Any]
    ) -> tuple[Rows, list[float], bool, bool, dict[str, Any]]:
        """Moves everyone for ``dt`` seconds.

        Args:
            actions: one of each player, the pursuers first.

        Returns:
            Observations, rewards, whether all evaders are caught, whether the time is up, and
            an info with ``captured``, the number of evaders caught so far, and ``distance``.

        Raises:
            InvalidType, InvalidValue, gymnasium.error.ResetNeeded: as
                `ParallelVectorEnv.step`; also for another number of actions.
        """
        given = self._by_side(actions)
        observations, rewards, terminations, truncations, info = self.games.step(given)
        gained = [float(reward) for reward in self._rows(rewards)]
        terminated, truncated = ends_of_games(terminations, truncations, info)
        flags = bool(terminated[0]), bool(truncated[0])
        return self._rows(observations), gained, *flags, _numbers(info)

    def _by_side(self, actions: Sequence[Any]) -> BySide:
        if not isinstance(actions, Sequence | np.ndarray) or isinstance(actions, str):
            raise InvalidType(f"actions must be a tuple of {self.n_agents}, {got(actions)}")
        if len(actions) != self.n_agents:
            raise InvalidValue(
                f"actions must have one of each of the {self.n_agents} players, got "
                f"{len(actions)}"
            )
        given, first = {}, 0
        for name, count in self._counts.items():
            given[name] = np.asarray(actions[first : first + count])[None]
            first += count
        return given

    def _rows(self, of_sides: BySide) -> tuple[Any, ...]:
        return tuple(row for name in self._counts for row in of_sides[name][0])

    def state(self) -> NDArray[np.float32]:
        """The whole game, (numbers,): see `ParallelVectorEnv.state`."""
        return self.games.state()[0]

    def render(self) -> Any:
        """Draws the game: an array (height, width, 3), or a window's next frame and None."""
        frames = self.games.render()
        return frames[0] if isinstance(frames, tuple) else frames

    def close(self) -> None:
        """Closes the window, if there is one. Closing twice is fine."""
        self.games.close()


def _numbers(info: Info) -> dict[str, float]:
    """What programs add up over episodes."""
    return {name: float(info[name][0]) for name in ("captured", "distance")}


if ENV_ID not in gym.registry:
    gym.register(ENV_ID, entry_point=PlayersEnv, disable_env_checker=True)
