"""Draws the films of docs/worlds.md, moving SVGs in both themes, into docs/worlds.

    PYTHONPATH=. python tools/draw_worlds.py [NAME ...] [--tables]

A film shows the episode of one seed between a world's scripts. It is a vector graphic of some
kilobytes: vehicles move by CSS, straight between samples, along tracks that are always there.
For readers who want no motion (prefers-reduced-motion) it is the still picture of the end.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
from page_parts import both_themes

from steer_env import Scenario
from steer_env.baselines import evaluate
from steer_env.drawing import DrawingConfig
from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve_pair
from steer_env.rendering.picture import PLANE, Picture, View, sides_of
from steer_env.rendering.recording import Recording
from steer_env.rendering.scene import draw_arena
from steer_env.rendering.svg import SvgCanvas
from steer_env.sides import Side

ROOT = Path(__file__).parents[1]
WORLDS, FOLDER = ROOT / "examples" / "worlds", ROOT / "docs" / "worlds"
PAGE = ROOT / "docs" / "worlds.md"
SEEDS = {
    "tunnel_with_two_exits": 7,
    "river_with_a_current": 0,
    "bicycle_chase": 8,
    "stamina_tag": 4,
    "capture_the_flag": 1,
    "floor_plan": 6,
    "hide_and_seek": 3,
    "convoy": 12,
}
"""The episode that each film shows, by the name of the world's file."""

WIDTH, EDGE, STRIP, FONT = 640, 10, 30, 15  # pixels; the strip of texts is below the arena
LEAST_RADIUS = 6.5  # pixels, of vehicles
TALLEST = 420  # pixels, of the arena
RATE, HOLD = 6, 2.0  # samples a second; seconds for which the end stays


def world(name: str) -> ModuleType:
    """The module of a world."""
    if str(WORLDS) not in sys.path:
        sys.path.insert(0, str(WORLDS))
    return importlib.import_module(name)


def scenario_of(module: ModuleType) -> type[Scenario]:
    """The one scenario that a module defines."""
    (found,) = (
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Scenario) and one is not Scenario
    )
    return found


def players_of(module: ModuleType) -> tuple[Any, Any]:
    """The pursuers' and the evaders' player: the module's own, or the opponents by name."""
    names = scenario_of(module).opponents
    pursuer = getattr(module, "PURSUER", names[Side.EVADER])
    return pursuer, getattr(module, "EVADER", names[Side.PURSUER])


def recorded(name: str, seed: int) -> Recording:
    """The episode of a seed between a world's scripts."""
    module = world(name)
    live = LiveGame(make_game(game=scenario_of(module)), *resolve_pair(*players_of(module)))
    return record_episode(live, seed)


def outcomes(name: str, episodes: int = 1000) -> str:
    """The table of a world's outcomes between its scripts, and of each against random play."""
    module = world(name)
    pursuer, evader = players_of(module)
    rows = ["| pursuers | evaders | outcomes |", "|---|---|---|"]
    for pair in ((pursuer, evader), ("random", evader), (pursuer, "random")):
        found = evaluate(*pair, scenario_of(module), episodes)
        numbers = found["outcome"]
        names = [f"`{one}`" for one in (*found.pursuers, *found.evaders)]
        shares = (
            f"{found.config.outcome(number)} {100.0 * np.mean(numbers == number):.0f}%"
            for number in np.unique(numbers)
        )
        rows.append(f"| {' | '.join(names)} | {', '.join(shares)} |")
    return "\n".join(rows) + "\n"


def film(recording: Recording, theme: str) -> str:
    """The moving picture of an episode, an SVG document."""
    config, drawing = recording.config, DrawingConfig(theme=theme)
    view = _view_of(recording)
    picture = Picture(view, drawing)
    draw_arena(picture, config, recording.states[0])
    colors = [picture.colors.of(side) for side in sides_of(config)]
    lengths = recording.states["players"]["active"].sum(axis=0) + 1
    picture.clip_to_arena()
    for number, color in enumerate(colors):
        track = recording.positions[: lengths[number] : 2, number]
        picture.trail(color, "track", track, oldest=0.3)
    picture.add("clip")
    strip, corner = 1j * (view.height - STRIP), complex(view.width, view.height)
    picture.add("rectangle", picture.colors.background, strip, corner)
    texts = Picture(view._replace(region=PLANE), drawing, picture)
    _write(texts, recording)
    canvas = SvgCanvas(view.width, view.height, f"{recording.title}: {recording.status.result}")
    texts.paint(canvas)
    return _with_motion(ElementTree.fromstring(canvas.document()), picture, recording)


def _view_of(recording: Recording) -> View:
    """The view of the whole arena, above a strip of texts."""
    config = recording.config
    places = np.array(config.region.outline()[:4])
    if config.map:
        places = np.concatenate([np.ravel(one.segments) for one in config.map])
    wide, high = np.ptp(places.real), np.ptp(places.imag)
    scale = min((WIDTH - 2 * EDGE) / wide, TALLEST / high)
    width, height = round(scale * wide) + 2 * EDGE, round(scale * high) + 2 * EDGE + STRIP
    return View(-0.5j * STRIP / scale, scale, width, height, config.region)


def _write(picture: Picture, recording: Recording) -> None:
    """Writes the names of both sides below the arena."""
    row, x = 1j * (picture.view.height - STRIP / 2 - 2), float(EDGE)
    for side, name in zip(Side, recording.names):
        color = picture.colors.of(side)
        place = picture.view.to_world(x + 7 + row)
        picture.glyph(side.name, color, place, 7 / picture.view.scale)
        x += 20 + picture.text(name, color, x + 20 + row, FONT) + 16


def _with_motion(root: ElementTree.Element, picture: Picture, recording: Recording) -> str:
    """The document with vehicles that move, and the result at the end."""
    view, config, states = picture.view, recording.config, recording.states
    every = max(round(1.0 / (RATE * config.dt)), 1)
    moments = np.unique(np.append(np.arange(0, len(states), every), len(states) - 1))
    total = recording.times[-1] + HOLD
    shares = 100.0 * recording.times[moments] / total
    rules = []
    for number, side in enumerate(sides_of(config)):
        bodies, active = states["players"]["body"][:, number], states["players"]["active"]
        radius = max(view.drawn_radius(bodies["radius"][0]) * view.scale, LEAST_RADIUS)
        glyph = Picture(View(0j, 1.0, 0, 0), picture.drawing)
        glyph.glyph(side.name, picture.colors.of(side), 0j, complex(radius))
        group = _group(glyph, f"v{number}")
        root.append(group)
        frames = _frames(view, bodies, moments, shares)
        gone = np.flatnonzero(active[:, number] == 0)
        if len(gone):
            share = 100.0 * recording.times[gone[0]] / total
            frames.append(f"0%,{share:.2f}%{{opacity:1}}{share + 0.1:.2f}%,100%{{opacity:.35}}")
        place, turn = _placement(view, bodies[-1:])
        rules.append(
            f".v{number}{{transform:translate({place[0].real:.1f}px,{place[0].imag:.1f}px) "
            f"rotate({turn[0]:.0f}deg);animation:v{number} {total:.2f}s linear infinite"
            f"{';opacity:.35' if len(gone) else ''}}}"
            f"@keyframes v{number}{{{''.join(frames)}}}"
        )
    end = 100.0 * recording.times[-1] / total
    result = Picture(view, picture.drawing)
    place = complex(view.width - EDGE, view.height - STRIP / 2 - 2)
    result.text(recording.status.result, picture.colors.ink, place, FONT, 1.0)
    root.append(_group(result, "result"))
    rules.append(
        f".result{{animation:result {total:.2f}s linear infinite}}@keyframes result"
        f"{{0%,{end - 0.1:.2f}%{{opacity:0}}{end:.2f}%,100%{{opacity:1}}}}"
    )
    rules.append("@media (prefers-reduced-motion:reduce){g{animation:none!important}}")
    style = ElementTree.Element("style")
    style.text = "".join(rules)
    root.insert(1, style)
    text = ElementTree.tostring(root, "unicode")
    return text.replace("ns0:", "").replace("xmlns:ns0", "xmlns") + "\n"


def _group(picture: Picture, name: str) -> ElementTree.Element:
    """The content of a picture, as a group of a class."""
    canvas = SvgCanvas(picture.view.width, picture.view.height)
    picture.paint(canvas)
    group = ElementTree.Element("g", {"class": name})
    group.extend(canvas._content)
    return group


def _placement(view: View, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places in pixels, and turns in degrees, clockwise and without jumps."""
    turns = -np.degrees(np.unwrap(np.angle(bodies["heading"])))
    return view.to_pixels(bodies["position"]), turns


def _frames(view: View, bodies: Any, moments: np.ndarray, shares: np.ndarray) -> list[str]:
    """The key frames of a vehicle; those where it rests or goes straight are left out."""
    places, turns = (column[moments] for column in _placement(view, bodies))
    frames: list[str] = []

    def add(share: float, place: complex, turn: float) -> None:
        frames.append(
            f"{share:.2f}%{{transform:translate({place.real:.1f}px,{place.imag:.1f}px) "
            f"rotate({turn:.0f}deg)}}"
        )

    jump = view.region.period * view.scale if view.region.wraps else np.inf
    for k, (share, place, turn) in enumerate(zip(shares, places, turns)):
        if k and abs(place - places[k - 1]) > 0.5 * jump:  # across an edge of the torus
            step = place - places[k - 1]
            step = complex(round(step.real / jump), round(step.imag / jump)) * jump
            middle = 0.5 * (shares[k - 1] + share)
            add(middle - 0.01, 0.5 * (places[k - 1] + place - step), turn)
            add(middle, 0.5 * (places[k - 1] + step + place), turn)
        add(share, place, turn)
    frames[-1] = f"{shares[-1]:.2f}%,100%{frames[-1][frames[-1].index('{') :]}"
    return frames


def main() -> None:
    """Draws the films that the command line names, and writes the tables of outcomes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="such as convoy; all by default")
    parser.add_argument("--tables", action="store_true", help="write the page's tables, too")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in given.names or SEEDS:
        recording = recorded(name, SEEDS[name])
        for theme, path in zip(("light", "dark"), both_themes(FOLDER / f"{name}.svg")):
            path.write_text(film(recording, theme), encoding="utf-8")
        size = path.stat().st_size / 1000
        print(f"{name}: {size:.0f} kB, {recording.status.result}", flush=True)
        if given.tables:
            before, _, after = re.split(
                rf"(?<=worlds/{name}\.svg\)\n\n)(\|.*?\n)(?=\n)",
                PAGE.read_text(encoding="utf-8"),
                maxsplit=1,
                flags=re.DOTALL,
            )
            PAGE.write_text(before + outcomes(name) + after, encoding="utf-8")


if __name__ == "__main__":
    main()
