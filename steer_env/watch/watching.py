"""Shows games in a window, from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.envs.keywords import given_game
from steer_env.errors import check_integer
from steer_env.game.config import AnyGame
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.runner import compile_explanations
from steer_env.players import Player, named_players
from steer_env.rendering.mosaic import check_panels
from steer_env.rendering.window import Window, check_display
from steer_env.sides import EVADER, PURSUER
from steer_env.watch.app import WatchApp
from steer_env.watch.screening import Screening

DEFAULT_SIZE = (960, 720)
"""Width and height of the window, in pixels."""


def watch(
    pursuers: Player | Sequence[Player] = "pursuit",
    evaders: Player | Sequence[Player] = "evade",
    *,
    game: AnyGame = None,
    games: int = 1,
    seed: int = 0,
    episodes: int | None = None,
    trust: bool = False,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    report: Callable[[str], object] | None = None,
) -> list[str]:
    """Shows games in a window, side by side: every pursuer against every evader.

    All games begin with the same start and stay at the same moment. Keys pause, go back and
    forth, and choose the annotations; h lists them. A click on a vehicle inspects it.

    Example:
        >>> own = Script(behavior="seek", wander=0.3)
        >>> watch(["pursuit", own], "evade", game={"arena": "torus"})  # doctest: +SKIP

    Args:
        pursuers: one player or several: names, as in `steer_env.players.controller_of`,
            paths of files, Scripts, behaviors (functions from two Vehicles to a force), or
            policies with stable-baselines3's `predict`.
        evaders: likewise.
        game: a name of the suite, the environments' keywords, see `game_config`, or what that
            returns; None for the default game.
        games: number of games that each pair plays at once, with consecutive seeds.
        seed: seed of the first one.
        episodes: number of rounds, with consecutive seeds; None to go on until the window is
            closed.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        drawing: a `DrawingConfig` or a dict of some of its settings: the size of the window,
            the theme, the annotations; None for the default.
        report: called with each result when it is shown.

    Returns:
        A line about each game that was shown to its end, such as
        "seed 0: pursuit v evade: caught after 4.2 s".

    Raises:
        UsageError, FileNotFoundError: for unknown names or incompatible arguments; messages
            name the nearest match.
        steer_env.rendering.window.NoDisplayError: if there is no display.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    if episodes is not None:
        check_integer("episodes", episodes, 1)
    config = given_game(game)
    settings = drawing_config(drawing, DEFAULT_SIZE)
    named_pursuers = named_players(pursuers, PURSUER, trust)
    named_evaders = named_players(evaders, EVADER, trust)
    check_panels(len(named_pursuers), len(named_evaders), games)
    check_integer("seed", seed, 0, LARGEST_SEED + 1 - games * (episodes or 1))
    check_display()  # before anything is compiled
    lines: list[str] = []

    def keep(line: str) -> None:
        lines.append(line)
        if report is not None:
            report(line)

    with closing(Screening(config, named_pursuers, named_evaders, games, seed)) as screening:
        compile_explanations()  # now, not while the window waits after the first click
        window = Window(settings.size, screening.title)
        WatchApp(window, screening, settings, episodes, keep).run()
    return lines
