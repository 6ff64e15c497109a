"""Known answers to a policy: every script, every pretrained policy, and how the best is chosen.

Whoever chooses the best of many answers by the starts from which it is then measured reports
their luck with it. So answers are chosen from starts of their own; what is measured then, from
held-out starts, is what that one answer really gains, and a valid lower bound of what the best
possible one would.
"""

from __future__ import annotations

from collections.abc import Mapping

from baselines import evaluate
from steer_env.players import Player
from steer_env.policies import pretrained
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER, Side

CHOICE_SEED = 950_000
"""The first of the starts to choose from; trainings choose their best policy on others."""

CHOICE_EPISODES = 2000
"""Against each of the best candidates."""

_SCREENING_EPISODES = 200  # against each candidate
_FINALISTS = 8


def scripts_of(side: Side) -> dict[str, Player]:
    """Every script of the roster that suits a side, by name."""
    names = (name for name, one in ROSTER.items() if one.chases == (side is PURSUER))
    return {name: name for name in names}


def pretrained_of(side: Side) -> dict[str, Player]:
    """Every pretrained policy of a side, by name; runs that have two names, once."""
    files = {
        pretrained.path_of(name): name
        for name in pretrained.names()
        if pretrained.side_of(name) is side
    }
    return {name: name for name in files.values()}


def best_answer(policy: Player, side: Side, candidates: Mapping[str, Player]) -> str:
    """Chooses a side's best answer to a policy: its name among the candidates.

    If there are many, all play from a few starts, and the best of them from many.
    """
    finalists = dict(candidates)
    if len(finalists) > _FINALISTS:
        few = _ranked(policy, side, candidates, _SCREENING_EPISODES)
        finalists = {name: candidates[name] for name in few[:_FINALISTS]}
    if len(finalists) == 1:
        return next(iter(finalists))
    return _ranked(policy, side, finalists, CHOICE_EPISODES)[0]


def choice_time(policy: Player, side: Side, answer: Player) -> float:
    """The mean capture time of a side's answer to a policy, on the starts to choose from."""
    return _mean_time(policy, side, answer, CHOICE_EPISODES)


def gain(side: Side, time: float, reference: float) -> float:
    """How many seconds better a side does with a mean capture time than with another."""
    return reference - time if side is PURSUER else time - reference


def _ranked(
    policy: Player, side: Side, candidates: Mapping[str, Player], episodes: int
) -> list[str]:
    times = {
        name: _mean_time(policy, side, answer, episodes) for name, answer in candidates.items()
    }
    return sorted(times, key=lambda name: gain(side, times[name], 0.0), reverse=True)


def _mean_time(policy: Player, side: Side, answer: Player, episodes: int) -> float:
    found = evaluate(*side.ordered(answer, policy), None, episodes, CHOICE_SEED)
    return float(found["time"].mean())
