"""Draws the game for people, without a display: the end of a round beside those of others.

    PYTHONPATH=. python tests/by_hand/play_pictures.py [--out baselines/results]

It writes play.png and play-dark.png. A simulated person plays (`tests/play/persons.py`), so the
pictures are the same each time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from play.persons import PERSONS

from baselines.pictures import both_themes
from steer_env.drawing import DrawingConfig
from steer_env.files import write_bytes
from steer_env.game.config import game_config
from steer_env.play.app import PlayApp
from steer_env.play.best_times import BestTimes
from steer_env.play.marks import FLASH_SECONDS
from steer_env.play.menu import Menu
from steer_env.play.visit import Phase, Visit
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.window import Window
from steer_env.sides import Side

SIZE = 1200, 800
RESULTS = Path(__file__).parents[2] / "baselines/results"
FILES = dict(zip(("light", "dark"), both_themes("play.png")))
LONGEST = 60.0  # seconds, for the countdown and the round


class Pusher:
    """Pushes as a simulated person does, a step at a time."""

    def __init__(self, visit, kind):
        self.visit, self.person = visit, kind(visit.menu.challenge.config)
        self.state = None

    def __call__(self):
        """The push of the next step."""
        played = self.visit.round
        seen = played.duel.observation(played.challenge.side)
        action, self.state = self.person.predict(seen, self.state)
        return complex(*action[0]) * complex(played.body["heading"])


def played(folder, side, level, person, seed):
    """A visit at the end of a round."""
    best_times = BestTimes(folder / "times.sqlite")
    visit = Visit(Menu(side, game_config(), level), best_times, seed, report=lambda line: None)
    push = Pusher(visit, PERSONS[side][person])
    visit.begin()
    step = visit.menu.challenge.config.dt
    for number in range(round(LONGEST / step)):
        visit.advance(number * step, push)
        if visit.phase is Phase.END:
            break
    return visit


def picture(visit, theme):
    """What the window shows a moment after the end."""
    window = Window(SIZE, "play")
    try:
        app = PlayApp(
            window, visit, DrawingConfig(theme=theme, annotations=("trail", "capture"))
        )
        app.now = visit.ended + 2 * FLASH_SECONDS  # the flash is over
        return app.draw()
    finally:
        window.close()


def main(arguments=None):
    """Writes both pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--as", dest="side", default="pursuer", choices=[s.name for s in Side])
    parser.add_argument("--level", default="hard")
    parser.add_argument("--person", default="hasty", choices=list(PERSONS[0]))
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args(arguments)
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    with tempfile.TemporaryDirectory() as folder:
        visit = played(
            Path(folder), Side.named(given.side), given.level, given.person, given.seed
        )
        with closing(visit.best_times):
            for theme, name in FILES.items():
                pixels = np.ascontiguousarray(picture(visit, theme))
                write_bytes(given.out / name, RasterCanvas(pixels).png())


if __name__ == "__main__":
    main()
