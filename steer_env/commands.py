"""The commands of ``steer-env`` that see and play: functions with the help as docstrings."""

from __future__ import annotations

import json as json_format
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import Positional

from steer_env import information
from steer_env.cli import StatusLine, print_written
from steer_env.options import (
    DrawingOptions,
    FileOptions,
    Json,
    PlayerOptions,
    SideName,
    TeamGameOptions,
    ThemeOptions,
    check_nothing_to_play,
    choice,
)


def info(
    topic: Annotated[Positional[str | None], tyro.conf.arg(metavar="ENV|SECTION")] = None,
    json: Json = False,
) -> None:
    """Lists environments, games, opponents and keywords, or explains one environment.

    Args:
        topic: Id of an environment, such as Pursuit-v0, or a section: environments, games,
            opponents, pretrained, keywords, features or annotations; an overview by default.
    """
    found, text = information.about(topic)
    print(json_format.dumps(found, indent=2) if json else text)


def bench(
    games: tuple[int, ...] | None = None, quick: bool = False, json: Json = False
) -> None:
    """Measures steps per second, with CartPole for comparison.

    Args:
        games: Numbers of games played at once; by default 64, 1024, 4096 and 65536.
        quick: Fewer repetitions.
    """
    from steer_env import bench

    with StatusLine(f"measuring, which takes about {'10 s' if quick else 'a minute'} ..."):
        report = bench.measure(games or bench.GAMES, 3 if quick else 15)
    print(json_format.dumps(report, indent=2) if json else bench.table(report))


def watch(
    players: PlayerOptions,
    game: TeamGameOptions,
    drawing: DrawingOptions = DrawingOptions(size="960x720"),
    games: int = 1,
    episodes: int | None = None,
    steer: SideName | None = None,
    save: str | None = None,
) -> None:
    """Watch a game in a window, or play one yourself.

    Every pursuer plays every evader from the same starts, side by side. Keys pause, go back
    and forth, and choose the annotations; h lists them.
    With --steer you play one side with arrow keys or W A S D; a round begins when you first
    steer, or at once with --episodes.

    Args:
        games: Games of each pair at once.
        episodes: Rounds after which the window closes, one after the other.
        steer: Your side, to play one yourself.
        save: With --steer, folder to write each round to, as round-SEED.json, which
            `record --round` draws.
    """
    with StatusLine("showing games in a window; h lists its keys ...") as status:
        from steer_env.watch.watching import watch

        watch(
            *players.sides(),
            game=game.config(),
            games=games,
            seed=players.seed,
            episodes=episodes,
            steer=steer,
            save=save,
            trust=players.trust,
            drawing=drawing.config(),
            report=status.print,
        )


def play(
    game: TeamGameOptions,
    page: ThemeOptions,
    side: Annotated[SideName | None, tyro.conf.arg(name="as")] = None,
    level: Annotated[str, choice(("easy", "normal", "hard", "expert"))] = "easy",
    opponent: str | None = None,
    seed: int | None = None,
    link: str = "",
    html: str | None = None,
) -> None:
    """Play in your browser: catch the evader, or escape.

    You steer the pursuer or the evader with the arrow keys (or W A S D), the mouse or a finger
    against the computer. The page is one file, which needs no network. To play against your own
    function, see `watch --steer`.

    Args:
        side: Your side; by default that of --env, or else the pursuer.
        level: Strength of the opponent.
        opponent: Opponent instead of the level's: a script, a pretrained policy, an .npz
            file, or FILE.py:NAME, a Script in a Python file, which is run.
        seed: Seed of the first round (default: random).
        link: The part after "#" in a link that "Copy link" copies.
        html: Write the page to this file, and open no browser.
    """
    with StatusLine("writing the page ..."):
        from steer_env.browser.page import save_play_page
        from steer_env.players.resolver import object_in_file

        is_in_file = ".py:" in (opponent or "")
        path = Path(html or Path(tempfile.mkdtemp(prefix="steer-env-"), "play.html"))
        save_play_page(
            path,
            theme=page.theme or "auto",
            side=game.side(side).name,
            level=level,
            opponent=object_in_file(str(opponent)) if is_in_file else opponent,
            seed=seed,
            game=game.keywords(),
            link=link,
        )
    if html is not None:
        print_written(html)
    elif webbrowser.open(path.as_uri()):
        print(f"opened {path} in your browser; `play --html FILE` keeps such a page")
    else:
        print(f"found no browser to open: open {path} in one")


def record(
    players: PlayerOptions,
    game: TeamGameOptions,
    files: FileOptions,
    drawing: DrawingOptions = DrawingOptions(size="480"),
    episodes: int = 1,
    ghosts: bool = False,
    labels: tuple[str, ...] = (),
    round_file: Annotated[str | None, tyro.conf.arg(name="round")] = None,
) -> None:
    """Writes games as a GIF, video, picture or page.

    Every pursuer plays every evader from the same starts. Give at least one file; several at
    once are fine. The size is that of one game among those side by side.

    Args:
        episodes: Episodes of each pair, seed after seed.
        ghosts: Draw the games from one start on one board, each in a color.
        labels: Names of the games on one board, for all evaders of the first pursuer, then of
            the next one; by default the players' names.
        round_file: Draw the round in this .json file, which a person played, instead of
            playing; its players, game and seed are its own.
    """
    with StatusLine("preparing the game ...") as status:
        from steer_env.episodes.round_file import read_round
        from steer_env.record.recorder import draw_recording, record

        shown: dict[str, Any] = {
            **vars(files),
            "drawing": drawing.config(),
            "report": status.print,
            "progress": status.show,
        }
        if round_file is not None:
            others = {"episodes": episodes != 1, "ghosts": ghosts, "labels": labels}
            check_nothing_to_play(players, game, **others)
            draw_recording(read_round(round_file), **shown)
            return
        record(
            *players.sides(),
            game=game.config(),
            seed=players.seed,
            episodes=episodes,
            ghosts=ghosts,
            labels=labels or None,
            trust=players.trust,
            **shown,
        )


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command for command in (info, bench, watch, play, record)
}
