"""The hand-written behaviors as policies, and a fair measure of any policy against them.

Example:
    >>> from baselines import evaluate
    >>> episodes = evaluate("pursuit", "evade", episodes=100)
    >>> 0.5 < episodes["captured"].mean() < 0.9
    True
"""

from baselines.evaluate import EPISODE, evaluate
from baselines.policies import RandomPolicy, ScriptedPolicy, load
from baselines.statistics import (
    Interval,
    mean_with_interval,
    paired_difference,
    rate_with_interval,
)

__all__ = [
    "EPISODE",
    "Interval",
    "RandomPolicy",
    "ScriptedPolicy",
    "evaluate",
    "load",
    "mean_with_interval",
    "paired_difference",
    "rate_with_interval",
]
