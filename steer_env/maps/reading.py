"""Maps from texts and from images, also those of ROS' map_server."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidValue,
    check_choice,
    check_number,
    check_path,
    check_text,
    needing,
)
from steer_env.files import read_bytes
from steer_env.maps.map import Map
from steer_env.maps.tracing import components, simplified

SOLID = "#"
MOST_BYTES = 2**28


def map_of_text(text: str, cell: float = 1.0) -> Map:
    """See `Map.from_text`."""
    lines = [line.strip() for line in check_text("text", text).strip("\n").split("\n")]
    lines = [line for line in lines if line]
    width = max(map(len, lines), default=0)
    free = np.array(
        [[one != SOLID for one in line.ljust(width, SOLID)] for line in lines], bool
    )
    side = check_number("cell", cell, 1e-3, 1e3)
    rim = free.copy()
    rim[1:-1, 1:-1] = False
    if rim.any():
        row, column = np.argwhere(rim)[0]
        raise InvalidValue(
            f"the outline is open in line {row + 1} at character {column + 1}: put {SOLID!r} all "
            "around"
        )
    whole, *apart = components(free.reshape(len(lines), width))
    if apart:
        place = apart[0].outline.mean()
        raise InvalidValue(
            f"the map has {1 + len(apart)} rooms that no way joins, one of them around line "
            f"{int(len(lines) - place.imag) + 1}, character {int(place.real) + 1}"
        )
    return _map(whole.outline * side, [hole * side for hole in whole.holes])


def map_of_image(
    path: str | Path,
    resolution: float | None = None,
    occupied: float = 0.65,
    free: float = 0.196,
    unknown: str = "solid",
    tolerance: float | None = None,
) -> Map:
    """See `Map.from_image`."""
    file = check_path("path", path)
    check_choice("unknown", unknown, ("solid", "free"))
    negate = False
    if file.suffix in (".yaml", ".yml"):
        fields = _fields(file)
        for name in ("image", "resolution"):
            if name not in fields:
                raise InvalidValue(f"{file} lacks the field {name!r}")
        resolution = float(fields["resolution"]) if resolution is None else resolution
        occupied = float(fields.get("occupied_thresh", occupied))
        free = float(fields.get("free_thresh", free))
        negate = fields.get("negate", "0") not in ("0", "false")
        file = file.parent / fields["image"]
    meters = check_number("resolution", 0.05 if resolution is None else resolution, 1e-4, 1e3)
    shade = pixels(file)
    occupancy = shade if negate else 1.0 - shade
    limit = check_number("free", free, 0.0, 1.0) if unknown == "solid" else occupied
    whole, *_ = components(occupancy < check_number("occupied", limit, 0.0, 1.0))
    error = meters if tolerance is None else check_number("tolerance", tolerance, 0.0, 1e3)
    parts = [simplified(one * meters, error) for one in (whole.outline, *whole.holes)]
    return _map(parts[0], [one for one in parts[1:] if len(one) > 2])


def pixels(file: Path) -> NDArray[np.float64]:
    """The shades of an image, 0 (black) to 1 (white), shape (height, width)."""
    content = read_bytes(file, MOST_BYTES)
    if content[:2] in (b"P2", b"P5"):
        return _portable_gray_map(content, file)
    with needing("render"):
        from imageio.v3 import imread
    image = np.asarray(imread(content), float)
    if image.ndim == 3:
        image = image[..., :3].mean(-1) if image.shape[-1] > 2 else image[..., 0]
    return image / 255.0


def _portable_gray_map(content: bytes, file: Path) -> NDArray[np.float64]:
    header = re.match(rb"P([25])" + rb"(?:\s|#[^\n]*\n)+(\d+)" * 3 + rb"\s", content)
    if header is None:
        raise InvalidValue(f"{file} has no header of a PGM file")
    kind, width, height, most = (int(one) for one in header.groups())
    data = content[header.end() :]
    if kind == 2:
        numbers = np.array(re.sub(rb"#[^\n]*", b"", data).split(), float)
    else:
        numbers = np.frombuffer(data, np.uint8 if most < 256 else ">u2").astype(float)
    if not 0 < width * height <= len(numbers):
        raise InvalidValue(f"{file} has {len(numbers)} pixels, not {width} x {height}")
    return numbers[: width * height].reshape(height, width) / most


def _fields(file: Path) -> dict[str, str]:
    """The fields of a map_server's .yaml: one a line."""
    text = read_bytes(file, 2**16).decode("utf-8", "replace")
    found = re.findall(r"^\s*(\w+)\s*:\s*(.*?)\s*(?:#.*)?$", text, re.MULTILINE)
    return {name: value.strip("'\"") for name, value in found}


def _map(outline: NDArray[np.complex128], solids: list[NDArray[np.complex128]]) -> Map:
    def pairs(places: NDArray[np.complex128]) -> list[tuple[float, float]]:
        return list(zip(places.real.tolist(), places.imag.tolist()))

    return Map(pairs(outline), [pairs(one) for one in solids])
