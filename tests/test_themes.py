"""Colors differ enough for every kind of color vision."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from steer_env import drawing
from steer_env.baselines.figure_style import palette
from steer_env.drawing import LEAST_CONTRAST, RUN_COLORS, THEMES, legible

# Machado, Oliveira and Fernandes 2009, severity 1: on linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "achromatopsia": [[0.2126, 0.7152, 0.0722]] * 3,
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(color):
    share = np.array(color) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(color, deficiency):
    """CIE L*a*b* of a color as it is seen."""
    seen = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear(color), 0.0, 1.0)
    share = TO_XYZ @ seen / TO_XYZ.sum(axis=1)
    root = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one, other, deficiency):
    return np.linalg.norm(lab(one, deficiency) - lab(other, deficiency))


def contrast(one, other):
    """The ratio of luminances of the Web Content Accessibility Guidelines."""
    low, high = sorted(TO_XYZ[1] @ linear(color) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_the_difference_is_the_known_one():
    assert difference((255, 255, 255), (0, 0, 0), "none") == pytest.approx(100.0, abs=0.01)
    assert lab((255, 0, 0), "none") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


with_colors = pytest.mark.parametrize(
    "deficiency", [name for name in DEFICIENCIES if name != "achromatopsia"]
)


@pytest.mark.parametrize("theme", THEMES)
@with_colors
def test_colors_differ_for_every_color_vision(theme, deficiency):
    colors = THEMES[theme]._asdict()
    movers = ("pursuer", "evader")
    grounds = ("ground", "background", "grid", "obstacle")
    for one, other in [movers, *itertools.product(movers, grounds)]:
        assert difference(colors[one], colors[other], deficiency) > 30.0, (one, other)
    for one, other in itertools.combinations(("pursuer", "evader", "force", "apollonius"), 2):
        assert difference(colors[one], colors[other], deficiency) > 15.0, (one, other)


@pytest.mark.parametrize("theme", THEMES)
@with_colors
def test_runs_on_one_board_can_be_told_apart(theme, deficiency):
    colors = THEMES[theme]
    for one, other in itertools.combinations(RUN_COLORS[theme], 2):
        assert difference(one, other, deficiency) > 20.0, (one, other)
        shades = legible(one, colors), legible(other, colors)
        assert difference(*shades, deficiency) > 15.0, (one, other)
    for color, under in itertools.product(RUN_COLORS[theme], (colors.ground, colors.grid)):
        assert difference(color, under, deficiency) > 30.0, (color, under)
        assert contrast(color, under) > 2.7
    for color in RUN_COLORS[theme]:
        assert difference(color, colors.obstacle, deficiency) > 20.0, color


@pytest.mark.parametrize("theme", THEMES)
@with_colors
def test_curves_can_be_told_apart(theme, deficiency):
    given = [
        tuple(round(255 * share) for share in to_rgb(line)) for line in palette(theme).lines
    ]
    for one, other in itertools.combinations(given, 2):
        assert difference(one, other, deficiency) > 15.0, (one, other)
    ground = tuple(round(255 * share) for share in to_rgb(palette(theme).ground))
    assert all(contrast(color, ground) > 2.2 for color in given)


@pytest.mark.parametrize("theme", THEMES)
def test_without_any_color_vision_vehicles_stand_out_from_the_ground(theme):
    colors = THEMES[theme]
    for mover in (colors.pursuer, colors.evader):
        for under in (colors.ground, colors.obstacle):
            assert difference(mover, under, "achromatopsia") > 12.0


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read(theme):
    colors = THEMES[theme]
    for ground in (colors.background, colors.ground):
        assert contrast(colors.ink, ground) > 7.0
        assert contrast(colors.faint, ground) > 4.5
        assert contrast(colors.pursuer, ground) > 3.0  # large and bold
        assert contrast(colors.evader, ground) > 4.5


def test_the_contrast_is_that_of_the_guidelines():
    assert drawing.contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    assert drawing.contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.478, abs=5e-4)
    for theme in THEMES.values():
        for one, other in itertools.product(theme, theme):
            expected = contrast(one, other)
            assert drawing.contrast(one, other) == pytest.approx(expected, rel=5e-4)


@pytest.mark.parametrize("theme", THEMES.values())
def test_a_legible_shade_is_the_nearest_one(theme):
    for color in (theme.ink, theme.evader):
        assert legible(color, theme) == color  # it is legible already
    near = theme.pursuer, theme.ground, theme.obstacle, (128, 128, 128)
    for color in (*near, *itertools.chain(*RUN_COLORS.values())):
        shade = legible(color, theme)
        grounds = (theme.background, theme.ground)
        assert min(contrast(shade, ground) for ground in grounds) >= LEAST_CONTRAST
        if shade != color and color in near:  # by no more than one percent too dark or light
            assert min(contrast(shade, ground) for ground in grounds) < LEAST_CONTRAST + 0.15
            assert difference(shade, color, "achromatopsia") > 0.0
