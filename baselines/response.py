"""The best response to one player that a search finds, start by start.

First a search for whole plans (`baselines.plan_search`), then play by search, which begins with
them (`baselines.feedback`). What was played can be replayed, bit for bit, and its gain over the
best known player is a lower bound of the opponent's exploitability. Against an opponent that
wanders or decides at random, and against a mixture, there is play by search alone, since plans
for a whole game would know its chance in advance.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from baselines.evaluation import Payoff, fields_of_game, largest_payoff, payoff_of
from baselines.feedback import (
    FeedbackSearch,
    drawing_anew,
    draws_of,
    has_chance,
    tried_at_a_decision,
)
from baselines.guides import choose_guides
from baselines.known_players import perfect_of, pretrained_of, scripts_of
from baselines.plan_search import search
from baselines.plans import Plans, Rollouts
from baselines.rollouts import evaluate, named
from baselines.scenarios import HELD_OUT_SEED, MOST_BUDGET, MOST_STARTS
from baselines.statistics import Interval, jsonable, mean_with_interval
from baselines.tables import Table, Tabled
from steer_env.errors import InvalidValue, check_integer, check_path, printable
from steer_env.game.config import AnyGame, GameConfig, game_config
from steer_env.game.config.keywords import given_game, plain
from steer_env.game.engine import LARGEST_SEED
from steer_env.policies.archive import json_in, read_archive, refusing_damage, write_archive
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player, controller_of, name_of
from steer_env.policies.policy_player import Controller
from steer_env.scenarios.registry import GAMES
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, Side

BUDGET = 8192
"""The default number of plans that are tried from each start."""

_COPIES = 128  # plans of a generation: a block of the engine
_ROUNDS_OF_PILOT = 16  # of the search, for each of those that choose its guides
_AT_ONCE = 64  # starts that are searched together

_FORMAT = "steer_env plans 1"
_UNWRITTEN = (
    "a file cannot hold functions and policies, only scripts, and names and paths of networks: "
    "{} is none of these"
)
_MAX_BYTES = 2**30
_DTYPES = tuple(map(np.dtype, (np.float32, np.float64, np.int8)))


@dataclass(frozen=True, eq=False)
class BestResponse(Tabled):
    """Plans against one player, beside the best known player from the same starts.

    Attributes:
        opponent: the name of the player that they answer.
        side: of the plans.
        config: the game.
        seed: of the first start.
        known: the name of the best known player of the side.
        known_payoffs: (S,), its payoff from each start.
        payoffs: (S,), those of the plans.
        plans: one for each start, actions (S, pieces, players, 2).
        players: the opponent, and then the guides.
        budget: the number of plans for each start; against chance, a few at every decision.
        source: the name or path that the opponent was loaded by, None for an object.
        version: of the steer_env that searched.
    """

    opponent: str
    side: Side
    config: GameConfig
    seed: int
    known: str
    known_payoffs: NDArray[np.float64]
    payoffs: NDArray[np.float64]
    plans: Plans
    players: tuple[Controller, ...]
    budget: int
    source: str | None = None
    version: str = steer_env.__version__

    @property
    def payoff(self) -> Payoff:
        """The capture time, or in some games a distance."""
        return payoff_of(self.config.payoff)

    @property
    def gains(self) -> NDArray[np.float64]:
        """The gain of the plan from each start, (S,), in seconds or meters.

        It is less than 0 where a network is the best known player, and no script comes near.
        """
        gains: NDArray[np.float64] = self.payoffs - self.known_payoffs
        return gains if self.side is EVADER else -gains

    @cached_property
    def gain(self) -> Interval:
        """The mean gain over the best known player, paired by start."""
        return mean_with_interval(self.gains)

    def replay(self) -> NDArray[np.float64]:
        """Plays the plans once more, and returns the payoffs, (S,): the same bits."""
        opponent, *guides = self.players
        opponent, payoffs = drawing_anew(opponent, self.seed), []
        for first, size in _parts(len(self.payoffs)):
            rollouts = Rollouts(self.config, self.side, [opponent], guides, size)
            rollouts.begin(_seeds(self.seed + first, size))
            with_copies = self.plans.at(np.index_exp[first : first + size, None])
            payoffs.append(rollouts.play(with_copies.piece).payoffs[:, 0])
        return np.concatenate(payoffs)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON, without the plans."""
        payoff, limit = self.payoff, largest_payoff(self.config)
        numbers = {
            f"known_{payoff.mean}": mean_with_interval(self.known_payoffs, limit=limit),
            payoff.mean: mean_with_interval(self.payoffs, limit=limit),
            "gain": self.gain,
        }
        return {
            "version": self.version,
            "opponent": self.opponent,
            "side": self.side.name,
            "known": self.known,
            "starts": len(self.payoffs),
            "first_seed": self.seed,
            "budget": self.budget,
            **jsonable(numbers),
            "better": int((self.gains > 0.0).sum()),
            "has_chance": has_chance(self.players[0]),
        }

    def table(self) -> Table:
        """A row for the best known player, one for the plans, and one for the gain."""
        payoff, limit = self.payoff, largest_payoff(self.config)
        rows = [
            (name, f"{mean_with_interval(payoffs, limit=limit):.2f}")
            for name, payoffs in ((self.known, self.known_payoffs), ("search", self.payoffs))
        ]
        rows.append(("gain of search", f"{self.gain:.2f}"))
        better, count = int((self.gains > 0.0).sum()), len(self.gains)
        caption = f"Search is better from {better} of {count} starts."
        tried = tried_at_a_decision(self.budget // _COPIES, draws := draws_of(self.players[0]))
        if draws > 1:
            caption += (
                f" At every decision it tries {tried} plans over {draws} draws of chance, "
                "which it does not know in advance."
            )
        else:
            caption += (
                f" It tries {self.budget:,} plans from each start, and then {tried} more at "
                "every decision."
            )
        return Table(
            f"{self.side.name.capitalize()}s against {self.opponent} from {count:,} starts, "
            "95 % intervals",
            ("player", f"{payoff.words} [{payoff.unit}]"),
            rows,
            caption,
        )

    def save(self, path: str | Path) -> None:
        """Writes the plans and their payoffs to an .npz file for `load`.

        Raises:
            OSError: if the file cannot be written.
            InvalidValue: if the opponent is an object or a function, which a file cannot hold.
        """
        opponent, *guides = self.players
        written = [_written(opponent, self.source), *(_written(one, None) for one in guides)]
        if None in written:
            raise InvalidValue(_UNWRITTEN.format(f"{self.opponent} or a guide"))
        about = {
            "format": _FORMAT,
            "version": self.version,
            "opponent": self.opponent,
            "side": self.side.name,
            "config": fields_of_game(self.config),
            "seed": self.seed,
            "known": self.known,
            "budget": self.budget,
            "players": written,
        }
        arrays = {
            "about": np.array(json.dumps(about)),
            "known_payoffs": self.known_payoffs,
            "payoffs": self.payoffs,
            "actions": self.plans.actions,
            "guides": self.plans.guides.astype(np.int8),
        }
        write_archive(check_path("path", path), arrays, _MAX_BYTES)

    @classmethod
    def load(cls, path: str | Path) -> BestResponse:
        """Reads what `save` wrote, and executes nothing in it.

        Raises:
            FileNotFoundError: if there is no such file.
            InvalidValue: if it is not a best response, or a damaged one.
        """
        path = check_path("path", path)
        with refusing_damage(path, "a best response that BestResponse.save wrote"):
            found = read_archive(path, _MAX_BYTES, 5, dtypes=_DTYPES)
            about = json_in(found, "about")
            if about["format"] != _FORMAT:
                raise InvalidValue(f"its format is {about['format']!r}")
            side, config = Side.named(about["side"]), GameConfig(**about["config"])
            opponent, *guides = about["players"]
            players = (
                controller_of(opponent, side.other),
                *(controller_of(guide, side) for guide in guides),
            )
            plans = Plans(found["actions"], found["guides"].astype(np.int64))
            _check_plans(plans, config.count(side.name), len(found["payoffs"]), len(guides))
            return cls(
                str(about["opponent"]),
                side,
                config,
                check_integer("seed", about["seed"], 0),
                str(about["known"]),
                found["known_payoffs"],
                found["payoffs"],
                plans,
                players,
                check_integer("budget", about["budget"], 1),
                opponent if isinstance(opponent, str) else None,
                str(about["version"]),
            )


def check_can_be_written(opponent: Player, side: Side) -> None:
    """Raises an InvalidValue if no file can hold the response to a player of a side."""
    if _written(controller_of(opponent, side), _source_of(opponent)) is None:
        raise InvalidValue(_UNWRITTEN.format(name_of(opponent)))


def _source_of(player: Player) -> str | None:
    """The name or path that a player is loaded by, None for an object."""
    return str(player) if isinstance(player, str | Path) else None


def _written(player: Controller, source: str | None) -> Any:
    """A player for a file: a script, the name or path of a network, or None for others."""
    if isinstance(player, Script):
        return None if callable(player.behavior) else plain(player)
    if isinstance(player, NetworkPolicy | MixturePolicy):
        source = source or player.name
    return None if source is None or ".py:" in source else source


def _check_plans(plans: Plans, players: int, starts: int, guides: int) -> None:
    shape = plans.actions.shape
    if len(shape) != 4 or shape[0] != starts or shape[2:] != (players, 2):
        raise InvalidValue(f"its actions have the shape {shape}")
    if plans.guides.shape != shape[:2] or not np.isin(plans.guides, range(guides + 1)).all():
        raise InvalidValue("its guides do not fit its actions")


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
            of 128. Ten times as many take ten times as long, and find more.
        seed: of the first start. Those below the default are for training.
        known: the players to compare with, of which the scripts guide the plans; None for
            every script of the side and its pretrained policies of this game.
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
    rounds = -(-check_integer("budget", budget, 1, MOST_BUDGET) // _COPIES)
    check_integer("search_seed", search_seed, 0)
    players = _known_players(own, config) if known is None else dict(named(known))
    controller = controller_of(opponent, own.other)
    controllers = {name: controller_of(one, own) for name, one in players.items()}
    scripts = {name: one for name, one in controllers.items() if isinstance(one, Script)}
    if not scripts:
        raise InvalidValue("known: name at least one script, to guide the plans")
    payoffs = {
        name: evaluate(*own.ordered(one, controller), config, count, seed).payoffs
        for name, one in players.items()
    }
    sign = 1.0 if own is EVADER else -1.0
    best = max(payoffs, key=lambda name: sign * payoffs[name].mean())
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
    for first, size in _parts(count):
        seeds, random = _seeds(seed + first, size), np.random.default_rng((search_seed, first))
        sizes = config, own, drawn, guides, size
        population = None
        if draws == 1:
            of_guides, rollouts = (
                Rollouts(config, own, [controller], guides, size, copies, num_threads)
                for copies in (len(guides), _COPIES)
            )
            of_guides.begin(seeds)
            rollouts.begin(seeds)
            population = search(of_guides, rollouts, sign, limit, rounds, random)
        playing = FeedbackSearch(
            *sizes, tried, draws, sign, limit, random, num_threads, population
        )
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
        payoffs[best],
        np.concatenate(found_payoffs),
        plans,
        (controller, *guides),
        rounds * _COPIES,
        _source_of(opponent),
    )
    always_answers_alike = isinstance(controller, Script | NetworkPolicy | MixturePolicy)
    if not always_answers_alike and (found.replay() != found.payoffs).any():
        raise InvalidValue(
            f"{found.opponent} did not play the same game twice: it remembers what it saw, or "
            "draws random numbers of its own, and a search cannot foresee either"
        )
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


def _parts(starts: int) -> Iterator[tuple[int, int]]:
    """The number of the first of those starts that are searched together, and how many."""
    return ((first, min(_AT_ONCE, starts - first)) for first in range(0, starts, _AT_ONCE))


def _seeds(first: int, count: int) -> NDArray[np.uint64]:
    return np.arange(first, first + count, dtype=np.uint64)
