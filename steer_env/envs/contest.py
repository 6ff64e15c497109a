"""A contest: N games, and those of their sides that learn.

All environments are thin faces over it, or over `Match`, where only one side learns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.envs.episode_options import episode_options
from steer_env.envs.keywords import Weights
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.exchange import Outcome
from steer_env.game.limits import check_observable, with_limits
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players import Player
from steer_env.sides import EVADER, PURSUER, Side


class Contest:
    """N games in which both sides learn.

    Args:
        config: the game.
        num_games: N.
        max_episode_steps: the length of an episode, if it is shorter than the horizon.
        num_threads: see `Engine`.
        credit_method: see `Engine`.

    Raises:
        InvalidValue: for noise, delays and reward terms, which only a side that learns alone
            can have.
    """

    def __init__(
        self,
        config: GameConfig,
        num_games: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int | None = None,
        credit_method: int | None = None,
    ) -> None:
        check_fair(config)
        numbers = num_games, max_episode_steps, num_threads
        engine = Engine(config, [None], [None], *numbers, credit_method=credit_method)
        self._take(config, engine)
        if not config.observation.is_standard:
            for side in Side:
                self.engine.sense(side)

    def _take(self, config: GameConfig, engine: Engine) -> None:
        self.engine, self._space = engine, config

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that learn."""
        return PURSUER, EVADER

    @property
    def config(self) -> GameConfig:
        """The game, with the limits that episodes draw from now on."""
        return self.engine.config

    @property
    def opponents(self) -> tuple[Player, ...]:
        """The players that episodes draw from, as they were passed; () if both sides learn."""
        return ()

    def set_opponents(
        self, opponent: Player | Sequence[Player], weights: Weights = None
    ) -> None:
        """Has episodes that begin from now on draw from other opponents; see `Match`."""
        raise InvalidValue("both sides learn here, so there is no opponent to set")

    @property
    def opponent_weights(self) -> NDArray[np.float64]:
        """The probability of each opponent in episodes that begin from now on; a copy."""
        return np.zeros(0)

    @opponent_weights.setter
    def opponent_weights(self, weights: Weights) -> None:
        raise InvalidValue("both sides learn here, so there are no opponents to weigh")

    def names(self, game: int) -> tuple[str, str]:
        """The names of the pursuers and the evaders of a game in pictures."""
        return "learner", "learner"

    def set_limits(self, pursuer: object, evader: object) -> None:
        """Has episodes that begin from now on draw other limits; see `with_limits`."""
        self.engine.set_limits(self._with_limits({"pursuer": pursuer, "evader": evader}))

    def _with_limits(self, given: Mapping[str, object]) -> GameConfig:
        config = self.config
        for side, limits in given.items():
            if limits is not None:
                config = with_limits(config, side, limits)
        self._check_observable(config)
        return config

    def _check_observable(self, config: GameConfig) -> None:
        check_observable(config, self._space)
        self.engine.check_limits(config)

    def reset(
        self,
        seeds: list[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begins new episodes.

        Args:
            seeds: N seeds; None goes on with what the game was seeded with before.
            generator: seeds games that never were.
            mask: (N,); only games where it is True begin anew. None for all.
            options: of these episodes; see `episode_options`.

        Raises:
            InvalidType, InvalidValue: for options that are not valid; nothing has begun then.
        """
        if not options:
            self._start(seeds, generator, mask)
            return
        chosen = np.ones(self.engine.num_games, np.bool_) if mask is None else mask
        given = episode_options(options, self.config, chosen, self._check_observable)
        play = self._prepared_opponents(given.opponents, chosen)
        before = self.engine.get_state()
        self._start(seeds, generator, mask, given.limits)
        try:
            if given.placement is not None:
                given.placement.apply(self.engine, chosen)
            if given.state is not None:
                self._put_into(given.state, chosen, seeds)
            play()
        except (InvalidType, InvalidValue, ResetNeeded):
            self.engine.set_state(before)
            raise

    def _prepared_opponents(
        self, opponents: Sequence[Player] | None, chosen: NDArray[np.bool_]
    ) -> Callable[[], None]:
        """A function that seats the opponents that a reset asks for, once it has begun."""
        if opponents:
            raise InvalidValue("both sides learn here: a reset has no option 'opponent'")
        return _nothing

    def _put_into(
        self, state: object, chosen: NDArray[np.bool_], seeds: Sequence[int | None]
    ) -> None:
        """Puts games that have just begun into a state; a seed replaces the state's chance."""
        self.engine.check_state(self._renumbered(state))
        begun = self.engine.get_state()
        begun[chosen] = np.asarray(state)[chosen]
        if (begun["game"]["phase"][chosen] != RUNNING).any():
            raise ResetNeeded("an episode can begin in a state of a game that is running only")
        self.set_state(begun)
        self.engine.seed([seed if is_one else None for seed, is_one in zip(seeds, chosen)])

    def _start(
        self,
        seeds: Sequence[int | None],
        generator: np.random.Generator,
        mask: NDArray[np.bool_] | None,
        limits: Sequence[tuple[NDArray[np.intp], GameConfig]] | None = None,
    ) -> None:
        state = self.engine.state
        seeds = list(seeds)
        if mask is not None:
            seeds = [seed if chosen else None for seed, chosen in zip(seeds, mask, strict=True)]
        unseeded = np.flatnonzero((state.phase == UNSTARTED) & (state.key == 0))
        for index in unseeded:
            if seeds[index] is None:
                seeds[index] = int(generator.integers(2**63))
        self.engine.seed(seeds)
        if limits is None:
            self.engine.start(mask)
            return
        for games, config in limits:
            begins = np.zeros(self.engine.num_games, np.bool_)
            begins[games] = True
            self.engine.start(begins, config)

    def set_state(self, state: NDArray[np.void]) -> None:
        """Puts all games into a state; see `Engine.set_state`.

        Raises:
            gymnasium.error.ResetNeeded: if it is of games that have not begun.
        """
        state = self._renumbered(state)
        self.engine.check_state(state)
        if (state["game"]["phase"] == UNSTARTED).any():
            raise ResetNeeded("the state is of games that have not begun; call reset()")
        self.engine.set_state(state)

    def _renumbered(self, state: Any) -> Any:
        """The state with the rows of scripts that this contest has."""
        return state

    def step_sides(
        self, actions: Mapping[Side, NDArray[np.float32]], restart: bool
    ) -> dict[Side, Outcome]:
        """Steps all games; what each side that learns gets of it.

        Args:
            actions: of each of these sides, (N, players, 2), C-contiguous.
            restart: see `Engine.step`, as for what it raises.
        """
        outcomes = self.engine.step_both(actions[PURSUER], actions[EVADER], restart)
        return dict(zip(Side, outcomes))


def _nothing() -> None:
    pass


def check_fair(config: GameConfig) -> None:
    """Raises an InvalidValue for what only a side that learns alone can have."""
    observation, action = config.observation, config.action
    if observation.noise or observation.delay or action.noise or action.delay:
        raise InvalidValue(
            "noise and delays are those of one side that learns; both learn here, and observe "
            "and act exactly"
        )
    if config.reward.terms:
        raise InvalidValue(
            "reward terms of your own are those of one side that learns; both learn here, and "
            "the game is zero-sum"
        )
