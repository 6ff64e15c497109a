"""A game of one pursuer and one evader as a game tree, in the vocabulary of OpenSpiel.

OpenSpiel (Lanctot et al. 2019) calls a node at which all players move at once a simultaneous
node. Every step of a game here is one. Both sides see everything, and all chance is in the
start, so there are no chance nodes.
"""

from __future__ import annotations

import base64
import json
import math
import threading
import weakref
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from steer_env.actions import action_space, check_action_type, engine_actions
from steer_env.envs.learner_games import check_fair
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_integer,
    check_number,
    check_text,
    got,
    shown,
)
from steer_env.files import refuse_constant
from steer_env.game.config import GameConfig, game_config, keywords_of
from steer_env.game.config.keywords import check_keywords, plain, takes_keywords_of
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.run.turn import renew_after_fork
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.sides import EVADER, PURSUER, Side

FORMAT = "steer-env simultaneous state"
VERSION = 1
LONGEST_TEXT = 2**26
"""The most characters that `SimultaneousState.deserialize` reads."""


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
    bit, and add up to zero over the players.

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
        self._set_up(_SharedEngine(config), check_action_type(action_type))
        engine = self._shared.at(self)
        engine.seed([number])
        engine.start()

    def _set_up(self, shared: _SharedEngine, action_type: str) -> None:
        self._shared, self.action_type = shared, action_type
        self.config = shared.engine.config
        self.action_space = action_space(action_type, 1)
        self._record: NDArray[np.void] | None = None  # None while the engine is in this state
        self._is_over = False
        self._reward = 0.0  # the pursuer's, as the sum of all of them
        self._return = 0.0
        self._history: list[Any] = []

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
        return self._with_state(self._shared, self.get_state())

    def _with_state(self, shared: _SharedEngine, record: NDArray[np.void]) -> SimultaneousState:
        copied = SimultaneousState.__new__(SimultaneousState)
        copied._set_up(shared, self.action_type)
        copied._record = record
        copied._is_over = self._is_over
        copied._reward, copied._return = self._reward, self._return
        copied._history = list(self._history)
        return copied

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> SimultaneousState:
        """A clone that shares nothing, not even the engine."""
        return self._with_state(_SharedEngine(self.config), self.get_state())

    def __reduce__(self) -> Any:
        """Pickles as what `serialize` returns."""
        return SimultaneousState.deserialize, (self.serialize(),)

    def serialize(self) -> str:
        """The state and its game as text for `deserialize`.

        The text is JSON with a version. On machines of one byte order all bits come back.

        Raises:
            InvalidValue: if the game has user-defined functions, which no text can hold.
        """
        if any(not isinstance(feature, str) for feature in self.config.observation.features):
            raise InvalidValue("a game with functions as features cannot be serialized")
        whole = {
            "format": FORMAT,
            "version": VERSION,
            "game": plain(keywords_of(self.config)),
            "action_type": self.action_type,
            "record": base64.b64encode(self.get_state().tobytes()).decode(),
            "reward": self._reward,
            "return": self._return,
            "history": self._history,
        }
        return json.dumps(whole, allow_nan=False)

    @classmethod
    def deserialize(cls, text: str) -> SimultaneousState:
        """The state that `serialize` made a text of.

        Nothing in the text is run; its record is checked as `set_state` checks one.

        Raises:
            InvalidType, InvalidValue: if it is no such text, too long, or damaged.
        """
        check_text("the serialized state", text)
        if len(text) > LONGEST_TEXT:
            raise InvalidValue(f"the serialized state is longer than {LONGEST_TEXT} characters")
        try:
            return cls._of(json.loads(text, parse_constant=refuse_constant))
        except (UsageError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidValue(f"this is not a serialized state: {error}") from None

    @classmethod
    def _of(cls, whole: Any) -> SimultaneousState:
        if not isinstance(whole, Mapping) or whole.get("format") != FORMAT:
            raise InvalidValue(f"its format is not {FORMAT!r}")
        if whole.get("version") != VERSION:
            found = shown(whole.get("version"))
            raise InvalidValue(f"its version must be {VERSION}, got {found}")
        state = cls(seed=0, action_type=whole["action_type"], **whole["game"])
        engine = state._shared.engine
        record = _record_of(whole["record"], engine)
        engine.set_state(record)
        state._reward, state._return = (
            check_number(name, whole[name], -math.inf) for name in ("reward", "return")
        )
        state._is_over = bool(record["game"]["phase"][0] != RUNNING)
        state._history = [_action_of(action, state.action_type) for action in whole["history"]]
        if len(state._history) != 2 * int(record["game"]["steps"][0]):
            raise InvalidValue("the history must have two actions for each step")
        return state


def _check_player(player: object) -> int:
    return check_integer("player", player, PURSUER, EVADER)


def _engine_action(action: Any, action_type: str) -> NDArray[np.float32]:
    """A player's action in the engine's form, or an InvalidValue."""
    given = engine_actions(action, action_type, ()).reshape(1, 1, 2)
    if (np.abs(given) > 1.0).any():  # the engine refuses nan
        raise InvalidValue(f"actions are numbers from -1 to 1, {got(action)}")
    return given


def _record_of(text: str, engine: Engine) -> NDArray[np.void]:
    """The record of a game that has begun, with numbers for `Engine.set_state` to check."""
    stored, record = base64.b64decode(text, validate=True), engine.get_state()
    if len(stored) != record.nbytes:
        raise InvalidValue(f"the record must have {record.nbytes} bytes, got {len(stored)}")
    record = np.frombuffer(stored, record.dtype).copy()
    if (np.ascontiguousarray(record["players"]["active"]).view(np.uint8) > 1).any():
        raise InvalidValue("the record is damaged: a flag must be 0 or 1")
    if record["game"]["phase"][0] == UNSTARTED:
        raise InvalidValue("the record is damaged: the game has not begun")
    return record


def _action_of(action: Any, action_type: str) -> Any:
    """An action of a history, checked."""
    if action_type == "discrete":
        check_integer("an action", action, 0, 8)
        return action
    return tuple(_engine_action(action, action_type)[0, 0].tolist())
