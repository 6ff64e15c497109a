"""Maps from texts and from images, also those of ROS' map_server."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steer_env import errors
from steer_env.errors import InvalidValue, check_number
from steer_env.files import read_bytes
from steer_env.maps.polygons import MOST_SEGMENTS, is_outside, pairs_of
from steer_env.maps.tracing import components, filled, opened, simple_polygon, simple_polygons

if TYPE_CHECKING:
    from steer_env.maps.map import Map

SOLID = "#"
LARGEST_IMAGE = 2**28
"""Bytes of the largest image that is read."""

_MOST_PIXELS = 2**24
_FIELDS = "image, resolution, origin, negate, occupied_thresh, free_thresh"


def from_text(cls: Any, text: str, cell: float = 1.0) -> Map:
    r"""Returns the map of a text in which each character is a square: ``#`` is solid.

    All other characters are free, but for spaces at the ends of lines, which are outside. Lines
    may be indented. The side of a square, ``cell``, is in meters, from 0.001 to 1,000.

    Example:
        >>> from steer_env import Map
        >>> Map.from_text("#####\n#...#\n#.###\n###").outline
        ((-1.5, -1.0), (-0.5, -1.0), (-0.5, 0.0), (1.5, 0.0), (1.5, 1.0), (-1.5, 1.0))

    Raises:
        UsageError: if free squares are at the rim or have no way to the others.
    """
    text = textwrap.dedent(errors.check_text("text", text).expandtabs()).rstrip()
    lines = re.sub(r"^\s*\n", "", text).split("\n")
    side, width = check_number("cell", cell, 1e-3, 1e3), max(map(len, lines)) + 2
    # One more all around.
    rows = np.array([[*f" {line}".ljust(width)] for line in ("", *lines, "")])
    is_space = np.char.isspace(rows)
    outside = np.logical_and.accumulate(is_space, axis=1)
    outside |= np.logical_and.accumulate(is_space[:, ::-1], axis=1)[:, ::-1]
    free = (rows != SOLID) & ~outside
    beside = [np.roll(outside, step, axis) for step in (1, -1) for axis in (0, 1)]
    for row, column in np.argwhere(free & np.any(beside, axis=0))[:1]:
        raise InvalidValue(
            f"the outline of the text is open in line {row}, {errors.shown(lines[row - 1])}, "
            f"at its character {column}: put {SOLID!r} all around"
        )
    whole, *apart = components(free)
    for part in apart[:1]:
        corner = part[0][np.lexsort((part[0].real, -part[0].imag))[0]]
        row, column = len(rows) - int(corner.imag), int(corner.real)
        raise InvalidValue(
            f"no way joins the {1 + len(apart)} rooms of the text: one is around line {row}, "
            f"{errors.shown(lines[row - 1])}, character {column}; make a gap, or fill it by "
            f"{SOLID!r}"
        )
    outline, *solids = [pairs_of(one * side) for one in whole]
    return cls(outline, solids, middle=-side * (1 + 1j))


def from_image(
    cls: Any,
    path: str | Path,
    resolution: float | None = None,
    occupied: float = 0.65,
    free: float = 0.196,
    unknown: str = "solid",
    tolerance: float | None = None,
    clearance: float = 0.0,
) -> Map:
    """Returns the map of an image, of its largest connected part of free pixels.

    A pixel is occupied as far as it is dark: 1 if it is black, 0 if it is white. Images need
    the extra ``render``.

    Args:
        cls: the class of the map.
        path: a PGM or PNG file, or the .yaml of ROS' map_server, whose fields replace the
            defaults of ``resolution``, ``occupied`` and ``free``.
        resolution: meters a pixel; 0.05 without a .yaml.
        occupied: from this occupancy on pixels are solid.
        free: below this occupancy pixels are free.
        unknown: "solid" or "free", for pixels between the two.
        tolerance: walls may be moved by this much for fewer corners, in meters; one pixel by
            default. Solids that are smaller are left out.
        clearance: the radius of a vehicle in meters: what a disc that is larger by the
            tolerance cannot reach becomes solid.

    Raises:
        UsageError, OSError: for a file that is no such image, or has no free pixel; for one
            with too many walls.
        DependencyNotInstalled: without imageio.
    """
    file = errors.check_path("path", path)
    errors.check_choice("unknown", unknown, ("solid", "free"))
    is_negative, origin = False, 0j
    if file.suffix in (".yaml", ".yml"):
        fields = _fields(file)
        resolution = fields["resolution"] if resolution is None else resolution
        occupied = fields.get("occupied_thresh", occupied)
        free = fields.get("free_thresh", free)
        is_negative, origin = bool(fields.get("negate")), fields["origin"]
        file = file.parent / fields["image"]
    meters = check_number("resolution", 0.05 if resolution is None else resolution, 1e-4, 1e3)
    error = check_number("tolerance", meters if tolerance is None else tolerance, 0.0, 1e3)
    radius = check_number("clearance", clearance, 0.0, 1e3)
    most = check_number("occupied", occupied, 0.0, 1.0)
    least = check_number("free", free, 0.0, most)
    limit = least if unknown == "solid" else most
    shades = _pixels(file)
    occupancy = shades if is_negative else 1.0 - shades
    grid = occupancy < limit
    if not grid.any():
        raise InvalidValue(
            f"{file} has no free pixel: those of an occupancy below {limit:g} are free, and "
            f"its occupancies are from {occupancy.min():.3g} to {occupancy.max():.3g}"
        )
    whole = components(grid)[0]
    if radius > 0.0:
        large = [one for one in whole[1:] if len(simple_polygon(one * meters, error)) > 2]
        grid = filled([whole[0], *large], *grid.shape)
        # 0.71 pixels are from centers to corners, and walls may move.
        grid = opened(grid, (radius + error) / meters + 0.71)
        if not grid.any():
            raise InvalidValue(f"{file} has no room for a disc of radius {radius + error:g} m")
        whole = components(grid)[0]
    counts = []
    for larger in (error * 2.0**k for k in range(5)):
        outline, *solids = simple_polygons(whole, meters, larger)
        counts.append(sum(map(len, (outline, *solids))))
        if counts[-1] <= MOST_SEGMENTS:
            break
    if len(counts) == 1:
        inner = [pairs_of(one) for one in solids if not is_outside(outline, one)]
        return cls(pairs_of(outline), inner, middle=origin)
    remedy = f"with tolerance={larger:g} it has {counts[-1]}"
    if counts[-1] > MOST_SEGMENTS:
        remedy = "smooth it, or take a part of it"
    raise InvalidValue(
        f"the walls in {file} have {counts[0]:,} segments with a tolerance of {error:g} m, and "
        f"a map has at most {MOST_SEGMENTS}: {remedy}"
    )


def _pixels(file: Path) -> NDArray[np.float64]:
    """The shades of an image, 0 (black) to 1 (white), shape (height, width)."""
    try:
        content = read_bytes(file, LARGEST_IMAGE)
    except InvalidValue as error:
        raise InvalidValue(f"{file}: {error}") from error
    if content[:2] in (b"P2", b"P5"):
        header = re.match(rb"P[25]" + rb"(?:\s|#[^\n]*\n)+(\d{1,9})" * 2, content)
        if header is None:
            raise InvalidValue(f"{file} is damaged: it has no header of a PGM file")
        kind, (width, height) = ".pgm", map(int, header.groups())
    elif content.startswith(b"\x89PNG"):
        kind = ".png"
        width, height = (int.from_bytes(content[k : k + 4], "big") for k in (16, 20))
    else:
        raise InvalidValue(f"{file} must be a PGM image (P2 or P5), a PNG image or a .yaml")
    if not 0 < width * height <= _MOST_PIXELS:
        raise InvalidValue(
            f"{file} has {width:,} x {height:,} pixels, and at most {_MOST_PIXELS:,} are read"
        )
    with errors.needing("render"):
        from imageio.v3 import imread
    try:
        image = np.asarray(imread(content, extension=kind))
    except Exception as error:  # whatever the library raises for damaged files
        raise InvalidValue(f"{file} is damaged: {error}") from error
    # Pillow scales shades to all of 8 or 16 bits, and keeps the latter in 32.
    most = {"bool": 1, "uint8": 2**8 - 1}.get(image.dtype.name, 2**16 - 1)
    if image.ndim == 3:  # colors or one shade, and perhaps how opaque they are
        image = image[..., : 3 if image.shape[-1] > 2 else 1].mean(-1)
    return np.asarray(image / most)


def _fields(file: Path) -> dict[str, Any]:
    """The fields of map_server's .yaml that matter, with the origin as a complex number."""
    try:
        text = read_bytes(file, 2**16).decode()
    except (InvalidValue, UnicodeError) as error:
        raise InvalidValue(f"{file} is not the .yaml of a map: {error}") from error
    lines = re.findall(r"^(\w+)[ \t]*:((?:[ \t]*\n[ \t]*-.*)+|.*)$", text, re.MULTILINE)
    given = {name: re.sub(r"\s#.*", "", value).strip().strip("'\"") for name, value in lines}
    for name in ("image", "resolution"):
        if not given.get(name):
            raise InvalidValue(f"{file} lacks the field {name!r}; map_server's are {_FIELDS}")
    if given.get("mode", "trinary") not in ("trinary", "scale"):
        raise InvalidValue(
            f"{file}: mode must be trinary or scale, got {errors.shown(given['mode'])}"
        )

    def number(name: str, word: str) -> float:
        try:
            return check_number(name, float(word), -1e6, 1e6)
        except ValueError:
            raise InvalidValue(
                f"{file}: {name} must be numbers, got {errors.shown(word)}"
            ) from None

    switches = {"true": "1", "false": "0"}
    fields: dict[str, Any] = {
        name: number(name, switches.get(given[name].lower(), given[name]))
        for name in ("resolution", "negate", "occupied_thresh", "free_thresh")
        if name in given
    }
    words = re.findall(r"[^\s\[\],]+", re.sub(r"(?m)^\s*-(?=\s)", " ", given.get("origin", "")))
    x, y, yaw = ([number("origin", word) for word in words] + [0.0] * 3)[:3]
    if yaw:
        raise InvalidValue(f"{file}: origin's third number, its yaw, must be 0, got {yaw:g}")
    return {**fields, "image": given["image"], "origin": complex(x, y)}
