"""Writes the page that shows chases in a browser: one HTML file that loads nothing.

The page and its program are in `pages/`; `steer_env.browser` adds an engine to play on. A
column, with a value for each moment, is stored as ``[unit, *changes]``: the second differences
of values rounded to whole units, which compress well.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steer_env import __version__
from steer_env.drawing import (
    ANNOTATION_KEYS,
    ANNOTATIONS,
    DEFAULT_ANNOTATIONS,
    RUN_COLORS,
    THEMES,
    Numbers,
    legible,
)
from steer_env.files import write_bytes
from steer_env.game.state import map_of
from steer_env.rendering.annotations import Annotations
from steer_env.rendering.marks import LOOKS, PARTS
from steer_env.rendering.recording import Recording
from steer_env.rendering.scene import map_on_page

_PAGES = Path(__file__).parent / "pages"
_PROGRAM = (
    *("document.js", "data.js", "picture.js", "scene.js", "timeline.js"),
    *("recordings.js", "page.js"),
)


def page_text(
    title: str, data: Mapping[str, Any], theme: str, command: str, **engine: str
) -> str:
    """Returns a page with data, JSON, for its program, and with the command that writes it.

    The parts of an engine are HTML, ``tabs`` in the header and ``panels`` beside the board, a
    ``style``, a ``program``, and the ``code`` that this unpacks, as `packed` makes it.
    """
    style = _color_style() + contents(_PAGES, ["page.css"]) + engine.get("style", "")
    program = contents(_PAGES, _PROGRAM) + engine.get("program", "")
    code = f'<script id="code" type="application/octet-stream">{engine.get("code")}</script>'
    content = json.dumps({"looks": LOOKS, **data}, separators=(",", ":"), allow_nan=False)
    found = {
        "attributes": "" if theme == "auto" else f' data-theme="{theme}"',
        "command": html.escape(command),
        "data": packed(content.encode()),
        "engine": code if engine else "",
        "panels": engine.get("panels", ""),
        "policy": html.escape(_security_policy(style, program, bool(engine))),
        "program": program,
        "style": style,
        "tabs": engine.get("tabs", ""),
        "title": html.escape(title),
        "version": html.escape(__version__),
    }
    template = (_PAGES / "page.html").read_text("utf-8")
    # In one pass, so that braces in the parts stay what they are.
    return re.sub(r"\{\{(\w+)\}\}", lambda name: found[name[1]], template)


def contents(folder: Path, names: Iterable[str]) -> str:
    """Files of a folder, one after the other."""
    return "".join((folder / name).read_text("utf-8") for name in names)


def packed(content: bytes) -> str:
    """Bytes as text that a page's program unpacks: compressed, in base64."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _security_policy(style: str, program: str, has_engine: bool) -> str:
    """Lets the browser run this program and this style, and load nothing at all."""

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    allowed = " 'wasm-unsafe-eval'" if has_engine else ""
    return (
        f"default-src 'none'; script-src {hashed(program)}{allowed}; "
        f"style-src {hashed(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _color_style() -> str:
    """The themes as CSS variables, with shades of some for texts."""

    def variables(name: str) -> str:
        theme = THEMES[name]
        lines = {"pursuer": theme.pursuer, "evader": theme.evader}
        lines |= zip(("textbook", "rival"), RUN_COLORS[name][1:])
        texts = {f"{line}-text": legible(color, theme) for line, color in lines.items()}
        colors = {**theme._asdict(), **lines, **texts}
        return "".join(
            f"--{name}:rgb({red} {green} {blue});"
            for name, (red, green, blue) in colors.items()
        )

    light, dark = variables("light"), variables("dark")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        "@media (prefers-color-scheme:dark){:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


_LENGTH = 0.01  # meters: the largest unit of lengths
_SHARES = 400  # units in a vehicle's top speed and in its largest force


def save_html(
    path: str | os.PathLike[str],
    recordings: Iterable[Recording],
    theme: str = "auto",
    annotations: Sequence[str] = DEFAULT_ANNOTATIONS,
) -> None:
    """Writes episodes, one at least, as an HTML file that plays them, or raises an OSError.

    Several are side by side at first, in a row for each pair of players. Positions are exact to
    a centimeter (in arenas below 20 m to 1/2000 of their side), headings to a thousandth of a
    radian, speeds and forces to 1/400 of a vehicle's limits. The theme is "light", "dark", or
    "auto" for the reader's; the annotations, those shown at first, as in `DrawingConfig`.
    """
    recordings = list(recordings)
    names = {recording.names for recording in recordings}
    title = f"{len(recordings)} chases"
    if len(names) == 1:
        title = " vs ".join(*names)
    data = {
        "meanings": dict(ANNOTATIONS),
        "letters": dict(ANNOTATION_KEYS),
        "shown": annotations,
        "episodes": [*map(_episode, recordings)],
    }
    page = page_text(title, data, theme, "record --out page.html")
    # Names from a command line can contain bytes that are not valid text.
    write_bytes(Path(path), page.encode("utf-8", "xmlcharrefreplace"))


def _episode(recording: Recording) -> dict[str, Any]:
    config, record = recording.config, recording.states[0]
    annotations = [*map(recording.annotations, range(len(recording.states)))]
    scripts = recording.scripts
    reached = config.reached(recording.states[-1]["players"])
    status = recording.status
    ended = {"outcome": status.declared, "winner": status.winner.name}
    zones = [[[corner.real, corner.imag] for corner in zone] for zone in config.zones]
    world = map_of(config, record)
    return {
        **({"zones": zones} if zones else {}),
        **({} if world is None else {"map": map_on_page(world)}),
        "names": recording.names,
        "descriptions": ["" if script is None else script.description for script in scripts],
        "seed": str(recording.seed),  # it may have more digits than a number in JavaScript
        "result": status.result,
        "captured": status.is_captured,
        **(ended if status.declared else {}),
        "steps": len(recording.states) - 1,
        "dt": config.dt,
        "region": config.region.on_page(),
        "captureRadius": config.capture_circle,
        "obstacles": [
            [center.real, center.imag, radius]
            for center, radius in record["obstacles"].tolist()
            if radius > 0.0  # 0 marks an obstacle for which there was no room
        ],
        "distances": _column(_LENGTH, recording.states["game"]["distance"]),
        "players": [
            {
                "side": int(number >= config.pursuers),
                **({"hasReached": True} if reached[number] else {}),
                "radius": float(body["radius"]),
                "maxSpeed": float(body["max_speed"]),
                "maxForce": float(body["max_force"]),
                "columns": {
                    name: _column(unit, values)
                    for name, unit, values in _columns(recording, number, annotations)
                },
            }
            for number, body in enumerate(record["players"]["body"])
        ],
    }


def _columns(
    recording: Recording, number: int, annotations: Sequence[Sequence[Annotations]]
) -> Iterator[tuple[str, float, Numbers]]:
    """The columns of a player: name, unit, and a value for each moment, (T + 1,).

    Of an annotation there is whether it is present, and its numbers (points as offsets). While
    it is absent they keep their last values, which takes no space.
    """
    config = recording.config
    players = recording.states["players"][:, number]
    body, force = players["body"], np.nan_to_num(recording.forces[:, number])
    length = min(_LENGTH, config.arena_size / 2000)  # finer in small arenas
    speed_unit = float(body["max_speed"][0]) / _SHARES
    force_unit = float(body["max_force"][0]) / _SHARES
    place = body["position"]
    x, y = place.real, place.imag
    if config.region.wraps:  # paths go on beyond an edge, without jumps
        x, y = (np.unwrap(along, period=config.region.period) for along in (x, y))
    yield "x", length, x
    yield "y", length, y
    yield "heading", 0.001, np.unwrap(np.angle(body["heading"]))
    yield "velocityX", speed_unit, body["velocity"].real
    yield "velocityY", speed_unit, body["velocity"].imag
    yield "forceX", force_unit, force.real
    yield "forceY", force_unit, force.imag
    yield "active", 1.0, players["active"].astype(np.float64)
    for name in PARTS:
        present = np.array([name in own[number] for own in annotations])
        if not present.any():
            continue
        yield name, 1.0, present.astype(np.float64)
        found = [own[number][name] for own in annotations if name in own[number]]
        numbers: list[Numbers] = []
        for letter, part in zip(PARTS[name], map(np.array, zip(*found))):
            if letter == "n":
                numbers.append(part)
                continue
            turns = 1 if letter == "p" else body["heading"][present].conj()
            offsets = (part - place[present]) * turns
            numbers += [offsets.real, offsets.imag]
        latest = np.maximum(np.cumsum(present) - 1, 0)
        for index, column in enumerate(numbers):
            yield f"{name}.{index}", length, column[latest]


def _column(unit: float, values: Numbers) -> list[float]:
    """A column in the form that is described above, with larger values cut off."""
    units = np.clip(np.rint(values / unit), -(2**28), 2**28).astype(np.int64)
    return [unit, *np.diff(units, n=2, prepend=[0, 0]).tolist()]
