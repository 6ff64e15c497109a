"""Shows games on a page, and lets a person steer in one in a window."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

from steer_env.drawing import DrawingConfig, drawing_config
from steer_env.episodes.round_file import write_round
from steer_env.errors import (
    InvalidValue,
    UsageError,
    check_integer,
    check_path,
    check_text,
)
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import resolve_all
from steer_env.record.recorder import record
from steer_env.rendering.html import open_page
from steer_env.rendering.recording import Recording
from steer_env.rendering.window import Window, check_display
from steer_env.sides import Side
from steer_env.watch.app import SteeringApp
from steer_env.watch.session import Session

DEFAULT_SIZE = (960, 720)  # of the window, in pixels


def watch(
    pursuers: AnyPlayer | Sequence[AnyPlayer] = "pursuit",
    evaders: AnyPlayer | Sequence[AnyPlayer] = "evade",
    *,
    game: AnyGame = None,
    seed: int = 0,
    episodes: int | None = None,
    steer: str | None = None,
    save: str | Path | None = None,
    trust: bool = False,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    report: Callable[[str], object] | None = None,
) -> list[str]:
    """Shows games in your browser: every pursuer against every evader, from the same starts.

    The page is that of `steer_env.record.record`: it plays all episodes, side by side, forward
    and back. With ``steer`` you play one vehicle yourself in a window, with arrow keys or W A S
    D, from when you first steer: r plays the same start again, n the next one, h lists keys.

    Example:
        >>> own = Script(behavior="seek", wander=0.3)
        >>> watch(["pursuit", own], "evade", game={"arena": "torus"})  # doctest: +SKIP
        >>> watch(own, steer="evader")  # doctest: +SKIP

    Args:
        pursuers: one player or several, as for `steer_env.record.record`.
        evaders: as for pursuers.
        game: a name of the suite, the keywords of `make_game`, or what that returns; None for
            the default game.
        seed: seed of the first episode.
        episodes: number of episodes of each pair, with consecutive seeds, by default 1; where
            you steer the number of rounds, one after the other, or None to wait in each until
            you steer, and at its end for a key, until the window is closed.
        steer: your side, "pursuer" or "evader", which has one vehicle and no other player; None
            to watch.
        save: with ``steer``, folder to write each finished round to, as round-SEED.json, which
            `steer_env.episodes.round_file.read_round` reads; None for nowhere.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        drawing: a `DrawingConfig`, whose size is the window's, or a dict of some of its
            settings; None for the default. A page without a theme has its reader's.
        report: called with each result, and with the place of the page.

    Returns:
        A line about each game, or round that was played to its end, such as
        "seed 0: pursuit caught evade after 4.2 s".

    Raises:
        UsageError, FileNotFoundError: for unknown names or incompatible arguments.
        steer_env.rendering.window.NoDisplayError: with ``steer``, if there is no display.
        gymnasium.error.DependencyNotInstalled: with ``steer``, without pygame.
    """
    if steer is not None:
        config, players = given_game(game), (pursuers, evaders)
        sides = _sides(config, players, Side.named(check_text("steer", steer)), trust)
        return _steered(config, sides, seed, episodes, save, drawing, report or str)
    if save is not None:
        raise InvalidValue("save writes the rounds that you steer: give steer, too")
    page = Path(tempfile.mkdtemp(prefix="steer-env-"), "chases.html")
    options: dict[str, Any] = {"episodes": 1 if episodes is None else episodes, "trust": trust}
    played = record(
        pursuers, evaders, out=page, game=game, seed=seed, drawing=drawing, **options
    )
    lines = [f"seed {one.seed}: {one.outcome}" for one in played]
    for line in (*lines, open_page(page)) if report else ():
        report(line)
    return lines


def _steered(
    config: Game,
    players: tuple[Player, Player],
    seed: int,
    rounds: int | None,
    save: str | Path | None,
    drawing: DrawingConfig | Mapping[str, Any] | None,
    report: Callable[[str], object],
) -> list[str]:
    """Lets a person play in a window, and returns a line about each round."""
    folder = None if save is None else check_path("save", save)
    if rounds is not None:
        check_integer("episodes", rounds, 1, LARGEST_SEED)
    check_integer("seed", seed, 0, LARGEST_SEED + 1 - (rounds or 1))
    settings = drawing_config(drawing, DEFAULT_SIZE)
    check_display()  # before anything is played
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    # A series goes on by itself.
    with closing(Session(config, players, seed, keeps_going=rounds is not None)) as session:

        def keep(line: str) -> None:
            if folder is not None:
                line = f"{line}; {_saved(folder, session.game.recording())}"
            lines.append(line)
            report(line)

        window = Window(settings.size, session.title)
        SteeringApp(window, session, settings, rounds, keep).run()
    return lines


def _sides(
    config: Game,
    given: tuple[AnyPlayer | Sequence[AnyPlayer], AnyPlayer | Sequence[AnyPlayer]],
    person: Side,
    trust: bool,
) -> tuple[Player, Player]:
    """The players of both sides, of which a person steers one."""
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, and the game has {config.count(person.name)} "
            f"{person.name}s: give one, or steer the {person.other.name}"
        )
    if given[person] not in (person.default_script, [person.default_script]):
        raise InvalidValue(f"you steer the {person.name}: name no other {person.name}")
    others = resolve_all(given[person.other], person.other, trust)
    if len(others) != 1:
        raise InvalidValue(
            f"you steer in one game against one opponent, got {person.other.name}s: "
            f"{len(others)}"
        )
    return person.ordered(Player("you"), others[0])


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
