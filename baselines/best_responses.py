"""The best response to one player: the search for it, and its gain.

Its gain over the best known player is a lower bound of the opponent's exploitability. What was
played can be replayed, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.known_players import best_answer, players_of_game
from steer_env.baselines.measures import EPISODE, payoff_of
from steer_env.baselines.planning import (
    Plans,
    RecedingHorizon,
    Rollouts,
    complementary,
    drawing_anew,
    draws_of,
)
from steer_env.baselines.rollouts import evaluate, named, parts_of, seeds_from
from steer_env.baselines.statistics import Interval, jsonable, mean_with_interval
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.tasks import BUDGET, HELD_OUT_SEED, MOST_BUDGET, MOST_STARTS
from steer_env.errors import InvalidValue, check_integer, check_sequence
from steer_env.fields import Bounds, check_within
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.dynamics import FORCED
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import name_of, resolve
from steer_env.sides import EVADER, Side

SEARCH = "search"
"""The name of the search in its episodes."""

_KICKS = Bounds(0.0, 100.0)
_AT_ONCE = 64  # starts that are searched together
_DECISIONS = 128  # the budget over the plans of a generation
_FEWEST_TRIED = 16  # plans of a generation
_MOST_BASE = 4  # base policies
_PILOT_STARTS, _PILOT_SEED = 16, 400_000  # of the short searches that choose them
_PILOT_TRIED, _PILOT_GENERATIONS = 128, 2  # the most generations
_PILOT_SHARE = 2048  # the budget over the generations

_UNFORESEEN = (
    "{} does not play the same game twice: it remembers what it saw, or draws random numbers "
    "of its own, and a search cannot foresee either"
)


def best_response(
    opponent: AnyPlayer,
    game: AnyGame = None,
    side: str | None = None,
    *,
    starts: int = 100,
    budget: int = BUDGET,
    seed: int = HELD_OUT_SEED,
    kicks: float = 0.0,
    known: Sequence[AnyPlayer] | Mapping[str, AnyPlayer] | None = None,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> BestResponse:
    """Searches for the best response to one player, from each of some starts.

    Args:
        opponent: a player as `evaluate` takes it, but not a random one.
        game: see `evaluate`.
        side: of the response; None for the other side of that which the opponent is made for.
        starts: their number, at least two, at most 100,000.
        budget: the number of plans that are tried from each start; then a 128th of it, but
            never less than 16, are tried at every decision. Ten times as many take ten times
            as long, and find more. Against chance, a 512th is tried at every decision alone.
        seed: of the first start. Those below the default are for training.
        kicks: of the velocities of all players at every decision (of four steps), unforeseen:
            their standard deviation in both directions, in m/s, at most 100. A gain that small
            ones take away hangs on exact distances. The known player is kicked, too.
        known: the players to compare with the best of, which other starts choose; plans follow
            the scripts among them. None for every script of the side and its pretrained
            policies of this game.
        progress: called with the numbers of starts done, and of all.

    Raises:
        TypeError, ValueError: for the arguments that `evaluate` refuses, a random opponent, one
            that does not play the same game twice, kicks in a game of simple motion or cars,
            and if no script is among the known players.
    """
    config = given_game(game, "game", "starts")
    own = side_of_response(opponent, side)
    count = check_integer("starts", starts, 2, MOST_STARTS)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    check_integer("budget", budget, 1, MOST_BUDGET)
    check_within(_KICKS, "kicks", kicks)
    if kicks > 0.0 and not {config.model(one.name) for one in Side} <= {*FORCED}:
        raise InvalidValue(
            f"kicks={kicks!r} needs players of the models {' or '.join(map(repr, FORCED))}, "
            "which keep their velocity from step to step"
        )
    if known is not None and not isinstance(known, Mapping):
        known = check_sequence("known", known)
    candidates = players_of_game(own, config) if known is None else dict(named(known))
    answered = resolve(opponent, own.other)
    if isinstance(answered.policy, RandomPolicy):  # a replay would show it, but later
        raise InvalidValue(_UNFORESEEN.format(answered.name))
    resolved = {name: resolve(one, own) for name, one in candidates.items()}
    scripts = {name: one for name, one in resolved.items() if one.script is not None}
    if not scripts:
        raise InvalidValue("known: name at least one script, for plans to follow")
    best = best_answer(answered, own, candidates, config)[0]
    pair, names = own.ordered(candidates[best], answered), own.ordered(best, answered.name)
    seeds, shape = seeds_from(seed, count), (count, config.horizon)  # more than all segments
    if kicks > 0.0:
        nothing = np.broadcast_to(np.float32(0.0), (*shape, config.count(own.name), 2))
        always = Plans(nothing, np.broadcast_to(np.int64(1), shape))
        kicked = _played(config, own, (answered, resolved[best]), seeds, always, kicks)
        beside = _episodes(own.ordered((best,), (answered.name,)), config, seeds, kicked)
    else:
        beside = replace(evaluate(*pair, config, count, seed, names=names), config=config)
    base = choose_base(config, own, answered, scripts, budget)
    tried, draws = _tried(budget, answered), draws_of(answered)
    if draws > 1 and best not in scripts and draws_of(resolved[best]) == 1:
        base.append(resolved[best])
    generations = -(-budget // tried) if draws == 1 else 1
    drawn, found = drawing_anew(answered, seed), []
    for first, size in parts_of(count, _AT_ONCE):
        random = np.random.default_rng((0, first))
        parts = config, own, drawn, base, size, tried, draws, random, kicks
        here = seeds[first : first + size]
        plans, payoffs = RecedingHorizon(*parts).play(here, generations)
        found.append((*plans, payoffs))
        progress(first + size, count)
    actions, numbers, payoffs = map(np.concatenate, zip(*found))
    plans, players = Plans(actions, numbers), (answered, *base)
    response = BestResponse(own, beside, payoffs, plans, players, budget, kicks)
    is_foreseen = isinstance(answered.policy, NetworkPolicy | MixturePolicy | None)
    if not is_foreseen and (response.replay() != payoffs).any():
        raise InvalidValue(_UNFORESEEN.format(answered.name))
    return response


def _played(
    config: Game,
    side: Side,
    players: Sequence[Player],
    seeds: NDArray[np.uint64],
    plans: Plans,
    kicks: float,
) -> NDArray[np.float64]:
    """The payoffs of plans, (S, segments), against the first of the players, (S,)."""
    payoffs, opponent = [], drawing_anew(players[0], int(seeds[0]))
    for first, size in parts_of(len(seeds), _AT_ONCE):
        here = slice(first, first + size)
        rollouts = Rollouts(config, side, [opponent], players[1:], size, kick=kicks)
        rollouts.begin(seeds[here])
        segments = range(plans.base.shape[1])
        played = [plans.at(np.index_exp[here, None, number]) for number in segments]
        payoffs.append(rollouts.play(played.__getitem__)[:, 0])
    return np.concatenate(payoffs)


def _episodes(
    names: tuple[tuple[str, ...], tuple[str, ...]],
    config: Game,
    seeds: NDArray[np.uint64],
    payoffs: NDArray[np.float64],
) -> Episodes:
    """Episodes of which the payoffs are known alone, (S,)."""
    rows = np.zeros(len(payoffs), EPISODE)
    for name in EPISODE.names or ():
        rows[name] = np.nan if rows[name].dtype == np.float64 else 0
    rows["seed"], rows[payoff_of(config.payoff).column] = seeds, payoffs
    return Episodes(*names, config, rows)


def side_of_response(opponent: AnyPlayer, side: str | None) -> Side:
    """Returns the given side, or else the one that the opponent is not made for."""
    if side is not None:
        return Side.named(side)
    resolve(opponent, None, what="opponent")
    fitting = []
    for one in Side:
        with suppress(InvalidValue):
            resolve(opponent, one)
            fitting.append(one)
    if len(fitting) != 1:
        raise InvalidValue(
            f"{name_of(opponent)} can play either side; say which side searches, with side="
        )
    return fitting[0].other


def choose_base(
    config: Game, side: Side, opponent: Player, scripts: Mapping[str, Player], budget: int
) -> list[Player]:
    """Chooses at most four scripts that together make the best base policies.

    The best plans may end with a script that is the worst alone. So, unless the budget of plans
    is small, each script is tried in a short search beside the one that is best alone.
    """
    if len(scripts) <= _MOST_BASE:
        return list(scripts.values())
    seeds = seeds_from(_PILOT_SEED, _PILOT_STARTS)
    generations = min(budget // _PILOT_SHARE, _PILOT_GENERATIONS)

    def scores(base: Sequence[Player], tried: int, generations: int) -> NDArray[np.float64]:
        parts = config, side, opponent, base, _PILOT_STARTS, tried, 1, np.random.default_rng(0)
        return RecedingHorizon(*parts).begin(seeds, generations)

    alone = {name: scores([one], 0, 1) for name, one in scripts.items()}
    first, reached = max(alone, key=lambda name: float(alone[name].mean())), alone
    if generations > 0:
        different = {found.tobytes(): name for name, found in reversed(alone.items())}
        reached = {
            name: scores([scripts[first], scripts[name]], _PILOT_TRIED, generations)
            for name in (first, *reversed(different.values()))
        }
    chosen = dict.fromkeys((first, *complementary(reached, _MOST_BASE)))
    return [scripts[name] for name in chosen][:_MOST_BASE]


def _tried(budget: int, opponent: Player) -> int:
    """Returns the number of new plans in a generation, fewer if each is played repeatedly."""
    share = _DECISIONS if draws_of(opponent) == 1 else 4 * _DECISIONS
    return max(budget // share, _FEWEST_TRIED)


@dataclass(frozen=True, eq=False)
class BestResponse(Tabled):
    """The play of a search against one player, next to the best known player.

    Attributes:
        side: of the response.
        known: the episodes of the best known answer, from S starts.
        payoffs: of the search, (S,), in s or m.
        plans: what it played from each start, actions (S, segments, players, 2).
        players: the opponent, and then the base policies.
        budget: the number of plans for each start; against chance, a few at every decision.
        kicks: of all velocities at every decision, their standard deviation in m/s.
    """

    side: Side
    known: Episodes
    payoffs: NDArray[np.float64]
    plans: Plans
    players: tuple[Player, ...]
    budget: int
    kicks: float = 0.0

    @cached_property
    def searched(self) -> Episodes:
        """The episodes of the search, of which the payoffs are known alone."""
        names = self.side.ordered((SEARCH,), (self.players[0].name,))
        return _episodes(names, self.known.config, self.known.seeds, self.payoffs)

    @property
    def gains(self) -> NDArray[np.float64]:
        """The gain from each start, (S,), in s or m, below 0 where a network plays better."""
        gains: NDArray[np.float64] = self.payoffs - self.known.payoffs
        return gains if self.side is EVADER else -gains

    @cached_property
    def gain(self) -> Interval:
        """The mean gain, paired by start, bootstrapped: a lower bound without rare gains."""
        return mean_with_interval(self.gains)

    def replay(self) -> NDArray[np.float64]:
        """Plays the plans once more, and returns the payoffs, (S,): the same bits."""
        known = self.known
        parts = known.config, self.side, self.players, known.seeds, self.plans, self.kicks
        return _played(*parts)

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers for JSON, without the plans."""
        known, mean = self.known, self.known.payoff.mean
        return {
            "version": known.version,
            "opponent": known.names(self.side.other.name)[0],
            "side": self.side.name,
            "known": known.names(self.side.name)[0],
            "starts": len(known),
            "first_seed": int(known.seeds[0]),
            "budget": self.budget,
            "kicks": self.kicks,
            **jsonable({f"known_{mean}": known.mean_payoff, mean: self.searched.mean_payoff}),
            **jsonable({"gain": self.gain}),
            "better": int((self.gains > 0.0).sum()),
            "has_chance": draws_of(self.players[0]) > 1,
        }

    def table(self) -> Table:
        """Returns a row each for the best known player, the search and the gain."""
        payoff, count, own = self.known.payoff, len(self.known), self.side.name
        both = self.known, self.searched
        rows = [(one.names(own)[0], f"{one.mean_payoff:.2f}") for one in both]
        tried, draws = _tried(self.budget, self.players[0]), draws_of(self.players[0])
        how = f"{tried} plans over {draws} draws of chance, which it does not know in advance"
        if draws == 1:
            how = f"{tried} plans, and before the first {self.budget:,}"
        if self.kicks > 0.0:
            how += f"; then velocities are kicked by {self.kicks:g} m/s"
        return Table(
            f"{own.capitalize()}s against {self.known.names(self.side.other.name)[0]} from "
            f"{count:,} starts, 95% intervals",
            ("player", f"{payoff.words} [{payoff.unit}]"),
            [*rows, ("gain of search", f"{self.gain:.2f}")],
            f"Search is better from {int((self.gains > 0.0).sum())} of {count} starts. "
            f"At every decision it tries {how}.",
        )
