"""Bodies among walls, moved at random: none may be in a wall, or get through one.

    python tests/by_hand/fuzz_maps.py --slides 1e8 --games 2e6

makes so many calls of `slide`, compiled, and so many steps of games on maps. A body is in a
wall nearer than its radius, by the formula of this file and all walls. It got through one
if no chain of free places, with gaps shorter than its radius, leads from its start to its end.

`tests/game/test_fuzzed_maps.py` is a short form.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator

import numba
import numpy as np

from steer_env import Map
from steer_env.errors import UsageError
from steer_env.game.config import make_game
from steer_env.game.dynamics import MODELS
from steer_env.game.engine import Engine
from steer_env.machine_code import jit  # noqa: F401  tells numba of compiled functions
from steer_env.maps.cells import make_walls
from steer_env.maps.fits import fits
from steer_env.scripts.roster import named_script
from steer_env.sides import PURSUER
from steer_env.steering.sliding import first_contact, slide
from steer_env.steering.vectors import dot, scale
from steer_env.steering.walls import cell_at

SLACK = 1e-9
"""Bodies may overlap walls by this much, in meters."""

LONGEST = 100.0  # meters of a step
_STEPS_ON_A_MAP = 20_000
_MOST_CONTACTS = 4  # of a part
_MOST_LINKS = 2_000  # of a chain
_GAMES = 16  # at once
_MOST_PLACES = 20_000  # of a lattice


def _star(random: np.random.Generator, corners: int, spread: float) -> np.ndarray:
    """A polygon around the origin with acute corners."""
    angles = np.sort(random.uniform(0.0, 2.0 * np.pi, corners))
    return np.exp(1j * angles) * np.exp(random.uniform(-spread, 0.0, corners))


def _pairs(places: np.ndarray) -> list[tuple[float, float]]:
    return [(one.real, one.imag) for one in places.tolist()]


def _polygons(random: np.random.Generator, radius: float) -> Map:
    """Acute polygons in an acute polygon, and thin walls."""
    outline = 12.0 * _star(random, random.integers(3, 14), 1.5)
    shift = random.uniform(-6, 6, (2, 12))
    solids = [
        _pairs(x + 1j * y + random.uniform(0.1, 2.0) * _star(random, 3, 2.5))
        for x, y in shift.T[: random.integers(0, 8)]
    ]
    lines = [
        _pairs(random.uniform(-8, 8, 3) + 1j * random.uniform(-8, 8, 3))
        for _ in range(random.integers(0, 6))
    ]
    return Map(_pairs(outline), solids, lines)


def _corridors(random: np.random.Generator, radius: float) -> Map:
    """Corridors about as wide as the vehicle, and needles in its way."""
    wide = 2.0 * radius * (1.0 + random.choice([0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.3]))
    turn = np.exp(1j * random.choice([0.0, random.uniform(0.0, 7.0)]))
    box = turn * np.array([-10 - 10j, 10 - 10j, 10 + 10j, -10 + 10j])
    low, lines = -6.0, []
    while low < 6.0:
        lines.append(_pairs(turn * np.array([complex(-6, low), complex(6, low)])))
        low += wide + random.choice([0.0, 1e-7, 0.5])
        needle = complex(random.uniform(-9, 9), random.uniform(7, 9))
        lines.append(_pairs(turn * np.array([needle, needle + random.uniform(-0.5, 0.5)])))
    return Map(_pairs(box), walls=lines[:60])


def maps_to_try(random: np.random.Generator, radius: float) -> Iterator[Map]:
    """Maps of all generators, and random ones that are harder, without end."""
    size = max(20.0, 20.0 * radius)
    door = max(1.8, 2.0 * radius * (1.0 + random.choice([1e-12, 1e-3, 0.5])))
    makers = (
        lambda seed: Map.rooms(1, seed, size, 3, door)[0],
        lambda seed: Map.maze(1, seed, size, 6)[0],
        lambda seed: Map.caves(1, seed, size, width=max(1.2, 2.2 * radius))[0],
        lambda seed: Map.pillars(1, seed, size, gap=2.2 * radius)[0],
        *(3 * (lambda seed: _polygons(random, radius),)),
        *(2 * (lambda seed: _corridors(random, radius),)),
    )
    while True:
        try:
            yield makers[random.integers(len(makers))](int(random.integers(2**31)))
        except UsageError:  # polygons that cross each other, and the like
            continue


@numba.njit(error_model="numpy")
def clearance(starts, ends, discs, place):
    """The distance from a place to the nearest of all walls and discs."""
    nearest = np.inf
    for one, other in zip(starts, ends):
        x, y = other.real - one.real, other.imag - one.imag
        right, up = place.real - one.real, place.imag - one.imag
        share = min(max((right * x + up * y) / (x * x + y * y), 0.0), 1.0)
        nearest = min(nearest, math.hypot(right - share * x, up - share * y))
    for disc in discs:
        away = place - disc.center
        nearest = min(nearest, math.hypot(away.real, away.imag) - disc.radius)
    return nearest


@numba.njit(error_model="numpy")
def is_free(starts, ends, discs, radius, place, line):
    """True if a body that is a tenth thinner can go straight along a line."""
    parts = int(np.ceil(abs(line) / (0.05 * radius))) + 1
    for part in range(parts + 1):
        if clearance(starts, ends, discs, place + line * (part / parts)) < 0.9 * radius:
            return False
    return True


@numba.njit(error_model="numpy")
def are_chained(walls, starts, ends, discs, radius, place, velocity, end):
    """True if `is_chained` of all parts of a slide, which are slides of their own."""
    parts = max(int(np.ceil(abs(velocity) / max(walls.margin - radius, SLACK))), 1)
    for _ in range(parts):
        before, step = place, scale(velocity, 1.0 / parts)
        world = walls, starts, ends, discs, radius
        is_free = is_chained(*world, place, velocity, 1.0 / parts)
        place, velocity = slide(walls, discs, radius, place, velocity, 1.0 / parts)
        if not is_free and not is_traced(*world, before, step, place):
            return False
    return abs(place - end) < SLACK


@numba.njit(error_model="numpy")
def is_traced(walls, starts, ends, discs, radius, place, step, end):
    """True if the straight pieces of a slide, from contact to contact, are free and end there.

    For slides without a chain: in a corner, rounding decides which wall they follow.
    """
    cell, last = cell_at(walls, place), 0j
    for _ in range(_MOST_CONTACTS):
        _, free, normal = first_contact(walls, discs, cell, radius, place, step)
        piece = scale(step, free)
        parts = int(np.ceil(abs(piece) / (0.02 * radius))) + 1
        for part in range(parts + 1):
            here = place + piece * (part / parts)
            if clearance(starts, ends, discs, here) < radius - SLACK:
                return False
        place, step = place + piece, scale(step, 1.0 - free)
        step -= scale(normal, min(dot(step, normal), 0.0))  # rounded as `slide` rounds
        if free >= 1.0 or dot(step, last) < 0.0:
            break
        last = normal
    return abs(place - end) < SLACK


@numba.njit(error_model="numpy")
def is_chained(walls, starts, ends, discs, radius, place, velocity, dt):
    """True if free places lead from the start of a short slide to its end.

    They are the ends of slides of shorter and shorter times, each nearer than the radius to one
    before it: no wall is between two such places. A body in a corner may slide on along either
    of two walls, as rounding decides, to a place in a straight line from there.
    """
    links = int(np.ceil(abs(velocity) * dt / (0.5 * radius))) + 1
    if links > _MOST_LINKS:
        return True
    chain = np.zeros(links + 1, np.complex128)
    chain[0] = place
    for link in range(1, links + 1):
        here, _ = slide(walls, discs, radius, place, velocity, dt * link / links)
        chain[link] = here
        if clearance(starts, ends, discs, here) < radius - SLACK:
            return False
        one = link - 1
        while one >= 0 and abs(here - chain[one]) >= radius:
            one -= 1
        before = chain[link - 1]
        if one < 0 and not is_free(starts, ends, discs, radius, before, here - before):
            return False
    return True


@numba.njit(error_model="numpy")
def fuzz(walls, starts, ends, discs, radius, start, steps, random, longest):
    """Slides a body at random, and returns the faults, the worst overlap, and a fault's start.

    Faults are counted by kind: in a wall, through a wall, farther than its step, faster.
    """
    place, velocity = start, 0j
    faults, worst = np.zeros(4, np.int64), 0.0
    first_place, first_velocity = 0j, 0j
    for _ in range(steps):
        kind = random.integers(0, 6)
        size = longest * 10.0 ** random.uniform(-6.0, 0.0)
        if random.integers(0, 4) > 0:
            size = min(size, 0.3 * radius)
        if kind <= 1:
            angle = random.uniform(0.0, 2.0 * np.pi)
            velocity = size * complex(np.cos(angle), np.sin(angle))
        elif kind == 2 and abs(velocity) > 0.0:  # on, as it slid
            velocity *= size / abs(velocity)
        elif kind >= 3:  # at a wall's end, along a wall, straight into one
            one = random.integers(0, len(starts))
            toward = ends[one] - starts[one]
            if kind == 3:
                toward = starts[one] - place
            elif kind == 4:
                toward *= 1j
            if random.integers(0, 2) == 0:
                toward = -toward
            velocity = toward * (size / max(abs(toward), 1e-9))
        end, after = slide(walls, discs, radius, place, velocity, 1.0)
        overlap = radius - clearance(starts, ends, discs, end)
        worst = max(worst, overlap)
        way = abs(end - place)
        wrong = -1
        if not overlap <= SLACK:
            wrong = 0
        elif way >= radius and not are_chained(
            walls, starts, ends, discs, radius, place, velocity, end
        ):
            wrong = 1
        elif not way <= abs(velocity) * (1.0 + 1e-9) + 1e-8:
            wrong = 2
        elif not abs(after) <= abs(velocity) * (1.0 + 1e-12):
            wrong = 3
        if wrong >= 0:
            faults[wrong] += 1
            if faults.sum() == 1:
                first_place, first_velocity = place, velocity
        place, velocity = (end if wrong != 0 else start), after
    return faults, worst, first_place, first_velocity


DISC = np.dtype([("center", np.complex128), ("radius", np.float64)])


def slides(count: int, seed: int = 0) -> tuple[int, float, list[str]]:
    """Slides bodies so often; returns how often, the worst overlap, and the faults."""
    random = np.random.default_rng(seed)
    made, worst, found = 0, 0.0, []
    while made < count:
        radius = float(10.0 ** random.uniform(-2.0, 0.3))
        world = next(maps_to_try(random, radius))
        longest = float(random.choice([0.1, 1.0, 10.0, LONGEST]))
        margin = radius + max(longest * random.choice([0.01, 1.0]), 0.05)
        starts, ends = world.segments.T.copy()
        discs = np.zeros(random.integers(0, 4), DISC)
        half = world.half_size
        discs["center"] = (
            random.uniform(-half, half, (2, len(discs))).T.copy().view(complex)[:, 0]
        )
        discs["radius"] = random.uniform(0.1, 1.0, len(discs))
        places = random.uniform(-half, half, (2, 2000))
        places = places[0] + 1j * places[1]
        free = [
            place
            for place in places[world.contains(places)].tolist()
            if clearance(starts, ends, discs, place) > radius
        ]
        if not free:
            continue
        walls = make_walls(world, margin)
        steps = min(_STEPS_ON_A_MAP, count - made)
        numbers = steps, random, longest
        faults, overlap, *where = fuzz(walls, starts, ends, discs, radius, free[0], *numbers)
        made, worst = made + steps, max(worst, overlap)
        if faults.any():
            found.append(f"{faults} {world.to_dict()} {discs} {radius=} {margin=} {where}")
    return made, worst, found


def games(count: int, seed: int = 0) -> tuple[int, float, list[str]]:
    """Steps games on random maps so often in all; returns the same as `slides`."""
    random = np.random.default_rng(seed)
    made, worst, found = 0, 0.0, []
    while made < count:
        radius = float(random.uniform(0.1, 0.5))
        maps = [
            world
            for _, world in zip(range(8), maps_to_try(random, radius))
            if fits(world, 1.1 * radius)
        ]
        model, others = random.choice(MODELS, 2).tolist()
        dt = float(random.choice([1.0 / 30.0, 0.2, 1.0]))
        speed = float(min(random.choice([2.0, 20.0, 200.0]), LONGEST / dt))
        body = {"radius": radius, "max_speed": speed, "max_force": 5.0 * speed}
        keywords = {
            **{"map": maps, "dt": dt},
            "pursuer": {**body, "model": model},
            "evader": {**body, "model": others},
            "pursuers": int(random.integers(1, 4)),
            "evaders": int(random.integers(1, 3)),
            "obstacles": int(random.integers(0, 3)),
            "solid": random.choice(["nobody", "teammates", "everyone"]).item(),
            "capture_radius": 2.5 * radius,
        }
        try:
            config = make_game(**keywords)
            engine = Engine(config, [None], [named_script("evade")], _GAMES, 300)
            engine.seed(range(made, made + _GAMES))
            engine.start()
        except UsageError as error:
            if "room" not in str(error) and "fit" not in str(error):
                raise
            continue
        actions = np.zeros((_GAMES, config.pursuers, 2), np.float32)
        for _ in range(min(500, 1 + (count - made) // _GAMES)):
            if random.uniform() < 0.2:
                actions[:] = random.uniform(-1, 1, actions.shape)
            before = engine.state.position.copy()
            engine.step(actions, engine.no_actions(1), PURSUER, restart=True)
            made += _GAMES
            overlap, through = _faults(engine, maps, before, radius)
            worst = max(worst, overlap)
            if overlap > SLACK or through:
                found.append(f"{keywords} {overlap=} {through=}")
                break
    return made, worst, found


def _faults(engine: Engine, maps: list[Map], before: np.ndarray, radius: float):
    """The worst overlap of all bodies with walls and obstacles, and who went through one."""
    worst, through = 0.0, []
    state = engine.state
    for k in range(engine.num_games):
        starts, ends = maps[int(state.map[0, k])].segments.T.copy()
        discs = np.zeros(len(state.center), DISC)
        discs["center"], discs["radius"] = state.center[:, k], state.obstacle_radius[:, k]
        discs = discs[discs["radius"] > 0.0]
        for number, place in enumerate(state.position[:, k].tolist()):
            start = complex(before[number, k])
            worst = max(worst, radius - clearance(starts, ends, discs, place))
            if state.steps[k] > 0 and not has_way(starts, ends, discs, radius, start, place):
                through.append((k, number, start, place))
    return worst, through


@numba.njit(error_model="numpy")
def has_way(starts, ends, discs, radius, place, end):
    """True if a body that is a fifth thinner finds a way to an end on a lattice of places.

    Or if the lattice gets too large.
    """
    if abs(end - place) < radius or is_free(starts, ends, discs, radius, place, end - place):
        return True
    step, reach = 0.25 * radius, 0.5 * radius
    found = {(0, 0)}
    queue = [(0, 0)]
    for number in range(_MOST_PLACES):
        if number == len(queue):
            return False
        column, row = queue[number]
        for right in range(-1, 2):
            for up in range(-1, 2):
                here = (column + right, row + up)
                at = place + complex(here[0] * step, here[1] * step)
                if here not in found and clearance(starts, ends, discs, at) > 0.8 * radius:
                    if abs(at - end) < reach:
                        return True
                    found.add(here)
                    queue.append(here)
    return True


def main() -> int:
    """Runs both for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slides", type=float, default=1e6)
    parser.add_argument("--games", type=float, default=1e4)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    is_faulty = False
    for make, count in ((slides, given.slides), (games, given.games)):
        begin = time.process_time()
        made, worst, found = make(int(count), given.seed)
        seconds = time.process_time() - begin
        print(
            f"{made:,} {make.__name__}: {len(found)} maps with faults, "
            f"worst overlap {worst:.2g} m, {seconds:.0f} s"
        )
        print(*found[:5], sep="\n")
        is_faulty |= bool(found)
    return int(is_faulty)


if __name__ == "__main__":
    sys.exit(main())
