"""stable-baselines3's VecEnv over the native vector environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_flag, check_integer, check_text, needing, shown

with needing("agents"):
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor

import steer_env  # noqa: F401  (registers the environments)
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.envs.reset_options import check_seed
from steer_env.envs.vector import AutoresetMode, attribute_of
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, environment_id
from steer_env.sides import EVADER, Side


class StableBaselinesVecEnv(VecEnv):
    """A native vector environment in the form that stable-baselines3 trains on.

    It takes a vector environment of steer_env in autoreset mode SAME_STEP. At the end of an
    episode the info holds ``terminal_observation``, ``TimeLimit.truncated``, the name of the
    ``outcome`` and ``is_success`` (the learner's side has won: a pursuer caught all, an evader
    got away). It has the attributes and methods of the vector environment, such as
    ``set_opponent``, also through a VecMonitor.
    """

    _players = 1  # rows of each game

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        side = getattr(envs.unwrapped, "side", None)
        self._set_up(envs, side, envs.single_observation_space, envs.single_action_space)

    def _set_up(self, envs: Any, side: Side | None, *spaces: spaces.Space[Any]) -> None:
        if envs.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise InvalidValue(
                "stable-baselines3 restarts games in the step in which they end; make the "
                'vector environment with autoreset_mode="SameStep"'
            )
        self.envs, self._chases = envs, getattr(envs, "unwrapped", envs)
        self._evades = side is EVADER
        VecEnv.__init__(self, envs.num_envs * self._players, *spaces)

    def reset(self) -> np.ndarray:
        """Begins new episodes in all games, once with the seeds and options that were set."""
        # VecEnv.seed gives row i the seed s + i, and so the first N rows those of the games.
        seeds: Any = list(self._seeds[: self.envs.num_envs])
        observations, _ = self.envs.reset(seed=seeds, options=self._options[0])
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._rows(observations)

    def _rows(self, values: Any) -> Any:
        """The games' arrays in the form of stable-baselines3."""
        return values

    def set_options(self, options: Any = None) -> None:
        """Sets the options of the next reset, one dict for all games."""
        if isinstance(options, list):
            raise InvalidValue(
                "the options of set_options must be the same for all games: pass one dict; "
                "arrays and a list of opponents in it have an entry for each game"
            )
        super().set_options(options)

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Steps all games: observations, rewards, dones and a list of infos."""
        observations, rewards, terminated, truncated, info = self._step()
        ended = dones = terminated | truncated
        last = observations
        if "final_obs" in info:
            last = self._rows(info["final_obs"])
            dones = ended | np.repeat(info["_final_obs"], self._players)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        outcomes = info.get("final_info", info)["outcome"]
        for index in np.flatnonzero(dones):
            infos[index] = {
                "terminal_observation": last[index],
                "TimeLimit.truncated": bool(truncated[index] and not terminated[index]),
            }
            if ended[index]:  # and not before, in this game
                name = self._chases.config.outcome(outcomes[index // self._players])
                has_evader_won = not terminated[index]
                if name:  # else the game goes on, or was cut short
                    has_evader_won = self._chases.config.outcomes[name] is EVADER
                infos[index] |= {
                    "outcome": name,
                    "is_success": bool(has_evader_won) is self._evades,
                }
        return observations, rewards.astype(np.float32), dones, infos

    def _step(self) -> Any:
        """Steps the games, and returns all in the form of stable-baselines3."""
        return self.envs.step(self._actions)

    def close(self) -> None:
        """Closes the vector environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the games with these indices."""
        check_text("attr_name", attr_name)
        chosen = self._chosen(indices)
        if attr_name == "render_mode":
            return [self.render_mode] * len(chosen)
        values = self._chases.get_attr(attr_name)
        return [values[index] for index in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute that all the games share, or raises as `VectorGames.set_attr` does.

        Indices must be None or name all games, or it is an InvalidValue.
        """
        check_text("attr_name", attr_name)
        self._check_all(indices, attr_name)
        setattr(self if attr_name == "render_mode" else self._chases, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of the vector environment, and returns each game's result.

        Methods but ``get_...`` change all games: indices must name all or be None.
        """
        check_text("method_name", method_name)
        chosen = self._chosen(indices)
        if not method_name.startswith("get_"):
            self._check_all(indices, method_name)
        results = self._chases.call(method_name, *method_args, **method_kwargs)
        return [results[index] for index in chosen]

    def __getattr__(self, name: str) -> Any:
        """Other public names are the vector environment's, such as `set_opponent`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return attribute_of(self._chases, name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each index: a native vector environment has no wrapped copies."""
        return [False] * len(self._chosen(indices))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A frame of each game."""
        frames: Any = self.envs.render()
        return list(frames) if frames is not None else [None] * self.num_envs

    def _chosen(self, indices: Any) -> list[int]:
        """The games of the rows that the indices of a method of stable-baselines3's name."""
        given = range(self.num_envs) if indices is None else np.array(indices, object, ndmin=1)
        rows = [check_integer("indices", index, 0, self.num_envs - 1) for index in given]
        return [row // self._players for row in rows]

    def _check_all(self, indices: Any, name: str) -> None:
        """Raises an error for some of the games, and first for an unknown name."""
        if set(self._chosen(indices)) != set(range(self.envs.num_envs)):
            attribute_of(self._chases, name)
            raise InvalidValue(
                f"the games share {shown(name)}: it changes for all of them, so indices must "
                f"be None, got {shown(indices)}"
            )


class PlayersVecEnv(StableBaselinesVecEnv):
    """Every player of the learner's side as a row of its own.

    Row ``game * players + place`` is that player of that game, so that stable-baselines3 trains
    one policy that each player follows with its own observation. A row's episode ends with the
    game, or when its player, an evader, is caught. Until the next episode of its game the row
    stands still: its observations and rewards are 0, its actions are ignored, and `alive` is
    False. The infos at the end of an episode are those of `StableBaselinesVecEnv`, with
    ``is_success`` for an evader that was never caught itself; at the end of the time that it
    waited there is none.

    Args:
        games: with one side that learns, in autoreset mode SAME_STEP.

    Attributes:
        num_envs: N times the players of the side.
        alive: flags of the rows that are in play, (num_envs,).
    """

    def __init__(self, games: ParallelVectorEnv) -> None:
        if len(games.sides) > 1:
            raise InvalidValue(
                "one policy learns one side: make the games with learner='pursuer' or "
                "learner='evader'"
            )
        (side,) = games.sides
        self._side, self._players = side, games.config.count(side)
        spaces = games.observation_spaces[side], games.action_spaces[side]
        self._set_up(games, Side.named(side), *spaces)
        self.alive: NDArray[np.bool_] = np.ones(self.num_envs, np.bool_)

    def reset(self) -> np.ndarray:
        """Begins new episodes, see `StableBaselinesVecEnv.reset`."""
        self.alive = np.ones(self.num_envs, np.bool_)
        return super().reset()

    def _rows(self, values: Any) -> Any:
        """The learner's side of an array (N, players, ...), a row for each player."""
        side = values[self._side]
        return side.reshape(self.num_envs, *side.shape[2:])

    def _step(self) -> Any:
        shape = self.envs.num_envs, self._players, *self._actions.shape[1:]
        *found, info = self.envs.step({self._side: self._actions.reshape(shape)})
        self.alive = self._rows(info["alive"])
        return *map(self._rows, found), info

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """See `StableBaselinesVecEnv.step_wait`."""
        observations, rewards, dones, infos = super().step_wait()
        if not self.alive.all():  # the last observation of a player is in the infos
            observations = np.where(self.alive[:, None], observations, np.float32(0.0))
        return observations, rewards, dones, infos


class PlayersMonitor(VecMonitor):
    """Logs the episodes of a `PlayersVecEnv`, and not the time that players wait."""

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """See `StableBaselinesVecEnv.step_wait`."""
        observations, rewards, dones, infos = super().step_wait()
        for info in infos:
            if info and "is_success" not in info:
                del info["episode"]
        return observations, rewards, dones, infos


def make_vec_env(
    env_id: str = "Pursuit-v0",
    num_envs: int = 1,
    seed: int | None = None,
    monitor: bool = True,
    shared: bool = False,
    **keywords: Any,
) -> VecEnv:
    """Makes N games for stable-baselines3, all stepped by one compiled call.

    Args:
        env_id: of this package, "Pursuit-v0" or "steer_env:Pursuit-v0", for example.
        num_envs: N; a few hundred suit PPO.
        seed: of the first reset: game i gets seed + i.
        monitor: True to log episode rewards and lengths, as a VecMonitor does.
        shared: True for one policy that plays every player of the learner's team from the
            player's own observation (parameter sharing): see `PlayersVecEnv`. Otherwise one
            policy gets the observations of the whole team, and gives all its actions.
        **keywords: of the environment, e.g. opponent="evade"; with ``shared`` also ``credit``.

    Example:
        ``PPO("MlpPolicy", make_vec_env("Pursuit-v0", num_envs=256)).learn(1_000_000)``

    Raises:
        gymnasium.error.DependencyNotInstalled: when this module is imported without
            stable-baselines3, or with a Gymnasium before 1.1.
    """
    check_text("env_id", env_id)
    check_flag("monitor", monitor)
    seed = check_seed(seed)
    vec_env: VecEnv
    if check_flag("shared", shared):
        game, side, action_type = ENVIRONMENTS[environment_id("env_id", env_id)]
        given = {"learner": side.name, "action_type": action_type, **keywords}
        if game.name != DEFAULT_GAME:
            given.setdefault("game", game.name)
        games = ParallelVectorEnv(num_envs, autoreset_mode="SameStep", **given)
        vec_env = PlayersVecEnv(games)
    else:
        keywords["autoreset_mode"] = AutoresetMode.SAME_STEP
        vec_env = StableBaselinesVecEnv(gym.make_vec(env_id, num_envs, **keywords))
    if monitor:
        vec_env = PlayersMonitor(vec_env) if shared else VecMonitor(vec_env)
    if seed is not None:
        vec_env.seed(seed)
    return vec_env
