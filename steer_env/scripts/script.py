"""Hand-written opponents as data: a main behavior, its parts, and their combination."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_flag,
    check_text,
    shown,
)
from steer_env.fields import (
    LARGEST_ANSWER,
    Bounds,
    check_entries,
    check_within,
    configuration,
    entry,
    ranges,
)
from steer_env.scripts.behaviors import (
    NAMES,
    OPTIMAL_BEHAVIORS,
    PATH_BEHAVIORS,
    PRIORITIES,
    TAKING_TARGETS,
    TARGETS,
    TEAM_BEHAVIORS,
)
from steer_env.steering import own_functions
from steer_env.steering.blending import METHODS
from steer_env.steering.own_functions import OwnKind
from steer_env.steering.prediction import closing

_TOO_LARGE = f"nan, infinity or more than {LARGEST_ANSWER:g}"

OWN_KINDS = {
    "behavior": OwnKind(
        "behavior",
        "(me, other), two Vehicles, that returns a force as a complex number",
        own_functions.me_and_other,
        own_functions.answer_vector,
        ("me", "other"),
        f"{_TOO_LARGE} newtons",
        "a force of 0",
        "a function from observations to actions is a steer_env.baselines.FunctionPolicy",
    ),
    "lookahead": OwnKind(
        "lookahead law",
        "(me, other), two Vehicles, that returns how many seconds ahead to predict",
        own_functions.me_and_other,
        own_functions.answer_number,
        ("me", "other"),
        f"{_TOO_LARGE} seconds, or less than 0",
        "a time of 0",
    ),
    "predictor": OwnKind(
        "predictor",
        "(other, time), a Vehicle and seconds, that returns a position as a complex number",
        own_functions.other_and_time,
        own_functions.answer_vector,
        ("other", "time"),
        f"{_TOO_LARGE} meters",
        "its present position",
    ),
}
"""The functions that each of these fields may be."""

_LARGE, _ANGLE = Bounds(0.0, 1e6), Bounds(0.0, math.pi)


def _number(meaning: str, unit: str, default: float, within: Bounds = _LARGE) -> Any:
    return entry(meaning, unit, within, default=default)


@configuration
class Script:
    """A hand-written opponent as data.

    Its steering force combines a main behavior with weighted parts.

    The behavior, the lookahead law and the predictor can be user-defined functions, compiled
    when a game is made, in about a second. Outside values that they read are constants from
    then on. Functions that draw random numbers are rejected: use the wander weight. Values that
    observations do not show are nan: max_force and mass of the other, and my own acceleration.

    With ``sees="observed"`` a script tracks the nearest visible opponent; when none is visible,
    it dead-reckons the last one (walls stop it). After ``memory_seconds``, after a capture of
    that opponent, or before it has seen any, the main behavior is left out.
    """

    behavior: str | Callable[..., complex] = entry(
        "the main behavior, one of `BEHAVIORS`, or a function from (me, other), two Vehicles, "
        "to a force, one complex number",
        default=MISSING,
    )
    response_time: float = entry(
        "of the steering law: a vehicle of 1 kg gets the force (desired "
        "velocity - velocity) / response_time in newtons, one of m kg takes m times as long. "
        "At 1, as in OpenSteer, the default vehicles use at most two thirds of max_force; at "
        "`FULL_FORCE` nearly always all of it. Its reciprocal is the behavior's weight among "
        "the parts. Simple motion reaches the desired velocity at 1, and swings about it below",
        "s",
        Bounds(1e-6, 1e6),
        default=1.0,
    )
    lookahead: str | Callable[..., float] = entry(
        "a law of `steer_env.steering.prediction`, or a function from (me, other) to seconds, "
        '0 or more. "escape" expects its menace to aim that far ahead. "voronoi" predicts '
        "everybody by it: a cap of about the time in which the vehicles stop, max_speed * mass "
        "/ max_force, suits it",
        default="closing",
    )
    predictor: str | Callable[..., complex] = entry(
        "a predictor of the same module, or a function from (other, seconds) to a position, as "
        'x + y * 1j. "contained" knows the walls and the obstacles',
        default="linear",
    )
    lookahead_seconds: float = _number('the time of the "constant" law', "s", 1.0)
    lookahead_cap: float = _number("the longest prediction", "s", 1e9, Bounds(0.0, 1e9))
    facing_test: bool | None = entry(
        "True if pursuit seeks a quarry that comes straight at it where it is now; None to do "
        'so with the "closing" law only, as its source does',
        default=None,
    )
    threat_range: float = _number(
        "a menace farther away is ignored", "m", math.inf, Bounds(0.0, math.inf)
    )
    deceleration_time: float = _number('of "arrive", "offset_pursuit" and "hide"', "s", 0.6)
    target: str = entry(
        "the opponent of a chasing behavior: the nearest, or the one assigned by "
        "`steer_env.steering.assignment`, so that the team's times to run to their opponents "
        "add up to the least, and no opponent has more hunters than need be. All teammates are "
        "taken to follow the same script. With more than 64 vehicles each takes its nearest",
        one_of=TARGETS,
        default="nearest",
    )
    spread: float = _number(
        'of "encircle" and "flank": how far from the quarry the own place is, as a share of '
        "the distance to it. At 0 everybody runs at the quarry",
        "",
        0.25,
        Bounds(0.0, 10.0),
    )
    offset: complex = entry(
        'the place that "offset_pursuit" keeps, forward + left * 1j of the other, or a pair '
        "(forward, left)",
        "m",
        Bounds(-1e6, 1e6),
        default=0j,
    )
    navigation_gain: float = _number("of proportional navigation", "", 3.0)
    lead_angle: float = _number('of "deviated_pursuit"', "rad", 0.3, _ANGLE)
    agility: float = _number(
        'assumed acceleration of the pursuer, relative to own (used by "escape")',
        "",
        1.0,
    )
    hiding_margin: float = _number("between an obstacle and the hiding place", "m", 1.0)
    wander: float = _number("weight of wandering beside the behavior", "", 0.0)
    wander_rate: float = _number("spread of the wander angle after one second", "rad", 2.0)
    walls: float = _number("for each meter that the feelers overshoot a wall", "N", 0.0)
    feeler_length: float = _number("at top speed; see `force.keep_off_walls`", "m", 3.0)
    containment: float = _number("for each meter outside at the predicted position", "N", 0.0)
    containment_seconds: float = _number("how far ahead that is", "s", 1.0)
    obstacles: float = _number("for each meter that an obstacle is in the way", "N", 0.0)
    obstacle_seconds: float = _number("how far ahead obstacles matter", "s", 1.0)
    obstacle_margin: float = _number("to leave between the bodies", "m", 0.2)
    collisions: float = _number("weight of sidestepping teammates on collision course", "", 0.0)
    collision_seconds: float = _number("how far ahead collisions matter", "s", 2.0)
    collision_margin: float = _number("between the bodies", "m", 0.2)
    separation: float = _number("away from near teammates", "N", 0.0)
    alignment: float = _number("toward their mean heading", "N", 0.0)
    cohesion: float = _number("toward their center", "N", 0.0)
    neighbor_distance: float = _number("teammates nearer than this are near", "m", 5.0)
    field_of_view: float = _number(
        "to both sides of the heading, within which they are", "rad", math.pi, _ANGLE
    )
    paths: bool = entry(
        "whether it knows the ways on a map: where the straight line to its aim is blocked, it "
        "steers for the next corner of the shortest way; it runs away to corners that it comes "
        'to before any pursuer; without a sight of its quarry (``sees="observed"``) it goes '
        "where that was last, and then from corner to corner. Elsewhere it changes nothing",
        default=False,
    )
    sees: str = entry(
        "everything, or other vehicles and obstacles within the limits of sight of the game's "
        "`ObservationConfig`, exact and at once",
        one_of=("all", "observed"),
        default="all",
    )
    limits: str = entry(
        'the limits that it expects of vehicles: their own, or with "known" those of the '
        "places ahead, in a game whose scenario has ``limits``: the other goes on at the same "
        "share of its top speed, whatever that is where it comes to, and the script's own top "
        "speed and force are those of its place",
        one_of=("own", "known"),
        default="own",
    )
    memory_seconds: float = _number(
        "how long it remembers; 5 s is the memory span of the bots in Buckland (2005)", "s", 5.0
    )
    combination: str = entry("how the parts make one force", one_of=METHODS, default="weighted")
    chances: Mapping[str, float] = entry(
        'of the parts, for "dithered" and "chaotic"; 1 unless given. In "chaotic" they count '
        "in proportion, and a part that has nothing to say passes its turn on",
        within=Bounds(1e-6, 1.0, or_zero=True),
        factory=dict,
        hash=False,
    )
    description: str = entry("in one line", default="", compare=False)

    def __post_init__(self) -> None:
        for name, names in NAMES.items():
            given = getattr(self, name)
            if callable(given):
                own_functions.check_own_function(OWN_KINDS[name], given)
            else:
                check_choice(name, given, names)
        if self.facing_test is not None:
            check_flag("facing_test", self.facing_test)
        check_flag("paths", self.paths)
        check_text("description", self.description)
        check_entries(self, apart=("offset", "chances", "threat_range"))
        if not (isinstance(self.threat_range, float) and self.threat_range == math.inf):
            self._set("threat_range", self._within("threat_range", self.threat_range))
        self._check_offset()
        self._check_chances()
        self._check_together()

    def _check_together(self) -> None:
        others = [name for name in self.changes if name != "description"]
        if self.is_optimal and others:
            raise InvalidValue(
                f"the behavior {self.behavior!r} knows what is best and has no other parts, "
                f"got {', '.join(others)}"
            )
        may_choose = callable(self.behavior) or self.chases
        if self.target != "nearest" and not may_choose:
            raise InvalidValue(
                f"a target is {self.target} to a behavior that chases, not to "
                f"{self.behavior!r}; valid: {', '.join(TAKING_TARGETS)}"
            )
        is_general = self.sees == "all" and not (self.looks_at_team or self.paths)
        if self.limits != "own" and not is_general:
            raise InvalidValue(
                f"limits={self.limits!r} is for scripts that see all, look at one opponent and "
                f"follow no paths, got the behavior {self.behavior_name!r}, "
                f"target={self.target!r}, sees={self.sees!r} and paths={self.paths}"
            )
        if self.looks_at_team and self.sees != "all":
            raise InvalidValue(
                f"sees={self.sees!r} is not possible where a script looks at its whole team "
                f"(behavior {self.behavior_name!r}, target {self.target!r}): it sees all"
            )

        if self.paths and self.behavior not in PATH_BEHAVIORS:
            raise InvalidValue(
                f"paths are followed by the behaviors {', '.join(PATH_BEHAVIORS)}, got "
                f"{self.behavior_name!r}"
            )
        if self.paths and self.looks_at_team:
            raise InvalidValue("paths are not followed where a script looks at its whole team")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _within(self, name: str, given: object, what: str = "") -> float:
        return check_within(ranges(Script)[name], what or name, given)

    def _check_offset(self) -> None:
        given: Any = self.offset
        if isinstance(given, numbers.Complex) and not isinstance(given, bool):
            given = (given.real, given.imag)
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise InvalidType(
                "offset must be a number, forward + left * 1j, or a pair (forward, left), "
                f"got {shown(self.offset)}"
            )
        self._set("offset", complex(*(self._within("offset", part) for part in given)))

    def _check_chances(self) -> None:
        if not isinstance(self.chances, Mapping):
            raise InvalidType(
                f"chances must be a dict such as {{'walls': 0.5}}, got {shown(self.chances)}"
            )
        checked = {}
        for part, chance in self.chances.items():
            check_choice("part in chances", part, PRIORITIES)
            checked[part] = self._within("chances", chance, f"chance of {part}")
        self._set("chances", checked)

    @property
    def behavior_name(self) -> str:
        """The name of the behavior, or of the user-defined function."""
        given = self.behavior
        return given if isinstance(given, str) else own_functions.function_name(given)

    @property
    def changes(self) -> dict[str, Any]:
        """The fields whose values are not the default ones, without the behavior.

        ``Script(behavior=script.behavior, **script.changes)`` is the script again.
        """
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        del values["behavior"]
        return {name: value for name, value in values.items() if value != _DEFAULTS[name]}

    @property
    def is_optimal(self) -> bool:
        """True if the behavior is one of `OPTIMAL_BEHAVIORS`."""
        return self.behavior in OPTIMAL_BEHAVIORS

    @property
    def chases(self) -> bool:
        """True if the behavior steers for an opponent."""
        return self.behavior in TAKING_TARGETS

    @property
    def tests_facing(self) -> bool:
        """True if pursuit seeks a quarry that comes straight at it where it is now."""
        uses_closing = self.lookahead in ("closing", closing)
        return uses_closing if self.facing_test is None else self.facing_test

    @property
    def runs_away(self) -> bool:
        """True if the behavior steers away from an opponent."""
        return self.behavior in ("flee", "evade", "hide", "escape", "guard", "reach")

    @property
    def follows_paths(self) -> bool:
        """True if it steers by the ways on a map, as hiding there does, too."""
        return self.paths or (self.behavior == "hide" and not self.looks_at_team)

    @property
    def looks_at_team(self) -> bool:
        """True if the main behavior depends on more vehicles than the nearest opponent."""
        return self.behavior in TEAM_BEHAVIORS or self.target != "nearest"

    @property
    def parts(self) -> dict[str, float]:
        """The parts in order of priority, and their weights."""
        weights = {part: getattr(self, part) for part in PRIORITIES}
        weights["behavior"] = 0.0 if self.behavior == "idle" else 1.0 / self.response_time
        if self.behavior == "wander":
            weights["wander"] = 0.0  # it is the main behavior
        return {part: weight for part, weight in weights.items() if weight > 0.0}


_DEFAULTS = {
    one.name: one.default if one.default_factory is MISSING else one.default_factory()
    for one in fields(Script)
}
