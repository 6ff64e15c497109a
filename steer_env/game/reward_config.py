"""What the learner is rewarded for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steer_env import bounds
from steer_env.bounds import check_within
from steer_env.game.transition import weighted_terms


@dataclass(frozen=True, kw_only=True)
class RewardConfig:
    """Weights of the pursuers' reward terms; the evaders get the negative (zero-sum).

    Attributes:
        capture: for catching all the evaders; each one caught earns its share, once. Weights
            are from 0 to 1e6.
        time: paid over a whole `horizon`, in equal parts each step.
        closing: for the whole way across the arena; potential-based shaping, discount *
            potential after - potential before, with minus the mean distance of free
            evaders to their nearest pursuer, in arena diagonals, as the potential (Ng,
            Harada and Russell 1999). It changes what is learned fast, not what is best.
        discount: of the learner, for the shaping to be exactly neutral; from 0 to 1.
        terms: functions of your own, from a `Transition` to a number: one, or a list of
            functions and of pairs (function, weight), with weights from -1e6 to 1e6 (1). They
            are added to the reward of the learner, pursuer or evader, and to nobody else's;
            kept as a tuple of pairs.
    """

    capture: float = 1.0
    time: float = 1.0
    closing: float = 1.0
    discount: float = 1.0
    terms: Any = ()

    def __post_init__(self) -> None:
        for name, span in bounds.REWARD.items():
            value = check_within(span, f"reward {name}", getattr(self, name))
            object.__setattr__(self, name, value)
        object.__setattr__(self, "terms", weighted_terms(self.terms))
