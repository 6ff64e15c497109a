"""Known players of a side, and the choice of the best answer among them.

Selecting the best response on the evaluation starts would bias it (winner's curse). So answers
are chosen on other starts: then the measured gain is a valid lower bound of the gain of the
best possible answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from steer_env.baselines.rollouts import evaluate
from steer_env.game.config import AnyGame, Game, make_game
from steer_env.players import pretrained
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.scripts.behaviors import LOOKAHEADS, PREDICTORS
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

CHOICE_SEED = 950_000  # the first of the starts to choose from
CHOICE_EPISODES = 1000  # against each of the best candidates
_SCREENING_EPISODES = 200  # against each candidate
_FINALISTS = 4  # of all candidates, and of the scripts among them


def scripts_of(side: Side) -> dict[str, Script]:
    """The roster's scripts of a side, and its textbook one with every law and predictor."""
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


def pretrained_of(side: Side, game: str) -> dict[str, AnyPlayer]:
    """Every pretrained policy of a side of a game, by name."""
    return {name: name for name in pretrained.runs_of(suite_game(game), side)}


def players_of_game(side: Side, config: Game) -> dict[str, AnyPlayer]:
    """Every script of a side, and its pretrained and perfect players of a game, by name."""
    found: dict[str, AnyPlayer] = {**scripts_of(side)}
    for name, game in GAMES.items():
        if make_game(game=name) == config:
            found |= pretrained_of(side, name)
            if game.is_solved:  # the script in `opponents` plays against a learner of the key
                perfect = game.opponents[side.other]
                found[perfect] = perfect
    return found


def best_answer(
    policy: AnyPlayer, side: Side, candidates: Mapping[str, AnyPlayer], game: AnyGame
) -> tuple[str, str | None]:
    """Chooses the best answer and script. Of many, only the best play from many starts."""
    names, scripts = list(candidates), list[str]()
    for name, one in candidates.items():
        if isinstance(one, Script) or (isinstance(one, str) and one in ROSTER):
            scripts.append(name)
    if len(names) > 2 * _FINALISTS:
        names = _ranked(policy, side, candidates, _SCREENING_EPISODES, game)
        best_scripts = [name for name in names if name in scripts][:_FINALISTS]
        names = [*dict.fromkeys((*names[:_FINALISTS], *best_scripts))]
    if len(names) > 1:
        finalists = {name: candidates[name] for name in names}
        names = _ranked(policy, side, finalists, CHOICE_EPISODES, game)
    return names[0], next((name for name in names if name in scripts), None)


def _ranked(
    policy: AnyPlayer,
    side: Side,
    candidates: Mapping[str, AnyPlayer],
    episodes: int,
    game: AnyGame,
) -> list[str]:
    """The candidates by their mean payoffs on the starts to choose from, the best first."""

    def payoff(name: str) -> float:
        pair = side.ordered(candidates[name], policy)
        return float(evaluate(*pair, game, episodes, CHOICE_SEED).payoffs.mean())

    return sorted(candidates, key=payoff, reverse=side is EVADER)
