"""Recordings that contain everything that can be drawn."""

import re

import numpy as np
from recorded import live_game

from steer_env.episodes.live_game import record_episode
from steer_env.game.config import make_game
from steer_env.scripts.script import Script

PURSUER = Script(
    behavior="pursuit",
    obstacles=12.0,
    separation=3.0,
    field_of_view=2.0,
    description="a pursuer that looks around",
)
EVADER = Script(
    behavior="evade",
    threat_range=12.0,
    wander=1.0,
    walls=8.0,
    obstacles=12.0,
    cohesion=1.0,
    description="an evader that looks around",
)


def texts(picture):
    """All texts of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)<", picture.svg())


def is_color(pixels, color, tolerance=12):
    return np.abs(pixels.astype(int) - np.array(color)).max(axis=-1) <= tolerance


def record(seeds=(0,), names=("fox", "hare"), pursuer=PURSUER, evader=EVADER, **keywords):
    """Episodes, two against two among obstacles by default, of at most 2 s."""
    given = {"pursuers": 2, "evaders": 2, "obstacles": 3, "horizon": 60, **keywords}
    live = live_game(make_game(**given), pursuer, evader, names)
    recordings = [record_episode(live, seed) for seed in seeds]
    live.close()
    return recordings
