"""Texts are as wide as planned, cut where their room ends, and keep clear of lines."""

import numpy as np
import pytest

from steer_env.rendering.raster import _mask_of
from steer_env.rendering.texts import LabelPlaces, fitted, fitted_names, width_of

NAME = "pretrained/pursuit/ppo"


@pytest.mark.parametrize("in_middle", [False, True])
def test_as_much_is_kept_as_there_is_room_for(in_middle):
    whole = width_of(NAME, 20)
    assert fitted(NAME, 20, whole, in_middle) == NAME
    lengths = []
    for width in np.arange(0, whole, 3.0):
        cut = fitted(NAME, 20, width, in_middle)
        assert width_of(cut, 20) <= width or not cut
        start, _, end = cut.partition("…")
        assert NAME.startswith(start)
        assert NAME.endswith(end)
        assert cut in ("", f"{start}…{end}")
        assert 0 <= len(start) - len(end) <= 1 if in_middle else not end
        lengths.append(len(start + end))
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert 1 not in lengths  # a single letter says nothing
    assert lengths[-1] >= len(NAME) - 3


def test_two_names_share_a_line():
    def width(*names):
        return sum(width_of(name, 20) for name in names)

    for names in ((NAME, NAME), (NAME, "evade"), ("seek", NAME)):
        assert fitted_names(names, 20, width(*names) + 0.1) == names
        short = fitted_names(names, 20, 150)
        assert width(*short) <= 150
        for name, cut in zip(names, short):
            start, _, end = cut.partition("…")
            assert (
                cut == name
                if name != NAME
                else name == start + name[len(start) : -len(end)] + end
            )
            assert len(cut) >= 4


def test_texts_are_as_wide_as_on_pixels():
    for letter in map(chr, (*range(32, 127), *map(ord, "·°…éÜ"))):
        on_pixels = _mask_of(letter * 8, 100).shape[1] / 8
        # Where fonts differ in a few letters, it is by less than a tenth of an em.
        assert width_of(letter, 100) == pytest.approx(on_pixels, abs=7.0), letter
    for text in ("caught after 12.3 s", "pretrained/pursuit/ppo vs evade", "distance 4.7 m"):
        assert width_of(text, 40) == pytest.approx(_mask_of(text, 40).shape[1], rel=0.015)


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
    again = LabelPlaces(0j, 200 + 200j, np.array([point]))
    assert again.add(point, SIZE, np.array([other]), or_near_others=True) == middle


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


def test_a_label_covers_no_trail_if_it_can():
    places = LabelPlaces(0j, 300 + 300j, NOBODY)
    line = np.linspace(0, 300, 300) + 150j
    middle = places.add(150 + 150j, 80 + 20j, NOBODY, line)
    assert abs(middle.imag - 150) > 10


def test_only_what_is_near_counts_for_the_place_of_a_label():
    """So a crowd elsewhere costs no time, and moves no name."""
    near = np.array([110 + 100j, 96 + 88j, 100 + 125j])
    far = 5000 + np.random.default_rng(0).normal(size=(900, 2)) @ [50, 50j]
    found = [
        LabelPlaces(0j, 9000 + 9000j, lines).add(100 + 100j, 60 + 14j, lines, first=(1j,))
        for lines in (near, np.append(near, far))
    ]
    assert found[0] == found[1] is not None
