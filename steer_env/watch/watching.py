"""Watching from Python: who plays, and the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.envs.keywords import given_game
from steer_env.episodes.players import Player, named_players
from steer_env.errors import check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import EVADER, PURSUER
from steer_env.rendering.mosaic import check_panels
from steer_env.watch.session import Session

USUAL_SIZE = (960, 720)
"""Of the window, in pixels."""


def watch(
    pursuers: Player | Sequence[Player] = "pursuit",
    evaders: Player | Sequence[Player] = "evade",
    *,
    game: GameConfig | Mapping[str, Any] | None = None,
    games: int = 1,
    seed: int = 0,
    episodes: int | None = None,
    trust: bool = False,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    report: Callable[[str], object] | None = None,
) -> list[str]:
    """Shows games in a window, side by side: every pursuer against every evader.

    All of them begin with the same start and stay at the same moment; keys pause, go back and
    forth, and choose what is marked (h shows them); a click on a vehicle tells all about it.

    Example:
        >>> own = Script(behavior="seek", wander=0.3)
        >>> watch(["pursuit", own], "evade", game={"arena": "torus"})  # doctest: +SKIP

    Args:
        pursuers: one or several: names, as in `steer_env.episodes.players.load_player`, paths
            of files, Scripts, behaviors of your own (functions from two Vehicles to a force),
            or policies with stable-baselines3's `predict`.
        evaders: likewise.
        game: the environments' keywords, see `game_config`, or what it returns; None for the
            usual game.
        games: how many each pair plays at once, of seeds one after the other.
        seed: of the first one.
        episodes: how many rounds to show, of seeds one after the other; None to go on until
            the window is closed.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        drawing: a `DrawingConfig` or a dict of some of its settings: the size of the window,
            the theme, the annotations; None for the usual.
        report: is told each result when it is seen.

    Returns:
        A line about each game that was seen to its end, such as
        "seed 0: pursuit v evade: caught after 4.2 s".

    Raises:
        TypeError, ValueError, FileNotFoundError: for what there is not, or what does not fit;
            names are told with the nearest match.
        steer_env.rendering.window.NoDisplayError: if there is no display to open a window on.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    from steer_env.watch.app import App

    if episodes is not None:
        check_integer("episodes", episodes, 1)
    config = given_game(game)
    settings = drawing_config(drawing, USUAL_SIZE)
    named_pursuers = named_players(pursuers, PURSUER, trust)
    named_evaders = named_players(evaders, EVADER, trust)
    check_panels(len(named_pursuers), len(named_evaders), games)
    check_integer("seed", seed, 0, LARGEST_SEED + 1 - games * (episodes or 1))
    lines: list[str] = []

    def tell(line: str) -> None:
        lines.append(line)
        if report is not None:
            report(line)

    session = Session(config, named_pursuers, named_evaders, games, seed)
    try:
        App(session, settings, episodes, tell).run()
    finally:
        session.close()
    return lines
