"""Shows and plays games in a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.episodes.round_file import write_round
from steer_env.errors import InvalidValue, UsageError, check_integer, check_path, check_text
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import resolve, resolve_all
from steer_env.rendering.mosaic import check_panels
from steer_env.rendering.recording import Recording
from steer_env.rendering.window import Window, check_display
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.watch.app import WatchApp
from steer_env.watch.screen import window_size
from steer_env.watch.screening import Screening, Sides

DEFAULT_SIZE = (960, 720)  # of the window, in pixels


def watch(
    pursuers: AnyPlayer | Sequence[AnyPlayer] = "pursuit",
    evaders: AnyPlayer | Sequence[AnyPlayer] = "evade",
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

    All games begin with the same start and stay at the same moment; h lists the keys.

    Example:
        >>> own = Script(behavior="seek", wander=0.3)
        >>> watch(["pursuit", own], "evade", game={"arena": "torus"})  # doctest: +SKIP

    Args:
        pursuers: one player or several, as for `steer_env.record.record`.
        evaders: as for pursuers.
        game: a name of the suite, the keywords of `make_game`, or what that returns; None for
            the default game.
        games: number of games of each pair, with consecutive seeds.
        seed: seed of the first one.
        episodes: number of rounds; None to go on until the window is closed.
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
    sides = resolve_all(pursuers, PURSUER, trust), resolve_all(evaders, EVADER, trust)
    return _show(config, sides, games, seed, episodes, drawing, report)


def play(
    side: str = "pursuer",
    opponent: AnyPlayer | None = None,
    *,
    game: AnyGame = None,
    seed: int = 0,
    episodes: int | None = None,
    trust: bool = False,
    save: str | Path | None = None,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    report: Callable[[str], object] | None = None,
) -> list[str]:
    """Opens a window in which you steer one vehicle against any opponent.

    Arrow keys and W A S D steer; a round begins when you first steer. The other keys are those
    of `watch`: r plays the same start again, n the next one.

    Example:
        >>> play("evader", lambda me, other: 4 * (other.position - me.position)
        ...      / abs(other.position - me.position))  # doctest: +SKIP

    Args:
        side: your side, "pursuer" or "evader"; it must have one vehicle.
        opponent: any player that `watch` takes; None for the textbook script of its side.
        game: as in `watch`.
        seed: seed of the first start.
        episodes: number of rounds, which begin one after the other; None to wait in each
            until you steer, and at its end for a key.
        trust: as in `watch`.
        save: folder to write each finished round to, as round-SEED.json, which
            `steer_env.episodes.round_file.read_round` reads; None for nowhere.
        drawing: as in `watch`.
        report: called with each result when it is shown.

    Returns:
        A line about each finished round.

    Raises:
        UsageError: also if your side is a team; the rest as in `watch`.
    """
    person = Side.named(check_text("side", side))
    folder = None if save is None else check_path("save", save)
    config = given_game(game)
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, and the game has {config.count(person.name)} "
            f"{person.name}s: give one, or steer the {person.other.name}"
        )
    opponent = person.other.default_script if opponent is None else opponent
    other = resolve(opponent, person.other, trust)
    sides: Sides = person.ordered([Player("you")], [other])
    return _show(config, sides, 1, seed, episodes, drawing, report, folder)


def _show(
    config: Game,
    sides: Sides,
    games: int,
    seed: int,
    episodes: int | None,
    drawing: DrawingConfig | Mapping[str, Any] | None,
    report: Callable[[str], object] | None,
    folder: Path | None = None,
) -> list[str]:
    """Shows games until their window is closed, and returns a line about each that ended."""
    check_panels(len(sides[0]), len(sides[1]), games)
    if episodes is not None:
        check_integer("episodes", episodes, 1, LARGEST_SEED)
    check_integer("seed", seed, 0, LARGEST_SEED + 1 - games * (episodes or 1))
    settings = drawing_config(drawing, DEFAULT_SIZE)
    check_display()  # before anything is played
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    with closing(Screening(config, sides, games, seed)) as screening:
        if screening.steered is not None:
            screening.keeps_going = episodes is not None  # a series goes on by itself
            screening.clock.is_paused = episodes is None

        def keep(line: str) -> None:
            if folder is not None:
                line = f"{line}; {_saved(folder, screening.games[0].recording())}"
            lines.append(line)
            if report is not None:
                report(line)

        size, count = settings.size, len(screening.games)
        if size == DEFAULT_SIZE and count > 1:
            size = window_size(count, screening.columns)
        window = Window(size, screening.title)
        WatchApp(window, screening, settings, episodes, keep).run()
    return lines


def _saved(folder: Path, recording: Recording) -> str:
    """Writes a round to a folder under a new name, and returns the outcome in words."""
    endings = chain([""], (f"-{number}" for number in count(2)))
    paths = (folder / f"round-{recording.seed}{ending}.json" for ending in endings)
    try:
        path = next(path for path in paths if not path.exists())
        write_round(recording, path)
    except (OSError, UsageError) as error:  # no reason to end the game
        return f"it could not be saved: {error}"
    return f"wrote {path}"
