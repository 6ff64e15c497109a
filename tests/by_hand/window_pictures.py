"""Draws the window of `steer-env watch` with the inspector open, without a display.

    PYTHONPATH=. python tests/by_hand/window_pictures.py

writes baselines/results/inspector.png and inspector-dark.png: an evader among obstacles whose
budget is used up by what is urgent, so that the rest of its parts are cut.
"""

from __future__ import annotations

import argparse
import os
from contextlib import closing
from pathlib import Path

import numpy as np

from baselines.figure_style import both_themes
from steer_env.drawing import DrawingConfig
from steer_env.files import write_bytes
from steer_env.game.config import game_config
from steer_env.policies.players import named_players
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.window import Window
from steer_env.sides import EVADER, PURSUER
from steer_env.watch.app import WatchApp
from steer_env.watch.picture import ShownPlayer
from steer_env.watch.screening import Screening

SIZE = (1200, 800)
"""Width and height of the window, in pixels."""

SEED, MOMENT, PLAYER = 15, 48, EVADER
ANNOTATIONS = ("velocity", "force", "aim", "trail", "capture", "feelers", "corridor", "score")
FILES = dict(zip(("light", "dark"), both_themes("inspector.png")))


def picture(theme: str, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Returns what the window shows, (height, width, 3)."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # a window that nobody sees
    drawing = DrawingConfig(size, theme, ANNOTATIONS)
    pursuers = named_players("pursuit/among_obstacles", PURSUER)
    evaders = named_players("evade/among_obstacles", EVADER)
    config = game_config(obstacles=6, arena_size=16)
    with closing(Screening(config, pursuers, evaders, seed=SEED)) as screening:
        app = WatchApp(Window(size, screening.title), screening, drawing)
        for _ in range(MOMENT):
            screening.move(1)
        app.display.inspected = ShownPlayer(0, PLAYER)
        pixels = app.draw()
        app.window.close()
    return pixels


def main() -> None:
    """Writes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("baselines/results"), metavar="FOLDER")
    folder = parser.parse_args().out
    for theme, name in FILES.items():
        write_bytes(folder / name, RasterCanvas(picture(theme)).png())
        print(folder / name)


if __name__ == "__main__":
    main()
