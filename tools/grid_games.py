"""The games that `solve_by_grid` compares: their states, closed forms and grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import grids
import numpy as np
import pursuers_grid
import target_grids

from steer_env.solved import chauffeur, drag, reach_avoid, simple, two_cars, two_on_one
from steer_env.steering.targets import half_plane

Numbers = grids.Numbers


class Game(NamedTuple):
    """A game, its states and their closed form."""

    name: str
    unit: str  # of the value
    states: Numbers  # (n, ...)
    exact: Numbers  # (n,)
    regions: Sequence[str]  # (n,): "" if the state's error does not count
    shown: Sequence[int]  # states whose values are printed
    coarsest: float  # the spacing of the first grid
    step: Callable[[float], float]  # the time step for a spacing
    solve: Callable[[float, float], dict[str, Numbers]]  # by spacing and step: (n,) by name


def simple_game() -> Game:
    speed, radius, size = 0.6, 0.5, 5.0
    states = lattice(0.2, (0.0, 3.0), (-3.0, 3.0))
    distances = np.hypot(*states.T)
    regions = np.where((distances > radius) & (distances < 3.0), "all", "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        game = grids.MOVES_AT_WILL, speed, radius, size, spacing, step, 8.0
        return {"": of_place(grids.times_to_capture(*game), states, size, spacing)}

    exact = simple.value(distances, 1.0, speed, radius)
    title = f"simple motion, evader's speed {speed:g}, capture radius {radius:g}"
    return Game(title, "s", states, exact, regions, [], 0.2, lambda spacing: 2 * spacing, solve)


def chauffeur_game(
    nu: float, radius: float, size: float, seconds: float, around: float, margin: float
) -> Game:
    """The homicidal chauffeur: `seconds` is longer than any finite value.

    States are as far away as `around`, at multiples of a 30th of it. Those nearer than the
    `margin` to the barrier or the capture circle do not count.
    """
    states = lattice(around / 30.0, (0.0, around), (-around, around))
    few = np.array(SHOWN_OF_CHAUFFEUR) if around >= 3.0 else np.empty((0, 2))
    states = np.concatenate([few, states])
    right, ahead = states.T
    exact = chauffeur.value(right, ahead, nu, radius)
    distances = np.hypot(right, ahead)
    counts = (distances > radius + margin) & (distances < around)
    counts &= to_barrier(states, nu, radius) > margin
    regions = np.where(counts, chauffeur.region(right, ahead, nu, radius), "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        game = grids.moves_of_car(step), nu, radius, size, spacing, step, seconds
        return {"": of_place(grids.times_to_capture(*game), states, size, spacing)}

    return Game(
        f"chauffeur, evader's speed {nu:g}, capture radius {radius:g}",
        "turning radius / speed",
        states,
        exact,
        regions,
        range(len(few)),
        around / 30.0,
        lambda spacing: 1.2 * spacing ** (2.0 / 3.0),
        solve,
    )


SHOWN_OF_CHAUFFEUR = (
    *((0.0, 1.0), (0.3, 0.6), (1.0, 2.0), (3.0, 0.0), (2.0, 0.0)),
    *((0.6, 0.0), (2.0, -1.0), (0.3, -0.6), (0.0, -1.5), (0.0, -2.8)),
)


def to_barrier(states: Numbers, nu: float, radius: float) -> Numbers:
    """The distance of each state from the barrier."""
    line = chauffeur.barrier(nu, radius, 1000)
    return np.array([np.hypot(*(line - state).T).min() for state in states])


def two_cars_game() -> Game:
    box, seconds = (-7.0, 18.0, 12.0), 3.2  # no turn takes longer than half a circle
    states = lattice(1.0, (-1.0, 15.0), (-4.0, 4.0), count=7)
    states = np.concatenate([SHOWN_OF_TWO_CARS, states])
    exact = two_cars.value(*states.T)
    names = np.array(["V < -4", "-4 < V < 0", "0 < V < 2", ""])
    regions = names[np.searchsorted([-4.0, 0.0, 2.0], exact, side="right")].tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        headings = round(12 / spacing)
        x, y, psi = states.T
        mirrored = psi > math.pi
        places = np.stack(
            [
                1.0 + np.where(mirrored, 2.0 * math.pi - psi, psi) * headings / math.pi,
                1.0 + (x - box[0]) / spacing,
                1.0 + (np.where(mirrored, -y, y) + box[2]) / spacing,
            ],
            axis=-1,
        )
        found = {}
        for name, evader_knows in (("upper", True), ("lower", False)):
            values = grids.least_distances(box, headings, spacing, step, seconds, evader_knows)
            found[name] = grids.at_places(values, places)
        return found

    shown = range(len(SHOWN_OF_TWO_CARS))
    return Game("two cars", "m", states, exact, regions, shown, 1.0, lambda dx: 0.4 * dx, solve)


SHOWN_OF_TWO_CARS = (
    *((8.0, 0.0, math.pi), (12.0, 0.0, math.pi), (15.0, 0.0, math.pi)),
    *((6.0, 0.0, math.pi / 2), (7.0, -4.0, math.pi / 2), (7.0, 4.0, math.pi / 2)),
    *((5.0, 5.0, 3 * math.pi / 2), (10.0, -3.0, 2.5), (6.0, -4.0, 1.0), (3.0, -6.0, 1.5)),
    (0.0, 6.0, math.pi),
)


def drag_game() -> Game:
    k, seconds, farthest, fastest = 0.3, 3.0, 12.0, 4.0
    forces = {"stronger pursuer": (1.0, 0.6), "stronger evader": (0.6, 1.0)}
    ahead, along, across = np.meshgrid(np.arange(7.0), np.arange(-2.0, 3.0), np.arange(3.0))
    states = np.stack([ahead.ravel(), along.ravel(), across.ravel()], axis=-1)
    places = np.stack([states[:, 0], 0.0 * states[:, 0]], axis=-1)

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        distance, along, across = states.T
        nodes = 1.0 + np.stack([distance, across, along + fastest], axis=-1) / spacing
        size = farthest, fastest, spacing, step, seconds
        solved = [grids.last_distances(k, *pair, *size) for pair in forces.values()]
        return {"": np.concatenate([grids.at_places(values, nodes) for values in solved])}

    misses = [drag.miss(places, states[:, 1:], seconds, *pair, k) for pair in forces.values()]
    regions = [name for name in forces for _ in states]
    both, exact = np.concatenate([states, states]), np.concatenate(misses)
    return Game("drag", "m", both, exact, regions, [], 1.0, lambda spacing: spacing / 2, solve)


def lattice(
    spacing: float, first: tuple[float, float], second: tuple[float, float], count: int = 0
) -> Numbers:
    """States at multiples of a spacing; with a count also of headings, from 0 to pi."""
    ends = [(round(low / spacing), round(high / spacing) + 1) for low, high in (first, second)]
    axes = [spacing * np.arange(*pair) for pair in ends]
    if count:
        axes.append(np.linspace(0.0, math.pi, count))
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=-1)


def of_place(times: Numbers, states: Numbers, size: float, spacing: float) -> Numbers:
    """The times of states that are nodes of the grid."""
    rows = np.rint(states[:, 0] / spacing).astype(int) + 1
    columns = np.rint((states[:, 1] + size) / spacing).astype(int) + 1
    return times[rows, columns]


def reach_avoid_game() -> Game:
    """A line to cross: both sides of it, the defender in front of it or beyond."""
    nu, radius, size, around = 0.6, 0.5, 3.0, 0.5
    defender, attacker = np.arange(-1.0, 2.01, around), np.arange(0.5, 2.01, around)
    apart = np.arange(0.0, 2.01, around)
    axes = np.meshgrid(defender, apart, attacker, indexing="ij")
    states = np.stack([axis.ravel() for axis in axes], axis=-1)
    line = half_plane(0j, 1.0 + 0j)
    exact = reach_avoid.value(states[:, 2], states[:, 0] + 1j * states[:, 1], nu, radius, line)
    is_free = np.hypot(states[:, 0] - states[:, 2], states[:, 1]) > radius + 0.2
    regions = np.where(is_free, np.where(exact > 0.0, "guarded", "reached"), "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        found = target_grids.distances_from_line(nu, radius, size, spacing, step, 6.0)
        corner = np.array([size, 0.0, size])
        nodes = np.rint((states + corner) / spacing).astype(int) + 1
        return {"": found[tuple(nodes.T)]}

    return Game(
        "reach-avoid, a line", "m", states, exact, regions, [], 0.5, lambda dx: dx, solve
    )


def two_on_one_game() -> Game:
    """Pursuers up to 1.5 m from the evader, none within 0.1 m of the capture circle."""
    nu, radius, size = pursuers_grid.NU, pursuers_grid.RADIUS, pursuers_grid.SIZE
    first, x = np.arange(0.25, 1.51, 0.25), np.arange(-1.5, 1.51, 0.25)
    axes = np.meshgrid(first, x, np.arange(0.0, 1.51, 0.25), indexing="ij")
    states = np.stack([axis.ravel() for axis in axes], axis=-1)
    pursuers = np.stack([states[:, 0] + 0j, states[:, 1] + 1j * states[:, 2]], axis=-1)
    nearest, farthest = np.abs(pursuers).min(axis=-1), np.abs(pursuers).max(axis=-1)
    exact = two_on_one.value(0j, pursuers, nu, radius)
    is_alone = exact > (nearest - radius) / (1.0 - nu) - 1e-9
    counts = (nearest > radius + 0.1) & (farthest < 1.51)
    regions = np.where(counts, np.where(is_alone, "alone", "together"), "").tolist()

    def solve(spacing: float, step: float) -> dict[str, Numbers]:
        found = pursuers_grid.times_to_capture(spacing, step)
        nodes = np.rint((states + np.array([0.0, size, 0.0])) / spacing).astype(int) + 1
        return {"": found[tuple(nodes.T)]}

    return Game(
        "two on one", "s", states, exact, regions, [], 0.25, lambda spacing: 2 * spacing, solve
    )


GAMES: dict[str, Callable[[], Game]] = {
    "simple": simple_game,
    "chauffeur-0.1": lambda: chauffeur_game(0.1, 0.5, 4.5, 8.5, around=2.7, margin=0.1),
    "chauffeur-0.3": lambda: chauffeur_game(0.3, 0.3, 5.5, 12.0, around=3.0, margin=0.1),
    "chauffeur-0.5": lambda: chauffeur_game(0.5, 0.5, 6.0, 19.0, around=3.0, margin=0.1),
    "chauffeur-0.7": lambda: chauffeur_game(0.7, 0.25, 1.5, 3.0, around=0.6, margin=0.04),
    "two_cars": two_cars_game,
    "drag": drag_game,
    "reach_avoid": reach_avoid_game,
    "two_on_one": two_on_one_game,
}
"""The first chauffeur catches from the outer side of its line while it turns, and the last
cannot force a capture from everywhere."""

REGIONS = (
    *("all", "T", "D", "S", "W", "free", "V < -4", "-4 < V < 0", "0 < V < 2"),
    *("stronger pursuer", "stronger evader", "reached", "guarded"),
    *("alone", "together"),
)
"""In the order of the tables."""
