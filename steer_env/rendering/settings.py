"""How a game is drawn: the size of the picture, its colors, and what is marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from steer_env.errors import InvalidType, InvalidValue, check_choice, check_integer, unknown
from steer_env.rendering.themes import THEMES, Theme

ANNOTATIONS: Mapping[str, str] = {
    "velocity": "an arrow as long as the vehicle is fast",
    "force": "the steering force of the last step (in up to 128 games at once)",
    "aim": "a crosshair where a script steers for or away from, and the lead line to it",
    "trail": "where the players were in the last three seconds",
    "capture": "the capture radius around pursuers",
    "threat": "the range within which a script minds its opponent",
    "wander": "the wander circle, and the target on it",
    "feelers": "the feelers that keep off walls",
    "view": "the field of view for teammates",
    "corridor": "the box ahead in which obstacles are avoided",
    "apollonius": "the circle of the points that pursuer and quarry reach at once",
    "names": "who is who, beside the vehicles",
    "score": "time, distance and captures above, the key below",
}
"""What can be drawn beside the vehicles, and what it shows."""

ANNOTATION_KEYS: Mapping[str, str] = {
    "velocity": "v",
    "force": "f",
    "aim": "x",
    "trail": "l",
    "capture": "c",
    "threat": "m",
    "wander": "w",
    "feelers": "e",
    "view": "i",
    "corridor": "o",
    "apollonius": "u",
    "names": "d",
    "score": "k",
}
"""The key that shows or hides each annotation, in windows and on pages."""

DEFAULT_ANNOTATIONS = ("velocity", "force", "aim", "trail", "capture", "score")

_MARKED = {"aim", "threat", "wander", "feelers", "view", "corridor", "apollonius"}
_LARGEST_SIDE = 8192  # pixels


@dataclass(frozen=True)
class DrawingConfig:
    """How a game is drawn.

    Attributes:
        size: width and height of the picture, in pixels; one number for a square.
        theme: "light" or "dark".
        annotations: names out of `ANNOTATIONS`, or "all", or "none".

    Raises:
        TypeError: for a value of the wrong type.
        ValueError: for a size out of range or an unknown name; it tells the nearest.
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
        """Whether an annotation is drawn."""
        return annotation in self.annotations

    @property
    def shows_marks(self) -> bool:
        """Whether anything is drawn of what `steer_env.game.annotations.Marks` tell."""
        return not _MARKED.isdisjoint(self.annotations)


def drawing_config(
    given: DrawingConfig | Mapping[str, Any] | None, size: tuple[int, int] | None = None
) -> DrawingConfig:
    """The settings that a keyword asks for: as they are, as a dict of some, or the default.

    Args:
        given: what the keyword was given.
        size: of the picture, where a dict or None leaves it open; None for the usual one.

    Raises:
        TypeError: if it is none of these, or the dict has an unknown key.
        ValueError: as `DrawingConfig`.
    """
    usual: dict[str, Any] = {} if size is None else {"size": size}
    if given is None:
        return DrawingConfig(**usual)
    if isinstance(given, DrawingConfig):
        return given
    if not isinstance(given, Mapping):
        raise InvalidType(
            "drawing must be a DrawingConfig or a dict such as {'theme': 'dark'}, got "
            f"{given!r} ({type(given).__name__})"
        )
    valid = [field.name for field in fields(DrawingConfig)]
    for name in given:
        if name not in valid:
            raise InvalidType(unknown("setting of drawing", name, valid))
    return DrawingConfig(**{**usual, **given})


def _checked_size(size: Any) -> tuple[int, int]:
    sides = (size, size) if not isinstance(size, Iterable) else tuple(size)
    if isinstance(size, str) or len(sides) != 2:
        raise InvalidType(f"size must be a number of pixels, or (width, height), got {size!r}")
    width, height = (check_integer("size", side, 1) for side in sides)
    if max(width, height) > _LARGEST_SIDE:
        raise InvalidValue(f"size must be at most {_LARGEST_SIDE} pixels a side, got {size!r}")
    return width, height


def _checked_annotations(given: Any) -> tuple[str, ...]:
    if given == "all":
        return tuple(ANNOTATIONS)
    if given == "none":
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidType(
            f"annotations must be a sequence of names, 'all' or 'none', got {given!r}; "
            f"the names are {', '.join(ANNOTATIONS)}"
        )
    names = tuple(given)
    for name in names:
        check_choice("annotation", name, ANNOTATIONS)
    return tuple(name for name in ANNOTATIONS if name in names)
