"""One game between two players, live: scripts, policies and persons."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from steer_env.actions import engine_actions
from steer_env.envs.keywords import Controller
from steer_env.episodes.players import SIDES
from steer_env.episodes.seats import Seat, make_engine
from steer_env.episodes.status import Status
from steer_env.errors import InvalidType, InvalidValue, check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

_RUNNING = np.ones(1, np.bool_)


class Duel:
    """One game, live; one episode after the other.

    An episode follows from its seed, and from what persons do. Only a policy that keeps
    chance of its own draws on from one episode to the next; its hidden state is always new. A
    `RandomPolicy` without a seed draws from the episode's.

    Args:
        config: the game. An episode's limit is its horizon.
        pursuer: who plays the pursuers: a Script or a policy, as `load_player` makes them of
            names. None for a person, whose actions `step` is given.
        evader: the same for the evaders.
        names: what to call the pursuer and the evader.

    Attributes:
        config: as given.
        names: as given.
        controllers: of the pursuers and of the evaders, as given.
        scripts: of the pursuers and of the evaders, a list of one; None in it for a policy or
            a person.
        seed: of the episode; None before the first one.

    Raises:
        TypeError: if a player is none of these, or a behavior of your own cannot be compiled.
        ValueError: if a policy was made for another game.
    """

    def __init__(
        self,
        config: GameConfig,
        pursuer: Controller | None,
        evader: Controller | None,
        names: tuple[str, str] = SIDES,
    ) -> None:
        self.config, self.names = config, names
        self.controllers = pursuer, evader
        for side, controller in enumerate(self.controllers):
            _check_controller(controller, side)
        first, second = (c if isinstance(c, Script) else None for c in self.controllers)
        self.scripts: tuple[list[Script | None], list[Script | None]] = ([first], [second])
        self.seed: int | None = None
        self._engine = make_engine(config, self.controllers)
        self._seats = self._new_seats()  # so that a policy that does not fit is told at once

    def start(self, seed: int) -> None:
        """Begins the episode of a seed, an integer from 0 to 2**64 - 1.

        Raises:
            TypeError, ValueError: if it is none.
        """
        self.seed = check_integer("seed", seed, 0, LARGEST_SEED)
        self._engine.seed([self.seed])
        self._engine.start()
        self._seats = self._new_seats()

    def step(
        self, pursuer_action: ArrayLike | None = None, evader_action: ArrayLike | None = None
    ) -> None:
        """Plays one step.

        Args:
            pursuer_action: of a person who plays the pursuers: (players, 2), or (2,) for a
                single one; forward and left in its own frame, from -1 to 1, as in the
                environments. None if a script or a policy plays them.
            evader_action: the same for the evaders.

        Raises:
            gymnasium.error.ResetNeeded: if the episode is over, or has not begun.
            TypeError: if a person's action is missing or no number, or one is given for a
                side that no person plays.
            ValueError: if an action has another shape, or is not finite.
            FaultyBehavior: if a behavior of your own returned no number.
        """
        phase = self._engine.state.phase[0]
        if phase != RUNNING:
            stands = "has not begun" if phase == UNSTARTED else "is over"
            raise ResetNeeded(f"the episode {stands}; call start(seed)")
        given = (
            self._action_given(pursuer_action, PURSUER),
            self._action_given(evader_action, EVADER),
        )
        pursuers, evaders = (
            seat.act(_RUNNING) if seat is not None else action
            for seat, action in zip(self._seats, given)
        )
        self._engine.step(pursuers, evaders, PURSUER, restart=False)

    @property
    def record(self) -> np.void:
        """The record of the state, of `state_dtype`; a copy."""
        return self._engine.record()

    @property
    def forces(self) -> NDArray[np.complex128]:
        """The players' steering forces in the last step, (players,); see `Engine.forces`."""
        return self._engine.forces()

    def observation(self, side: int) -> NDArray[np.float32]:
        """What the players of a side see, (players of the side, features).

        Args:
            side: PURSUER or EVADER.
        """
        return self._engine.observe(side)[0]

    @property
    def status(self) -> Status:
        """How the episode stands or ended."""
        return Status(self.record, self.config)

    def close(self) -> None:
        """Ends the engine."""
        self._engine.close()

    def _new_seats(self) -> list[Seat | None]:
        """Who sits at the two sides; nobody where a person's actions are given."""
        return [self._new_seat(side) for side in (PURSUER, EVADER)]

    def _new_seat(self, side: int) -> Seat | None:
        controller = self.controllers[side]
        if controller is None:
            return None
        if isinstance(controller, RandomPolicy) and controller.seed is None:
            chance = None if self.seed is None else (self.seed, side)
            controller = RandomPolicy(controller.action_space, chance)
        return Seat(self._engine, controller, side)

    def _action_given(self, action: ArrayLike | None, side: int) -> Any:
        """A person's action in the engine's form, (1, players, 2); None for everybody else."""
        name, is_person = SIDES[side], self.controllers[side] is None
        if is_person != (action is not None):
            problem = "is played by a person: step needs" if is_person else "is no person: omit"
            raise InvalidType(f"the {name} {problem} {name}_action")
        if action is None:
            return None
        players = self._engine.side_size(side)
        array = np.asarray(action)
        if array.shape == (1, 2) and players == 1:
            array = array[0]
        try:
            converted = engine_actions(array, "continuous", 1, players, batch=False)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}_action does not fit: {error}") from error
        if not np.isfinite(converted).all():
            raise InvalidValue(f"{name}_action is not finite: {array.tolist()}")
        return converted


def _check_controller(controller: Any, side: int) -> None:
    """Raises a TypeError for what cannot play a side."""
    has_predict = callable(getattr(controller, "predict", None))
    if controller is None or isinstance(controller, Script):
        return
    if has_predict and not isinstance(controller, type):
        return
    hint = " (load_player makes one of a name)" if isinstance(controller, str) else ""
    raise InvalidType(
        f"the {SIDES[side]} must be a Script, a policy with predict(observation, state, "
        f"episode_start, deterministic), or None for a person; got {controller!r}{hint}"
    )
