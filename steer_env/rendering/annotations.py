"""Marks that can be drawn beside players, with numbers from the functions that decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import FaultyBehavior
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.state import RUNNING
from steer_env.rendering.marks import MOST_ANNOTATED
from steer_env.scripts.script import Script
from steer_env.scripts.table import EXPLANATION
from steer_env.steering.guidance import apollonius_circle
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import Vehicle
from steer_env.steering.wander import wander_circle, wander_target

LARGEST_RADIUS = 1e4  # meters: a larger Apollonius circle is a straight line in any arena

# Of both sides, with None for a side that is steered from outside.
Scripts = tuple[Sequence[Script | None], Sequence[Script | None]]


Annotations: TypeAlias = dict[str, tuple[Any, ...]]
"""Marks to draw beside one player: the parts of each, in meters, by its name in `marks.PARTS`.

On a torus they are at the images nearest to the player.
"""


class Annotator:
    """Finds the annotations of a game's players, without a script only ``apollonius``."""

    def __init__(self, config: Game, scripts: Scripts) -> None:
        self._config, self._scripts = config, scripts
        self._engine = Engine(config, *scripts)
        self._state = self._engine.get_state()

    def annotations(self, record: np.void) -> list[Annotations]:
        """The annotations of each player in a record of `state_dtype`, pursuers first.

        Only players that pictures annotate have any, see `annotated`.
        """
        decisions = self._decisions(record)
        game, states = record["game"], record["players"]
        pursuers, evaders = self._scripts
        chosen = pursuers[game["pursuer_script"]], evaders[game["evader_script"]]
        active, points = states["active"].tolist(), states["wander_point"].tolist()
        bodies = [Vehicle(*body) for body in states["body"].tolist()]
        first = self._config.pursuers  # of the evaders
        quarries = [body for body, plays in zip(bodies[first:], active[first:]) if plays]
        team_sizes = sum(active[:first]), sum(active[first:])
        has_obstacles = bool((record["obstacles"]["radius"] > 0.0).any())
        found: list[Annotations] = [{} for _ in bodies]
        for number in annotated(record, first):
            if not active[number]:
                continue
            side, me = int(number >= first), bodies[number]
            script, marks = chosen[side], found[number]
            if script is not None:
                marks |= self._of_script(script, me, points[number], decisions[number])
                if not has_obstacles:
                    marks.pop("corridor", None)
                if team_sizes[side] == 1:  # there is no teammate to flock with
                    marks.pop("view", None)
            if number < first and quarries:
                circle = self._apollonius(me, quarries)
                marks |= {"apollonius": circle} if circle[1] <= LARGEST_RADIUS else {}
        return found

    def _decisions(self, record: np.void) -> NDArray[np.void]:
        """An `EXPLANATION` of each player, (players,)."""
        state = self._state
        for name in state.dtype.names or ():
            if name in (record.dtype.names or ()):
                state[name][0] = record[name]
        state["game"]["phase"] = RUNNING  # also the last moment of an episode is drawn
        self._engine.restore(state)
        try:
            return self._engine.explain()[:, 0]
        except FaultyBehavior:  # which the step raises, too
            return np.zeros(self._engine.num_players, EXPLANATION)

    def _of_script(
        self, script: Script, me: Vehicle, wander_point: complex, decision: np.void
    ) -> Annotations:
        marks: Annotations = {}
        parts, is_wanderer = script.parts, script.behavior == "wander"
        if "behavior" in parts and not is_wanderer:
            if script.threat_range < math.inf:
                marks["threat"] = (script.threat_range,)
            if decision["has_aim"]:
                marks["aim"] = complex(decision["aim"]), complex(decision["opponent"])
        if "wander" in parts or ("behavior" in parts and is_wanderer):
            marks["wander"] = (*wander_circle(me), wander_target(me, wander_point))
        if "walls" in parts and self._config.region.has_walls:
            marks["feelers"] = tuple(decision["feelers"].tolist())
        if not parts.keys().isdisjoint(("separation", "alignment", "cohesion")):
            marks["view"] = script.neighbor_distance, script.field_of_view
        if "obstacles" in parts:
            marks["corridor"] = tuple(decision["corridor"].tolist())
        return marks

    def _apollonius(self, me: Vehicle, quarries: Sequence[Vehicle]) -> tuple[complex, float]:
        region = self._config.region
        images = [region.image(me.position, each.position) for each in quarries]
        seen = [each._replace(position=image) for each, image in zip(quarries, images)]
        nearest = min(seen, key=lambda quarry: norm(quarry.position - me.position))
        return apollonius_circle(me, nearest)


def annotated(record: np.void, pursuers: int) -> list[int]:
    """The numbers of the players that pictures annotate, `MOST_ANNOTATED` a side."""
    order = np.argsort(~record["players"]["active"], kind="stable")
    sides = order[order < pursuers], order[order >= pursuers]
    return [number for side in sides for number in side[:MOST_ANNOTATED].tolist()]
