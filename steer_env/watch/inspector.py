"""Everything known about one player at one moment: its decision, and rows of text."""

from __future__ import annotations

import cmath
import dataclasses
import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.live_game import LiveGame
from steer_env.errors import number_text
from steer_env.game.config import GameConfig
from steer_env.game.config.observation import Feature
from steer_env.game.engine import Engine
from steer_env.game.rules import observed_features
from steer_env.policies.stable_baselines import value_of
from steer_env.scripts.script import Script
from steer_env.scripts.table import PARTS
from steer_env.sides import Side
from steer_env.steering.own_functions import function_name

_ROUNDING = 1e-9  # of max_force
_CUTS = ("prioritized", "budget")  # combinations that cut what a part asks for


class Share(NamedTuple):
    """The share of a part of a script in its force, in newtons."""

    name: str  # of the part, or of the main behavior
    part: str  # of `steer_env.scripts.table.PARTS`
    asked: complex | None  # its force times its weight; None if it was left out
    added: complex  # what it changed of the force
    is_cut: bool  # whether it got another force than it asked for


class Decision(NamedTuple):
    """A player's decision on the step that led to a moment.

    Its shares add up to the force that is drawn there. Forces are in newtons.
    """

    seconds: float  # the time of the moment that it was taken in
    heading: complex  # of the vehicle at that moment
    max_force: float
    force: complex
    shares: tuple[Share, ...] = ()  # of a script, in the order of their turns
    combination: str = ""  # of the parts of a script
    action: complex | None = None  # of a policy: forward + 1j * left in the vehicle's frame
    value: float | None = None  # a critic's estimate of the rewards to come


class Heading(NamedTuple):
    """A title above rows."""

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


Row: TypeAlias = Heading | Fact | Note | Bar | Share


class Inspector:
    """Describes players at any moment, without changing their game."""

    def __init__(self, config: GameConfig) -> None:
        self._config = config
        pursuers, players = config.pursuers, config.pursuers + config.evaders
        self._players = range(pursuers), range(pursuers, players)  # numbers, by side
        self._engines: dict[tuple[Script | None, Script | None], Engine] = {}

    def rows(self, game: LiveGame, moment: int, player: int) -> list[Row]:
        """Returns everything known about a player, after the end of the game as at its end."""
        episode, moment, side = game.recording(), min(moment, game.last), self.side_of(player)
        record, script = episode.states[moment], episode.scripts[side]
        rows: list[Row] = [Heading(f"{self._label(player)}: {game.names[side]}")]
        decision = self.decision(game, moment, player)
        if decision is not None:
            rows += _decision_rows(decision)
        rows += _motion(record, episode.forces[moment], player)
        shown = episode.annotations(moment)[player]
        if shown.aim is not None:
            rows.append(Fact("aim", f"{_pair(shown.aim)} m"))
        if shown.lookahead is not None:
            rows.append(Fact("lookahead", f"{shown.lookahead:.2f} s"))
        if script is not None:
            rows += _script_rows(script)
        else:
            rows.append(Note("A policy: it steers by the observation below."))
        rows += self._observed(game, moment, player)
        return rows

    def decision(self, game: LiveGame, moment: int, player: int) -> Decision | None:
        """The decision that led to a moment, or None if the player made none."""
        episode, moment, side = game.recording(), min(moment, game.last), self.side_of(player)
        if moment == 0 or not episode.states[moment]["players"]["active"][player]:
            return None
        body = episode.states[moment - 1]["players"]["body"][player]
        decision = Decision(
            seconds=(moment - 1) * self._config.dt,
            heading=complex(body["heading"]),
            max_force=float(body["max_force"]),
            force=complex(episode.forces[moment][player]),
        )
        engine = self._engine_at(game, moment - 1)
        script, actions = episode.scripts[side], episode.actions[side]
        if script is not None:
            shares = _shares(script, engine.explain()[player, 0], decision.max_force)
            return decision._replace(shares=shares, combination=script.combination)
        assert actions is not None
        place = self._players[side].index(player)
        forward, left = actions[moment - 1, place].tolist()
        value = value_of(game.controllers[side], engine.observe(side)[0], place)
        return decision._replace(action=complex(forward, left), value=value)

    def _engine_at(self, game: LiveGame, moment: int) -> Engine:
        """An engine with the scripts of a game, in its state at a moment."""
        scripts = game.scripts
        if scripts not in self._engines:
            pursuer, evader = scripts
            self._engines[scripts] = Engine(self._config, [pursuer], [evader])
        self._engines[scripts].restore(game.recording().states[moment : moment + 1])
        return self._engines[scripts]

    def _observed(self, game: LiveGame, moment: int, player: int) -> Iterator[Row]:
        """Yields every feature, below a heading with what it is about."""
        side, ranks = self.side_of(player), count(1)
        own, opponents = self._players[side], self._players[side.other]
        values = self._engine_at(game, moment).observe(side)[0, own.index(player)].tolist()
        features = observed_features(self._config)
        mates = [number for number in own if number != player]
        others = iter([self._label(number) for number in (*opponents, *mates)])
        for feature, value in zip(features, values):
            if feature.name == "presence" and feature.block == "other":
                yield Heading(f"observed of {next(others)}")
            elif feature.name == "presence":
                yield Heading(f"observed of obstacle {next(ranks)}, nearest first")
            elif feature is features[0]:
                yield Heading("observed of itself")
            yield Bar(feature, value)

    def _label(self, player: int) -> str:
        """A player's side, with a number if the side is a team."""
        side = self.side_of(player)
        mates = self._players[side]
        return f"{side.name} {mates.index(player) + 1}" if len(mates) > 1 else side.name

    def side_of(self, player: int) -> Side:
        """Returns the side of a player."""
        return Side.PURSUER if player in self._players[Side.PURSUER] else Side.EVADER


def _shares(script: Script, found: np.void, max_force: float) -> tuple[Share, ...]:
    """The shares of an explanation by the engine, and of the parts that were left out."""
    columns = (found[name][: found["num_shares"]] for name in ("parts", "asked", "shares"))
    numbers, asked_for, added_by = (column.tolist() for column in columns)
    parts = [PARTS[number] for number in numbers]
    names = {part: part for part in PARTS} | {"behavior": script.behavior_name}
    shares = []
    for part, asked, added in zip(parts, asked_for, added_by):
        is_cut = script.combination in _CUTS and abs(asked - added) > _ROUNDING * max_force
        shares.append(Share(names[part], part, asked, added, is_cut))
    for part in script.parts if parts else ():  # perfect play has no parts
        if part not in parts and not (part == "behavior" and "wander" in parts):
            shares.append(Share(names[part], part, None, 0j, False))
    return tuple(shares)


def _pair(vector: complex) -> str:
    return f"({number_text(vector.real, '.2f')}, {number_text(vector.imag, '.2f')})"


def _motion(record: np.void, forces: NDArray[np.complex128], player: int) -> Iterator[Row]:
    body, force = record["players"]["body"][player], complex(forces[player])
    velocity, heading = complex(body["velocity"]), cmath.phase(complex(body["heading"]))
    if not record["players"]["active"][player]:
        yield Fact("caught", "yes")
    yield Fact("position", f"{_pair(complex(body['position']))} m")
    yield Fact("velocity", f"{_pair(velocity)} m/s")
    yield Fact("speed", f"{abs(velocity):.2f} of {body['max_speed']:.2f} m/s")
    yield Fact("heading", f"{math.degrees(heading):.0f}\N{DEGREE SIGN}")
    yield Fact("force", f"{abs(force):.2f} of {body['max_force']:.2f} N, {_pair(force)}")


def _decision_rows(decision: Decision) -> Iterator[Row]:
    """Yields the parts of a decision in numbers, and how they are combined."""
    yield Fact("decided at", f"{decision.seconds:.2f} s")
    yield from decision.shares
    if decision.combination:
        yield Fact("combination", decision.combination)
    if decision.action is not None:
        forward, left = decision.action.real, decision.action.imag
        yield Fact(
            "action", f"forward {number_text(forward, '.2f')}, left {number_text(left, '.2f')}"
        )
    if decision.value is not None:
        yield Fact("value", f"{number_text(decision.value, '.3f')}, the critic's estimate")


def _script_rows(script: Script) -> Iterator[Row]:
    """Yields what the script is, and where it differs from the defaults of its behavior."""
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
    return function_name(value)
