"""Combining behaviors: six ways to make one steering force out of several.

docs/steering/blending.md has the formulas of the methods (Reynolds 1999; Buckland 2005). The
last four skip what they leave out. `next_behavior` and `add_force` are the methods one force at
a time, for the game's loop.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from steer_env.errors import (
    InvalidType,
    check_choice,
    check_integer,
    check_number,
    shown,
    unknown,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, norm, scale, truncate, unit
from steer_env.steering.vehicle import Vehicle

METHODS = ("sum", "weighted", "prioritized", "budget", "dithered", "chaotic")
"""The names of the methods, in the order of their numbers."""

SUM, WEIGHTED, PRIORITIZED, BUDGET, DITHERED, CHAOTIC = range(len(METHODS))

_NO_ROOM = 1e-12  # of max_force; rounding may leave so much


@compiled
def next_behavior(
    method: int, turn: int, chances: Sequence[float], count: int, had_turn: int, dice: float
) -> int:
    """The place of the behavior whose turn it is, or -1.

    Each of the ``count`` behaviors has a turn, from 0, in order but for `CHAOTIC`, where
    ``had_turn`` is the sum of 2**place of earlier ones. ``dice`` is a new draw from [0, 1).

    Example:
        >>> next_behavior(BUDGET, 0, [0.2, 0.3], 2, 0, 0.7)
        0
        >>> next_behavior(DITHERED, 0, [0.2, 0.3], 2, 0, 0.7)
        -1
        >>> next_behavior(CHAOTIC, 0, [0.2, 0.3, 0.5], 3, 0, 0.4)
        1
        >>> next_behavior(CHAOTIC, 1, [0.2, 0.3, 0.5], 3, 2, 0.4)  # of the other two
        2
    """
    if method == CHAOTIC:
        return _drawn_by_chance(chances, count, had_turn, dice)
    return turn if method < DITHERED or dice < chances[turn] else -1


@compiled
def _drawn_by_chance(chances: Sequence[float], count: int, had_turn: int, dice: float) -> int:
    left_over = 0.0
    for place in range(count):
        left_over += 0.0 if (had_turn >> place) & 1 else chances[place]
    below, drawn = 0.0, -1
    for place in range(count):
        if not (had_turn >> place) & 1 and chances[place] > 0.0:
            if drawn >= 0 and dice * left_over < below:
                break
            below, drawn = below + chances[place], place
    return drawn


@compiled
def add_force(
    method: int, total: complex, force: complex, weight: float, chance: float, max_force: float
) -> tuple[complex, bool]:
    """The total with the next behavior's force, and True if the rest is left out.

    Forces are in newtons; there is room for ``max_force``. `SUM` and `CHAOTIC` do not use the
    weight, and only `DITHERED` uses the chance.

    Example:
        >>> add_force(BUDGET, 3 + 0j, 9j, 1.0, 1.0, 5.0)
        ((3+2j), False)
        >>> add_force(PRIORITIZED, -3j, 9j, 1.0, 1.0, 5.0)
        (5j, True)
    """
    if method == SUM:
        return total + force, False
    if method == CHAOTIC:
        return scale(unit(force), max_force), force != 0j
    if method == DITHERED:
        alone = truncate(scale(force, weight / max(chance, TINY)), max_force)
        return alone, alone != 0j
    force = scale(force, weight)
    if method == WEIGHTED:
        return total + force, False
    if method == PRIORITIZED:
        total += force
        return truncate(total, max_force), norm(total) > max_force
    room = max_force - norm(total)
    total += truncate(force, max(room, 0.0))
    return total, norm(total) >= max_force * (1.0 - _NO_ROOM)


@compiled
def finish(method: int, total: complex, max_force: float) -> complex:
    """The combined force, once all behaviors have been added: `WEIGHTED` truncates it now.

    Example:
        >>> finish(WEIGHTED, 8j, 5.0), finish(SUM, 8j, 5.0)
        (5j, 8j)
    """
    return truncate(total, max_force) if method == WEIGHTED else total


class Blend:
    """Several behaviors that steer as one.

    The blend is called like a behavior. Each of its behaviors gets the keywords that it has
    parameters for; fix others with `functools.partial`.

    Args:
        method: one of `METHODS`.
        parts: the behaviors in order of priority, each as (behavior, weight) or
            (behavior, weight, chance). Weights are not negative; chances are from 0 to 1, and 1
            unless given. "sum" and "chaotic" do not look at weights; only "dithered" and
            "chaotic" look at chances, which for "chaotic" count in proportion.
        seed: of the draws of "dithered" and "chaotic".

    Example:
        >>> from steer_env.steering import avoid_walls, evade
        >>> blend = Blend("budget", [(avoid_walls, 10), (evade, 1)])
        >>> me = Vehicle(position=9 + 0j, max_speed=3.0, max_force=12.0)
        >>> blend(me, half_size=10.0, menace=Vehicle())  # 10 N of 12 are for the walls
        (-8+0j)
    """

    def __init__(
        self,
        method: str,
        parts: Iterable[tuple[Callable[..., complex], float] | tuple[Any, float, float]],
        seed: int | None = None,
    ) -> None:
        check_choice("method", method, METHODS)
        if not isinstance(parts, Iterable):
            raise InvalidType(f"parts must be a list of behaviors, got {shown(parts)}")
        self.method = method
        self.parts = tuple(_check_part(part) for part in parts)
        self._number = METHODS.index(method)
        self._parameters = [_parameters(behavior) for behavior, _, _ in self.parts]
        self._chances = [chance for _, _, chance in self.parts]
        self._random = random.Random(None if seed is None else check_integer("seed", seed, 0))

    def __call__(self, me: Vehicle, **scene: Any) -> complex:
        """The combined steering force.

        The scene holds the behaviors' other arguments, such as ``menace=wolf,
        obstacles=rocks``.
        """
        self._check_scene(scene)
        total, is_done, had_turn = 0j, False, 0
        for turn in range(len(self.parts)):
            dice = self._random.random() if self._number >= DITHERED else 0.0
            chances, count = self._chances, len(self.parts)
            place = next_behavior(self._number, turn, chances, count, had_turn, dice)
            if is_done or place < 0:
                continue
            had_turn |= 1 << place
            behavior, weight, chance = self.parts[place]
            given = {name: scene[name] for name in self._parameters[place] if name in scene}
            force, limit = complex(behavior(me, **given)), float(me.max_force)
            total, is_done = add_force(self._number, total, force, weight, chance, limit)
        return finish(self._number, total, float(me.max_force))

    def _check_scene(self, scene: dict[str, Any]) -> None:
        known = {name for parameters in self._parameters for name in parameters}
        for name in scene:
            if name not in known:
                raise InvalidType(unknown("argument", name, known))
        for (behavior, _, _), parameters in zip(self.parts, self._parameters):
            missing = [n for n, is_needed in parameters.items() if is_needed and n not in scene]
            if missing:
                raise InvalidType(f"{_name(behavior)} also needs {', '.join(missing)}")

    def __repr__(self) -> str:
        parts = (
            f"({_name(one)}, {weight:g}, {chance:g})" for one, weight, chance in self.parts
        )
        return f"Blend({self.method!r}, [{', '.join(parts)}])"


def _parameters(behavior: Callable[..., Any]) -> dict[str, bool]:
    """The names of a behavior's arguments after the vehicle, and whether they are needed."""
    if isinstance(behavior, Blend):
        names = {name for each in behavior._parameters for name in each}
        return {n: any(each.get(n, False) for each in behavior._parameters) for n in names}
    given = behavior.keywords if isinstance(behavior, functools.partial) else {}
    function = behavior.func if isinstance(behavior, functools.partial) else behavior
    signature = inspect.signature(getattr(function, "py_func", function))
    _, *parameters = signature.parameters.values()
    return {p.name: p.default is p.empty for p in parameters if p.name not in given}


def _check_part(part: Any) -> tuple[Callable[..., Any], float, float]:
    if not isinstance(part, Sequence) or len(part) not in (2, 3) or not callable(part[0]):
        raise InvalidType(
            f"a part is (behavior, weight) or (behavior, weight, chance), got {shown(part)}"
        )
    behavior, weight, chance = (*part, 1.0)[:3]
    name = _name(behavior)
    weight = check_number(f"weight of {name}", weight, 0.0)
    return behavior, weight, check_number(f"chance of {name}", chance, 0.0, 1.0)


def _name(behavior: Any) -> str:
    function = behavior.func if isinstance(behavior, functools.partial) else behavior
    return str(getattr(function, "__name__", function))
