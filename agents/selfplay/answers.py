"""Known answers to a policy: scripts, pretrained and perfect play, and how the best is chosen.

Whoever chooses the best of many answers by the starts from which it is then measured reports
their luck with it. So answers are chosen from starts of their own; what is measured then, from
held-out starts, is what that one answer really gains, and a valid lower bound of what the best
possible one would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from baselines import evaluate
from steer_env.game.config import AnyGame
from steer_env.players import Player
from steer_env.policies import pretrained
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, name_of_script
from steer_env.scripts.script import LOOKAHEADS, PREDICTORS, Script
from steer_env.sides import PURSUER, Side
from steer_env.suite import suite_game

CHOICE_SEED = 950_000
"""The first of the starts to choose from; trainings choose their best policy on others."""

CHOICE_EPISODES = 1000
"""Against each of the best candidates."""

_SCREENING_EPISODES = 200  # against each candidate
_FINALISTS = 4  # of all candidates, and of the scripts among them


class Best(NamedTuple):
    """The names of the best answer to a policy, and of the best script, if there is one."""

    answer: str
    script: str | None


def scripts_of(side: Side) -> dict[str, Script]:
    """Every script that suits a side, by name.

    These are those of the roster that play any game, and the side's textbook behavior at full
    force with every lookahead law and every predictor: a line of code that beats a policy
    counts against it, whether or not it has a name.
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
    """The perfect player of a side of a game, by name; none if the game is not solved.

    Nothing does better against a perfect opponent. Against others it gets at least the value,
    and something else may get more.
    """
    found = suite_game(game)
    # The script in `opponents` plays against a learner of the key.
    return {name: name for name in [found.opponents[side.other]] if found.is_solved}


def best_answer(
    policy: Player, side: Side, candidates: Mapping[str, Player], game: AnyGame
) -> Best:
    """Chooses a side's best answer to a policy from the candidates, and the best script.

    If there are many, all play from a few starts, and the best of them from many.

    Args:
        policy: to answer.
        side: of the answer.
        candidates: by name.
        game: that they play, as `evaluate` takes it.
    """
    scripts = [name for name, player in candidates.items() if _is_script(player)]
    names = list(candidates)
    if len(names) > 2 * _FINALISTS:
        names = _ranked(policy, side, candidates, _SCREENING_EPISODES, game)
        best_scripts = [name for name in names if name in scripts][:_FINALISTS]
        names = [*dict.fromkeys((*names[:_FINALISTS], *best_scripts))]
    if len(names) > 1:
        finalists = {name: candidates[name] for name in names}
        names = _ranked(policy, side, finalists, CHOICE_EPISODES, game)
    return Best(names[0], next((name for name in names if name in scripts), None))


def choice_payoff(policy: Player, side: Side, answer: Player, game: AnyGame) -> float:
    """The mean payoff of a side's answer to a policy, on the starts to choose from."""
    return _mean_payoff(policy, side, answer, CHOICE_EPISODES, game)


def gain(side: Side, payoff: float, reference: float) -> float:
    """How much better a side does with a mean payoff than with another, in its unit."""
    return reference - payoff if side is PURSUER else payoff - reference


def _is_script(player: Player) -> bool:
    return isinstance(player, Script) or (isinstance(player, str) and player in ROSTER)


def _ranked(
    policy: Player, side: Side, candidates: Mapping[str, Player], episodes: int, game: AnyGame
) -> list[str]:
    payoffs = {
        name: _mean_payoff(policy, side, answer, episodes, game)
        for name, answer in candidates.items()
    }
    return sorted(payoffs, key=lambda name: gain(side, payoffs[name], 0.0), reverse=True)


def _mean_payoff(
    policy: Player, side: Side, answer: Player, episodes: int, game: AnyGame
) -> float:
    found = evaluate(*side.ordered(answer, policy), game, episodes, CHOICE_SEED)
    return float(found.payoffs.mean())
