"""Measures a policy while it trains, and weights its opponents by its losses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.tasks import Task
from steer_env.game.config import Game
from steer_env.players.player import AnyPlayer
from steer_env.sides import EVADER, PURSUER, Side

from .training import VALIDATION_SEED

LEAST = 0.05  # the weight of an opponent relative to the hardest one: none is forgotten

Validation: TypeAlias = dict[str, Any]
"""The performance of a policy at one moment of its training, as results.json has it.

It holds the `steps` and `seconds` of training, without the time for measuring, and means over
the opponents for training, with the weights that the training fixes, if any: the share
`captured`, the `capture_time` in seconds, time-outs at the limit, and the `capture_times` by
opponent; in a game about a distance the `distances` by opponent and their mean, the `distance`,
in meters.
"""


@dataclass
class Progress:
    """The history of a training run so far, as a checkpoint holds it."""

    # of training, all attempts together, without measuring, saving and what comes before the
    # first rollout
    seconds: float = 0.0
    # oldest first; the first is of the network as the training began with it
    validations: list[Validation] = field(default_factory=list)
    # steps of the checkpoints from which the run went on after a crash
    resumed_at: list[int] = field(default_factory=list)


def validate(
    policy: AnyPlayer,
    study: Task,
    episodes: int,
    steps: int = 0,
    seconds: float = 0.0,
    weights: Sequence[float] = (),
) -> Validation:
    """Plays a policy against each opponent. By default the weights in the means are equal."""
    played = {
        opponent: study.evaluate(policy, opponent, episodes, VALIDATION_SEED)
        for opponent in study.opponents
    }

    def mean(values: Iterable[float]) -> float:
        return float(np.average([*values], weights=weights or None))

    payoffs = {opponent: float(one.payoffs.mean()) for opponent, one in played.items()}
    found: Validation = {"steps": steps, "seconds": seconds}
    if payoff_of(study.config.payoff) is not CAPTURE_TIME:
        return found | {"distances": payoffs, "distance": mean(payoffs.values())}
    found["captured"] = mean(float(one["captured"].mean()) for one in played.values())
    return found | {"capture_time": mean(payoffs.values()), "capture_times": payoffs}


def validate_references(
    study: Task, episodes: int, weights: Sequence[float] = ()
) -> dict[str, Validation]:
    """Plays the hand-written policies of a study as `validate` plays the one that trains."""
    return {one: validate(one, study, episodes, weights=weights) for one in study.references}


def payoff_in_words(found: Validation, study: Task) -> str:
    """The mean payoff and its unit, such as "capture time 4.20 s"."""
    payoff = payoff_of(study.config.payoff)
    return f"{payoff.words} {found[payoff.name]:.2f} {payoff.unit}"


def best_of(validations: Sequence[Validation], study: Task) -> Validation:
    """Returns the validation with the best mean payoff, of equal ones the last."""
    payoff = payoff_of(study.config.payoff).name
    choose = min if study.side == PURSUER.name else max
    return choose(reversed(validations), key=lambda one: one[payoff])


def priorities(
    payoffs: ArrayLike, config: Game, side: Side, hardness: float
) -> tuple[float, ...]:
    """Weights opponents by the learner's losses against them, from the mean payoffs.

    A pursuer's loss is the payoff as a share of the worst one, from 0 to 1: a capture time is a
    share of the time limit. A distance d has no limit: its share is d / (d + r) with the
    capture radius r, so that half of the worst is to miss by the radius. An evader's loss is
    the rest. The weight is the loss relative to the largest one, to the power of the hardness
    (prioritized fictitious self-play: Vinyals et al. 2019, which uses the rate of losses). With
    a hardness of 0 all weights are equal. They sum to 1.
    """
    found, limit = np.asarray(payoffs, np.float64), largest_payoff(config)
    losses = found / (found + config.capture_radius if limit is None else limit)
    if side is EVADER:
        losses = 1.0 - losses
    largest = losses.max()
    relative = losses / largest if largest > 0.0 else np.ones_like(losses)
    weights = np.maximum(relative**hardness, LEAST)
    return tuple((weights / weights.sum()).tolist())
