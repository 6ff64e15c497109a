"""Labels keep clear of lines, of each other, and of the edges."""

import numpy as np

from steer_env.rendering.label_places import LabelPlaces

SIZE = 20 + 8j
NOBODY = np.zeros(0, np.complex128)


def distance(middle, point, size=SIZE):
    """From a label to a point."""
    offset = point - middle
    return np.hypot(
        np.maximum(abs(offset.real) - size.real / 2, 0),
        np.maximum(abs(offset.imag) - size.imag / 2, 0),
    )


def test_a_label_stands_beside_its_line_and_near_its_point():
    line = np.linspace(0, 200, 401) + 100j
    places = LabelPlaces(0j, 200 + 200j, line)
    middle = places.add(100 + 100j, SIZE, NOBODY)
    assert distance(middle, line).min() > 1.5
    assert distance(middle, 100 + 100j) < 12


def test_labels_of_one_point_stand_apart_until_there_is_no_room():
    places = LabelPlaces(0j, 200 + 200j, np.array([100 + 100j]))
    found = [places.add(100 + 100j, SIZE, NOBODY) for _ in range(40)]
    labels = [middle for middle in found if middle is not None]
    assert 2 <= len(labels) < 40
    for number, middle in enumerate(labels):
        for other in labels[:number]:
            gap = middle - other
            assert abs(gap.real) >= SIZE.real or abs(gap.imag) >= SIZE.imag


def test_a_label_is_nearest_to_its_own_point():
    point = 100 + 100j
    preferred = LabelPlaces(0j, 200 + 200j, np.array([point])).add(point, SIZE, NOBODY)
    other = 2 * preferred - point  # as far on the other side of the label
    middle = LabelPlaces(0j, 200 + 200j, np.array([point])).add(point, SIZE, np.array([other]))
    assert middle != preferred
    assert distance(middle, other) > distance(middle, point)


def test_no_label_is_better_than_one_that_hides_something():
    rows, columns = np.indices((60, 60)) * 5
    places = LabelPlaces(0j, 300 + 300j, (columns + 1j * rows).ravel())
    assert places.add(150 + 150j, SIZE, NOBODY) is None


def test_a_label_stays_where_it_was_unless_it_does_not_fit():
    point = 100 + 100j
    kept = point + 26 + 9j
    places = LabelPlaces(0j, 200 + 200j, np.array([point]))
    assert places.add(point, SIZE, NOBODY) != kept
    places = LabelPlaces(0j, 200 + 200j, np.array([point]))
    assert places.add(point, SIZE, NOBODY, kept=kept) == kept
    hidden = LabelPlaces(0j, 200 + 200j, np.array([point, kept]))
    assert hidden.add(point, SIZE, NOBODY, kept=kept) != kept
    far = LabelPlaces(0j, 200 + 200j, np.array([point]))
    assert far.add(point, SIZE, NOBODY, kept=point + 80) != point + 80
