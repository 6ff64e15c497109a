"""Drawing settings are checked, and colors differ for every kind of color vision."""

import itertools

import numpy as np
import pytest

from steer_env.drawing import (
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    LEAST_CONTRAST,
    RUN_COLORS,
    THEMES,
    DrawingConfig,
    contrast,
    drawing_config,
    legible,
    places_of,
)
from steer_env.sides import Side

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


def test_settings_are_short_to_write():
    assert drawing_config(None) == DrawingConfig()
    assert drawing_config({"theme": "dark"}) == DrawingConfig(theme="dark")
    given = DrawingConfig(size=100)
    assert drawing_config(given) is given
    assert DrawingConfig().size == (600, 600)
    assert DrawingConfig(size=300).size == (300, 300)
    assert DrawingConfig(size=[800, 400]).size == (800, 400)
    assert DrawingConfig().annotations == DEFAULT_ANNOTATIONS
    assert DrawingConfig(annotations="all").annotations == tuple(ANNOTATIONS)
    assert DrawingConfig(annotations="none").annotations == ()
    some = DrawingConfig(annotations=["trail", "aim"])
    assert some == DrawingConfig(annotations=("aim", "trail", "aim"))
    assert some.shows("aim")
    assert not some.shows("force")


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"size": 0}, ValueError, "size must be from 1"),
        ({"size": 9000}, ValueError, "to 8192"),
        ({"size": (1, 2, 3)}, TypeError, "width, height"),
        ({"size": "big"}, TypeError, "size must be"),
        ({"size": 1.5}, TypeError, "size"),
        ({"theme": "drak"}, ValueError, "did you mean 'dark'"),
        ({"annotations": ["trial"]}, ValueError, "did you mean 'trail'"),
        ({"annotations": "aim"}, TypeError, "sequence of names"),
        ({"annotations": 3}, TypeError, "sequence of names"),
        ({"colour": "red"}, TypeError, "field of drawing"),
        ("dark", TypeError, "DrawingConfig or a dict"),
    ],
)
def test_wrong_settings_are_named(settings, error, message):
    with pytest.raises(error, match=f"(?i){message}"):
        drawing_config(settings)


def test_the_contrast_is_that_of_the_guidelines():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.478, abs=5e-4)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read_and_vehicles_seen(theme):
    colors = THEMES[theme]
    assert [colors.of(side) for side in Side] == [colors.pursuer, colors.evader]
    for ground in (colors.background, colors.ground):
        assert contrast(colors.ink, ground) > 7.0
        assert contrast(colors.faint, ground) >= LEAST_CONTRAST
        for color in (colors.pursuer, colors.evader, *RUN_COLORS[theme]):
            assert contrast(color, ground) > 2.7
    assert all(contrast(color, colors.grid) > 2.7 for color in RUN_COLORS[theme])
    assert legible(colors.ink, colors) == colors.ink  # it is legible already
    for color in (colors.pursuer, colors.obstacle, (128, 128, 128), *RUN_COLORS[theme]):
        shade = legible(color, colors)
        reached = min(contrast(shade, ground) for ground in (colors.background, colors.ground))
        assert reached >= LEAST_CONTRAST
        if shade != color:  # no more than one percent darker or lighter than it must be
            assert reached < LEAST_CONTRAST + 0.15


def test_a_kind_of_player_has_one_color():
    assert places_of(["learned", "pursuit", "seek"]) == [0, 1, 2]
    assert places_of(["seek", "pretrained/pursuit/search"]) == [2, 0]
    assert places_of(["flee", "evade", "mine.npz"]) == [2, 1, 0]
    assert places_of(["a", "b"]) == [0, 1]
    assert places_of(["pursuit/full_force", "learned (PPO)", "hide", "pursuit"]) == [3, 0, 4, 1]
    assert places_of(["seek", *"abcdefg"]) == [2, 3, 4, 5, 1, 0, 6, 7]
    names = ["learned", "learned (SAC)", "pursuit", "pursuit", "a", "b"]
    assert places_of(names) == [0, 3, 1, 4, 5, 2]
    assert len(RUN_COLORS["light"]) == len(RUN_COLORS["dark"]) == len(names)


def lab(color, deficiency):
    """CIE L*a*b* of a color as it is seen."""
    share = np.array(color) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear, 0.0, 1.0)
    share = TO_XYZ @ seen / TO_XYZ.sum(axis=1)
    root = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_colors_of_these_tests_are_those_of_cie():
    assert lab((255, 255, 255), "none") == pytest.approx([100.0, 0.0, 0.0], abs=0.01)
    assert lab((255, 0, 0), "none") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colors_differ_for_every_color_vision(theme, deficiency):
    def assert_apart(pairs, least):
        for one, other in pairs:
            assert np.linalg.norm(lab(one, deficiency) - lab(other, deficiency)) > least

    colors, runs = THEMES[theme], RUN_COLORS[theme]
    movers, grounds = (colors.pursuer, colors.evader), (colors.ground, colors.obstacle)
    if deficiency == "achromatopsia":  # then shapes differ
        assert_apart(itertools.product(movers, grounds), 12.0)
        return
    under = (*grounds, colors.background, colors.grid)
    assert_apart([movers, *itertools.product(movers, under)], 30.0)
    lines = (*movers, colors.force, colors.apollonius)
    assert_apart(itertools.combinations(lines, 2), 15.0)
    assert_apart(itertools.combinations(runs, 2), 20.0)
    assert_apart(itertools.combinations([legible(run, colors) for run in runs], 2), 15.0)
    assert_apart(itertools.product(runs, (colors.ground, colors.grid)), 30.0)
    assert_apart(itertools.product(runs, [colors.obstacle]), 20.0)


@pytest.mark.weekly
@pytest.mark.parametrize("theme", THEMES)
def test_curves_of_figures_can_be_told_apart(theme):
    from matplotlib.colors import to_rgb

    from steer_env.baselines.plots import palette

    found = palette(theme)
    ground, *curves = (
        tuple(round(255 * share) for share in to_rgb(line))
        for line in (found.ground, *found.lines)
    )
    assert all(contrast(curve, ground) > 2.2 for curve in curves)
    for deficiency in DEFICIENCIES.keys() - {"achromatopsia"}:
        for one, other in itertools.combinations(curves, 2):
            assert np.linalg.norm(lab(one, deficiency) - lab(other, deficiency)) > 15.0
