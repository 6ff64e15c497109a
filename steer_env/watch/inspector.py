"""Everything known about one player at one moment, as rows of text."""

from __future__ import annotations

import cmath
import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.episodes.history import History
from steer_env.episodes.recording import Recording
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.features import Feature
from steer_env.game.scales import observed_features
from steer_env.scripts.script import Script
from steer_env.sides import Side
from steer_env.steering.own_functions import function_name
from steer_env.watch.decisions import Decision, Share, decision_of


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


class Part(NamedTuple):
    """What a part of a script did to its force."""

    share: Share


Row: TypeAlias = Heading | Fact | Note | Bar | Part


class Inspector:
    """Describes players at any moment, without changing their game."""

    def __init__(self, config: GameConfig) -> None:
        self._config = config
        pursuers, everybody = config.pursuers, config.pursuers + config.evaders
        self._players = range(pursuers), range(pursuers, everybody)  # numbers, by side
        self._engines: dict[tuple[Script | None, Script | None], Engine] = {}
        # The last decision and its episode: a picture needs it in the panel and in the arrows.
        self._explained: tuple[Recording, int, int, Decision | None] | None = None

    def rows(self, game: History, moment: int, player: int) -> list[Row]:
        """Returns everything known about a player.

        Args:
            game: game of the player.
            moment: steps since the start; after the end, the end is described.
            player: number of the player; pursuers come first.
        """
        episode, moment, side = game.recording(), min(moment, game.last), self.side_of(player)
        record, script = episode.states[moment], episode.scripts[side]
        rows: list[Row] = [Heading(f"{self._label(player)}: {game.names[side]}")]
        decision = self.decision(game, moment, player)
        if decision is not None:
            rows += _decision_rows(decision)
        rows += self._motion(record, episode.forces[moment], player)
        shown = episode.annotations(moment)[player]
        if shown.aim is not None:
            rows.append(Fact("aim", f"{_pair(shown.aim)} m"))
        if shown.lookahead is not None:
            rows.append(Fact("lookahead", f"{shown.lookahead:.2f} s"))
        if script is not None:
            rows += _script_rows(script)
        else:
            rows.append(Note("A policy: it steers by the observation below."))
        rows += self._observed(record, player, self._engine_of(game))
        return rows

    def decision(self, game: History, moment: int, player: int) -> Decision | None:
        """Why a player steered as it did in the last step; see `decision_of`."""
        episode, moment = game.recording(), min(moment, game.last)
        if self._explained is not None:
            explained, *of, decision = self._explained
            if explained is episode and of == [moment, player]:
                return decision
        engine, controllers = self._engine_of(game), game.duel.controllers
        decision = decision_of(episode, controllers, engine, moment, player)
        self._explained = episode, moment, player, decision
        return decision

    def _engine_of(self, game: History) -> Engine:
        """An engine with the scripts of a game, to put into states of it."""
        scripts = game.duel.scripts
        if scripts not in self._engines:
            pursuer, evader = scripts
            self._engines[scripts] = Engine(self._config, [pursuer], [evader])
        return self._engines[scripts]

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

    def _observed(self, record: np.void, player: int, engine: Engine) -> Iterator[Row]:
        """Yields every feature, below a heading with what it is about."""
        obstacles, side = self._config.arena.num_obstacles, self.side_of(player)
        own, opponents = self._players[side], self._players[side.other]
        state = np.zeros(1, record.dtype)
        state[0] = record
        engine.restore(state)
        values = engine.observe(side)[0, own.index(player)].tolist()
        features = observed_features(self._config)
        mates = [number for number in own if number != player]
        others = iter([self._label(number) for number in (*opponents, *mates)])
        ranks = iter(range(1, obstacles + 1))
        for feature, value in zip(features, values):
            if feature.name == "presence" and feature.block == "other":
                yield Heading(f"observed of {next(others)}")
            elif feature.name == "presence":
                yield Heading(f"observed of obstacle {next(ranks)}, nearest first")
            elif feature is features[0]:
                yield Heading("observed of itself")
            yield Bar(feature, value)

    def _label(self, player: int) -> str:
        """Returns a player's side, with a number if the side is a team."""
        side = self.side_of(player)
        mates = self._players[side]
        return f"{side.name} {mates.index(player) + 1}" if len(mates) > 1 else side.name

    def side_of(self, player: int) -> Side:
        """Returns the side of a player."""
        return Side.PURSUER if player in self._players[Side.PURSUER] else Side.EVADER


def _pair(vector: complex) -> str:
    return f"({vector.real:.2f}, {vector.imag:.2f})"


def _decision_rows(decision: Decision) -> Iterator[Row]:
    """Yields the parts of a decision in numbers, and how they are combined."""
    yield Fact("decided at", f"{decision.seconds:.2f} s")
    for share in decision.shares:
        yield Part(share)
    if decision.combination:
        yield Fact("combination", decision.combination)
    if decision.action is not None:
        forward, left = decision.action.real, decision.action.imag
        yield Fact("action", f"forward {forward:.2f}, left {left:.2f}")
    if decision.value is not None:
        yield Fact("value", f"{decision.value:.3f}, the critic's estimate")


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
