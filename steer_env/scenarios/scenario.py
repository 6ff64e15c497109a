"""The base of all named games: keywords, opponents, and rules."""

from __future__ import annotations

import inspect
import math
import re
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from steer_env.errors import InvalidType, InvalidValue, shown, unknown
from steer_env.fields import Bounds
from steer_env.scenarios.arguments import ALWAYS, ARGUMENTS, asked_for
from steer_env.scenarios.own_numbers import Rider, checked_own
from steer_env.sides import OUTCOMES, PURSUER, Side
from steer_env.steering.vehicle import Vehicle

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

else:
    from steer_env.fields import dataclass_transform


HOOKS = tuple(ARGUMENTS)
"""The methods of a `Scenario` that change the rules of the game."""

MOST_OUTCOMES = 32
"""Numbers of outcomes of a game, with 0 for none."""

_LONGEST_OUTCOME = 40  # letters: it must fit into pictures


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Scenario:
    """A named game: keywords, opponents, and methods that change the rules.

    A subclass is a frozen dataclass: its annotated attributes are parameters, numbers that its
    methods read from ``self``. Each of `HOOKS` that it defines is compiled with an environment:
    it may use numbers, `math`, functions of `steer_env.steering`, and functions outside the
    class. After ``self`` a method has the arguments that it asks for by name, in any order:

    - me: the player, a Vehicle; of captures the evader. On a torus all other vehicles and
      obstacles are at their images nearest to it.
    - is_pursuer: its side; number: its place in its team, from 0.
    - time: seconds played so far; time_left: until the time is up; dt: a step's length.
    - other: its nearest opponent in play, or of all if none is left.
    - world: a `steer_env.game.run.arguments.World`, with the obstacles and lines of sight.

    Attributes:
        name: the ``game`` keyword of a registered scenario; by default the words of the class
            in small letters. In ids of environments the words are joined, as
            "AgileTorusPursuit-v0" of "agile_torus".
        challenge: what is hard about it, in one line.
        keywords: of `steer_env.game.config.make_game`, where it is not the default game.
        opponents: the script that plays against a learner of each side, and in commands,
            unless another is named.
        outcomes: how the method `ends` may end an episode, and who has won then, "pursuers" or
            "evaders": ``{"out of fuel": "pursuers"}``.
        own: numbers that each vehicle has for itself, at most eight, by their names, and their
            values at the start: ``{"energy": 1.0}``. Methods read ``me.own.energy`` (of
            ``other``, too), and ``motion`` or ``after`` return the next ones.
        reduced: of a solved game the features that an exact response knows of, by the side that
            observes them, see `reduced_observation`.
        unseen_maps: the name of other maps to measure on, never to train on: "rooms/64-1063".
        is_named_for_pursuers: whether the id of the environment in which the pursuers learn is
            the name alone, as in solved games: "Tag-v0".

    Example:
        >>> class Mud(Scenario):
        ...     share: float = 0.5
        ...
        ...     def limits(self, me):
        ...         return self.share * me.max_speed, me.max_force
        >>> Mud(share=0.25).name, Mud().hooks
        ('mud', ('limits',))
    """

    name: ClassVar[str] = ""
    challenge: ClassVar[str] = ""
    keywords: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    opponents: ClassVar[Mapping[Side, str]] = MappingProxyType(
        {side: side.default_opponent for side in Side}
    )
    outcomes: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    own: ClassVar[Mapping[str, float]] = MappingProxyType({})
    reduced: ClassVar[Mapping[Side, Sequence[str]]] = MappingProxyType({})
    unseen_maps: ClassVar[str] = ""
    is_named_for_pursuers: ClassVar[bool] = False
    own_record: ClassVar[Any] = tuple
    _record: ClassVar[Any] = tuple

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            word = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
            cls.name = re.sub(word, "_", cls.__name__).lower()
        if not re.fullmatch(r"[a-z][a-z0-9_]*", cls.name):
            raise InvalidValue(
                "the name of a scenario must be small letters, digits and underscores, such "
                f"as 'two_captors', got {shown(cls.name)}"
            )
        cls.own = checked_own(cls.__name__, cls.own)
        _check_members(cls)
        cls.outcomes = _winners(cls)
        cls.own_record = namedtuple(f"{cls.__name__}Own", cls.own)  # type: ignore[misc]
        cls.opponents = {**Scenario.opponents, **_opponents_by_side(cls)}
        # A parameter of the base gets another default by its value alone.
        known = getattr(cls, "__dataclass_fields__", {})
        kinds = {name: known[name].type for name in vars(cls) if name in known}
        cls.__annotations__ = {**kinds, **inspect.get_annotations(cls)}
        dataclass(frozen=True, kw_only=True)(cls)
        # numba knows no named tuple without fields.
        names = [entry.name for entry in fields(cls)] or ["unused"]  # type: ignore[arg-type]
        cls._record = namedtuple(cls.__name__, names)  # type: ignore[misc]

    def __post_init__(self) -> None:
        for entry in fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if not isinstance(value, Real) or not math.isfinite(value):
                raise InvalidType(
                    f"{entry.name} of the scenario {self.name} must be a finite number, got "
                    f"{shown(value)}"
                )
            if not isinstance(value, bool):  # JSON and numba know no other numbers
                value = int(value) if isinstance(value, Integral) else float(value)
            object.__setattr__(self, entry.name, value)

    def start(self, *arguments: Any, **named: Any) -> tuple[complex, complex, float]:
        """Places a player at the beginning of an episode.

        ``me`` is at a random place, as in other games. It may also ask for ``chance``: three
        random numbers from 0 to 1.

        Returns:
            Position in meters, outside obstacles and solid bodies; heading; speed in m/s.
        """
        raise NotImplementedError

    def limits(self, *arguments: Any, **named: Any) -> tuple[float, float]:
        """Returns a player's top speed (m/s) and force limit (N) where it is now.

        They are above 0 and at most the vehicle's own, ``me.max_speed`` and ``me.max_force``,
        by which the learner's action and all observations are measured.
        """
        raise NotImplementedError

    def drag(self, *arguments: Any, **named: Any) -> float:
        """Returns how fast a player slows down where it is now, as a share a second.

        A step of dt seconds keeps 1 / (1 + drag * dt) of the velocity. Only masses slow down:
        point masses and double integrators.
        """
        raise NotImplementedError

    def motion(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        """Returns a player's velocity (m/s) and heading after a step, instead of its model.

        It may also ask for the ``push``: what the player does, forward + left * 1j in its own
        frame, in the unit disc. That is the learner's action; a script's force is made one as
        that of a point mass is, as a share of ``max_force``. In the step it moves by velocity *
        dt, but for walls and obstacles. The velocity is at most ``me.max_speed``. The next own
        numbers may follow as a third entry, see `after`.
        """
        raise NotImplementedError

    def after(self, *arguments: Any, **named: Any) -> tuple[float, ...] | float:
        """Returns a player's own numbers after a step, a tuple in the order of ``own``.

        Of one alone it is the number. All players have moved then, captures come later, and
        others still have their numbers of before. It may also ask for the ``push``, see
        `motion`.
        """
        raise NotImplementedError

    def capture(self, *arguments: Any, **named: Any) -> bool:
        """Decides whether an evader is caught in this step.

        It may also ask for the ``evader`` after the step, for all ``pursuers`` after it, a
        sequence of Vehicles, and for the ``distances`` in meters: each pursuer's least distance
        to the evader during the step.
        """
        raise NotImplementedError

    def ends(self, *arguments: Any, **named: Any) -> str | None:
        """Returns the name of one of the ``outcomes`` to end the episode, or None to go on.

        It is called after a step, unless all evaders are caught, and may ask for, instead of
        the above: the ``evader`` or the ``evaders`` that are not caught, also those in a
        target; the ``pursuer`` or the ``pursuers``; ``captured`` and ``reached``, the numbers
        of evaders that are caught and that are in a target; time, time_left and world. The
        side that has won gets the reward of a capture, and the other one its negative.
        """
        raise NotImplementedError

    def reward(self, *arguments: Any, **named: Any) -> float:
        """Returns a step's reward for each pursuer, the negative of that for the evaders.

        It may also ask for the ``step``, a `steer_env.Transition`. It is added to the terms of
        `RewardConfig`.
        """
        raise NotImplementedError

    @property
    def zones(self) -> Sequence[Sequence[complex]]:
        """Polygons that pictures tint, each by its corners x + iy in meters."""
        return ()

    @property
    def hooks(self) -> tuple[str, ...]:
        """The names of the rules that the scenario changes."""
        own = type(self)
        return tuple(h for h in HOOKS if getattr(own, h) is not getattr(Scenario, h))

    @property
    def features(self) -> dict[str, Bounds]:
        """The names of the methods that are features, and their bounds."""
        own = type(self)
        names = dict.fromkeys(name for one in reversed(own.__mro__) for name in vars(one))
        methods = {name: getattr(own, name) for name in names}
        return {name: one.bounds for name, one in methods.items() if hasattr(one, "bounds")}

    def count_of(self, feature: str) -> int:
        """The number of features that a method with ``@features`` stands for, else 0."""
        return int(getattr(getattr(type(self), feature), "count", 0))

    @property
    def has_rules(self) -> bool:
        """True if it is more than keywords of a game."""
        return bool(self.hooks or self.features or self.zones)

    @property
    def parameters(self) -> Any:
        """The scenario as its methods see it in compiled code: a tuple of its numbers."""
        values = [getattr(self, entry.name) for entry in fields(self)]  # type: ignore[arg-type]
        return type(self)._record(*(values or [0.0]))

    def rider(self, **fields: Any) -> Rider:
        """A vehicle with own numbers, to try methods in Python.

        Fields are those of a Vehicle and of ``own``, with their defaults. Raises an InvalidType
        for others.
        """
        own = {name: float(fields.pop(name, value)) for name, value in self.own.items()}
        if wrong := fields.keys() - {*Vehicle._fields}:
            names = (*own, *Vehicle._fields)
            raise InvalidType(unknown("field of a rider", min(wrong), names))
        return Rider(*Vehicle(**fields), type(self).own_record(**own))

    def environment(self, side: Side, action_type: str = "continuous") -> str:
        """The id of the environment in which a side of this game learns."""
        words = self.name.title().replace("_", "")
        is_alone = side is PURSUER and (self.is_named_for_pursuers or self.is_solved)
        verb = "" if is_alone else side.verb
        kind = "Discrete" if action_type == "discrete" else ""
        return f"{words}{verb}{kind}-v0"

    @property
    def is_solved(self) -> bool:
        """True if `steer_env.solved` knows its value."""
        return self.opponents[PURSUER].startswith("optimal/")

    def reduced_observation(self, side: Side) -> dict[str, Any]:
        """The keyword ``observation`` of a policy that sees the reduced state alone.

        `steer_env.baselines.exact_response` computes the best response to such a policy.

        Raises:
            InvalidValue: if the game has no reduced features.
        """
        if not self.reduced:
            raise InvalidValue(f"the game {self.name!r} has no reduced features")
        return {**self.keywords.get("observation", {}), "features": self.reduced[side]}

    def tuned_script(self, side: Side) -> str:
        """The name in the roster of the script that a search found to be best for a side."""
        return f"tuned/{self.name}/{side.name}"

    def is_team(self, side: Side) -> bool:
        """True if a side has several players."""
        return int(self.keywords.get(f"{side.name}s", 1)) > 1


def _check_members(scenario: type[Scenario]) -> None:
    """Raises an InvalidValue for members that would do nothing, or something else."""
    for name, kind in inspect.get_annotations(scenario).items():
        if "ClassVar" in str(kind):
            continue
        if hasattr(Scenario, name):
            raise InvalidValue(
                f"{name} of the scenario {scenario.__name__} must have no annotation: that "
                f"makes parameters, and every Scenario has its {name}"
            )
        if name == "scenario" or name.startswith("_"):
            raise InvalidValue(
                f"a parameter of the scenario {scenario.__name__} must not be called {name!r}: "
                "files have the scenario's name under 'scenario', and parameters are public"
            )
    for name, member in vars(scenario).items():
        is_method = inspect.isfunction(member) and not name.startswith("_")
        if is_method and not hasattr(member, "bounds") and not hasattr(Scenario, name):
            raise InvalidValue(
                f"{unknown('method of a scenario', name, HOOKS)}; a feature needs "
                "@feature(low, high) above it, several @features(count, low, high), and "
                "helpers are functions outside the class"
            )
    for name in dir(scenario):
        method = getattr(scenario, name)
        is_rule = name in ARGUMENTS and method is not getattr(Scenario, name)
        if callable(method) and (is_rule or hasattr(method, "bounds")):
            what = f"the method {name} of the scenario {scenario.__name__}"
            asked_for(what, method, ARGUMENTS.get(name, ALWAYS))
    _check_own(scenario)


def _check_own(scenario: type[Scenario]) -> None:
    """Raises an InvalidValue for own numbers that never change, or changes of none."""
    changes = scenario.motion is not Scenario.motion or scenario.after is not Scenario.after
    if scenario.own and not changes:
        raise InvalidValue(
            f"own of the scenario {scenario.__name__} needs a method motion or after that "
            "returns the next numbers; constants are annotated attributes"
        )
    if scenario.after is not Scenario.after and not scenario.own:
        raise InvalidValue(
            f"after of the scenario {scenario.__name__} returns a vehicle's own numbers: it "
            'needs own = {"energy": 1.0}'
        )


def _winners(scenario: type[Scenario]) -> dict[str, Side]:
    """The outcomes of a scenario with the side that has won, or an InvalidValue."""
    what, found = f"outcomes of the scenario {scenario.__name__}", {}
    given = scenario.outcomes
    if not isinstance(given, Mapping):
        raise InvalidType(f"{what} must be a dict such as {{'out of fuel': 'pursuers'}}")
    if bool(given) != (scenario.ends is not Scenario.ends):
        raise InvalidValue(
            f"{what} are the names that its method ends returns, so it has both or neither, "
            "such as outcomes = {'out of fuel': 'pursuers'}"
        )
    own = set(given) - set(OUTCOMES)
    if len(own) > MOST_OUTCOMES - len(OUTCOMES) - 1:
        raise InvalidValue(f"{what} must be at most {MOST_OUTCOMES - len(OUTCOMES) - 1}")
    for name, side in given.items():
        is_text = isinstance(name, str) and name.isprintable() and "_" not in name
        if not is_text or not 1 <= len(name.strip()) == len(name) <= _LONGEST_OUTCOME:
            raise InvalidValue(
                f"{what} must be named by a few words, such as 'out of fuel', without "
                f"underscores, of at most {_LONGEST_OUTCOME} letters; got {shown(name)}"
            )
        winner = Side.named(side.removesuffix("s")) if isinstance(side, str) else Side(side)
        if name in OUTCOMES and (name != "escaped" or winner is PURSUER):
            raise InvalidValue(
                f"{what}: {name!r} is what the game itself decides; choose another name"
            )
        found[name] = winner
    return found


def _opponents_by_side(scenario: type[Scenario]) -> dict[Side, str]:
    found = {}
    for side, opponent in scenario.opponents.items():
        if not isinstance(opponent, str):
            raise InvalidType(
                f"opponents of the scenario {scenario.__name__} must be names such as 'evade', "
                f"got {shown(opponent)}; environments take other opponents"
            )
        found[Side.named(side) if isinstance(side, str) else side] = opponent
    return found
