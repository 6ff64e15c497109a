"""Answers to a policy: known players, and networks that are trained to beat it.

A choice of the best answer is biased by the starts that it is made from. So answers are
chosen from other starts than they are measured from: then the measured gain is a valid lower
bound of that of the best possible answer.

A single training says little about how exploitable a policy is. So several are trained, half
of them new networks and half going on from the best known answer, and their budgets double
until a doubling moves the bound of none of them by more than a tolerance, or the largest
budget is spent. `tests/by_hand/calibrate_exploiters.py` measures how much of a known best
answer they find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.training.training import RunFolder, Training
from baselines import evaluate
from baselines.evaluation import Payoff
from steer_env.game.config import AnyGame
from steer_env.policies import pretrained
from steer_env.policies.players import Player
from steer_env.scenarios.registry import suite_game
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, name_of_script
from steer_env.scripts.script import LOOKAHEADS, PREDICTORS, Script
from steer_env.sides import EVADER, PURSUER, Side

CHOICE_SEED = 950_000  # the first of the starts to choose from
CHOICE_EPISODES = 1000  # against each of the best candidates
_SCREENING_EPISODES = 200  # against each candidate
_FINALISTS = 4  # of all candidates, and of the scripts among them

Train = Callable[[Training, RunFolder], None]
"""Trains a run in its folder to its end, also after a crash."""

NEW = "a new network"  # the start of an exploiter that begins with nothing


class Best(NamedTuple):
    """The names of the best answer to a policy and of the best script among them."""

    answer: str
    script: str | None


def scripts_of(side: Side) -> dict[str, Script]:
    """Every script that suits a side, by name.

    These are the roster's, and the textbook behavior at full force with every lookahead law and
    every predictor.
    """
    roster = [
        one for one in ROSTER.values() if one.chases == (side is PURSUER) and not one.is_optimal
    ]
    textbook = ROSTER[f"{side.default_script}{AT_FULL_FORCE}"]
    laws = [
        replace(textbook, lookahead=lookahead, predictor=predictor, description="")
        for lookahead, predictor in product(LOOKAHEADS, PREDICTORS)
    ]
    known = [replace(one, description="") for one in roster]
    return {name_of_script(one): one for one in [*roster, *(x for x in laws if x not in known)]}


def pretrained_of(side: Side, game: str) -> dict[str, Player]:
    """Every pretrained policy of a side of a game, by name."""
    return {name: name for name in pretrained.runs_of(suite_game(game), side)}


def perfect_of(side: Side, game: str) -> dict[str, Player]:
    """The perfect player of a side of a solved game, by name.

    Against imperfect opponents another answer may get more.
    """
    found = suite_game(game)
    # The script in `opponents` plays against a learner of the key.
    return {name: name for name in [found.opponents[side.other]] if found.is_solved}


def best_answer(
    policy: Player, side: Side, candidates: Mapping[str, Player], game: AnyGame
) -> Best:
    """Chooses a side's best answer to a policy from the candidates, and the best script.

    If there are many, all play from a few starts, and the best of them from many.
    """
    names = list(candidates)
    scripts = [
        name
        for name, one in candidates.items()
        if isinstance(one, Script) or (isinstance(one, str) and one in ROSTER)
    ]
    if len(names) > 2 * _FINALISTS:
        names = _ranked(policy, side, candidates, _SCREENING_EPISODES, game)
        best_scripts = [name for name in names if name in scripts][:_FINALISTS]
        names = [*dict.fromkeys((*names[:_FINALISTS], *best_scripts))]
    if len(names) > 1:
        finalists = {name: candidates[name] for name in names}
        names = _ranked(policy, side, finalists, CHOICE_EPISODES, game)
    return Best(names[0], next((name for name in names if name in scripts), None))


def _ranked(
    policy: Player, side: Side, candidates: Mapping[str, Player], episodes: int, game: AnyGame
) -> list[str]:
    def payoff(name: str) -> float:
        return choice_payoff(policy, side, candidates[name], game, episodes)

    return sorted(candidates, key=payoff, reverse=side is EVADER)


def choice_payoff(
    policy: Player, side: Side, answer: Player, game: AnyGame, episodes: int | None = None
) -> float:
    """The mean payoff of a side's answer to a policy, on the starts to choose from."""
    pair, count = side.ordered(answer, policy), episodes or CHOICE_EPISODES
    return float(evaluate(*pair, game, count, CHOICE_SEED).payoffs.mean())


@dataclass(frozen=True)
class Exploiter:
    """One training for the best answer to a policy."""

    number: int  # from 1
    start: str  # "a new network", or the name of the generation that it went on from
    steps: tuple[int, ...]  # of training, at each of its measurements
    payoffs: tuple[float, ...]  # means of the best of its policies so far, at each measurement
    policy: Path  # the file of the best one

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"exploiter {self.number}, from {self.start}"

    def to_dict(self, payoff: Payoff) -> dict[str, Any]:
        """The values for JSON, without the path."""
        return {
            "number": self.number,
            "start": self.start,
            "steps": self.steps,
            f"{payoff.name}s": self.payoffs,
        }


@dataclass(frozen=True)
class Exploiters:
    """All trainings for the best answer to a policy, each with the same number of steps.

    It has settled if the last doubling moved none of them by more than the tolerance.
    """

    exploiters: tuple[Exploiter, ...]
    has_settled: bool


def train_exploiters(
    plan: SelfPlay, folder: SelfPlayFolder, target: str, side: Side, train: Train
) -> Exploiters:
    """Trains the answers to one of the `TARGETS` of a side until they have settled."""
    policy, other = folder.policy(target, side), side.other
    sign = -1.0 if other is PURSUER else 1.0  # a pursuer gains from less
    names: list[str] = [NEW] * plan.exploiters
    starts: list[Path | None] = [None] * plan.exploiters
    if plan.exploiters > 1:
        numbers = range(1, plan.generations + 1)
        runs = {f"generation {n}": folder.generation(n, other) for n in numbers}
        policies = {name: run.last_policy for name, run in runs.items()}
        best = best_answer(policy, other, policies, plan.game).answer
        names[1::2] = [best] * (plan.exploiters // 2)
        starts[1::2] = [runs[best].last_model] * (plan.exploiters // 2)
    found = [Exploiter(number, name, (), (), policy) for number, name in enumerate(names, 1)]
    for part, steps in enumerate(plan.budgets):
        for number, one in enumerate(found):
            run = folder.exploiter(target, side, number, part)
            start = starts[number]
            if part > 0:  # its best model, since a bound is never lost
                start = folder.exploiter(target, side, number, part - 1).model
            train(plan.exploiter(side, str(policy), number, part, start), run)
            payoff = choice_payoff(policy, other, run.policy, plan.game)
            answer = run.policy
            if one.steps and sign * (payoff - one.payoffs[-1]) < 0.0:
                payoff, answer = one.payoffs[-1], one.policy
            found[number] = replace(
                one, steps=(*one.steps, steps), payoffs=(*one.payoffs, payoff), policy=answer
            )
        if part > 0:
            gains = [sign * (one.payoffs[-1] - one.payoffs[-2]) for one in found]
            if max(gains) <= plan.tolerance:
                return Exploiters(tuple(found), has_settled=True)
    return Exploiters(tuple(found), has_settled=False)
