"""Plays games and writes files that show them."""

from __future__ import annotations

import base64
import html as html_format
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any

from steer_env.drawing import DrawingConfig
from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.errors import InvalidValue, check_flag, check_integer
from steer_env.game.config import AnyGame
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import own_players, resolve_all
from steer_env.record.writers import presentation_of
from steer_env.rendering.mosaic import check_panels, columns_of_pairs
from steer_env.rendering.recording import Recording
from steer_env.sides import EVADER, PURSUER

MOST_PLACES = 10_000_000  # steps of all episodes times vehicles, of about 150 bytes each
MOST_SHOWN = 5_000_000  # bytes of a file that a notebook shows: it keeps a copy


class Recordings(list[Recording]):
    """The episodes that `record` played, shown in a notebook as one of its ``files``."""

    def __init__(self, episodes: Iterable[Recording], files: Sequence[Path]) -> None:
        super().__init__(episodes)
        self.files = files

    def _repr_html_(self) -> str | None:
        """Returns a file, a video if there is one, as HTML. None if it is gone or too large."""
        path = min(self.files, key=lambda path: [*_AS_HTML].index(path.suffix))
        try:
            content = path.read_bytes()
        except OSError:
            return None
        text = base64.b64encode(content).decode()
        if path.suffix == ".html":
            text = html_format.escape(content.decode("utf-8"))
        return _AS_HTML[path.suffix].format(text) if len(content) <= MOST_SHOWN else None


_AS_HTML = {
    ".mp4": '<video autoplay loop muted controls src="data:video/mp4;base64,{}"></video>',
    ".gif": '<img src="data:image/gif;base64,{}">',
    ".html": '<iframe srcdoc="{}" width="100%" height="600" frameborder="0"></iframe>',
    ".svg": '<img src="data:image/svg+xml;base64,{}">',
    ".png": '<img src="data:image/png;base64,{}">',
}


def record(
    pursuers: AnyPlayer | Sequence[AnyPlayer] | None = None,
    evaders: AnyPlayer | Sequence[AnyPlayer] | None = None,
    *,
    out: str | Path | Sequence[str | Path],
    game: AnyGame = None,
    seed: int = 0,
    episodes: int = 1,
    drawing: DrawingConfig | Mapping[str, Any] | None = None,
    fps: float | None = None,
    seconds: float | None = None,
    moment: float | None = None,
    ghosts: bool = False,
    labels: Sequence[str] | None = None,
    trust: bool = False,
    report: Callable[[str], object] | None = None,
    progress: Callable[[str], object] | None = None,
) -> Recordings:
    """Plays every pursuer against every evader from the same starts, and writes files.

    A .gif or .mp4 shows the games side by side, one episode after the other. A .png or .svg
    shows whole episodes, or one moment of each. An .html file plays all episodes in a browser.

    Example:
        >>> record(["pursuit", "seek"], "evade", seed=3, out="chase.gif")  # doctest: +SKIP

    Args:
        pursuers: one or several: names, as in `steer_env.players.resolver.resolve`, paths
            of files, Scripts, functions from two Vehicles to a force, or policies with
            stable-baselines3's `predict`; None for the game's own.
        evaders: as for pursuers.
        out: the path of a file to write, or a list of several.
        game: a name of the suite, the keywords of `make_game`, or what that returns; None for
            the default game.
        seed: of the first episode.
        episodes: per pair, with consecutive seeds. Their moments times the vehicles may be up
            to ten million.
        drawing: a `DrawingConfig` or a dict of some of its settings: the size of a panel, the
            theme, the annotations; None for the default with 480 x 480 pixels. A page without a
            theme has its reader's.
        fps: frames per second, from 0.1 to 1000, in a GIF to 50; None for 15 in a GIF and 30
            in a video.
        seconds: the longest part of an episode in a GIF or a video; None for all.
        moment: the time that a .png or .svg shows, in seconds; None for whole episodes.
        ghosts: whether the runs from one start share one board; at most 6, not in an .html.
        labels: with ghosts, a name for each run: all evaders of the first pursuer, then of the
            next one; None for the names of the players in which they differ.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        report: called with a line about each episode and each file.
        progress: called with a description of each step.

    Returns:
        The episodes: those of all pairs with the first seed, then with the next one. As the
        value of a notebook's cell they show a file that was written.

    Raises:
        TypeError, ValueError, FileNotFoundError: for unknown names or invalid arguments, before
            anything is played.
        OSError: if a file cannot be written.
        gymnasium.error.DependencyNotInstalled: if a kind of file needs a missing package.
    """
    presentation = presentation_of(out, drawing, fps, seconds, moment)
    report, progress = report or str, progress or str  # which does nothing
    episodes = check_integer("episodes", episodes, 1, MOST_PLACES)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - episodes + 1)
    ghosts = check_flag("ghosts", ghosts)
    config = given_game(game)
    pursuers, evaders = own_players(game, pursuers, evaders)
    sides = resolve_all(pursuers, PURSUER, trust), resolve_all(evaders, EVADER, trust)
    counts = len(sides[0]), len(sides[1])
    check_panels(*counts)
    columns = 1 if ghosts else columns_of_pairs(*counts)
    presentation = presentation._replace(columns=columns, ghosts=ghosts, labels=labels)
    pairs = [*product(*sides)]
    moments = len(pairs) * episodes * (config.horizon + 1)
    places = moments * (config.pursuers + config.evaders)
    if places > MOST_PLACES:
        raise InvalidValue(
            f"the episodes, {len(pairs) * episodes:,} of up to {config.horizon:,} steps, may "
            f"have {moments:,} moments and {places:,} places of vehicles, but the limit is "
            f"{MOST_PLACES:,}; choose a shorter horizon, or fewer vehicles, players or episodes"
        )
    presentation.check(len(pairs), episodes)
    games = [LiveGame(config, *pair) for pair in pairs]
    groups: list[list[Recording]] = []
    for following in range(seed, seed + episodes):
        groups.append([])
        for live in games:
            progress(f"playing seed {following}: {' vs '.join(live.names)}")
            groups[-1].append(record_episode(live, following))
            report(f"seed {following}: {groups[-1][-1].outcome}")
    for live in games:
        live.close()
    presentation.write(groups, report, progress)
    return Recordings(chain(*groups), presentation.paths)
