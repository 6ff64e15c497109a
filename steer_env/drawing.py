"""The size of a picture, its colors, and the annotations in it.

The colors are those of Okabe and Ito's (2008) palette, or close to them, which people with any
color vision can distinguish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, check_choice, check_integer, coerce, got
from steer_env.sides import Side

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, from 0 to 255 (sRGB)."""

Pixels: TypeAlias = NDArray[np.uint8]  # a picture, (height, width, 3): red, green and blue
Points: TypeAlias = NDArray[np.complexfloating[Any, Any]]  # in pixels, or in meters
Numbers: TypeAlias = NDArray[np.float64]


class Theme(NamedTuple):
    """The color of each part of a drawing."""

    background: Color  # around the arena
    ground: Color  # inside it
    grid: Color
    wall: Color
    obstacle: Color
    ink: Color  # texts
    faint: Color  # less important texts
    pursuer: Color
    evader: Color
    force: Color  # steering forces
    apollonius: Color  # Apollonius circles

    def of(self, side: Side) -> Color:
        """The color of a side."""
        return self.pursuer if side == Side.PURSUER else self.evader


_COLORS = {  # light, dark
    "background": ((243, 243, 239), (16, 18, 22)),
    "ground": ((253, 253, 251), (26, 29, 34)),
    "grid": ((236, 236, 232), (39, 43, 49)),
    "wall": ((84, 84, 90), (150, 154, 160)),
    "obstacle": ((188, 188, 192), (84, 88, 96)),
    "ink": ((48, 48, 54), (232, 232, 228)),
    "faint": ((104, 104, 110), (152, 156, 162)),
    "pursuer": ((213, 94, 0), (255, 140, 66)),
    "evader": ((0, 114, 178), (86, 180, 233)),
    "force": ((0, 158, 115), (190, 240, 170)),
    "apollonius": ((158, 84, 128), (221, 148, 190)),
}
THEMES: Mapping[str, Theme] = {
    theme: Theme(**{name: colors[place] for name, colors in _COLORS.items()})
    for place, theme in enumerate(("light", "dark"))
}
"""The themes by name."""

RUN_COLORS: Mapping[str, tuple[Color, ...]] = {
    theme: tuple((code >> 16, code >> 8 & 255, code & 255) for code in codes)
    for theme, codes in {
        "light": (0xD55E00, 0x785EF0, 0x009E73, 0x1B1B1B, 0x8B0000, 0xAA4499),
        "dark": (0xFE6100, 0xC77DFF, 0xB0F2B4, 0x66CCEE, 0xFFD166, 0xCC79A7),
    }.items()
}
"""The colors of several players (of curves, or of runs on one board) by theme."""

_IS_LEARNED = re.compile(r"^(learned|pretrained/)|\.(npz|zip)$")
_PLACES = {"pursuit": 1, "evade": 1, "seek": 2, "flee": 2}

MOST_RUNS = len(RUN_COLORS["light"])  # on one board, each in a color of its own


def places_of(names: Sequence[str]) -> list[int]:
    """Returns the place of each player's color among `RUN_COLORS`, or beyond their end.

    Learned ones are orange, textbook pursuit and evade violet, seek and flee green. Others, and
    the second one of a kind, have the next colors, first those of no kind.
    """
    known = {**dict.fromkeys(filter(_IS_LEARNED.search, names), 0), **_PLACES}
    wanted = [known.get(name) for name in names]
    order = (3, 4, 5, 2, 1, 0) if known.keys() & {*names} else range(MOST_RUNS)
    free = (each for each in (*order, *range(6, len(names))) if each not in wanted)
    return [
        next(free) if place is None or place in wanted[:number] else place
        for number, place in enumerate(wanted)
    ]


LEAST_CONTRAST = 4.5
"""The least contrast of texts with what is behind them (WCAG 2.2, level AA)."""


def contrast(one: Color, other: Color) -> float:
    """Returns the contrast ratio of two colors, from 1 to 21, as WCAG 2.2 defines it."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """The relative luminance of a color, from 0 to 1, as WCAG 2.2 defines it."""
    shares = [value / 255.0 for value in color]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(color: Color, other: Color, share: float) -> Color:
    """Returns a color mixed with a share, from 0 to 1, of another one."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, other))
    return red, green, blue


def legible(color: Color, theme: Theme) -> Color:
    """Returns the nearest shade of a color that is legible (`LEAST_CONTRAST`) in a theme."""
    grounds = (theme.background, theme.ground)
    end = 255 if _luminance(theme.background) < 0.18 else 0  # which differs most from them
    for percent in range(101):
        shade = mixed(color, (end, end, end), percent / 100)
        if min(contrast(shade, ground) for ground in grounds) >= LEAST_CONTRAST:
            break
    return shade


_ANNOTATIONS = {
    "velocity": ("v", "an arrow whose length is the speed"),
    "force": ("f", "the steering force of the last step (in up to 128 games at once)"),
    "aim": ("x", "a crosshair where a script steers to or away from, with the line to it"),
    "trail": ("l", "the path of the last three seconds"),
    "capture": ("c", "the capture radius around pursuers"),
    "threat": ("m", "the range beyond which a script ignores its opponent"),
    "wander": ("w", "the wander circle, and the target on it"),
    "feelers": ("e", "the feelers that detect walls"),
    "view": ("i", "the field of view for teammates"),
    "corridor": ("o", "the box ahead in which obstacles are avoided"),
    "apollonius": ("u", "the points that pursuer and evader reach at the same time"),
    "names": ("d", "the names of the players"),
    "score": ("k", "time, distance (mean of several evaders), captures and legend"),
}

ANNOTATIONS: Mapping[str, str] = {name: text for name, (_, text) in _ANNOTATIONS.items()}
"""The annotations that can be drawn beside the vehicles, and their meanings."""

ANNOTATION_KEYS: Mapping[str, str] = {name: key for name, (key, _) in _ANNOTATIONS.items()}
"""The key that shows or hides each annotation, in windows and on pages."""

DEFAULT_ANNOTATIONS = ("velocity", "force", "aim", "trail", "capture", "score")

_OF_SCRIPTS = {"aim", "threat", "wander", "feelers", "view", "corridor", "apollonius"}
_LARGEST_SIDE = 8192  # pixels
LEAST_TEXT_SIDE = 200
"""The side in pixels below which pictures have no texts: they would not fit or be legible."""

_LEAST_SIDES = {  # pixels: in a smaller picture an annotation would hide the game
    **dict.fromkeys(ANNOTATIONS, 120),
    **{"trail": 0, "capture": 0, "names": LEAST_TEXT_SIDE, "score": LEAST_TEXT_SIDE},
}


@dataclass(frozen=True)
class DrawingConfig:
    """The drawing of a game.

    Attributes:
        size: width and height of the picture, in pixels; one number for a square.
        theme: "light" or "dark".
        annotations: names from `ANNOTATIONS`, or "all", or "none". Pictures with a side below
            200 pixels leave out texts, and those below 120 pixels all but trails and capture
            radii. Names, and what scripts think, are drawn of up to 8 free players a side.

    Raises:
        InvalidType, InvalidValue: for another size, or an unknown name.
    """

    size: tuple[int, int] = (600, 600)
    theme: str = "light"
    annotations: tuple[str, ...] = DEFAULT_ANNOTATIONS

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _checked_size(self.size))
        check_choice("theme", self.theme, THEMES)
        object.__setattr__(self, "annotations", _checked_annotations(self.annotations))

    @property
    def colors(self) -> Theme:
        """The colors of the theme."""
        return THEMES[self.theme]

    def shows(self, annotation: str) -> bool:
        """True if an annotation was chosen, and the picture is large enough for it."""
        return annotation in self.annotations and min(self.size) >= _LEAST_SIDES[annotation]

    @property
    def shows_scripts(self) -> bool:
        """True if it shows any annotation that `steer_env.rendering.annotations` computes."""
        return any(map(self.shows, _OF_SCRIPTS))


def drawing_config(
    given: DrawingConfig | Mapping[str, Any] | None, size: tuple[int, int] = (600, 600)
) -> DrawingConfig:
    """Returns the config for a ``drawing`` argument, with a default for the size."""
    default = DrawingConfig(size)
    return default if given is None else coerce(DrawingConfig, "drawing", given, default)


def _checked_size(size: Any) -> tuple[int, int]:
    is_pair = isinstance(size, list | tuple) or np.ndim(size) > 0
    sides = tuple(size) if is_pair else (size, size)
    if isinstance(size, str) or len(sides) != 2:
        raise InvalidType(f"size must be a number of pixels, or (width, height), {got(size)}")
    width, height = (check_integer("size", side, 1, _LARGEST_SIDE) for side in sides)
    return width, height


def _checked_annotations(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) and given in ("all", "none"):
        return tuple(ANNOTATIONS) if given == "all" else ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidType(
            f"annotations must be a sequence of names, 'all' or 'none', {got(given)}; "
            f"the names are {', '.join(ANNOTATIONS)}"
        )
    names = tuple(given)
    for name in names:
        check_choice("annotation", name, ANNOTATIONS)
    return tuple(name for name in ANNOTATIONS if name in names)
