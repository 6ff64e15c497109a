"""All that is known about one player at one moment, as rows of text."""

from __future__ import annotations

import cmath
import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.history import History
from steer_env.game.annotations import Marks
from steer_env.game.arena import ARENAS, nearest_offset
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.observation import Feature, observation_layout
from steer_env.scripts.script import Script
from steer_env.game.state import EVADER, PURSUER


class Heading(NamedTuple):
    """A title of the rows below."""

    text: str


class Fact(NamedTuple):
    """A name and a value."""

    name: str
    value: str


class Note(NamedTuple):
    """A sentence."""

    text: str


class Bar(NamedTuple):
    """A feature of the observation, and its value."""

    feature: Feature
    value: float


Row: TypeAlias = Heading | Fact | Note | Bar


class Inspector:
    """Looks at players of any moment, without a change to their game.

    Args:
        config: the game.
    """

    def __init__(self, config: GameConfig) -> None:
        self._config = config
        self._engine = Engine(config, [None], [None])

    def rows(self, game: History, moment: int, player: int) -> list[Row]:
        """All that is known about a player.

        Args:
            game: which plays.
            moment: since its start; after its end, the end.
            player: its number; pursuers come first.
        """
        record = game.record(moment)
        side = PURSUER if player < self._config.pursuers else EVADER
        script = game.duel.scripts[side][0]
        rows: list[Row] = [Heading(self.title(game, player))]
        rows += self._motion(record, game.forces_at(moment), player)
        rows += _marked(game.marks(moment)[player])
        if script is not None:
            rows += _script_rows(script)
        else:
            rows.append(Note("A policy: it steers by the observation below."))
        rows += self._observed(record, side, player)
        return rows

    def title(self, game: History, player: int) -> str:
        """Who a player is: "pursuer 2: seek"."""
        side = PURSUER if player < self._config.pursuers else EVADER
        return f"{self._label(player)}: {game.duel.names[side]}"

    def observation(self, record: np.void, player: int) -> NDArray[np.float32]:
        """What a player sees, (features,)."""
        side = PURSUER if player < self._config.pursuers else EVADER
        state = np.zeros(1, record.dtype)
        state[0] = record
        self._engine.set_state(state)
        return self._engine.observe(side)[0, player - side * self._config.pursuers]

    def _motion(
        self, record: np.void, forces: NDArray[np.complex128], player: int
    ) -> Iterator[Row]:
        body = record["players"]["body"][player]
        position, velocity = complex(body["position"]), complex(body["velocity"])
        if not record["players"]["active"][player]:
            yield Fact("caught", "yes")
        yield Fact("position", f"{_pair(position)} m")
        yield Fact("velocity", f"{_pair(velocity)} m/s")
        yield Fact("speed", f"{abs(velocity):.2f} of {body['max_speed']:.2f} m/s")
        heading = math.degrees(cmath.phase(complex(body["heading"])))
        yield Fact("heading", f"{heading:.0f}\N{DEGREE SIGN}")
        force = abs(forces[player])
        yield Fact(
            "force", f"{force:.2f} of {body['max_force']:.2f} N, {_pair(forces[player])}"
        )
        nearest = self._nearest_opponent(record, player)
        if nearest is not None:
            other, distance = nearest
            yield Fact("nearest opponent", f"{self._label(other)}, {distance:.2f} m")

    def _nearest_opponent(self, record: np.void, player: int) -> tuple[int, float] | None:
        """The number of the nearest opponent that plays, and its distance in meters."""
        config, players = self._config, record["players"]
        arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
        pursuers, everybody = config.pursuers, len(players)
        opponents = range(pursuers, everybody) if player < pursuers else range(pursuers)
        place = complex(players["body"]["position"][player])
        distances = {}
        for other in opponents:
            if players["active"][other]:
                there = complex(players["body"]["position"][other])
                distances[other] = abs(nearest_offset(arena, half_size, place, there))
        if not distances:
            return None
        nearest = min(distances, key=distances.__getitem__)
        return nearest, distances[nearest]

    def _observed(self, record: np.void, side: int, player: int) -> Iterator[Row]:
        """Every feature, under the name of what it is about."""
        config = self._config
        features = observation_layout(
            config.pursuers + config.evaders, config.arena.num_obstacles
        )
        own = (
            range(config.pursuers) if side == PURSUER else range(config.pursuers, _all(config))
        )
        opponents = [number for number in range(_all(config)) if number not in own]
        mates = [number for number in own if number != player]
        others = iter([self._label(number) for number in (*opponents, *mates)])
        obstacles = iter(range(1, config.arena.num_obstacles + 1))
        for feature, value in zip(features, self.observation(record, player).tolist()):
            if feature.name == "presence" and feature.block == "other":
                yield Heading(f"observed of {next(others)}")
            elif feature.name == "presence":
                which = (
                    "nearest" if (rank := next(obstacles)) == 1 else f"{_ordinal(rank)} nearest"
                )
                yield Heading(f"observed of the {which} obstacle")
            elif feature is features[0]:
                yield Heading("observed of itself")
            yield Bar(feature, value)

    def _label(self, player: int) -> str:
        """A player's side, with a number where the side has several."""
        config = self._config
        is_pursuer = player < config.pursuers
        name, count = ("pursuer", config.pursuers) if is_pursuer else ("evader", config.evaders)
        number = player + 1 if is_pursuer else player - config.pursuers + 1
        return f"{name} {number}" if count > 1 else name


def _all(config: GameConfig) -> int:
    return config.pursuers + config.evaders


def _ordinal(number: int) -> str:
    is_teen = 10 < number % 100 < 20
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _pair(vector: complex) -> str:
    return f"({vector.real:.2f}, {vector.imag:.2f})"


def _marked(marks: Marks) -> Iterator[Row]:
    if marks.aim is not None:
        yield Fact("aim", f"{_pair(marks.aim)} m")
    if marks.lookahead is not None:
        yield Fact("lookahead", f"{marks.lookahead:.2f} s")
    if marks.threat_range is not None:
        yield Fact("threat range", f"{marks.threat_range:.2f} m")
    if marks.wander is not None:
        yield Fact("wander target", f"{_pair(marks.wander[2])} m")
    if marks.field_of_view is not None:
        radius, angle = marks.field_of_view
        degrees = f"{2 * math.degrees(angle):.0f}\N{DEGREE SIGN}"
        yield Fact("field of view", f"{radius:.2f} m, {degrees}")
    if marks.corridor is not None:
        ahead, half_width = marks.corridor
        yield Fact("corridor", f"{ahead:.2f} m by {2 * half_width:.2f} m")
    if marks.apollonius is not None:
        center, radius = marks.apollonius
        yield Fact("Apollonius circle", f"{_pair(center)} m, radius {radius:.2f} m")


def _script_rows(script: Script) -> Iterator[Row]:
    """What the script is, and in what it differs from the plainest of its behavior."""
    yield Heading("script")
    if script.description:
        yield Note(script.description)
    yield Fact("behavior", script.behavior_name)
    plain = Script(behavior=script.behavior)
    for field in dataclasses.fields(Script):
        value = getattr(script, field.name)
        if field.compare and value != getattr(plain, field.name):
            yield Fact(field.name.replace("_", " "), _written(value))


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(map(_written, value))
    return str(value)
