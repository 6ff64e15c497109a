"""Following the walls of a map: points by hand, edges, and vehicles that go around."""

import numpy as np
import pytest

from steer_env.maps import Map, make_walls
from steer_env.steering import Vehicle, advance
from steer_env.steering.basic import seek
from steer_env.steering.sliding import slide
from steer_env.steering.wall_following import nearest_wall, wall_following, wall_following_aim
from steer_env.steering.walls import clearance

HALL = Map([(-9, -5), (9, -5), (9, 5), (-9, 5)])
PILLAR = Map([(-9, -9), (9, -9), (9, 9), (-9, 9)], [[(-2, -2), (2, -2), (2, 2), (-2, 2)]])


def walls_of(world, margin=1.0):
    return make_walls(world, margin)


def facing(place, heading, max_speed=2.0):
    return Vehicle(place, max_speed * heading, heading, max_speed=max_speed)


@pytest.mark.parametrize(
    ("place", "heading", "aim"),
    [
        (3.5j, 1, 1 + 4j),  # along a wall on the left
        (3.5j, -1, -1 + 4j),  # on the right
        (-4.5j, 1, 1 - 4j),
        (4.5j, 1, 1 + 4j),  # too near
        (1 + 1j, 1, 2 + 4j),  # from far away: the nearest wall
        (8.5 + 4j, 1, 8 + 3.5j),  # into a corner, 0.5 m to go: away from the wall beside
        (8.5 - 4j, 1, 8 - 3.5j),
        (8.5 + 3j, 0.6 + 0.8j, 8 + (3 + 0.5 / 0.6 * 0.8 - 1 + 0.5 / 0.6) * 1j),
    ],
)
def test_the_point_beside_a_wall(place, heading, aim):
    me = facing(place, heading)
    assert wall_following_aim(me, walls_of(HALL), 0.5, 1.0) == pytest.approx(aim)
    assert wall_following(me, walls_of(HALL), 0.5, 1.0) == pytest.approx(seek(me, aim))


def test_around_the_end_of_a_wall_the_point_is_on_a_circle():
    thin = walls_of(Map([(-9, -9), (9, -9), (9, 9), (-9, 9)], walls=[[(-4, 0), (0, 0)]]))
    assert wall_following_aim(facing(-0.5 + 1j, 1), thin, 0.5, 1.0) == pytest.approx(
        (0.5 + 1j) / abs(0.5 + 1j)
    )


@pytest.mark.parametrize("margin", [0.2, 1.0, 20.0])
def test_the_nearest_wall_is_that_of_all(margin):
    world, random = Map.rooms(1, seed=2)[0], np.random.default_rng(0)
    walls = walls_of(world, margin)
    for x, y in random.uniform(-9, 9, (60, 2)):
        number, outward = nearest_wall(walls, complex(x, y))
        one = walls.walls[number]
        line = one["end"] - one["start"]
        share = ((complex(x, y) - one["start"]) * line.conjugate()).real / abs(line) ** 2
        expected = complex(x, y) - one["start"] - line * min(max(share, 0), 1)
        assert outward == pytest.approx(expected)
        all_of_them = walls_of(world, 20.0)
        assert abs(outward) == pytest.approx(clearance(all_of_them, [], complex(x, y)))


@pytest.mark.parametrize(("world", "start"), [(HALL, 3.5j), (PILLAR, -3.5 + 0j)])
@pytest.mark.parametrize("heading", [1j, -1j])
def test_a_vehicle_goes_around_at_its_offset(world, start, heading):
    walls = walls_of(world)
    me = Vehicle(start, 0j, heading, max_speed=2.0, max_force=20.0, radius=0.3)
    places = []
    for _ in range(900):
        me = advance(me, wall_following(me, walls, 0.5, 1.0) * 4, 1 / 30)
        place, velocity = slide(
            walls, [], 0.3, me.position - me.velocity / 30, me.velocity, 1 / 30
        )
        me = me._replace(position=place, velocity=velocity)
        places.append(complex(place))
    late = np.array(places[150:])
    wide = walls_of(world, 9.0)
    apart = np.array([clearance(wide, [], place) for place in late])
    assert 0.8 < np.median(apart) < 1.2
    assert (apart > 0.5).all()
    turned = np.unwrap(np.angle(late))
    assert abs(turned[-1] - turned[0]) > 5.5  # nearly all around
