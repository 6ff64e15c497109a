"""Shows games in a window, and lets a person steer in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.errors import InvalidValue, check_integer, check_text
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import own_players, resolve_all
from steer_env.rendering.mosaic import check_panels
from steer_env.rendering.window import Window, check_display
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.watch.app import WatchApp
from steer_env.watch.screen import window_size
from steer_env.watch.screening import Screening, Sides

DEFAULT_SIZE = (960, 720)  # of the window, in pixels


def watch(
    pursuers: AnyPlayer | Sequence[AnyPlayer] | None = None,
    evaders: AnyPlayer | Sequence[AnyPlayer] | None = None,
    *,
    game: AnyGame = None,
    seed: int = 0,
    episodes: int | None = None,
    steer: str | None = None,
    trust: bool = False,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    report: Callable[[str], object] | None = None,
) -> list[str]:
    """Shows games in a window, side by side: every pursuer against every evader.

    All games begin with the same start and stay at the same moment; h lists the keys. With
    ``steer`` you play one vehicle yourself, with arrow keys or W A S D, from when you first
    steer: r plays the same start again, n the next one.

    Example:
        >>> own = Script(behavior="seek", wander=0.3)
        >>> watch(["pursuit", own], "evade", game={"arena": "torus"})  # doctest: +SKIP
        >>> watch(own, steer="evader")  # doctest: +SKIP

    Args:
        pursuers: one player or several, as for `steer_env.record.record`.
        evaders: as for pursuers.
        game: a name of the suite, the keywords of `make_game`, or what that returns; None for
            the default game.
        seed: seed of the first game.
        episodes: number of rounds, one after the other; None to go on until the window is
            closed, and where you steer to wait in each until you do, and at its end for a key.
        steer: your side, "pursuer" or "evader", which has one vehicle and no other player; None
            to watch.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        drawing: a `DrawingConfig`, whose size is the window's, or a dict of some of its
            settings; None for the default.
        report: called with each result when it is shown.

    Returns:
        A line about each game that was shown to its end, such as
        "seed 0: pursuit caught evade after 4.2 s".

    Raises:
        UsageError, FileNotFoundError: for unknown names or incompatible arguments.
        steer_env.rendering.window.NoDisplayError: if there is no display.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    config = given_game(game)
    sides = _sides(config, game, (pursuers, evaders), steer, trust)
    pursuing, evading = map(len, sides)
    check_panels(pursuing, evading)
    if steer is not None and (pursuing, evading) != (1, 1):
        raise InvalidValue(
            "you steer in one game against one opponent, got "
            f"pursuers: {pursuing}, evaders: {evading}"
        )
    if episodes is not None:
        check_integer("episodes", episodes, 1, LARGEST_SEED)
    check_integer("seed", seed, 0, LARGEST_SEED + 1 - (episodes or 1))
    settings = drawing_config(drawing, DEFAULT_SIZE)
    check_display()  # before anything is played
    lines: list[str] = []
    with closing(Screening(config, sides, seed)) as screening:
        if steer is not None:
            screening.keeps_going = episodes is not None  # a series goes on by itself
            screening.clock.is_paused = episodes is None

        def keep(line: str) -> None:
            lines.append(line)
            if report is not None:
                report(line)

        size, count = settings.size, len(screening.games)
        if size == DEFAULT_SIZE and count > 1:
            size = window_size(count, screening.columns)
        window = Window(size, screening.title)
        WatchApp(window, screening, settings, episodes, keep).run()
    return lines


def _sides(
    config: Game,
    game: AnyGame,
    named: tuple[AnyPlayer | Sequence[AnyPlayer] | None, ...],
    steer: str | None,
    trust: bool,
) -> Sides:
    """The players of both sides, of which a person may steer one."""
    given = own_players(game, *named)
    if steer is None:
        pursuers, evaders = given
        return resolve_all(pursuers, PURSUER, trust), resolve_all(evaders, EVADER, trust)
    person = Side.named(check_text("steer", steer))
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, and the game has {config.count(person.name)} "
            f"{person.name}s: give one, or steer the {person.other.name}"
        )
    if named[person]:
        raise InvalidValue(f"you steer the {person.name}: name no other {person.name}")
    others = resolve_all(given[person.other], person.other, trust)
    return person.ordered([Player("you")], others)
