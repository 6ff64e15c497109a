"""Commands that draw where policies differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from baselines.command_options import PairOptions, Theme
from baselines.pictures import PICTURES
from baselines.rollouts import start_map, trajectory
from steer_env.cli import StatusLine, print_written
from steer_env.files import check_endings
from steer_env.options import GameOptions, TeamGameOptions


def trajectories(
    players: PairOptions,
    game: TeamGameOptions,
    seed: int = 0,
    theme: Theme = "light",
    out: Path = Path("trajectories.png"),
) -> None:
    """Draws one episode of each pair from the same start, side by side.

    Name several pursuers or several evaders.

    Args:
        seed: Seed of the start; the same seed gives the same start to every policy.
        theme: Colors of pictures: on white, or on a dark ground.
        out: Picture to write: .png or .svg.
    """
    from baselines.plots import save_trajectory_plot

    check_endings([out], (".png", ".svg"))
    pairs, config = players.shown(), game.config()
    with StatusLine("playing ..."):
        drawn = [replace(trajectory(*pair, config, seed), names=names) for pair, names in pairs]
        save_trajectory_plot(out, drawn, theme)
    print_written(out)


def starts(
    players: PairOptions,
    game: GameOptions,
    seed: int = 0,
    theme: Theme = "light",
    out: Path = Path("starts.png"),
) -> None:
    """Maps the payoff over the evader's start position, for each pair.

    Name several pursuers or several evaders. It is for one against one, without obstacles.

    Args:
        seed: Seed of the first episode.
        theme: Colors of pictures: on white, or on a dark ground.
        out: Picture to write: .png, .svg or .pdf.
    """
    from baselines import figure_style, plots

    check_endings([out], PICTURES)
    pairs, config = players.shown(), game.config()
    with StatusLine("playing ..."):
        maps = [
            replace(start_map(*pair, config, seed=seed), pursuer=pursuer, evader=evader)
            for pair, (pursuer, evader) in pairs
        ]
        figure_style.save(out, lambda: plots.start_map_figure(maps), theme)
    print_written(out)
