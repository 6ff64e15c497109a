"""What the side that learns has of its own: reward terms, sensors and actuators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import FaultyBehavior
from steer_env.game.config import GameConfig
from steer_env.game.features import Feature
from steer_env.game.memory import Scratch
from steer_env.game.observation_config import ObservationConfig
from steer_env.game.partial_view import observe_partially
from steer_env.game.reward import add_reward_terms, faulty_term, remember_players, term_table
from steer_env.game.scales import observed_features
from steer_env.game.sensing import actuate, faulty_feature, sense
from steer_env.game.sensor import (
    NUMBER,
    SENSOR,
    blocks_of,
    chosen_features,
    sensor_table,
    size_of_view,
)
from steer_env.game.state import NO_PAST, Past
from steer_env.machine_code.addresses import address_of
from steer_env.machine_code.routines import Routine
from steer_env.sides import PURSUER


class Learner:
    """The side that learns, as arrays for the compiled loop.

    Args:
        config: the game.
        side: PURSUER or EVADER; None if nobody learns: then nothing of it is used.
        num_games: N.

    Attributes:
        side: as given.

    Raises:
        InvalidValue: if the observation that the configuration chooses is not possible.
    """

    def __init__(self, config: GameConfig, side: int | None, num_games: int) -> None:
        self._config, self._num_games = config, num_games
        self.side, self._learns = side, side is not None
        self._seen_by: dict[int, GameConfig] = {}
        if side is not None and not config.observation.is_standard:
            self._seen_by[side] = config

    def sense(self, side: int, observation: ObservationConfig | None = None) -> None:
        """Has a side observe what the configuration chooses, exact and at once.

        Args:
            side: PURSUER or EVADER.
            observation: other features, of the same limits; None for the configuration's.
        """
        if observation is not None or side not in self._seen_by:
            exact = (observation or self._config.observation).exact
            self._seen_by[side] = replace(self._config, observation=exact)

    def features(self, side: int) -> tuple[Feature, ...]:
        """The features of a player's observation on a side."""
        config = self._seen_by.get(side)
        return observed_features(self._config) if config is None else chosen_features(config)

    @property
    def remembers(self) -> bool:
        """Whether the state before a step is needed after it."""
        return self._learns and bool(self._config.reward.terms)

    @property
    def past(self) -> Past:
        """How many numbers of its past a game keeps."""
        if not self._learns:
            return NO_PAST
        players = self._config.pursuers + self._config.evaders
        delay, numbers = self._config.observation.delay, len(chosen_features(self._config))
        observations = (delay + 1) * players * numbers if delay > 0 else 0
        return Past(observations, self._config.action.delay * players * 2)

    @property
    def routines(self) -> list[Routine]:
        """What the loop must call."""
        found: list[Routine] = []
        if self.remembers:
            found += [remember_players, add_reward_terms]
        if self._seen_by:
            found.append(sense)
            if self._config.observation.is_partial:
                found.append(observe_partially)
        if self._learns and not self._config.action.is_standard:
            found.append(actuate)
        return found

    def lay_out(self, memory: NDArray[np.void]) -> None:
        """Makes the arrays, with addresses that are this process's, and enters them.

        Args:
            memory: an array of one `MEMORY` record.

        Raises:
            InvalidType: if a user's own function cannot be compiled.
        """
        config, games = self._config, self._num_games
        self._terms = term_table(config.reward.terms if self._learns else ())
        self._sensors = np.zeros(2, SENSOR)
        self._tables: list[NDArray[Any]] = []
        for side, seen in self._seen_by.items():
            table, team, (others, discs) = sensor_table(seen), self._team(side), blocks_of(seen)
            standard = np.zeros((games, team, size_of_view(seen)), np.float32)
            whose = np.zeros((games, team, others), np.int64)
            self._tables += [table, standard, whose]
            sensor = self._sensors[side]
            sensor["length"], sensor["delay"] = len(table), seen.observation.delay
            sensor["rows"], sensor["standard"] = address_of(table), address_of(standard)
            sensor["seen_length"] = standard.shape[2]
            if seen.observation.is_partial:
                sensor["whose"], sensor["others"] = address_of(whose), others
                sensor["obstacles"] = discs
        team = max(self._team(side) for side in (0, 1))
        self._executed = np.zeros((games, team, 2), np.float32)
        memory["num_terms"], memory["terms"] = len(self._terms), address_of(self._terms)
        memory["sensors"] = address_of(self._sensors)
        memory["executed"] = address_of(self._executed)
        memory["action_delay"] = config.action.delay
        memory["action_noise"] = config.action.noise

    def _team(self, side: int) -> int:
        return self._config.pursuers if side == PURSUER else self._config.evaders

    @property
    def own_addresses(self) -> list[int]:
        """Addresses of the routines of user-defined reward terms and features; 0 for none."""
        tables = [self._terms, *(table for table in self._tables if table.dtype == NUMBER)]
        return [int(address) for table in tables for address in table["address"]]

    def fault(self, spaces: list[Scratch]) -> FaultyBehavior:
        """The error for a user's own term or feature, from what the scratch space shows."""
        for space in spaces:
            if space.faulty_feature[0] >= 0:
                return faulty_feature(self._config, space)
        return faulty_term(self._config.reward.terms, spaces)

    def __getstate__(self) -> dict[str, Any]:
        """All but what holds addresses."""
        kept = self.__dict__.copy()
        for name in ("_terms", "_sensors", "_tables", "_executed"):
            kept.pop(name, None)
        return kept
