"""Hand-written behaviors as policies, and fair measurements of any policy against them.

Example:
    >>> from steer_env.baselines import compare, evaluate
    >>> pursuit = evaluate("pursuit", "evade", episodes=500)
    >>> 0.5 < pursuit.capture_rate.estimate < 0.9
    True
    >>> compare(pursuit, evaluate("seek", "evade", episodes=500)).capture_time.high < 0.0
    True
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the public names: `as` exports them to users' type checkers
    from steer_env.baselines.best_responses import (
        BestResponse as BestResponse,
        best_response as best_response,
    )
    from steer_env.baselines.comparison import (
        Comparison as Comparison,
        compare as compare,
        table_of as table_of,
    )
    from steer_env.baselines.cross_play import (
        crossplay as crossplay,
        equilibrium as equilibrium,
        game_value as game_value,
        ranking as ranking,
    )
    from steer_env.baselines.episodes import Episodes as Episodes
    from steer_env.baselines.exact_responses import (
        ExactResponse as ExactResponse,
        exact_response as exact_response,
    )
    from steer_env.baselines.measures import EPISODE as EPISODE
    from steer_env.baselines.optimality import (
        by_region as by_region,
        gap as gap,
        gap_metrics as gap_metrics,
    )
    from steer_env.baselines.policies import FunctionPolicy as FunctionPolicy, load as load
    from steer_env.baselines.protocol import benchmark as benchmark
    from steer_env.baselines.rollouts import evaluate as evaluate
    from steer_env.baselines.solved_games import balanced_starts as balanced_starts
    from steer_env.baselines.statistics import (
        Interval as Interval,
        interquartile_mean_with_interval as interquartile_mean_with_interval,
        mean_with_interval as mean_with_interval,
        median_with_interval as median_with_interval,
        paired_difference as paired_difference,
        paired_rate_difference as paired_rate_difference,
        probability_of_improvement as probability_of_improvement,
        rate_with_interval as rate_with_interval,
        survival_curve as survival_curve,
    )
    from steer_env.baselines.tasks import TASKS as TASKS, Task as Task
    from steer_env.game.config import make_game as make_game
    from steer_env.players.mixture import MixturePolicy as MixturePolicy
    from steer_env.players.network import NetworkPolicy as NetworkPolicy
    from steer_env.players.random_policy import RandomPolicy as RandomPolicy

if __name__ == "baselines":  # in a checkout it has the names, and no second copy of modules
    __path__ = []

# Imported when first used, so that a command line is parsed at once.
_MODULES = {
    name.name: line.module
    for line in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
    if isinstance(line, ast.ImportFrom) and line.module and line.module.startswith("steer_env.")
    for name in line.names
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
