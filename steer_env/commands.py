"""The commands of ``steer-env`` that see and play: functions with the help as docstrings."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import Positional

from steer_env import information
from steer_env.cli import StatusLine, print_result, print_written
from steer_env.options import (
    DrawingOptions,
    Json,
    SideName,
    SideOptions,
    TeamGameOptions,
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
    print_result(found, text, json)


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
    print_result(report, bench.table(report), json)


def watch(
    players: SideOptions,
    game: TeamGameOptions,
    drawing: DrawingOptions = DrawingOptions(size="960x720"),
    seed: int = 0,
    episodes: int | None = None,
    steer: SideName | None = None,
) -> None:
    """Watch a game in a window, or play one yourself.

    Every pursuer plays every evader from the same starts, side by side; without names they are
    the game's own. Keys pause, go back and forth, and choose the annotations; h lists them.
    With --steer you play one side with arrow keys or W A S D; a round begins when you first
    steer, or at once with --episodes.

    Args:
        seed: Seed of the first game.
        episodes: Rounds after which the window closes, one after the other.
        steer: Your side, to play one yourself.
    """
    with StatusLine("showing games in a window; h lists its keys ...") as status:
        from steer_env.watch.watching import watch

        watch(
            *players.in_game(game, steer).sides(),
            game=game.config(),
            seed=seed,
            episodes=episodes,
            steer=steer and game.side(steer).name,
            drawing=drawing.config(),
            report=status.print,
        )


def play(
    game: TeamGameOptions,
    side: Annotated[SideName | None, tyro.conf.arg(name="as")] = None,
    level: Annotated[str, choice(("easy", "normal", "hard", "expert"))] = "easy",
    opponent: str | None = None,
    seed: int | None = None,
    link: str = "",
    out: str | None = None,
) -> None:
    """Play in your browser: catch the evader, or escape.

    You steer the pursuer or the evader with the arrow keys (or W A S D), the mouse or a finger
    against the computer. The page is one file, which needs no network. To play against your own
    function, see `watch --steer`.

    Args:
        side: Your side; by default that of an environment's id, or else the pursuer.
        level: Strength of the opponent.
        opponent: Opponent instead of the level's: a script, a pretrained policy, an .npz
            file, or FILE.py:NAME, a Script in a Python file, which is run.
        seed: Seed of the first round (default: random).
        link: The part after "#" in a link that "Copy link" copies.
        out: Write the page to this file, and open no browser.
    """
    with StatusLine("writing the page ..."):
        from steer_env.browser.page import save_play_page
        from steer_env.players.resolver import object_in_file

        is_in_file = ".py:" in (opponent or "")
        path = Path(out or Path(tempfile.mkdtemp(prefix="steer-env-"), "play.html"))
        save_play_page(
            path,
            side=game.side(side).name,
            level=level,
            opponent=object_in_file(str(opponent)) if is_in_file else opponent,
            seed=seed,
            game=game.keywords(),
            link=link,
        )
    if out is not None:
        print_written(out)
    elif webbrowser.open(path.as_uri()):
        print(f"opened {path} in your browser; `play --out FILE` keeps such a page")
    else:
        print(f"found no browser to open: open {path} in one")


def record(
    players: SideOptions,
    game: TeamGameOptions,
    out: tuple[Path, ...],
    drawing: DrawingOptions = DrawingOptions(size="480"),
    seed: int = 0,
    episodes: int = 1,
    ghosts: bool = False,
    labels: tuple[str, ...] = (),
    fps: float | None = None,
    seconds: float | None = None,
    moment: float | None = None,
) -> None:
    """Writes games as a GIF, video, picture or page.

    Every pursuer plays every evader from the same starts; without names they are the game's
    own. The size is that of one game among those side by side.

    Args:
        out: Files to write: .gif, .mp4 (the games side by side, one episode after the other),
            .png, .svg (whole episodes, a row for each seed), .html (a page that plays all
            episodes in any browser, without a network).
        seed: Seed of the first game.
        episodes: Episodes of each pair, seed after seed.
        ghosts: Draw the games from one start on one board, each in a color.
        labels: Names of the games on one board, for all evaders of the first pursuer, then of
            the next one; by default the players' names.
        fps: Frames a second, by default 15 in a .gif (at most 50), 30 in an .mp4 (at most
            1000).
        seconds: Longest part of an episode in a .gif or .mp4.
        moment: Show the game at this time, in seconds, in a .png or .svg, not whole episodes.
    """
    with StatusLine("preparing the game ...") as status:
        from steer_env.record.recorder import record as draw

        shown: Any = {"out": out, "drawing": drawing.config(), "fps": fps, "seconds": seconds}
        shown |= {"moment": moment, "report": status.print, "progress": status.show}
        shown |= {"game": game.config(), "seed": seed, "episodes": episodes, "ghosts": ghosts}
        draw(*players.in_game(game).sides(), labels=labels or None, **shown)
