"""How the learner's actions are carried out: a frozen dataclass, checked when made."""

from __future__ import annotations

from dataclasses import dataclass

from steer_env.bounds import DELAY, NOISE, check_count, check_within


@dataclass(frozen=True, kw_only=True)
class ActionConfig:
    """How exactly and how late the learner's actions are carried out.

    Scripts and policies on the other side act as they decide.

    Attributes:
        noise: standard deviation of the Gaussian noise that is added to both numbers of an
            action before it is cut to the unit disc, from 0 to 1e6; the noise is that of
            `ObservationConfig`.
        delay: after how many steps an action is carried out, from 0 to 1000. Until the first
            one arrives the action is 0: a point mass coasts.
    """

    noise: float = 0.0
    delay: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", check_within(NOISE, "action noise", self.noise))
        object.__setattr__(self, "delay", check_count(DELAY, "action delay", self.delay))

    @property
    def is_standard(self) -> bool:
        """Whether actions are carried out exactly and at once."""
        return not self.delay and self.noise == 0.0
