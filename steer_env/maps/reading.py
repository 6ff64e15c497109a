"""Maps from texts and from images, also those of ROS' map_server."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidValue,
    check_choice,
    check_number,
    check_path,
    check_text,
    needing,
    shown,
)
from steer_env.files import read_bytes
from steer_env.maps.map import MOST_SEGMENTS, Map
from steer_env.maps.polygons import is_outside, pairs_of
from steer_env.maps.tracing import Component, components, filled, opened, simple_polygon

SOLID = "#"
LARGEST_IMAGE = 2**28
"""Bytes of the largest image that is read."""

_MOST_PIXELS = 2**24
_FIELDS = "image, resolution, origin, negate, occupied_thresh, free_thresh"


def map_of_text(text: str, cell: float = 1.0) -> Map:
    """See `Map.from_text`."""
    lines = textwrap.dedent(check_text("text", text).expandtabs()).rstrip().split("\n")
    lines = lines[next((k for k, line in enumerate(lines) if line.strip()), len(lines) - 1) :]
    side = check_number("cell", cell, 1e-3, 1e3)
    width = max(map(len, lines)) + 2
    # One more all around. Spaces at the ends of lines are outside, others are free.
    rows = [f" {line}".rstrip().ljust(width) for line in ("", *lines, "")]
    inner = [len(row) - len(row.lstrip()) for row in rows]
    outside = np.array(
        [
            [k < first or k >= len(row.rstrip()) for k in range(width)]
            for row, first in zip(rows, inner)
        ]
    )
    free = np.array([[one != SOLID for one in row] for row in rows]) & ~outside
    beside = np.zeros_like(free)
    for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
        beside |= np.roll(outside, shift, axis)
    for row, column in np.argwhere(free & beside)[:1]:
        raise InvalidValue(
            f"the outline of the text is open in line {row}, {shown(lines[row - 1])}, at its "
            f"character {column}: put {SOLID!r} all around"
        )
    whole, *apart = components(free)
    for part in apart[:1]:
        corner = part.outline[np.lexsort((part.outline.real, -part.outline.imag))[0]]
        row, column = len(rows) - int(corner.imag), int(corner.real)
        raise InvalidValue(
            f"no way joins the {1 + len(apart)} rooms of the text: one is around line {row}, "
            f"{shown(lines[row - 1])}, character {column}; make a gap, or fill it by {SOLID!r}"
        )
    outline, *solids = [pairs_of(one * side) for one in (whole.outline, *whole.holes)]
    return Map(outline, tuple(solids), middle=-side * (1 + 1j))


def map_of_image(
    path: str | Path,
    resolution: float | None = None,
    occupied: float = 0.65,
    free: float = 0.196,
    unknown: str = "solid",
    tolerance: float | None = None,
    clearance: float = 0.0,
) -> Map:
    """See `Map.from_image`."""
    file = check_path("path", path)
    check_choice("unknown", unknown, ("solid", "free"))
    is_negative, origin = False, 0j
    if file.suffix in (".yaml", ".yml"):
        fields = _fields(file)
        resolution = fields["resolution"] if resolution is None else resolution
        occupied = fields.get("occupied_thresh", occupied)
        free, is_negative = fields.get("free_thresh", free), bool(fields.get("negate"))
        origin, file = fields["origin"], file.parent / fields["image"]
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
        holes = [one for one in whole.holes if len(simple_polygon(one * meters, error)) > 2]
        grid = filled(whole._replace(holes=tuple(holes)), *grid.shape)
        # 0.71 pixels are from centers to corners, and walls may move.
        grid = opened(grid, (radius + error) / meters + 0.71)
        if not grid.any():
            raise InvalidValue(f"{file} has no room for a disc of radius {radius + error:g} m")
        whole = components(grid)[0]
    found = _map(whole, meters, error, origin)
    for larger in (2.0 * error, 4.0 * error, 8.0 * error, 16.0 * error):
        if isinstance(found, Map):
            return found
        other = _map(whole, meters, larger)
        if isinstance(other, Map):
            fits = f"with tolerance={larger:g} it has {len(other.segments)}"
            break
    else:
        fits = "smooth it, or take a part of it"
    raise InvalidValue(
        f"the walls in {file} have {found:,} segments with a tolerance of {error:g} m, and a "
        f"map has at most {MOST_SEGMENTS}: {fits}"
    )


def _map(whole: Component, meters: float, tolerance: float, origin: complex = 0j) -> Map | int:
    """Returns a component as a map, or its number of segments if they are too many."""
    parts = [simple_polygon(one * meters, tolerance) for one in (whole.outline, *whole.holes)]
    outline, *solids = [one for k, one in enumerate(parts) if k == 0 or len(one) > 2]
    count = sum(map(len, (outline, *solids)))
    if count > MOST_SEGMENTS:
        return count
    inner = [pairs_of(one) for one in solids if not is_outside(outline, one)]
    return Map(pairs_of(outline), tuple(inner), middle=origin)


def _pixels(file: Path) -> NDArray[np.float64]:
    """The shades of an image, 0 (black) to 1 (white), shape (height, width)."""
    try:
        content = read_bytes(file, LARGEST_IMAGE)
    except InvalidValue as error:
        raise InvalidValue(f"{file}: {error}") from error
    if content[:2] in (b"P2", b"P5"):
        return _portable_gray_map(content, file)
    if not content.startswith(b"\x89PNG"):
        raise InvalidValue(f"{file} must be a PGM image (P2 or P5), a PNG image or a .yaml")
    width, height = (int.from_bytes(content[k : k + 4], "big") for k in (16, 20))
    _check_size(file, width, height)
    with needing("render"):
        from imageio.v3 import imread
    try:
        image = np.asarray(imread(content, extension=".png"))
    except Exception as error:  # whatever the library raises for damaged files
        raise InvalidValue(f"{file} is damaged: {error}") from error
    most = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
    if image.ndim == 3:  # colors or one shade, and perhaps how opaque they are
        image = image[..., : 3 if image.shape[-1] > 2 else 1].mean(-1)
    return np.asarray(image / most)


def _check_size(file: Path, width: int, height: int) -> None:
    if not 0 < width * height <= _MOST_PIXELS:
        raise InvalidValue(
            f"{file} has {width:,} x {height:,} pixels, and at most {_MOST_PIXELS:,} are read"
        )


def _portable_gray_map(content: bytes, file: Path) -> NDArray[np.float64]:
    header = re.match(rb"P([25])" + rb"(?:\s|#[^\n]*\n)+(\d{1,9})" * 3 + rb"\s", content)
    if header is None:
        raise InvalidValue(f"{file} is damaged: it has no header of a PGM file")
    kind, width, height, most = (int(one) for one in header.groups())
    _check_size(file, width, height)
    if not 0 < most < 2**16:
        raise InvalidValue(f"{file} is damaged: its largest shade is {most}, not 1 to 65,535")
    data = content[header.end() :]
    if kind == 5:
        size = 1 if most < 256 else 2
        numbers = np.frombuffer(data[: len(data) // size * size], f">u{size}")
    else:
        text = re.sub(rb"#[^\n]*", b"", data)
        if not re.fullmatch(rb"[\d\s]*", text):
            raise InvalidValue(f"{file} is damaged: its shades must be integers")
        numbers = np.fromstring(text.decode(), sep=" ")
    if len(numbers) < width * height:
        raise InvalidValue(
            f"{file} is damaged: it has {len(numbers):,} of {width:,} x {height:,} pixels"
        )
    return np.minimum(numbers[: width * height].reshape(height, width) / most, 1.0)


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
        raise InvalidValue(f"{file}: mode must be trinary or scale, got {shown(given['mode'])}")
    fields: dict[str, Any] = {"image": given["image"]}
    switches = {"true": "1", "false": "0"}
    for name in ("resolution", "negate", "occupied_thresh", "free_thresh"):
        if name in given:
            word = switches.get(given[name].lower(), given[name])
            fields[name] = _number(file, name, word)
    listed = re.sub(r"(?m)^[ \t]*-(?=\s)", " ", given.get("origin", ""))
    words = re.findall(r"[^\s\[\],]+", listed)
    numbers = [_number(file, "origin", word) for word in words[:3]]
    x, y, yaw = numbers + [0.0] * (3 - len(numbers))
    if yaw:
        raise InvalidValue(f"{file}: origin's third number, its yaw, must be 0, got {yaw:g}")
    return {**fields, "origin": complex(x, y)}


def _number(file: Path, name: str, word: str) -> float:
    try:
        return check_number(name, float(word), -1e6, 1e6)
    except ValueError:
        raise InvalidValue(f"{file}: {name} must be numbers, got {shown(word)}") from None
