"""The commands of ``steer-env``: one function each; its docstring is the help.

What a command needs is imported when it runs, so that the help and `info` stay fast.
"""

from __future__ import annotations

import json as json_format
from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Any

from tyro.conf import Positional

from steer_env import information
from steer_env.command_line import StatusLine, print_written
from steer_env.command_options import (
    PLAY_DRAWING,
    Drawing,
    DrawingOptions,
    Files,
    ModelOptions,
    Models,
    Players,
    TeamGame,
    check_nothing_for_window,
    check_nothing_to_play,
)
from steer_env.errors import check_path
from steer_env.option_types import (
    Count,
    Flag,
    MaybeCount,
    MaybeCounts,
    MaybeFileName,
    MaybeFolderName,
    MaybeName,
    option,
)
from steer_env.sides import Side


def info(
    section: Annotated[str | None, Positional, option("[SECTION]")] = None,
    json: Flag = False,
    clear_cache: Flag = False,
) -> None:
    """Lists environments, games, players and keywords.

    Args:
        section: environments, games, opponents, pretrained, keywords, features or annotations;
            without one, an overview of them.
        json: Print all as one JSON document.
        clear_cache: First remove the compiled code; the next game compiles it again.
    """
    if section is not None:
        information.check_section(section)
    if clear_cache:
        from steer_env.steering import compile_cache

        compile_cache.clear()
    found = information.report()
    if json:
        print(json_format.dumps(found, indent=2))
    elif section is None:
        print(information.overview(found))
    else:
        print(information.section_text(section, found))


def bench(
    games: MaybeCounts = None,
    quick: Flag = False,
    json: Flag = False,
) -> None:
    """Measures the speed beside Gymnasium's CartPole.

    Args:
        games: Numbers of games played at once; by default 64, 1024, 4096 and 65536.
        quick: Repeat less often.
        json: Print one JSON document.
    """
    from steer_env import bench

    with StatusLine(f"measuring, which takes about {'10 s' if quick else 'a minute'} ..."):
        report = bench.measure(games or bench.GAMES, 3 if quick else 15)
    print(json_format.dumps(report, indent=2) if json else bench.table(report))


def watch(
    players: Players,
    game: TeamGame,
    drawing: Drawing = DrawingOptions(size="960x720"),
    games: Count = 1,
    episodes: MaybeCount = None,
) -> None:
    """Shows players against each other in a window.

    Every pursuer plays every evader from the same starts, side by side. Keys pause, go back
    and forth, and choose the annotations; h lists them. Click a vehicle to inspect it.

    Args:
        games: Games of each pair at once.
        episodes: Rounds after which the window closes, one after the other.
    """
    with StatusLine("showing games in a window; h lists its keys ...") as status:
        from steer_env.watch.watching import watch

        watch(
            *players.sides(),
            game=game.config(),
            games=games,
            seed=players.seed,
            episodes=episodes,
            trust=players.trust,
            drawing=drawing.config(),
            report=status.print,
        )


def play(
    game: TeamGame,
    drawing: Drawing = PLAY_DRAWING,
    side: Annotated[str | None, option("SIDE", name="as")] = None,
    level: MaybeName = None,
    opponent: MaybeName = None,
    rounds: MaybeCount = None,
    seed: MaybeCount = None,
    save: MaybeFolderName = None,
    html: MaybeFileName = None,
    sound: Flag = False,
    models: Models = ModelOptions(),
) -> None:
    """Opens a game for a person: catch the evader, or stay free.

    You steer the pursuer or the evader with the arrow keys (or W A S D), the mouse or a gamepad
    against the computer. Press h in the window for all keys. Best times are kept in your data
    folder, or in the folder that the environment variable STEER_ENV_DATA names.

    Args:
        side: Your side, pursuer or evader; by default that of --env, or else the pursuer.
        level: Level: easy, normal, hard or expert. The default is normal.
        opponent: Another opponent than the level's: a script, a pretrained policy, or an .npz
            or .zip file.
        rounds: Begin at once, and end after this many rounds.
        seed: Seed of the first start; random by default.
        save: Folder to write each round to, as round-SEED.json, which `record --round` draws.
        html: Write a page to play on in any browser, without a network, and open no window.
        sound: Play short tones for captures and near misses; the key m does the same.
    """
    side = game.side(side).name
    if html is not None:
        from steer_env.browser.page import save_play_page
        from steer_env.play.levels import DEFAULT_LEVEL

        check_nothing_for_window(drawing, models, rounds, save, sound)
        with StatusLine("writing the page ..."):
            save_play_page(
                html,
                theme=drawing.theme or "auto",
                side=side,
                level=level or DEFAULT_LEVEL,
                opponent=opponent,
                seed=seed,
                game=game.keywords(),
            )
        print_written(html)
        return
    with StatusLine("preparing the game ..."):
        from steer_env.play.app import PlayApp
        from steer_env.play.best_times import BestTimes, default_path
        from steer_env.play.menu import Menu
        from steer_env.play.rounds import Round
        from steer_env.play.sounds import Sounds
        from steer_env.play.visit import Visit
        from steer_env.rendering.window import Window, check_display

        settings = drawing.config()
        folder = None if save is None else check_path("--save", save)
        (chosen,) = (None,) if opponent is None else models.with_normalization([opponent])
        menu = Menu(Side.named(side), game.config(), level, chosen, models.trust)
        check_display()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        Round(menu.challenge, 0).push(0j)  # compiles the loop now rather than in the game
    with closing(BestTimes(default_path())) as best_times:
        visit = Visit(menu, best_times, seed, rounds, folder=folder)
        try:
            window = Window(settings.size, "Pursuit & Evasion")
            PlayApp(window, visit, settings, Sounds(sound)).run()
        finally:
            visit.keep_round()  # that the person has not finished


def record(
    players: Players,
    game: TeamGame,
    files: Files,
    drawing: Drawing = DrawingOptions(size="480"),
    episodes: Count = 1,
    ghosts: Flag = False,
    labels: Annotated[tuple[str, ...], option("LABEL [LABEL ...]")] = (),
    round_file: Annotated[str | None, option("FILE", name="round")] = None,
) -> None:
    """Writes games as a GIF, video, picture or page.

    Every pursuer plays every evader from the same starts. Give at least one file; several at
    once are fine. The size is that of one game among those side by side.

    Args:
        episodes: Episodes of each pair, seed after seed.
        ghosts: Draw the games from one start on one board, each in a color, and end a .gif or
            .mp4 with a card that has the time of each capture.
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
            "page_theme": drawing.theme or "auto",
            "report": status.print,
            "progress": status.show,
        }
        if round_file is not None:
            check_nothing_to_play(players, game, episodes, ghosts, labels)
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
    "info": info,
    "bench": bench,
    "watch": watch,
    "play": play,
    "record": record,
}
