"""The cells of a map's walls: their lists are complete, and queries by them as by all walls."""

import numpy as np
import pytest

from steer_env import Map
from steer_env.maps.cells import make_walls, spread
from steer_env.maps.polygons import distances
from steer_env.steering.sliding import first_contact
from steer_env.steering.walls import cell_at, clearance, contains, has_way, sees

SQUARE = [(0, 0), (10, 0), (10, 10), (0, 10)]
FAN = [[(5, 5), (5 + 4 * np.cos(k), 5 + 4 * np.sin(k))] for k in np.linspace(0.0, 6.0, 250)]
MAPS = {
    "rooms": Map.rooms(1)[0],
    "caves": Map.caves(1)[0],
    "pillars": Map.pillars(1)[0],
    "many": Map.rooms(1, seed=2, size=50.0, across=11, loops=1.0)[0],
    "fan": Map(SQUARE, walls=FAN),
    "tiny": Map([(0, 0), (0.01, 0), (0, 0.01)]),
    "wide": Map([(0, 0), (1000, 0), (1000, 0.5), (0, 0.5)], walls=[[(3, 0.1), (900, 0.4)]]),
    "high": Map([(0, 0), (0.5, 0), (0.5, 1000), (0, 1000)]),
    "empty": Map(SQUARE),
}
EACH = pytest.mark.parametrize("name", MAPS)
MARGIN = 0.5


def places_in(world, count, seed=0):
    """Random places in the box around a map, half of them near its walls."""
    random = np.random.RandomState(seed)
    x, y = (np.ptp(part) / 2 for part in (world.polygons[0].real, world.polygons[0].imag))
    free = random.uniform(-x, x, count) + 1j * random.uniform(-y, y, count)
    starts, ends = world.segments[random.randint(len(world.segments), size=count)].T
    near = starts + random.uniform(size=count) * (ends - starts)
    near += random.normal(size=count) * 0.2 + 1j * random.normal(size=count) * 0.2
    near = np.clip(near.real, -x, x) + 1j * np.clip(near.imag, -y, y)
    return np.where(random.uniform(size=count) < 0.5, free, near)


@EACH
def test_a_cell_lists_all_walls_within_the_margin(name):
    world = MAPS[name]
    walls = make_walls(world, MARGIN)
    places = places_in(world, 300)
    apart = distances(*world.segments.T, places[:, None])
    for place, nearness in zip(places.tolist(), apart):
        cell = cell_at(walls, place)
        begin, end = walls.cells["begin"][cell : cell + 2]
        listed = walls.cell_walls[begin:end].tolist()
        assert {*np.flatnonzero(nearness <= MARGIN)} <= {*listed}
        assert listed == sorted(set(listed))
        assert walls.cells["room"][cell] <= nearness.min()
        assert end > begin or walls.cells["room"][cell] >= np.float32(MARGIN) * 0.999999


@EACH
def test_queries_by_cells_are_those_by_all_walls(name):
    world = MAPS[name]
    walls, whole = make_walls(world, MARGIN), make_walls(world, 2000.0)
    places = places_in(world, 30)
    random = np.random.RandomState(1)
    lines = places_in(world, 30, 2) - places
    lines *= random.choice([0.05, 0.3, 10.0], 30)
    steps = 0.2 * np.exp(1j * random.uniform(0.0, 7.0, 30))
    seen = []
    for place, line, step in zip(places.tolist(), lines.tolist(), steps.tolist()):
        listed = whole.cells["begin"][cell_at(whole, place) :][:2]
        assert listed[1] - listed[0] == len(world.segments)
        seen.append(sees(walls, place, line))
        assert seen[-1] == sees(whole, place, line)
        assert has_way(walls, 0.3, place, line) == has_way(whole, 0.3, place, line)
        assert contains(walls, place) == world.contains([place])[0]
        assert clearance(walls, [], place) == clearance(whole, [], place) or (
            clearance(whole, [], place) > MARGIN
        )
        contacts = [
            first_contact(one, [], cell_at(one, place), 0.3, place, step)[1:]
            for one in (walls, whole)
        ]
        assert contacts[0] == contacts[1]
    assert len(set(seen)) == 2


@EACH
@pytest.mark.parametrize("margin", [0.01, 0.5, 20.0])
def test_cells_are_few(name, margin):
    world = MAPS[name]
    walls = make_walls(world, margin)
    assert walls.columns * walls.rows <= 64 * len(world.segments) + 4
    assert len(walls.cells) == walls.columns * walls.rows + 1
    assert walls.cell >= margin


def test_lists_of_a_larger_map_are_not_longer():
    small, large = Map.rooms(1, size=20.0)[0], Map.rooms(1, size=55.0, across=11)[0]
    few, many = (make_walls(one, MARGIN) for one in (small, large))
    assert len(large.segments) > 7 * len(small.segments)
    mean = [np.diff(one.cells["begin"]).mean() for one in (few, many)]
    assert mean[1] < 1.2 * mean[0]


def test_walls_know_their_polygons():
    world = Map(SQUARE, [[(3, 3), (5, 3), (4, 5)]], [[(7, 1), (7, 5), (8, 5)]])
    walls = make_walls(world, 0.5).walls
    assert walls["polygon"].tolist() == [0, 0, 0, 0, 1, 1, 1, -1, -1]
    assert walls["length"][4] == 2.0
    assert walls["along"][4] == 1.0
    assert walls["start"] + walls["along"] * walls["length"] == pytest.approx(walls["end"])


def test_numbers_are_spread():
    index, entry = spread(np.array([2, 0, 3]))
    assert index.tolist() == [0, 0, 2, 2, 2]
    assert entry.tolist() == [0, 1, 0, 1, 2]
