"""What a training run shows people: a table, a plot and a GIF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.table import Table

import steer_env  # noqa: F401  (registers the environments)
from baselines import Evaluation, paired_difference
from baselines.tables import percent
from steer_env.rendering.gif import save_gif


def comparison_table(env: str, episodes: Mapping[str, Evaluation]) -> Table:
    """Capture rate and capture time of each policy, and the paired difference in time.

    Args:
        env: the environment's id, for the title.
        episodes: name to evaluation; the others are compared with the first.
    """
    names = list(episodes)
    table = Table(
        title=f"{env}, {len(episodes[names[0]]):,} paired episodes, 95 % intervals",
        caption="A time-out counts as the time limit.",
    )
    table.add_column("policy")
    table.add_column("captured", justify="right")
    table.add_column("capture time [s]", justify="right")
    for name, evaluation in episodes.items():
        time = evaluation.mean_capture_time
        table.add_row(name, percent(evaluation.capture_rate), f"{time:.2f}")
    for name in names[1:]:
        gap = paired_difference(episodes[names[0]]["time"], episodes[name]["time"])
        table.add_section()
        table.add_row(f"{names[0]} - {name}", "", f"{gap:+.2f}")
    return table


def save_comparison_plot(
    path: Path,
    curve: Sequence[tuple[float, int, float, float]],
    episodes: Mapping[str, Evaluation],
) -> None:
    """Draws success over training time, and the share still free over the time of a chase.

    Args:
        path: of the picture.
        curve: (seconds of training, steps, success rate, mean length), oldest first.
        episodes: name to evaluation.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (learning, survival) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    if curve:
        learning.plot([point[0] for point in curve], [point[2] for point in curve], "C1")
    learning.set(
        xlabel="training time [s]",
        ylabel="success in the last 100 episodes",
        ylim=(-0.02, 1.02),
        title="Learning",
    )
    for (name, evaluation), color in zip(episodes.items(), ("C1", "C0", "C2", "C3")):
        curve_of_free = evaluation.survival
        survival.step(curve_of_free.times, curve_of_free.share, color, where="post", label=name)
    survival.set(
        xlabel="time of the chase [s]",
        ylabel="share of evaders still free",
        ylim=(-0.02, 1.02),
        title="The chase",
    )
    survival.legend()
    for axes in (learning, survival):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def save_episode_gif(path: Path, env_id: str, policy: Any, seed: int = 1_000_000) -> None:
    """Plays one episode and saves every other frame, so at half the rate, as a GIF.

    Args:
        path: of the GIF.
        env_id: the environment.
        policy: anything with `predict`.
        seed: of the start.
    """
    env = gym.make(env_id, render_mode="rgb_array")
    observation, _ = env.reset(seed=seed)
    frames, over, state = [env.render()], False, None
    while not over:
        action, state = policy.predict(observation, state=state, deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        frames.append(env.render())
        over = terminated or truncated
    fps = env.metadata["render_fps"]
    env.close()
    still = [frames[-1]] * fps  # a second to see the end
    save_gif(path, [*frames[::2], *still[::2]], fps / 2)
