"""The state of N games: one structured numpy array, one record a game.

Copying, saving, restoring and pickling a batch of games are array operations. The
record of a game nests its players and obstacles; `views` splits the array into
one array for each, so that the compiled loop has the same types whatever the number of
players and obstacles, and is compiled only once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.steering.compilation import records
from steer_env.steering.vehicle import OBSTACLE, VEHICLE

PURSUER, EVADER = 0, 1  # the two sides

UNSTARTED, RUNNING, OVER = 0, 1, 2  # the phases of a game

GAME = np.dtype(
    [
        ("key", np.uint64),  # of the episode: all its chance follows from it
        ("draws", np.uint64),  # random numbers drawn so far in the episode
        ("steps", np.int64),
        ("phase", np.int64),
        ("pursuer_script", np.int64),  # which of the side's scripts plays this episode
        ("evader_script", np.int64),
        ("captured", np.int64),  # evaders caught so far
        ("distance", np.float64),  # mean over free evaders, to the nearest pursuer
    ],
    align=True,
)

PLAYER = np.dtype(
    [
        ("body", VEHICLE),
        ("wander_point", np.complex128),  # exp(i angle) on the wander circle
        ("model", np.int32),  # see dynamics.MODELS
        ("script", np.int32),  # row of the table of scripts
        ("active", np.bool_),  # False once captured
    ],
    align=True,
)


class Views(NamedTuple):
    """The parts of a batch of games, sharing its memory."""

    games: NDArray[np.void]  # (N,) of GAME
    players: NDArray[np.void]  # (N, pursuers + evaders) of PLAYER, pursuers first
    obstacles: NDArray[np.void]  # (N, obstacles) of OBSTACLE


def state_dtype(players: int, obstacles: int) -> np.dtype[np.void]:
    """The record of one game with so many players (both sides) and obstacles."""
    return np.dtype(
        [
            ("game", GAME),
            ("players", PLAYER, (players,)),
            ("obstacles", OBSTACLE, (obstacles,)),
        ],
        align=True,
    )


def make_state(num_games: int, players: int, obstacles: int) -> NDArray[np.void]:
    """A batch of games that have not started, shape (num_games,)."""
    return np.zeros(num_games, state_dtype(players, obstacles))


def views(state: NDArray[np.void]) -> Views:
    """Splits a batch into games, players and obstacles, without copying."""
    parts = Views(state["game"], state["players"], state["obstacles"])
    return Views(*map(records, parts))
