"""A live game between two players, kept moment by moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from steer_env.errors import check_integer
from steer_env.game.config import Game
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import RUNNING, UNSTARTED
from steer_env.players.player import Player, make_engine
from steer_env.players.random_policy import RandomPolicy
from steer_env.rendering.recording import Recording, Status
from steer_env.sides import PURSUER, Side

_RUNNING = np.ones(1, np.bool_)
_FIRST_MOMENTS = 64  # room at first; it doubles when it is full


class LiveGame:
    """Plays one episode after the other, and keeps every moment of the present one.

    A person's actions are passed to `step`. Policies start each episode with a new hidden
    state, but one with random numbers of its own continues their stream. A `RandomPolicy`
    without a seed uses the episode's.

    The ``seed`` is None before the first episode; ``last`` is the last moment that was played.
    """

    def __init__(self, config: Game, pursuer: Player, evader: Player) -> None:
        self.config, self.players = config, (pursuer, evader)
        self.names = pursuer.name, evader.name
        self.seed: int | None = None
        self._recording: Recording | None = None  # of all moments so far, once it is needed
        self._engine = make_engine(config, self.players)
        self._begin()  # raises an error for a policy that does not fit

    def start(self, seed: int) -> None:
        """Begins the episode of a seed, an integer from 0 to 2**64 - 1."""
        self.seed = check_integer("seed", seed, 0, LARGEST_SEED)
        self._engine.seed([self.seed])
        self._engine.start()
        self._begin()
        self._keep()

    def step(
        self, pursuer_action: ArrayLike | None = None, evader_action: ArrayLike | None = None
    ) -> None:
        """Plays one step.

        A person's action is (players, 2), or (2,) for one player: forward and left in its own
        frame, from -1 to 1, as in the environments. It is None for other sides.

        Raises:
            gymnasium.error.ResetNeeded: if the episode is over, or has not begun.
            FaultyBehavior: if your own behavior returned something other than a finite number.
        """
        phase = self._engine.state.phase[0]
        if phase != RUNNING:
            problem = "has not begun" if phase == UNSTARTED else "is over"
            raise ResetNeeded(f"the episode {problem}; call start(seed)")
        pursuers, evaders = (
            np.array(action, np.float32).reshape(1, -1, 2)
            if player.is_person
            else player.act(_RUNNING)
            for player, action in zip(self._playing, (pursuer_action, evader_action))
        )
        self._engine.step(pursuers, evaders, PURSUER, restart=False, is_observed=False)
        self.last += 1
        self._keep()

    def reach(self, moment: int) -> None:
        """Plays until a moment, or to the end if that comes first."""
        while self.last < moment and not self.status.is_over:
            self.step()

    def recording(self) -> Recording:
        """The episode so far, unchanged by later steps."""
        assert self.seed is not None
        if self._recording is None:
            end, (pursuer, evader) = self.last + 1, self.players
            game = self.names, self.config, self.seed, (pursuer.script, evader.script)
            self._recording = Recording(*game, self._states[:end], self._forces[:end])
        return self._recording

    def record_at(self, moment: int) -> np.void:
        """The record of the state at a moment, or after the end the last one."""
        return self._states[min(moment, self.last)]

    def status_at(self, moment: int) -> Status:
        """The standing of the episode at a moment."""
        return Status(self.record_at(moment), self.config)

    @property
    def record(self) -> np.void:
        """A copy of the record of the state, of `state_dtype`."""
        return self._engine.record()

    @property
    def status(self) -> Status:
        """The present standing or the outcome of the episode."""
        return Status(self.record, self.config)

    def close(self) -> None:
        """Closes the engine."""
        self._engine.close()

    def _begin(self) -> None:
        """Forgets the episode before: its policies' hidden states, and its moments."""
        self._playing: list[Player] = []
        for side, player in zip(Side, self.players):
            if isinstance(player.policy, RandomPolicy) and player.follows_chance:
                seed = None if self.seed is None else (self.seed, side)
                player = player.changed(policy=RandomPolicy(player.policy.action_space, seed))
            self._playing.append(player.join(self._engine, side))
        self.last = 0
        # New arrays, since recordings keep the old ones. Forces are those of the step that led
        # to each moment.
        self._states = np.zeros(_FIRST_MOMENTS, self.record.dtype)
        self._forces = np.zeros((_FIRST_MOMENTS, self._engine.num_players), np.complex128)
        self._recording = None

    def _keep(self) -> None:
        if self.last == len(self._states):
            self._states, self._forces = _doubled(self._states), _doubled(self._forces)
        self._states[self.last] = self.record
        self._forces[self.last] = self._engine.forces()
        self._recording = None


def _doubled(moments: NDArray[Any]) -> NDArray[Any]:
    return np.append(moments, np.zeros_like(moments), axis=0)


def record_episode(live: LiveGame, seed: int) -> Recording:
    """Plays the episode of a seed from 0 to 2**64 - 1 to its end."""
    live.start(seed)
    live.reach(live.config.horizon)
    return live.recording()
