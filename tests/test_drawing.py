"""Drawing settings are short to write, and wrong ones are errors."""

import pytest

from steer_env.drawing import (
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    RUN_COLORS,
    THEMES,
    DrawingConfig,
    drawing_config,
    places_of,
)
from steer_env.sides import Side


def test_sizes_are_pairs():
    assert DrawingConfig().size == (600, 600)
    assert DrawingConfig(size=300).size == (300, 300)
    assert DrawingConfig(size=[800, 400]).size == (800, 400)


def test_annotations_are_switched_by_name():
    assert DrawingConfig().annotations == DEFAULT_ANNOTATIONS
    assert DrawingConfig(annotations="all").annotations == tuple(ANNOTATIONS)
    assert DrawingConfig(annotations="none").annotations == ()
    some = DrawingConfig(annotations=["trail", "aim"])
    assert some == DrawingConfig(annotations=("aim", "trail", "aim"))
    assert some.shows("aim")
    assert not some.shows("force")


def test_a_keyword_may_be_a_dict():
    assert drawing_config(None) == DrawingConfig()
    assert drawing_config({"theme": "dark"}) == DrawingConfig(theme="dark")
    given = DrawingConfig(size=100)
    assert drawing_config(given) is given


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


@pytest.mark.parametrize("theme", THEMES)
def test_every_side_has_its_color(theme):
    colors = THEMES[theme]
    assert [colors.of(side) for side in Side] == [colors.pursuer, colors.evader]


def test_a_kind_of_player_has_one_color():
    assert places_of(["learned", "pursuit", "seek"]) == [0, 1, 2]
    assert places_of(["seek", "pretrained/pursuit/search"]) == [2, 0]
    assert places_of(["flee", "evade", "mine.npz"]) == [2, 1, 0]
    assert places_of(["a", "b"]) == [0, 1]
    assert places_of(["pursuit/full_force", "learned (PPO)", "hide", "pursuit"]) == [3, 0, 4, 1]
    assert places_of(["seek", *"abcdefg"]) == [2, 3, 4, 5, 1, 0, 6, 7]


def test_the_second_of_a_kind_has_the_next_free_color():
    names = ["learned", "learned (SAC)", "pursuit", "pursuit", "a", "b"]
    assert sorted(places_of(names)) == [0, 1, 2, 3, 4, 5]
    assert places_of(names) == [0, 3, 1, 4, 5, 2]
    assert len(RUN_COLORS["light"]) == len(RUN_COLORS["dark"]) == len(names)
