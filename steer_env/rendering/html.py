"""Episodes as one HTML file, which plays them in any present-day browser without a network.

The page and its program lie in `pages/`; the recordings go into it as data, which the program
unpacks and draws. It holds no steering formula: what is to be drawn is in the data.

The data are base64 of a raw deflate stream of

- the length of the header, 4 bytes, the lowest first;
- the header in JSON: all that does not change during an episode, and a list of its columns;
- the columns' bytes, in the order of that list.

A column is a whole number for each moment, times a unit. Written is how much it changes
(order 1), or how much its change changes (order 2), with the sign in the lowest bit ("zigzag"):
the lowest byte of every moment first, then the next byte, as many as the largest needs. A
column that never changes needs none.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import (
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    THEMES,
    DrawingConfig,
    Theme,
)
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, check_choice
from steer_env.game.annotations import Marks

_PAGES = Path(__file__).parent / "pages"
_PROGRAM = (
    "data.js",
    "geometry.js",
    "marks.js",
    "scene.js",
    "timeline.js",
    "state.js",
    "page.js",
    "chase.js",
)

_FINEST_LENGTH = 0.01  # meters
_LENGTHS_ACROSS = 2000  # units across an arena, at least, so that small ones are fine, too
_FINEST_ANGLE = 0.001  # radians
_SHARES = 400  # units up to a vehicle's top speed and its largest force
_LARGEST = 2**28  # units: whatever is beyond is drawn there

_DRAWN = [name for name in Marks._fields if name != "lookahead"]
_TURNING = ("wander", "feelers")  # marks that turn with their vehicle

Numbers = NDArray[np.float64]


def save_html(
    path: str | os.PathLike[str],
    recordings: Iterable[Recording],
    theme: str = "auto",
    annotations: str | Sequence[str] = DEFAULT_ANNOTATIONS,
) -> None:
    """Writes episodes as one HTML file that plays them.

    Positions are kept to a centimeter (in arenas below 20 m to 1/2000 of their side), headings
    to a thousandth of a radian, speeds and forces to 1/400 of a vehicle's limits.

    Args:
        path: of the file, which is replaced if it exists.
        recordings: at least one.
        theme: "light", "dark", or "auto" for what the reader's system asks for.
        annotations: names out of `ANNOTATIONS`, "all" or "none": what is shown at first, for
            all can be switched.

    Raises:
        ValueError: without recordings, or for an unknown theme or annotation.
        OSError: if the file cannot be written.
    """
    recordings = list(recordings)
    if not recordings:
        raise InvalidValue("an HTML page needs at least one recording, got none")
    check_choice("theme", theme, ("auto", *THEMES))
    shown = DrawingConfig(annotations=annotations).annotations  # type: ignore[arg-type]
    style = _colors() + (_PAGES / "chase.css").read_text("utf-8")
    program = "".join((_PAGES / name).read_text("utf-8") for name in _PROGRAM)
    parts = {
        "attributes": "" if theme == "auto" else f' data-theme="{theme}"',
        "policy": html.escape(_security_policy(style, program)),
        "title": html.escape(_title(recordings)),
        "style": style,
        "program": program,
        "data": pack(recordings, shown),
    }
    page = (_PAGES / "chase.html").read_text("utf-8")
    # In one pass, so that nothing is looked for in what has been put in.
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)
    # Names from a command line can hold bytes that are no text.
    Path(path).write_text(page, "utf-8", "xmlcharrefreplace", "\n")


def _title(recordings: Sequence[Recording]) -> str:
    pairs = {recording.names for recording in recordings}
    if len(pairs) > 1:
        return f"{len(recordings)} chases"
    return "{} against {}".format(*pairs.pop())


def _security_policy(style: str, program: str) -> str:
    """Lets the browser run this program and this style, and load nothing at all."""

    def hashed(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{hashed(program)}'; "
        f"style-src 'sha256-{hashed(style)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _colors() -> str:
    """The themes as variables of CSS, from which the page and the pictures take them."""

    def variables(theme: Theme) -> str:
        return "".join(
            f"--{name.replace('_', '-')}:rgb({red} {green} {blue});"
            for name, (red, green, blue) in theme._asdict().items()
        )

    light, dark = variables(THEMES["light"]), variables(THEMES["dark"])
    return (
        f":root{{color-scheme:light;{light}}}\n"
        "@media (prefers-color-scheme:dark){:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


def pack(recordings: Iterable[Recording], annotations: Sequence[str]) -> str:
    """Recordings as the text that the page unpacks; see the top of this file.

    Args:
        recordings: the episodes.
        annotations: those that are shown at first.
    """
    episodes, content = [], bytearray()
    for recording in recordings:
        episode = _facts(recording)
        marks = [recording.marks(moment) for moment in range(len(recording.states))]
        for number, player in enumerate(episode["players"]):
            own_marks = [everyones[number] for everyones in marks]
            player["columns"], packed = _packed(_columns(recording, number, own_marks))
            content += packed
        distance = recording.states["game"]["distance"]
        episode["columns"], packed = _packed([("distance", _FINEST_LENGTH, distance)])
        content += packed
        episodes.append(episode)
    facts = {
        "meanings": dict(ANNOTATIONS),
        "letters": dict(ANNOTATION_KEYS),
        "shown": list(annotations),
        "episodes": episodes,
    }
    header = json.dumps(facts, separators=(",", ":"), allow_nan=False).encode()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    compressed = deflate.compress(struct.pack("<I", len(header)) + header + content)
    return base64.b64encode(compressed + deflate.flush()).decode()


def _packed(
    columns: Iterable[tuple[str, float, Numbers]],
) -> tuple[dict[str, list[Any]], bytearray]:
    """Columns as what the header says about each, by name, and their bytes."""
    about, content = {}, bytearray()
    for name, unit, values in columns:
        start, order, width, column = _pack_column(values, unit)
        about[name] = [unit, start, order, width]
        content += column
    return about, content


def _facts(recording: Recording) -> dict[str, Any]:
    """What does not change during an episode."""
    config, record = recording.config, recording.states[0]
    scripts = recording.scripts
    return {
        "names": list(recording.names),
        "descriptions": ["" if script is None else script.description for script in scripts],
        "seed": str(recording.seed),  # more digits than a number in JavaScript has
        "result": recording.result,
        "captured": bool(recording.captured),
        "steps": len(recording.states) - 1,
        "dt": config.dt,
        "arena": {"kind": config.arena.kind, "size": config.arena.size},
        "captureRadius": config.capture_radius,
        "obstacles": [
            [float(disc["center"].real), float(disc["center"].imag), float(disc["radius"])]
            for disc in record["obstacles"]
            if disc["radius"] > 0.0  # 0 stands for one that found no room
        ],
        "players": [
            {
                "side": int(number >= config.pursuers),
                "radius": float(body["radius"]),
                "maxSpeed": float(body["max_speed"]),
                "maxForce": float(body["max_force"]),
            }
            for number, body in enumerate(record["players"]["body"])
        ],
    }


def _columns(
    recording: Recording, number: int, marks: Sequence[Marks]
) -> Iterator[tuple[str, float, Numbers]]:
    """The columns of a player: name, unit, and a value for each moment, (T + 1,)."""
    arena = recording.config.arena
    players = recording.states["players"][:, number]
    body, force = players["body"], np.nan_to_num(recording.forces[:, number])
    length = min(_FINEST_LENGTH, arena.size / _LENGTHS_ACROSS)
    speed_unit = float(body["max_speed"][0]) / _SHARES
    force_unit = float(body["max_force"][0]) / _SHARES
    place = body["position"]
    path = _unwrapped(place, arena.size) if arena.kind == "torus" else place
    yield "x", length, path.real
    yield "y", length, path.imag
    yield "heading", _FINEST_ANGLE, np.unwrap(np.angle(body["heading"]))
    yield "velocityX", speed_unit, body["velocity"].real
    yield "velocityY", speed_unit, body["velocity"].imag
    yield "forceX", force_unit, force.real
    yield "forceY", force_unit, force.imag
    yield "active", 1.0, players["active"].astype(np.float64)
    for name in _DRAWN:
        frame = body["heading"] if name in _TURNING else np.ones(len(place), np.complex128)
        yield from _mark_columns(name, length, [getattr(m, name) for m in marks], place, frame)


def _mark_columns(
    name: str,
    unit: float,
    moments: Sequence[Any],
    place: NDArray[np.complex128],
    frame: NDArray[np.complex128],
) -> Iterator[tuple[str, float, Numbers]]:
    """A mark as columns: whether it is there, and its numbers, one after the other.

    Places become their offsets (x, y) from the player, in the given frame. Where the mark
    is not there, its numbers stay what they were, which takes no room.
    """
    there = np.array([mark is not None and mark != () for mark in moments])
    if not there.any():
        return
    rows = [
        list(_numbers(mark, here, axis))
        for mark, here, axis, is_there in zip(moments, place, frame, there)
        if is_there
    ]
    yield f"{name}", 1.0, there.astype(np.float64)
    latest = np.maximum(np.cumsum(there) - 1, 0)
    for index, column in enumerate(np.array(rows, np.float64).T):
        yield f"{name}.{index}", unit, column[latest]


def _numbers(mark: Any, place: complex, frame: complex) -> Iterator[float]:
    if isinstance(mark, tuple):
        for part in mark:
            yield from _numbers(part, place, frame)
    elif isinstance(mark, complex):
        offset = (mark - place) * frame.conjugate()
        yield from (offset.real, offset.imag)
    else:
        yield float(mark)


def _unwrapped(path: NDArray[np.complex128], size: float) -> NDArray[np.complex128]:
    """A path on a torus as one in the plane, without jumps at the edges."""
    real, imag = (np.unwrap(part, period=size) for part in (path.real, path.imag))
    unwrapped: NDArray[np.complex128] = real + 1j * imag
    return unwrapped


def _pack_column(values: Numbers, unit: float) -> tuple[int, int, int, bytes]:
    """A column's start, order, bytes a moment, and content; see the top of this file."""
    units = np.clip(np.rint(values / unit), -_LARGEST, _LARGEST).astype(np.int64)
    changes = np.diff(units, prepend=units[:1])
    candidates = (changes, np.diff(changes, prepend=0))
    zigzags = [2 * np.abs(change) - (change < 0) for change in candidates]
    order = int(np.argmin([np.log2(1.0 + zigzag).sum() for zigzag in zigzags]))
    zigzag = zigzags[order]
    width = (int(zigzag.max()).bit_length() + 7) // 8
    planes = zigzag.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width].T
    return int(units[0]), order + 1, width, planes.tobytes()
