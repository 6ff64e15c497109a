"""Groups of games, and what plays each side of them: modules of RLlib, scripts, networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.envs.rllib_rows import Recorder
from steer_env.errors import InvalidValue, check_choice
from steer_env.players import Player


class Matchup(NamedTuple):
    """Some of the games of an env runner, and what plays them.

    Attributes:
        games: how many.
        modules: the algorithm's module that plays a side, by the side's name. A side without
            one is played by the opponents.
        opponents: the players of that side, one of which is drawn for every episode, as the
            keyword `opponent` of `ParallelVectorEnv` takes them; () if modules play both.
        learning: the sides whose steps go to the learner. A module of another side plays its
            deterministic actions.
    """

    games: int
    modules: Mapping[str, str]
    opponents: tuple[Player, ...] = ()
    learning: tuple[str, ...] = ("pursuer", "evader")


class Outcomes(NamedTuple):
    """The episodes of a matchup that have ended.

    Attributes:
        opponents: the number of the opponent that each was played against, (M,); 0 if there are
            none.
        steps: their lengths, (M,).
    """

    opponents: NDArray[np.int64]
    steps: NDArray[np.int64]


class Seat:
    """A side of a matchup that a module plays."""

    def __init__(self, side: str, module: str, env: ParallelVectorEnv) -> None:
        self.side, self.module = side, module
        self.space = batch_space(env.action_spaces[side], env.num_envs)
        self.is_box = isinstance(env.action_spaces[side], gym.spaces.Box)
        self.observations: NDArray[np.float32] = np.zeros(0, np.float32)
        self.chosen: dict[str, NDArray[Any]] = {}
        self.recorder: Recorder | None = None

    @property
    def actions(self) -> NDArray[Any]:
        """What is chosen, as the games take it."""
        actions = self.chosen[Columns.ACTIONS][:, None]
        return np.clip(actions, -1.0, 1.0) if self.is_box else actions


class Table:
    """The games of a matchup."""

    def __init__(
        self, matchup: Matchup, keywords: Mapping[str, Any], agents: Mapping[str, str]
    ) -> None:
        for side in (*matchup.modules, *matchup.learning):
            check_choice("side of a matchup", side, agents)
        sides = [side for side in agents if side in matchup.modules]
        self.env = ParallelVectorEnv(
            matchup.games,
            learner="both" if len(sides) == len(agents) else sides[0],
            opponent=list(matchup.opponents) or None,
            autoreset_mode="Disabled",
            **keywords,
        )
        config = self.env.config
        if max(config.pursuers, config.evaders) > 1:
            raise InvalidValue(
                "BatchedMultiAgentEnvRunner plays one on one, and this game has "
                f"{config.pursuers} pursuers and {config.evaders} evaders"
            )
        self.seats = [Seat(side, matchup.modules[side], self.env) for side in sides]
        for seat in self.seats:
            if seat.side in matchup.learning:
                seat.recorder = Recorder(
                    matchup.games,
                    self.env.observation_spaces[seat.side],
                    self.env.action_spaces[seat.side],
                    agents[seat.side],
                    seat.module,
                )
        self._has_opponents = len(sides) < len(agents)
        self._played = np.zeros(matchup.games, np.int64)
        self._outcomes: list[NDArray[np.int64]] = []

    def begin(self, seed: int | None) -> None:
        """Begins new episodes in all games."""
        observations, _ = self.env.reset(seed=seed)
        self._played[:] = 0
        for seat in self.seats:
            seat.observations = observations[seat.side][:, 0]
            if seat.recorder:
                seat.recorder.begin()

    def step(self) -> int:
        """Plays what the seats have chosen; returns how many episodes ended."""
        actions = {seat.side: seat.actions for seat in self.seats}
        after, rewards, terminated, truncated, _ = self.env.step(actions)
        for seat in self.seats:
            side = seat.side
            if seat.recorder:
                seat.recorder.add(
                    {
                        **seat.chosen,
                        Columns.OBS: seat.observations,
                        Columns.NEXT_OBS: after[side][:, 0],
                        Columns.REWARDS: rewards[side][:, 0],
                        Columns.TERMINATEDS: terminated[side][:, 0],
                        Columns.TRUNCATEDS: truncated[side][:, 0],
                    }
                )
        self._played += 1
        is_over = (terminated[side] | truncated[side])[:, 0]  # one on one, of both at once
        if is_over.any():
            against = self.env.opponent_index if self._has_opponents else 0 * self._played
            self._outcomes.append(np.stack([against[is_over], self._played[is_over]]))
            self._played[is_over] = 0
            after, _ = self.env.reset(options={"reset_mask": is_over})
        for seat in self.seats:
            seat.observations = after[seat.side][:, 0]
        return int(is_over.sum())

    def take_outcomes(self) -> Outcomes:
        """Returns the episodes that have ended since the last call."""
        found = np.concatenate([np.zeros((2, 0), np.int64), *self._outcomes], axis=1)
        self._outcomes = []
        return Outcomes(*found)

    def get_games(self) -> dict[str, Any]:
        """A copy of the state of the games, and of what is known of their episodes."""
        return {
            "state": self.env.get_state(),
            "played": self._played.copy(),
            "outcomes": list(self._outcomes),
            "observations": [seat.observations.copy() for seat in self.seats],
            "recorders": [seat.recorder and seat.recorder.get_state() for seat in self.seats],
        }

    def set_games(self, games: Mapping[str, Any]) -> None:
        """Goes on with games that `get_games` returned."""
        self.env.reset()
        self.env.set_state(games["state"])
        self._played = games["played"].copy()
        self._outcomes = list(games["outcomes"])
        for seat, observations, state in zip(
            self.seats, games["observations"], games["recorders"], strict=True
        ):
            seat.observations = observations.copy()
            if seat.recorder:
                seat.recorder.set_state(state)


class Spaces:
    """What RLlib asks the environments of a runner: the spaces, by agent."""

    def __init__(
        self,
        keywords: Mapping[str, Any],
        agents: Mapping[str, str],
        num_envs: int,
    ) -> None:
        game = ParallelVectorEnv(1, **keywords)
        self.observation_space, self.action_space = (
            gym.spaces.Dict({agents[side]: space for side, space in spaces.items()})
            for spaces in (game.observation_spaces, game.action_spaces)
        )
        game.close()
        self.single_observation_space = self.observation_space
        self.single_action_space = self.action_space
        self.num_envs = num_envs

    @property
    def unwrapped(self) -> Spaces:
        """Itself."""
        return self
