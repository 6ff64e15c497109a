"""A hand-written opponent as data: what it does, in which order, and how that is combined."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from steer_env import bounds
from steer_env.bounds import check_within
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_flag,
    check_text,
    shown,
    unknown,
)
from steer_env.scripts.own_behavior import check_own_functions
from steer_env.steering.blending import METHODS
from steer_env.steering.own_functions import function_name
from steer_env.steering.prediction import closing

CHASING = (
    "seek",
    "arrive",
    "pursuit",
    "offset_pursuit",
    "true_navigation",
    "pure_navigation",
    "augmented_navigation",
    "constant_bearing",
    "deviated_pursuit",
)
"""The behaviors that steer for an opponent."""

GENERAL_BEHAVIORS = ("rest", *CHASING, "flee", "evade", "hide", "wander", "escape")
"""The behaviors of a vehicle alone that play any game."""

TEAM_CHASING = ("encircle", "flank", "voronoi")
"""The behaviors by which a team hunts together; a hunter alone runs at its opponent."""

TEAM_BEHAVIORS = (*TEAM_CHASING, "guard")
"""The behaviors that look at teammates. They play any game, too."""

OPTIMAL_BEHAVIORS = ("optimal_simple", "optimal_chauffeur", "optimal_two_cars", "optimal_drag")
"""The behaviors of both sides in the games of `steer_env.solved`; each plays its game only."""

BEHAVIORS = (*GENERAL_BEHAVIORS, *OPTIMAL_BEHAVIORS, *TEAM_BEHAVIORS)
"""Every behavior that a script can name."""

PREDICTING = ("pursuit", "evade", "encircle")
"""The behaviors that steer by a lookahead law and a predictor."""

LOOKAHEADS = (
    "none",
    "constant",
    "closing",
    "target_speed",
    "own_speed",
    "reynolds",
    "intercept",
)
TARGETS = ("nearest", "assigned")
"""How a script chooses its opponent."""

PREDICTORS = ("linear", "turning", "braking", "accelerating", "contained")

SEES = ("all", "observed")
"""What a script sees of the game: everything, or what the learner would observe."""

PRIORITIES = (
    "obstacles",
    "walls",
    "containment",
    "collisions",
    "separation",
    "behavior",
    "alignment",
    "cohesion",
    "wander",
)
"""What a script can be made of, the most urgent first."""

FULL_FORCE = 0.1
"""The response time of the scripts named ".../full_force", in seconds.

The default vehicles then push with all their force, 12 N, unless they are within 1.2 m/s of the
desired velocity.
"""


def _default(entry: Field[Any]) -> Any:
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


@dataclass(frozen=True, kw_only=True)
class Script:
    """A hand-written opponent as data.

    Its steering force combines a main behavior with parts that have a weight each; a part
    whose weight is 0 is left out, and costs nothing. `steer_env.bounds.SCRIPT` has the range of
    every number: from 0 to 1e6 for most.

    Attributes:
        behavior: what it does about its nearest opponent, one of `BEHAVIORS`; or a function
            from (me, other), two Vehicles, to a force, one complex number. Such a function is
            compiled when a game is made, which takes a second or so; the game's own loop is not
            compiled anew. The values outside that it and its helpers read are constants of that
            moment: a running game raises a `ChangedValue` if one changes. Random numbers that
            it draws follow no seed: use the wander weight. It sees of the other what an
            observation shows: no max_force, no mass (they are 1), and no acceleration of its
            own.
        response_time: of the main behavior's steering law, in seconds: a vehicle of 1 kg gets
            the force that would close the gap between its velocity and the desired one in that
            time, (desired velocity - velocity) / response_time in newtons; one of m kg takes m
            times as long. At 1, as in OpenSteer, that is at most two thirds of max_force for
            the default vehicles, and 0 as they come up to speed; at `FULL_FORCE` it is
            nearly always more than they have. Its reciprocal is the behavior's weight among
            the parts. Simple motion takes the velocity v + force at once: there the law reaches
            the desired velocity at 1, and below 1 it swings about it.
        lookahead: how far ahead to predict; a law of `steer_env.steering.prediction`, or a
            function of yours, from (me, other) to seconds, 0 or more. "escape" expects its
            menace to aim that far ahead. "voronoi" predicts everybody by it: a cap of about the
            time in which the vehicles stop, max_speed * mass / max_force, suits it.
        predictor: where the other will be; a predictor of the same module, or a function of
            yours, from (other, seconds) to a position, as x + y * 1j. Functions of yours
            are compiled, and see the other, as a behavior of yours. "contained" knows the
            walls and the obstacles: see `steer_env.steering.contained`.
        lookahead_seconds: the time of the "constant" law.
        lookahead_cap: longest prediction of any law, in seconds.
        facing_test: pursuit seeks a quarry that comes straight at it where it is now; None
            to do so with the "closing" law only, as its source does.
        target: the opponent that a chasing behavior is about: the "nearest", or the one
            "assigned" by `steer_env.steering.assignment`, so that the team's times to run to
            their opponents add up to the least, and no opponent has more hunters than need be.
            All teammates are taken to follow the same script. With more than 64 vehicles in
            play each takes its nearest.
        threat_range: farther away than this, in meters, a menace is ignored.
        deceleration_time: of "arrive", "offset_pursuit" and "hide", in seconds.
        spread: of "encircle" and "flank": how far from the quarry the own place is, as a share
            of the distance to it. At 0 everybody runs at the quarry.
        offset: the place that "offset_pursuit" keeps, forward + left * 1j of the other, in
            meters; also as a pair (forward, left).
        navigation_gain: of proportional navigation.
        lead_angle: of "deviated_pursuit", in radians.
        agility: the acceleration that "escape" expects of its menace, as a share of its own. An
            observation does not show how hard another can steer.
        hiding_margin: between an obstacle and the place to hide behind it, in meters.
        view_angle: within which, to both sides of its heading, "hide" takes its menace to see,
            in radians. Below pi the menace has a blind side, where one is hidden without an
            obstacle: see `steer_env.steering.blind_side_place`.
        wander: weight of wandering beside the behavior.
        wander_rate: spread of the wander angle after one second, in radians.
        walls: newtons for each meter that the feelers overshoot a wall.
        feeler_length: at top speed, in meters; see `force.keep_off_walls`.
        containment: newtons for each meter that the predicted position is outside.
        containment_seconds: how far ahead that is.
        obstacles: newtons for each meter that an obstacle is in the way.
        obstacle_seconds: how far ahead obstacles matter.
        obstacle_margin: to leave between the bodies, in meters.
        collisions: weight of sidestepping teammates on a collision course.
        collision_seconds: how far ahead collisions matter.
        collision_margin: between the bodies, in meters.
        separation: newtons away from near teammates.
        alignment: newtons toward their mean heading.
        cohesion: newtons toward their center.
        neighbor_distance: teammates nearer than this are near, in meters.
        field_of_view: angle to both sides of the heading within which they are, in radians.
        sees: "all": everything. "observed": other vehicles and obstacles within the limits of
            sight of the game's `ObservationConfig` (``range``, ``field_of_view``, ``occlusion``
            and ``nearest``), exact and at once. It attends to the nearest opponent in sight.
            While there is none, it attends to the one that it attended to last, as it was then
            but farther on, where its velocity has carried it since (walls stop it): so a
            tracker coasts when measurements fail. After ``memory_seconds``, after a capture of
            that opponent, or before it has seen any, the main behavior is left out.
        memory_seconds: how long it remembers; 5 s is the memory span of the bots in Buckland
            (2005).
        combination: how the parts make one force, one of `steer_env.steering.METHODS`.
        priorities: the order of the parts for the methods that have one; all of
            `PRIORITIES`, each once.
        chances: of the parts, for "dithered" and "chaotic"; 1 unless given. In "chaotic" they
            count in proportion, and a part that has nothing to say passes its turn on.
        description: in one line.

    Raises:
        InvalidType: for a value of the wrong type.
        InvalidValue: for a value out of range, or an unknown name; it names the nearest.
    """

    behavior: str | Callable[..., complex]
    response_time: float = 1.0
    lookahead: str | Callable[..., float] = "closing"
    predictor: str | Callable[..., complex] = "linear"
    lookahead_seconds: float = 1.0
    lookahead_cap: float = 1e9
    facing_test: bool | None = None
    threat_range: float = math.inf
    deceleration_time: float = 0.6
    target: str = "nearest"
    spread: float = 0.25
    offset: complex = 0j
    navigation_gain: float = 3.0
    lead_angle: float = 0.3
    agility: float = 1.0
    hiding_margin: float = 1.0
    view_angle: float = math.pi
    wander: float = 0.0
    wander_rate: float = 2.0
    walls: float = 0.0
    feeler_length: float = 3.0
    containment: float = 0.0
    containment_seconds: float = 1.0
    obstacles: float = 0.0
    obstacle_seconds: float = 1.0
    obstacle_margin: float = 0.2
    collisions: float = 0.0
    collision_seconds: float = 2.0
    collision_margin: float = 0.2
    separation: float = 0.0
    alignment: float = 0.0
    cohesion: float = 0.0
    neighbor_distance: float = 5.0
    field_of_view: float = math.pi
    sees: str = "all"
    memory_seconds: float = 5.0
    combination: str = "weighted"
    priorities: tuple[str, ...] = PRIORITIES
    chances: Mapping[str, float] = field(default_factory=dict, hash=False)
    description: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_own_functions(self)
        for name, names in (
            ("behavior", BEHAVIORS),
            ("lookahead", LOOKAHEADS),
            ("predictor", PREDICTORS),
            ("target", TARGETS),
            ("combination", METHODS),
            ("sees", SEES),
        ):
            given = getattr(self, name)
            if name in ("combination", "sees", "target") or not callable(given):
                check_choice(name, given, names)
        if self.facing_test is not None:
            check_flag("facing_test", self.facing_test)
        check_text("description", self.description)
        for name in bounds.SCRIPT.keys() - {"chances", "offset", "threat_range"}:
            self._set(name, check_within(bounds.SCRIPT[name], name, getattr(self, name)))
        if not (isinstance(self.threat_range, float) and self.threat_range == math.inf):
            span = bounds.SCRIPT["threat_range"]
            self._set("threat_range", check_within(span, "threat_range", self.threat_range))
        self._check_offset()
        self._check_priorities()
        self._check_chances()
        self._check_optimal()
        self._check_target()

    def _check_optimal(self) -> None:
        others = [
            entry.name
            for entry in fields(self)
            if entry.name not in ("behavior", "description")
            and getattr(self, entry.name) != _default(entry)
        ]
        if self.is_optimal and others:
            raise InvalidValue(
                f"the behavior {self.behavior!r} knows what is best and has no other parts, "
                f"got {', '.join(others)}"
            )

    def _check_target(self) -> None:
        may_choose = callable(self.behavior) or self.chases
        if self.target != "nearest" and not may_choose:
            raise InvalidValue(
                f"a target is {self.target} to a behavior that chases, not to "
                f"{self.behavior!r}; valid: {', '.join((*CHASING, *TEAM_CHASING))}"
            )

        if self.looks_at_team and self.sees != "all":
            raise InvalidValue(
                f"sees={self.sees!r} is not possible where a script looks at its whole team "
                f"(behavior {self.behavior_name!r}, target {self.target!r}): it sees all"
            )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_offset(self) -> None:
        given: Any = self.offset
        if isinstance(given, numbers.Complex) and not isinstance(given, bool):
            given = (given.real, given.imag)
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise InvalidType(
                "offset must be a number, forward + left * 1j, or a pair (forward, left), "
                f"got {shown(self.offset)}"
            )
        span = bounds.SCRIPT["offset"]
        self._set("offset", complex(*(check_within(span, "offset", part) for part in given)))

    def _check_priorities(self) -> None:
        if isinstance(self.priorities, str) or not isinstance(self.priorities, Sequence):
            raise InvalidType(
                f"priorities must be a tuple of names, got {shown(self.priorities)}"
            )
        for part in self.priorities:
            if part not in PRIORITIES:
                raise InvalidValue(unknown("part in priorities", part, PRIORITIES))
        if sorted(self.priorities) != sorted(PRIORITIES):
            raise InvalidValue(
                f"priorities must name each of {', '.join(PRIORITIES)} once, "
                f"got {shown(self.priorities)}"
            )
        self._set("priorities", tuple(self.priorities))

    def _check_chances(self) -> None:
        if not isinstance(self.chances, Mapping):
            raise InvalidType(
                f"chances must be a dict such as {{'walls': 0.5}}, got {shown(self.chances)}"
            )
        checked = {}
        for part, chance in self.chances.items():
            if part not in PRIORITIES:
                raise InvalidValue(unknown("part in chances", part, PRIORITIES))
            checked[part] = check_within(bounds.SCRIPT["chances"], f"chance of {part}", chance)
        self._set("chances", checked)

    @property
    def behavior_name(self) -> str:
        """The behavior's name, also if it is a function of yours."""
        return self.behavior if isinstance(self.behavior, str) else function_name(self.behavior)

    @property
    def changes(self) -> dict[str, Any]:
        """The fields whose values are not the default ones; the behavior has no default.

        ``Script(behavior=script.behavior, **script.changes)`` is the script again.
        """
        plain = Script(behavior=self.behavior)
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: v for name, v in values.items() if v != getattr(plain, name)}

    @property
    def is_optimal(self) -> bool:
        """Whether the behavior is one of `OPTIMAL_BEHAVIORS`."""
        return self.behavior in OPTIMAL_BEHAVIORS

    @property
    def chases(self) -> bool:
        """Whether the behavior is one that steers for an opponent."""
        return self.behavior in CHASING or self.behavior in TEAM_CHASING

    @property
    def tests_facing(self) -> bool:
        """Whether pursuit seeks a quarry that comes straight at it where it is now."""
        if self.facing_test is not None:
            return self.facing_test
        return self.lookahead in ("closing", closing)

    @property
    def runs_away(self) -> bool:
        """Whether the behavior is one that steers away from an opponent."""
        return self.behavior in ("flee", "evade", "hide", "escape", "guard")

    @property
    def looks_at_team(self) -> bool:
        """Whether the main behavior depends on more vehicles than the nearest opponent.

        Also hiding in a menace's blind side counts: it is compiled apart, as all that few need.
        """
        hides_unseen = self.behavior == "hide" and self.view_angle < math.pi
        return self.behavior in TEAM_BEHAVIORS or self.target != "nearest" or hides_unseen

    @property
    def parts(self) -> dict[str, float]:
        """The parts that it is made of, in order of priority, and their weights."""
        weights = {part: getattr(self, part) for part in PRIORITIES if part != "behavior"}
        weights["behavior"] = 0.0 if self.behavior == "rest" else 1.0 / self.response_time
        if self.behavior == "wander":
            weights["wander"] = 0.0  # it is the main behavior
        return {part: weights[part] for part in self.priorities if weights[part] > 0.0}
