"""A dozen pictures look as they did: their colors in a grid of 16 x 16 cells."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from chases import record

from steer_env.drawing import DrawingConfig
from steer_env.files import write_text
from steer_env.maps.map import Map
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.plate import plate_of
from steer_env.rendering.renderer import Replay
from steer_env.scripts.roster import ROSTER

pytest.importorskip("pygame")

KEPT = Path(__file__).parents[1] / "data" / "pictures.json"
CELLS = 16


def scene(size=(240, 240), theme="light", annotations="all", moment=40, **game):
    (recording,) = record((3,), **game)
    last = len(recording.states) - 1
    drawing = DrawingConfig(size, theme, annotations)
    return Replay(recording, drawing).picture(min(moment, last)).pixels()


def plate(theme="light", columns=2, **game):
    one = {"pursuers": 1, "evaders": 1, "obstacles": 0, "horizon": 300}
    sides = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade"]}
    recordings = record((3, 5), ("pursuit", "evade"), **{**one, **sides, **game})
    return plate_of(recordings, columns, 240, theme).pixels()


def ghosts(moment=70, **game):
    one = {"pursuers": 1, "evaders": 1, "obstacles": 0, "capture_radius": 1.5, "horizon": 120}
    runs = [
        record((1,), (name, "evade"), ROSTER[name], ROSTER["evade"], **{**one, **game})[0]
        for name in ("pursuit", "seek", "navigation")
    ]
    return Ghosts(runs, DrawingConfig(size=300)).picture(moment).pixels()


HALL = Map(
    [(0, 0), (24, 0), (24, 9), (12, 14), (0, 9)],
    solids=[[(4, 3), (8, 3), (8, 7)]],
    walls=[[(15, 0), (15, 6), (20, 6)]],
)
CAUGHT = {"pursuers": 3, "evaders": 2, "capture_radius": 1.5, "horizon": 300}
PICTURES = {
    "walls": lambda: scene(),
    "torus": lambda: scene(arena="torus"),
    "open": lambda: scene(arena="open"),
    "dark": lambda: scene(theme="dark"),
    "wide": lambda: scene((720, 480)),
    "high": lambda: scene((400, 600), obstacles=0),
    "names and score": lambda: scene((480, 480), annotations=("names", "score")),
    "some are caught": lambda: scene(moment=300, **CAUGHT),
    "small": lambda: scene((96, 96)),
    "map": lambda: scene(map=Map.pillars(1, seed=4), obstacles=0),
    "dark map that is wide": lambda: scene((480, 400), "dark", map=HALL, obstacles=0),
    "plate": lambda: plate(),
    "dark plate on a torus": lambda: plate("dark", 1, arena="torus"),
    "plate of teams in the open": lambda: plate(arena="open", pursuers=3, evaders=2),
    "ghosts": lambda: ghosts(200, horizon=300),
    "ghosts of teams": lambda: ghosts(pursuers=2, evaders=3, arena="torus"),
}


def cells_of(pixels):
    """The mean color of each cell, (16, 16, 3)."""
    rows, columns = (np.linspace(0, side, CELLS + 1).astype(int) for side in pixels.shape[:2])
    sums = np.add.reduceat(pixels.astype(float), rows[:-1], axis=0)
    sums = np.add.reduceat(sums, columns[:-1], axis=1)
    return sums / np.multiply.outer(np.diff(rows), np.diff(columns))[..., None]


def write():
    """Writes the file anew, by ``PYTHONPATH=. python tests/rendering/test_pictures.py``."""
    kept = {
        name: base64.b64encode(np.rint(cells_of(draw())).astype(np.uint8).tobytes()).decode()
        for name, draw in PICTURES.items()
    }
    write_text(KEPT, json.dumps(kept, indent=1) + "\n")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_look_as_they_did(name):
    kept = base64.b64decode(json.loads(KEPT.read_text())[name])
    wanted = np.frombuffer(kept, np.uint8).reshape(CELLS, CELLS, 3).astype(float)
    differences = np.abs(cells_of(PICTURES[name]()) - wanted)
    assert differences.max() < 2.5
    assert differences.mean() < 0.6


if __name__ == "__main__":
    write()
