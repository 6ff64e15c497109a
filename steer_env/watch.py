"""Shows two scripts play against each other, in a window or as a GIF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.envs.keywords import game_config
from steer_env.errors import check_integer
from steer_env.game.aims import aim_points
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.game.roster import named_script
from steer_env.game.state import PURSUER
from steer_env.rendering.gif import save_gif
from steer_env.rendering.window import Renderer

_STILL_SECONDS = 1.0  # that the end of an episode is shown


def watch(
    pursuer: str = "pursuit",
    evader: str = "evade",
    episodes: int = 3,
    seed: int = 0,
    gif: str | None = None,
    size: int = 600,
    **keywords: Any,
) -> list[str]:
    """Plays episodes of one script against another, and shows them.

    A cross in a player's color marks the point that it steers for or away from.

    Args:
        pursuer: name of the pursuers' script.
        evader: name of the evaders' script.
        episodes: how many to play; closing the window ends it.
        seed: of the first one.
        gif: path of a file to write instead of opening a window.
        size: side of the picture, in pixels.
        keywords: of the game; see `game_config`.

    Returns:
        One line about each episode.

    Raises:
        ValueError: for a name that is not in the roster (it names the nearest), a number out
            of range, or a folder that is not there.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    check_integer("episodes", episodes, 1)
    check_integer("seed", seed, 0, 2**64 - 1)
    if gif is not None and not Path(gif).absolute().parent.is_dir():
        raise ValueError(f"there is no folder {str(Path(gif).parent)!r} to write the GIF to")
    config = game_config(**keywords)
    scripts = [named_script(pursuer)], [named_script(evader)]
    engine = Engine(config, *scripts, 1, config.horizon, 1)
    engine.seed([seed])
    renderer = Renderer(config, "human" if gif is None else "rgb_array", size)
    lines: list[str] = []
    frames: list[NDArray[np.uint8]] = []
    for number in range(1, episodes + 1):
        engine.start()
        for record in _moments(engine, config):
            frame = renderer.render(record, aim_points(record, config, scripts))
            if frame is not None:
                frames.append(frame)
            if renderer.window_closed:
                return lines
        lines.append(f"episode {number}: {_result(record, config)}")
    renderer.close()
    if gif is not None:  # every other frame: GIFs are not shown at more than 50 a second
        save_gif(gif, frames[::2], 0.5 / config.dt)
    return lines


def _moments(engine: Engine, config: GameConfig) -> Iterator[np.void]:
    nobody: list[NDArray[np.float32]] = [
        np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)
    ]
    over = False
    while not over:
        yield engine.state[0]
        outcome = engine.step(nobody[0], nobody[1], PURSUER, False)
        over = bool(outcome.terminated[0] or outcome.truncated[0])
    for _ in range(round(_STILL_SECONDS / config.dt)):
        yield engine.state[0]


def _result(record: np.void, config: GameConfig) -> str:
    game = record["game"]
    seconds = game["steps"] * config.dt
    if game["captured"] == config.evaders:
        return f"caught after {seconds:.1f} s"
    caught = f", {game['captured']} of {config.evaders} caught" if config.evaders > 1 else ""
    return f"got away for {seconds:.1f} s{caught}"
