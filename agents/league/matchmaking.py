"""Matchmaking of a league: which agents play each other, and when one joins the pool.

Each side has a main agent, which learns from matches against the other side's main agent and
against a pool: scripts, frozen copies of the main agent, and exploiters that have been frozen.
An exploiter learns from matches against the other side's main agent alone. Once it wins most of
them, or has had its time, a copy joins the pool, and it starts again as a new network. All
follows Vinyals et al. 2019 (Methods, "Multi-agent learning"); the pool's members are drawn by
prioritized fictitious self-play.

References:
    Vinyals et al. (2019). Grandmaster level in StarCraft II using multi-agent reinforcement
        learning. Nature 575.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.training.validation import priorities
from steer_env.sides import PURSUER, Side

SELF_PLAY_SHARE = 0.35
"""Of a main agent's games, those against the other main agent (Vinyals et al. 2019); the rest
are against the pool."""

WON = 0.7
"""An exploiter is done when it wins this share (Vinyals et al. 2019), see `Exploiter.won`."""

LEAST_TIME, MOST_TIME = 0.5, 1.0
"""An exploiter joins the pool after so many generations: at least, if it wins, and at most. The
ratio is that of Vinyals et al. 2019."""

WINDOW = 50
"""Opponents are weighed by so many of the last episodes against each."""


def _recent() -> deque[float]:
    return deque(maxlen=WINDOW)


class Pool:
    """The members of a side, against which the other side's main agent learns.

    Args:
        scripts: the names of the first members.

    Attributes:
        members: the names of scripts, and the files of networks relative to the league's
            folder, in the order in which they joined. None is ever removed.
    """

    def __init__(self, scripts: Sequence[str]) -> None:
        self.members = list(scripts)
        self._recent = [_recent() for _ in self.members]

    def add(self, member: str) -> None:
        """Adds a member."""
        self.members.append(member)
        self._recent.append(_recent())

    def record(self, numbers: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
        """Notes how episodes against members have ended.

        Args:
            numbers: of the members, (M,).
            shares: of what is worst for a pursuer, (M,), from 0 to 1; see `shares_of_worst`.
        """
        for number, share in zip(numbers.tolist(), shares.tolist()):
            self._recent[number].append(share)

    def shares(self, learner: Side) -> list[float]:
        """The mean share of the worst against each member, of the last `WINDOW` episodes.

        A member that has not been met yet counts as the hardest of the others.

        Args:
            learner: the side that meets them.
        """
        means = [float(np.mean(one)) if one else None for one in self._recent]
        known = [one for one in means if one is not None]
        hardest = (max if learner is PURSUER else min)(known, default=0.5)
        return [hardest if one is None else one for one in means]

    def weights(self, learner: Side, hardness: float) -> tuple[float, ...]:
        """The chance of each member, by prioritized fictitious self-play; see `priorities`."""
        return priorities(self.shares(learner), learner, hardness)


@dataclass
class Exploiter:
    """The progress of an exploiter.

    Attributes:
        side: its own.
        steps: of training since it started.
        joined: how often it has joined the pool and started again.
        recent: how its last episodes ended: shares of what is worst for a pursuer.
    """

    side: Side
    steps: int = 0
    joined: int = 0
    recent: deque[float] = field(default_factory=_recent)

    @property
    def won(self) -> float:
        """The share that it wins of its last episodes, in which a draw is a share of a win.

        A pursuer wins what is left of the time limit at the capture, an evader the time until
        then.
        """
        if not self.recent:
            return 0.0
        worst = float(np.mean(self.recent))
        return 1.0 - worst if self.side is PURSUER else worst

    def is_done(self, generation: int) -> bool:
        """Whether it is to join the pool; a generation has so many steps."""
        has_won = self.won > WON and self.steps >= LEAST_TIME * generation
        return has_won or self.steps >= MOST_TIME * generation

    def start_again(self) -> None:
        """Counts that it has joined the pool."""
        self.steps, self.joined = 0, self.joined + 1
        self.recent.clear()


class League:
    """The state of a league between two updates, apart from its networks.

    Args:
        scripts: of each side, the first members of its pool.

    Attributes:
        steps: of training, of each main agent.
        generations: that are frozen.
        pools: the members of each side.
        exploiters: of each side.
    """

    def __init__(self, scripts: Mapping[Side, Sequence[str]]) -> None:
        self.steps = self.generations = 0
        self.pools = {side: Pool(scripts[side]) for side in Side}
        self.exploiters = {side: Exploiter(side) for side in Side}

    def count(self, steps: int) -> None:
        """Counts steps of training, of each main agent and of each exploiter."""
        self.steps += steps
        for exploiter in self.exploiters.values():
            exploiter.steps += steps

    def record(self, side: Side, shares: Iterable[float]) -> None:
        """Notes how episodes of a side's exploiter have ended."""
        self.exploiters[side].recent.extend(shares)

    def weights(self, side: Side, hardness: float) -> tuple[float, ...]:
        """The chance of each member of the pool that a side's main agent meets."""
        return self.pools[side.other].weights(side, hardness)

    def to_dict(self, hardness: float) -> dict[str, Any]:
        """What matches are made of now, for JSON."""
        return {
            "steps": self.steps,
            "generations": self.generations,
            **{
                f"opponents_of_{side.name}": [
                    {"name": name, "share_of_worst": share, "chance": chance}
                    for name, share, chance in zip(
                        self.pools[side.other].members,
                        self.pools[side.other].shares(side),
                        self.weights(side, hardness),
                    )
                ]
                for side in Side
            },
            **{
                f"{side.name}_exploiter": {"joined": one.joined, "steps": one.steps}
                for side, one in self.exploiters.items()
            },
        }
