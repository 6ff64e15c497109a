"""The search for the best response to one player, start by start.

First a search for whole plans (`plan_search`), then play by search, which begins with
them (`feedback`). Against an opponent that wanders or decides at random, and against
a mixture, there is play by search alone, since plans for a whole game would know its chance in
advance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.evaluation import largest_payoff
from steer_env.baselines.feedback import (
    FeedbackSearch,
    drawing_anew,
    draws_of,
    has_chance,
    tried_at_a_decision,
)
from steer_env.baselines.guides import choose_guides
from steer_env.baselines.known_players import best_answer, perfect_of, pretrained_of, scripts_of
from steer_env.baselines.plan_search import search
from steer_env.baselines.plans import Plans
from steer_env.baselines.response import COPIES, BestResponse, parts_of
from steer_env.baselines.rollouts import evaluate, named, seeds_from
from steer_env.baselines.tasks import BUDGET, HELD_OUT_SEED, MOST_BUDGET, MOST_STARTS
from steer_env.errors import InvalidValue, check_integer, printable
from steer_env.game.config import AnyGame, GameConfig, game_config
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player, controller_of, name_of
from steer_env.policies.policy_player import Controller
from steer_env.policies.random_policy import RandomPolicy
from steer_env.scenarios.registry import GAMES
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, Side

_UNFORESEEN = (
    "{} does not play the same game twice: it remembers what it saw, or draws random numbers "
    "of its own, and a search cannot foresee either"
)
_ROUNDS_OF_PILOT = 16  # of the search, for each of those that choose its guides


def best_response(
    opponent: Player,
    game: AnyGame = None,
    side: str | None = None,
    *,
    starts: int = 100,
    budget: int = BUDGET,
    seed: int = HELD_OUT_SEED,
    known: Sequence[Player] | Mapping[str, Player] | None = None,
    search_seed: int = 0,
    num_threads: int | None = None,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> BestResponse:
    """Searches for the best plans against one player, from each of some starts.

    Args:
        opponent: a player as `evaluate` takes it, but not a random one.
        game: see `evaluate`.
        side: of the plans; None for the other side of that which the opponent is made for.
        starts: their number, at least two, at most 100,000.
        budget: the number of plans that are tried from each start, rounded up to a multiple
            of 128. Ten times as many take ten times as long, and find more. Against chance, a
            512th of it is tried at every decision, but never less than 16.
        seed: of the first start. Those below the default are for training.
        known: the players to compare with the best of, which other starts choose; the scripts
            among them guide the plans. None for every script of the side and its pretrained
            policies of this game.
        search_seed: of the search.
        num_threads: which changes no result; see `evaluate`.
        progress: called with the numbers of starts done, and of all.

    Raises:
        TypeError, ValueError: for the arguments that `evaluate` refuses, a random opponent, one
            that does not play the same game twice, and if no script is among the known players.
    """
    config = given_game(game, "game", "starts")
    own = side_of_response(opponent, side)
    count = check_integer("starts", starts, 2, MOST_STARTS)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    rounds = -(-check_integer("budget", budget, 1, MOST_BUDGET) // COPIES)
    check_integer("search_seed", search_seed, 0)
    players = _known_players(own, config) if known is None else dict(named(known))
    controller = controller_of(opponent, own.other)
    if isinstance(controller, RandomPolicy):  # a replay would show it, but after the search
        raise InvalidValue(_UNFORESEEN.format(name_of(opponent)))
    controllers = {name: controller_of(one, own) for name, one in players.items()}
    scripts = {name: one for name, one in controllers.items() if isinstance(one, Script)}
    if not scripts:
        raise InvalidValue("known: name at least one script, to guide the plans")
    best = best_answer(controller, own, players, config).answer
    pair = own.ordered(players[best], controller)
    known_payoffs = evaluate(*pair, config, count, seed).payoffs
    pilot_rounds = rounds // _ROUNDS_OF_PILOT
    chosen = choose_guides(config, own, [controller], scripts, pilot_rounds, num_threads)
    guides: list[Controller] = [*chosen]
    draws = draws_of(controller)
    if draws > 1 and best not in scripts and not has_chance(controllers[best]):
        guides.append(controllers[best])
    limit = largest_payoff(config) if own is EVADER else None
    tried = tried_at_a_decision(rounds, draws)
    parts: list[Plans] = []
    found_payoffs: list[NDArray[np.float64]] = []
    drawn = drawing_anew(controller, seed)
    for first, size in parts_of(count):
        seeds = seeds_from(seed + first, size)
        random = np.random.default_rng((search_seed, first))
        sizes = config, own, drawn, guides, size
        population = None
        if draws == 1:
            searching = COPIES, rounds, random, limit, num_threads
            population = search(config, own, [controller], guides, seeds, *searching)
        playing = FeedbackSearch(*sizes, tried, draws, limit, random, num_threads, population)
        played, payoffs_of_part = playing.play(seeds)
        parts.append(played)
        found_payoffs.append(payoffs_of_part)
        progress(first + size, count)
    plans = Plans(*(np.concatenate(both) for both in zip(*parts)))
    found = BestResponse(
        name_of(opponent),
        own,
        config,
        seed,
        printable(best),
        known_payoffs,
        np.concatenate(found_payoffs),
        plans,
        (controller, *guides),
        rounds * COPIES,
    )
    always_answers_alike = isinstance(controller, Script | NetworkPolicy | MixturePolicy)
    if not always_answers_alike and (found.replay() != found.payoffs).any():
        raise InvalidValue(_UNFORESEEN.format(found.opponent))
    return found


def side_of_response(opponent: Player, side: str | None) -> Side:
    """The side that plays against an opponent: the given one, or else that it is not made for.

    Raises:
        InvalidValue: if the opponent plays either side, and none is given.
    """
    if side is not None:
        return Side.named(side)
    controller_of(opponent, None, what="opponent")
    fitting = []
    for one in Side:
        try:
            controller_of(opponent, one)
        except InvalidValue:
            continue
        fitting.append(one)
    if len(fitting) != 1:
        raise InvalidValue(
            f"{name_of(opponent)} can play either side; say which side searches, with side="
        )
    return fitting[0].other


def _known_players(side: Side, config: GameConfig) -> dict[str, Player]:
    found: dict[str, Player] = {**scripts_of(side)}
    for name in GAMES:
        if game_config(game=name) == config:
            found |= pretrained_of(side, name) | perfect_of(side, name)
    return found
