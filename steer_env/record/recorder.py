"""Recording from Python: who plays, and which files show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from steer_env.drawing import THEMES, DrawingConfig, drawing_config
from steer_env.envs.keywords import given_game
from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.episodes.players import NamedPlayer, Player, named_players
from steer_env.episodes.recording import Recording
from steer_env.errors import InvalidValue, check_choice, check_integer, check_number
from steer_env.files import replacing
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.game.state import EVADER, PURSUER
from steer_env.record.files import check_files, size_text
from steer_env.record.writers import LARGEST_SIDE, Look, check_needs, write
from steer_env.rendering.mosaic import check_panels, square_columns
from steer_env.rendering.video import LEAST_FPS

DEFAULT_SIDE = 480
"""Of a panel, in pixels."""

_MOST_FPS = 1000.0
_IN_A_ROW = 4  # panels of one side's players


def record(
    pursuers: Player | Sequence[Player] = "pursuit",
    evaders: Player | Sequence[Player] = "evade",
    *,
    game: GameConfig | Mapping[str, Any] | None = None,
    seed: int = 0,
    episodes: int = 1,
    gif: str | Path | None = None,
    mp4: str | Path | None = None,
    png: str | Path | None = None,
    svg: str | Path | None = None,
    html: str | Path | None = None,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    fps: float | None = None,
    seconds: float | None = None,
    moment: float | None = None,
    trust: bool = False,
    page_theme: str | None = None,
    report: Callable[[str], object] | None = None,
    progress: Callable[[str], object] | None = None,
) -> list[Recording]:
    """Plays every pursuer against every evader from the same starts, and writes it to files.

    A .gif or .mp4 shows the games side by side, one episode after the other; a .png or .svg
    whole episodes, one below the other, or one moment of them; an .html file plays all of them
    in a browser. Existing files are replaced, and only by complete ones.

    Example:
        >>> record(["pursuit", "seek"], "evade", seed=3, gif="chase.gif")  # doctest: +SKIP

    Args:
        pursuers: one or several: names, as in `steer_env.episodes.players.load_player`, paths
            of files, Scripts, behaviors of your own (functions from two Vehicles to a force),
            or policies with stable-baselines3's `predict`.
        evaders: likewise.
        game: the environments' keywords, see `game_config`, or what it returns; None for the
            usual game.
        seed: of the first episode.
        episodes: how many each pair plays, of seeds one after the other.
        gif: the path of a file to write, or None; at least one is needed.
        mp4: likewise.
        png: likewise.
        svg: likewise.
        html: likewise.
        drawing: a `DrawingConfig` or a dict of some of its settings: the size of a panel, the
            theme, the annotations; None for the usual, 480 pixels a side.
        fps: frames a second, from 0.1 to 1000; None for 15 in a GIF and 30 in a video. A GIF
            has at most 50.
        seconds: the most of an episode that a GIF or a video shows; None for all.
        moment: what a .png or .svg shows, in seconds after the start; None for whole episodes.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        page_theme: of the .html file: "light", "dark", or "auto" for what its reader prefers;
            None for that of the drawing, if it is said.
        report: is told a line about each episode and each file.
        progress: is told again and again how far the work has come.

    Returns:
        The episodes: of the first seed those of all pairs, then of the next seed.

    Raises:
        TypeError, ValueError, FileNotFoundError: for what there is not, or what does not fit;
            names are told with the nearest match. Nothing has been written then.
        OSError: if a file cannot be written.
        gymnasium.error.DependencyNotInstalled: without what a kind of file needs.
    """
    files = {"gif": gif, "mp4": mp4, "png": png, "svg": svg, "html": html}
    paths = {kind: Path(path) for kind, path in files.items() if path is not None}
    check_files(paths)
    for name, value, kinds in (
        ("moment", moment, ("png", "svg")),
        ("seconds", seconds, ("gif", "mp4")),
        ("fps", fps, ("gif", "mp4")),
    ):
        if value is not None and not paths.keys() & set(kinds):
            raise InvalidValue(
                f"{name} is about {' and '.join(kinds)} files, and none is asked for"
            )
    check_needs(paths)
    episodes = check_integer("episodes", episodes, 1)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - episodes + 1)
    tell = report if report is not None else _nobody
    hint = progress if progress is not None else _nobody
    config = given_game(game)
    settings = drawing_config(drawing, (DEFAULT_SIDE, DEFAULT_SIDE))
    if page_theme is not None:
        check_choice("page_theme", page_theme, ("auto", *THEMES))
    if page_theme is None:
        is_said = isinstance(drawing, DrawingConfig) or "theme" in (drawing or {})
        page_theme = settings.theme if is_said else "auto"
    sides = named_players(pursuers, PURSUER, trust), named_players(evaders, EVADER, trust)
    look = Look(
        drawing=settings,
        columns=_columns(*map(len, sides)),
        fps=None if fps is None else check_number("fps", fps, LEAST_FPS, _MOST_FPS),
        seconds=None if seconds is None else check_number("seconds", seconds, 0.0, above=True),
        moment=None if moment is None else check_number("moment", moment, 0.0),
        page_theme=page_theme,
    )
    check_panels(*map(len, sides))
    _check_size(look, paths, len(sides[0]) * len(sides[1]), episodes)
    scenes = _play(config, *sides, range(seed, seed + episodes), tell, hint)
    for kind, path in paths.items():
        with replacing(path) as beside:
            write(kind, beside, scenes, look, hint)
        tell(f"{path}: {size_text(path)}")
    return [recording for scene in scenes for recording in scene]


def _nobody(_: str) -> None:
    """Who is told, but does not listen."""


def _columns(pursuers: int, evaders: int) -> int:
    """In which a scene's panels stand: the evaders, if there are several of both."""
    if min(pursuers, evaders) > 1:
        return evaders
    count = pursuers * evaders
    return count if count <= _IN_A_ROW else square_columns(count)


def _check_size(look: Look, paths: Mapping[str, Path], pairs: int, episodes: int) -> None:
    """Raises a ValueError if a picture would be too large."""
    if not paths.keys() - {"html"}:
        return
    columns, rows = look.columns, -(-pairs // look.columns)
    if episodes > 1 and {"png", "svg"} & paths.keys():
        columns, rows = pairs, max(episodes, rows)
    width, height = columns * look.drawing.size[0], rows * look.drawing.size[1]
    if max(width, height) > LARGEST_SIDE:
        raise InvalidValue(
            f"{columns} x {rows} panels of {look.drawing.size[0]} x {look.drawing.size[1]} "
            f"pixels make a picture of {width} x {height}, but the most is {LARGEST_SIDE} a "
            "side; choose a smaller size, or fewer players or episodes"
        )


def _play(
    config: GameConfig,
    pursuers: Sequence[NamedPlayer],
    evaders: Sequence[NamedPlayer],
    seeds: Sequence[int],
    tell: Callable[[str], object],
    hint: Callable[[str], object],
) -> list[list[Recording]]:
    """The recordings of each seed: every pursuer against every evader."""
    duels = [
        Duel(config, pursuer.controller, evader.controller, (pursuer.name, evader.name))
        for pursuer in pursuers
        for evader in evaders
    ]
    scenes = []
    for seed in seeds:
        scene = []
        for duel in duels:
            names = " v ".join(duel.names)
            hint(f"playing seed {seed}: {names}")
            scene.append(record_episode(duel, seed))
            tell(f"seed {seed}: {names}: {scene[-1].result}")
        scenes.append(scene)
    for duel in duels:
        duel.close()
    return scenes
