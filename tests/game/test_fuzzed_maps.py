"""A few of the slides and games among walls that `tests/by_hand/fuzz_maps.py` makes."""

import numpy as np
import pytest

pytestmark = pytest.mark.compiled


def report(made, worst, found):
    assert not found, found[0]
    assert 0.0 < worst < 1e-9  # bodies touched walls
    return made


def test_nobody_gets_into_a_wall_or_through_one():
    from fuzz_maps import games, slides

    assert report(*slides(20_000)) == 20_000
    assert report(*games(2_000)) >= 2_000


@pytest.mark.weekly
def test_nobody_gets_into_a_wall_or_through_one_in_many_steps():
    from fuzz_maps import games, slides

    report(*slides(10**7, seed=1))
    report(*games(2 * 10**6, seed=1))


def test_who_gets_through_a_wall_is_found():
    from fuzz_maps import DISC, clearance, has_way, is_free

    starts, ends = np.array([-5 + 0j]), np.array([5 + 0j])
    world = starts, ends, np.zeros(0, DISC)
    assert clearance(*world, 1 + 2j) == 2.0
    assert clearance(*world, 8 + 4j) == 5.0
    assert not is_free(*world, 0.5, -1j, 2j)
    assert is_free(*world, 0.5, 6 - 1j, 2j)
    assert has_way(*world, 0.5, 4 - 1j, 4 + 1j)  # around the wall's end
    box = np.array([-2 - 2j, 2 - 2j, 2 + 2j, -2 + 2j])
    assert not has_way(box, np.roll(box, -1), world[2], 0.5, 0j, 3 + 0j)
