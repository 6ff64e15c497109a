"""A game of one pursuer and one evader as a game tree, in the vocabulary of OpenSpiel.

OpenSpiel (Lanctot et al. 2019) calls a node at which all players move at once a simultaneous
node. Every step of a game here is one. Both sides see everything, and all chance is in the
start, so there are no chance nodes.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from steer_env.actions import action_space, check_action_type, engine_actions
from steer_env.envs.learner_games import check_fair
from steer_env.errors import InvalidType, InvalidValue, check_integer, got
from steer_env.game.config import GameConfig, game_config
from steer_env.game.config.keywords import check_keywords, takes_keywords_of
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.run.turn import renew_after_fork
from steer_env.sides import EVADER, PURSUER, Side


class PlayerId(IntEnum):
    """The players that move, by OpenSpiel's numbers."""

    SIMULTANEOUS = -2
    TERMINAL = -4


class _SharedEngine:
    """An engine that the states of one game tree share, one of them at a time."""

    def __init__(self, config: GameConfig) -> None:
        self.engine = Engine(config, [None], [None], num_threads=1)
        if not config.observation.is_standard:
            for side in Side:
                self.engine.sense(side)
        self._holder: weakref.ref[SimultaneousState] | None = None
        renew_after_fork(self)
        self.renew()

    def renew(self) -> None:
        """Makes a lock that no thread holds."""
        self.lock = threading.RLock()

    def at(self, state: SimultaneousState) -> Engine:
        """The engine in a state, after the state that it was in has kept its record."""
        before = self._holder() if self._holder is not None else None
        if before is not state:
            if before is not None:
                before._record = self.engine.get_state()
            if state._record is not None:
                self.engine.restore(state._record)
            self._holder = weakref.ref(state)
        return self.engine


class SimultaneousState:
    """A state of a game in which both sides choose their actions at once.

    The players are 0, the pursuer, and 1, the evader. After the start nothing is random, so
    equal actions lead to equal states. The rewards are those of the environments, bit for
    bit, and add up to zero over the players. A state can be copied and pickled.

    Args:
        seed: of the start, an integer from 0 to 2**64 - 1.
        action_type: "discrete": integers from 0 to 8, as in PursuitDiscrete-v0; "continuous":
            arrays (forward, left), as in Pursuit-v0.
        game: keywords of `steer_env.game.config.game_config`, for one pursuer and one evader.

    Raises:
        InvalidType, InvalidValue: for an invalid keyword, for teams, and for what only a
            learner has: noise, delays and reward terms.

    Example:
        >>> state = SimultaneousState(game="homicidal_chauffeur", seed=0)
        >>> state.apply_actions([3, 1])
        >>> state.is_terminal(), state.history()
        (False, [3, 1])
    """

    @takes_keywords_of(game_config)
    def __init__(self, *, seed: int = 0, action_type: str = "discrete", **game: Any) -> None:
        check_keywords(SimultaneousState.__init__, game)
        config = game_config(**game)
        if (config.pursuers, config.evaders) != (1, 1):
            raise InvalidValue(
                "a simultaneous-move game has one pursuer and one evader, got "
                f"{config.pursuers} and {config.evaders}"
            )
        check_fair(config)
        number = check_integer("seed", seed, 0, LARGEST_SEED)
        self.config, self.action_type = config, check_action_type(action_type)
        self.action_space = action_space(action_type, 1)
        self._shared = _SharedEngine(config)
        self._record: NDArray[np.void] | None = None  # None while the engine is in this state
        self._is_over = False
        self._reward = 0.0  # the pursuer's, as the sum of all of them
        self._return = 0.0
        self._history: list[Any] = []
        engine = self._shared.at(self)
        engine.seed([number])
        engine.start()

    def num_players(self) -> int:
        """Two: the pursuer and the evader."""
        return 2

    def current_player(self) -> PlayerId:
        """`PlayerId.SIMULTANEOUS`, or `PlayerId.TERMINAL` once the game is over."""
        return PlayerId.TERMINAL if self._is_over else PlayerId.SIMULTANEOUS

    def is_terminal(self) -> bool:
        """True if the game is over: by a capture, or because time is up."""
        return self._is_over

    def is_simultaneous_node(self) -> bool:
        """True if both players are to move."""
        return not self._is_over

    def is_chance_node(self) -> bool:
        """False: all chance is in the start."""
        return False

    def legal_actions(self, player: int) -> list[int]:
        """The discrete actions of a player, from 0 to 8, or none once the game is over."""
        _check_player(player)
        if not isinstance(self.action_space, Discrete):
            raise InvalidValue("continuous actions cannot be listed; see action_space")
        return [] if self._is_over else list(range(int(self.action_space.n)))

    def apply_actions(self, actions: Sequence[Any]) -> None:
        """Plays one step.

        Args:
            actions: the pursuer's and the evader's: integers from 0 to 8, or arrays (2,) of
                numbers from -1 to 1, forward and left.

        Raises:
            InvalidType, InvalidValue: for other actions, or after the end, without a change.
        """
        if self._is_over:
            raise InvalidValue("the game is over: a terminal state has no actions")
        if not isinstance(actions, Sequence | np.ndarray) or len(actions) != 2:
            raise InvalidType(
                f"actions must be a list of two, the pursuer's and the evader's; {got(actions)}"
            )
        pursuer_action, evader_action = actions
        pursuer, evader = (
            _engine_action(action, self.action_type)
            for action in (pursuer_action, evader_action)
        )
        with self._shared.lock:
            engine = self._shared.at(self)
            outcome = engine.step(pursuer, evader, PURSUER, restart=False)
        self._is_over = bool(outcome.terminated[0] or outcome.truncated[0])
        self._reward = float(outcome.rewards[0])
        self._return += self._reward
        if self.action_type == "discrete":
            self._history += [int(pursuer_action), int(evader_action)]
        else:
            self._history += [tuple(pursuer[0, 0].tolist()), tuple(evader[0, 0].tolist())]

    def rewards(self) -> list[float]:
        """The rewards of the last step, of the pursuer and the evader (0 before the first)."""
        return [self._reward, -self._reward]

    def returns(self) -> list[float]:
        """The sums of the rewards so far, of the pursuer and the evader.

        Those of the solved games are minus the seconds to capture, or the first distance
        less the payoff; about a target, the last distance from it less the first one, or minus
        how far off the breach is.
        """
        return [self._return, -self._return]

    def history(self) -> list[Any]:
        """All actions so far, the pursuer's and the evader's by turns.

        A continuous action is a tuple (forward, left) of what the step read.
        """
        return list(self._history)

    def observation_tensor(self, player: int) -> NDArray[np.float32]:
        """The observation of a player, (features,), as in the environments."""
        side = Side(_check_player(player))
        with self._shared.lock:
            return self._shared.at(self).observe(side)[0, 0]

    def get_state(self) -> NDArray[np.void]:
        """A copy of the whole state, (1,) of the records that the environments use."""
        with self._shared.lock:
            return self._shared.at(self).get_state()

    def __str__(self) -> str:
        """The step and the positions of both players."""
        record = self.get_state()[0]
        pursuer, evader = record["players"]["body"]["position"].tolist()
        over = ", over" if self._is_over else ""
        return (
            f"step {record['game']['steps']}: pursuer at ({pursuer.real:.3f}, "
            f"{pursuer.imag:.3f}), evader at ({evader.real:.3f}, {evader.imag:.3f}){over}"
        )

    def clone(self) -> SimultaneousState:
        """An independent copy, as cheap as a copy of the game's record.

        Clones take turns at one engine, so threads that play clones wait for each other.
        """
        copied = SimultaneousState.__new__(SimultaneousState)
        vars(copied).update(self.__getstate__(), _shared=self._shared)
        return copied

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        own = {name: value for name, value in vars(self).items() if name != "_shared"}
        copies = {"_record": self.get_state(), "_history": self.history()}
        return {**own, **copies, "action_space": action_space(self.action_type, 1)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _shared=_SharedEngine(state["config"]))


def _check_player(player: object) -> int:
    return check_integer("player", player, PURSUER, EVADER)


def _engine_action(action: Any, action_type: str) -> NDArray[np.float32]:
    """A player's action in the engine's form, or an InvalidValue."""
    given = engine_actions(action, action_type, ()).reshape(1, 1, 2)
    if (np.abs(given) > 1.0).any():  # the engine refuses nan
        raise InvalidValue(f"actions are numbers from -1 to 1, {got(action)}")
    return given
