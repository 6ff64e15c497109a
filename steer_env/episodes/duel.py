"""A live game between two players: scripts, policies or people."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from steer_env.actions import engine_actions
from steer_env.episodes.recording import SideActions
from steer_env.episodes.seats import Seat, make_engine
from steer_env.episodes.status import Status
from steer_env.errors import InvalidType, InvalidValue, check_array, check_integer, shown
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players import Controller
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side

_RUNNING = np.ones(1, np.bool_)


class Duel:
    """A live game, which plays one episode after the other.

    An episode depends only on its seed, and on the actions of people. Policies start each
    episode with a new hidden state, but a policy with random numbers of its own continues their
    stream. A `RandomPolicy` without a seed uses the episode's.

    Args:
        config: the game.
        pursuer: the player of the pursuers: a Script or a policy, such as `controller_of`
            returns, or None for a person, whose actions are passed to `step`.
        evader: the same for the evaders.
        names: the names of the pursuer and the evader.

    Attributes:
        config: as given.
        names: as given.
        controllers: the players of the pursuers and the evaders, as given.
        scripts: the scripts of the pursuers and the evaders; None for a policy or a person.
        seed: the seed of the episode; None before the first one.

    Raises:
        TypeError: if a player is none of these, or your own behavior cannot be compiled.
        ValueError: if a policy was made for another game.
    """

    def __init__(
        self,
        config: GameConfig,
        pursuer: Controller | None,
        evader: Controller | None,
        names: tuple[str, str] = (Side.PURSUER.name, Side.EVADER.name),
    ) -> None:
        self.config, self.names = config, names
        self.controllers = pursuer, evader
        for side, controller in zip(Side, self.controllers):
            _check_controller(controller, side)
        first, second = (c if isinstance(c, Script) else None for c in self.controllers)
        self.scripts = first, second
        self.seed: int | None = None
        self._engine = make_engine(config, self.controllers)
        self._seats = self._new_seats()  # raises an error for a policy that does not fit
        self._actions = self._no_actions()

    def start(self, seed: int) -> None:
        """Begins the episode of a seed.

        Raises:
            TypeError, ValueError: if the seed is not an integer from 0 to 2**64 - 1.
        """
        self.seed = check_integer("seed", seed, 0, LARGEST_SEED)
        self._engine.seed([self.seed])
        self._engine.start()
        self._seats = self._new_seats()
        self._actions = self._no_actions()

    def step(
        self, pursuer_action: ArrayLike | None = None, evader_action: ArrayLike | None = None
    ) -> None:
        """Plays one step.

        Args:
            pursuer_action: the action of a person who plays the pursuers: (players, 2), or
                (2,) for one pursuer; forward and left in its own frame, from -1 to 1, as in
                the environments. None if a script or a policy plays them.
            evader_action: the same for the evaders.

        Raises:
            gymnasium.error.ResetNeeded: if the episode is over, or has not begun.
            TypeError: if a person's action is missing or not numeric, or an action is given
                for a side that a script or a policy plays.
            ValueError: if an action has another shape, or is not finite.
            FaultyBehavior: if your own behavior returned something other than a finite number.
        """
        phase = self._engine.state.phase[0]
        if phase != RUNNING:
            problem = "has not begun" if phase == UNSTARTED else "is over"
            raise ResetNeeded(f"the episode {problem}; call start(seed)")
        given = [
            self._action_given(action, side)
            for side, action in zip(Side, (pursuer_action, evader_action))
        ]
        pursuers, evaders = (
            seat.act(_RUNNING) if seat is not None else action
            for seat, action in zip(self._seats, given)
        )
        self._engine.step(pursuers, evaders, PURSUER, restart=False, is_observed=False)
        self._actions = pursuers.copy(), evaders.copy()  # a caller may reuse its arrays

    @property
    def record(self) -> np.void:
        """A copy of the record of the state, of `state_dtype`."""
        return self._engine.record()

    @property
    def forces(self) -> NDArray[np.complex128]:
        """The players' steering forces in the last step, (players,) in newtons."""
        return self._engine.forces()

    @property
    def actions(self) -> SideActions:
        """The actions of each side in the last step, as the engine took them.

        (players of the side, 2), forward and left in each vehicle's own frame; 0 before the
        first step, and None for a side that a script plays. Later steps do not change them.
        """
        first, second = (
            None if script is not None else actions[0]
            for script, actions in zip(self.scripts, self._actions)
        )
        return first, second

    def observation(self, side: int) -> NDArray[np.float32]:
        """The observations of a side, (players of the side, features).

        Args:
            side: PURSUER or EVADER.
        """
        return self._engine.observe(side)[0]

    @property
    def status(self) -> Status:
        """How the episode stands or ended."""
        return Status(self.record, self.config)

    def close(self) -> None:
        """Closes the engine."""
        self._engine.close()

    def _no_actions(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Actions of 0 for both sides, (1, players of the side, 2)."""
        first, second = (
            np.zeros((1, self._engine.side_size(side), 2), np.float32) for side in Side
        )
        return first, second

    def _new_seats(self) -> list[Seat | None]:
        """New seats of the two sides; None for a person."""
        return [self._new_seat(side) for side in Side]

    def _new_seat(self, side: Side) -> Seat | None:
        controller = self.controllers[side]
        if controller is None:
            return None
        if isinstance(controller, RandomPolicy) and controller.seed is None:
            seed = None if self.seed is None else (self.seed, side)
            controller = RandomPolicy(controller.action_space, seed)
        return Seat(self._engine, controller, side)

    def _action_given(self, action: ArrayLike | None, side: Side) -> Any:
        """A person's action in the engine's form, (1, players, 2); None for other players."""
        name, is_person = side.name, self.controllers[side] is None
        if is_person and action is None:
            raise InvalidType(f"a person plays the {name}: step needs {name}_action")
        if action is not None and not is_person:
            raise InvalidType(f"no person plays the {name}: omit {name}_action")
        if action is None:
            return None
        players = self._engine.side_size(side)
        try:
            array = check_array("actions", action, None)
            if array.shape == (1, 2) and players == 1:
                array = array[0]
            converted = engine_actions(array, "continuous", 1, players, batch=False)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}_action does not fit: {error}") from error
        if not np.isfinite(converted).all():
            raise InvalidValue(f"{name}_action is not finite: {array.tolist()}")
        return converted


def _check_controller(controller: Any, side: Side) -> None:
    """Raises an InvalidType for an object that cannot play a side."""
    has_predict = callable(getattr(controller, "predict", None))
    is_policy = has_predict and not isinstance(controller, type)
    if controller is None or isinstance(controller, Script) or is_policy:
        return
    hint = " (controller_of loads one by its name)" if isinstance(controller, str) else ""
    raise InvalidType(
        f"the {side.name} must be a Script, a policy with predict(observation, state, "
        f"episode_start, deterministic), or None for a person; got {shown(controller)}{hint}"
    )
