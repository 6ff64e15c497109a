"""The choice of scripts that guide the plans of a search.

A guide is worth what it makes of a maneuver, not what it reaches by itself: the evader's best
plans against `tuned/walls/pursuer` dodge into its turning circle, and then follow a sidestep
that is the worst of all scripts from any start. So each script is tried in a short search,
beside the script that is best alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.plan_search import search
from steer_env.baselines.rollouts import seeds_from
from steer_env.game.config import GameConfig
from steer_env.policies.policy_player import Controller
from steer_env.scripts.script import Script
from steer_env.sides import Side

MOST_GUIDES = 4
_TRIED = 128  # plans of a generation: a block of the engine
_STARTS, _FIRST_START = 16, 400_000  # of the short searches; held-out starts are others
_MOST_ROUNDS = 2


def choose_guides(
    config: GameConfig,
    side: Side,
    opponents: Sequence[Controller],
    scripts: Mapping[str, Script],
    rounds: int = _MOST_ROUNDS,
    num_threads: int | None = None,
) -> list[Script]:
    """The scripts that together make the best plans, at most four.

    Args:
        config: the game.
        side: of the plans.
        opponents: see `Rollouts`.
        scripts: to choose from, by name.
        rounds: of the short searches, at most two.
        num_threads: see `Rollouts`.
    """
    if len(scripts) <= MOST_GUIDES:
        return list(scripts.values())
    seeds = seeds_from(_FIRST_START, _STARTS)
    rounds = min(rounds, _MOST_ROUNDS)

    def scores(guides: Sequence[Script], rounds: int) -> NDArray[np.float64]:
        sizes = _TRIED if rounds else 1, rounds, np.random.default_rng(0), None, num_threads
        return search(config, side, opponents, guides, seeds, *sizes).scores[:, 0]

    alone = {name: scores([script], 0) for name, script in scripts.items()}
    different = {found.tobytes(): name for name, found in reversed(alone.items())}
    first = max(alone, key=lambda name: float(alone[name].mean()))
    reached = {
        name: scores([scripts[first], scripts[name]], rounds)
        for name in reversed(different.values())
        if name != first
    }
    others = complementary(reached, MOST_GUIDES - 1) if reached else []
    return [scripts[name] for name in (first, *others)]


def complementary(scores: Mapping[str, NDArray[np.float64]], most: int) -> list[str]:
    """The players that together do best when the best of them plays from each start.

    They are chosen one after the other, each for what it adds to those before. The scores are
    (S,) of each player.
    """
    chosen: list[str] = []
    reached = np.full(len(next(iter(scores.values()))), -np.inf)
    while len(chosen) < min(most, len(scores)):
        left = [name for name in scores if name not in chosen]
        best = max(left, key=lambda name: np.maximum(reached, scores[name]).mean())
        if chosen and not (scores[best] > reached).any():
            break
        chosen.append(best)
        reached = np.maximum(reached, scores[best])
    return chosen
