"""Hand-written behaviors as policies, and fair measurements of any policy against them.

Example:
    >>> from baselines import compare, evaluate
    >>> pursuit = evaluate("pursuit", "evade", episodes=500)
    >>> 0.5 < pursuit.capture_rate.estimate < 0.9
    True
    >>> compare(pursuit, evaluate("seek", "evade", episodes=500)).capture_time.high < 0.0
    True
"""

from steer_env.interrupts import running_program

# Python imports this before it runs `__main__`, which prints its overview at once, and imports
# what a command needs.
if running_program() != "baselines":
    from baselines.collection import collect
    from baselines.comparison import Comparison, compare
    from baselines.crossplay import CrossPlay, crossplay
    from baselines.datasets import Dataset
    from baselines.evaluation import EPISODE, Evaluation
    from baselines.optimality import OptimalityGap, gap, gaps
    from baselines.paired import (
        paired_difference,
        paired_rate_difference,
        probability_of_improvement,
    )
    from baselines.policies import FunctionPolicy, ScriptedPolicy, load
    from baselines.protocol import benchmark
    from baselines.rollouts import evaluate
    from baselines.scenarios import SCENARIOS, Scenario
    from baselines.solved_games import balanced_starts
    from baselines.statistics import (
        Interval,
        SurvivalCurve,
        interquartile_mean_with_interval,
        mean_with_interval,
        median_with_interval,
        rate_with_interval,
        survival_curve,
    )
    from baselines.training_runs import (
        difference_of_runs,
        improvement_of_runs,
        mean_of_runs,
        median_of_runs,
        rate_difference_of_runs,
        rate_of_failed_runs,
        rate_of_runs,
    )
    from steer_env.game.config import game_config
    from steer_env.policies.mixture import MixturePolicy
    from steer_env.policies.network import NetworkPolicy
    from steer_env.policies.random import RandomPolicy

__all__ = [
    "EPISODE",
    "SCENARIOS",
    "Comparison",
    "CrossPlay",
    "Dataset",
    "Evaluation",
    "FunctionPolicy",
    "Interval",
    "MixturePolicy",
    "NetworkPolicy",
    "OptimalityGap",
    "RandomPolicy",
    "Scenario",
    "ScriptedPolicy",
    "SurvivalCurve",
    "balanced_starts",
    "benchmark",
    "collect",
    "compare",
    "crossplay",
    "difference_of_runs",
    "evaluate",
    "game_config",
    "gap",
    "gaps",
    "improvement_of_runs",
    "interquartile_mean_with_interval",
    "load",
    "mean_of_runs",
    "mean_with_interval",
    "median_of_runs",
    "median_with_interval",
    "paired_difference",
    "paired_rate_difference",
    "probability_of_improvement",
    "rate_difference_of_runs",
    "rate_of_failed_runs",
    "rate_of_runs",
    "rate_with_interval",
    "survival_curve",
]
