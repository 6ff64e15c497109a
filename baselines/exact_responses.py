"""The exact best response to one player of a solved game, and what it gains over the value.

A gap against perfect play is a training score: what a policy loses to one opponent, which it
may have been trained against. Its exploitability is what it loses to its best response. That is
computed here by dynamic programming (`response_grids`), on grids of three spacings, each half
of the one before: their differences are the error bar. Then the response plays in the engine,
and what it gains there is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.best_responses import side_of_response
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import payoff_of, rows_of
from steer_env.baselines.optimality import least_margin
from steer_env.baselines.planning import draws_of
from steer_env.baselines.reduced_states import Reduction, Situations
from steer_env.baselines.response_grids import AT_ONCE, OneDecision, Solution
from steer_env.baselines.solved_games import (
    States,
    behavior_of_game,
    in_words,
    known_values,
    records_from,
    starts_by_region,
    with_horizon,
)
from steer_env.baselines.tables import Table, Tabled
from steer_env.baselines.tasks import HELD_OUT_SEED, MOST_STARTS
from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.game.config import AnyGame
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import Engine
from steer_env.players.observed import observation_of
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import resolve
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, Side

STARTS = 250  # in each region
NODES = {1: 800, 2: 160, 3: 48, 4: 20}
"""Nodes of the finest grid along a distance, by the dimension of the reduced states."""

RESPONSE = "exact response"
"""The name of the response in its episodes."""

_CONTROLS = 48
_REACH = 1.5  # of the grid, over the largest distance at a start
_FEWEST_NODES = 8


def exact_response(
    opponent: AnyPlayer,
    game: AnyGame = "homicidal_chauffeur",
    side: str | None = None,
    *,
    starts: int = STARTS,
    nodes: int | None = None,
    controls: int = _CONTROLS,
    reach: float | None = None,
    seed: int = HELD_OUT_SEED,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> ExactResponse:
    """Computes the best response to one player of a solved game.

    The player must be a function of the game's reduced state, such as a network that was
    trained on the features in `Scenario.reduced`. Where the payoff is a time, the response
    holds its course, or its turn, for three steps on a grid; in play it decides at each.

    Args:
        opponent: a player as `evaluate` takes it: a script or a policy, without memory and
            without chance.
        game: a solved game, see `gap`, but not "drag" or "two_on_one".
        side: of the response; None for the other side of that which the opponent is made for.
        starts: in each region of the solution that has any, at least two.
        nodes: of the finest grid along a distance, at least 32; None for `NODES`. It has half
            as many again along each angle.
        controls: directions that a response in simple motion chooses from, at least 12; a car
            has a third as many turns, and in play both also try what is between the best.
        reach: the largest distance on the grid, in meters; None for one and a half times that
            of the farthest start. A state beyond it counts as one at its edge.
        seed: of the first episode that starts are drawn from.
        progress: called with the numbers of grids done, and of all.

    Raises:
        TypeError, ValueError: for the arguments that `gap` refuses, and for a player that
            depends on anything but the reduced state; the message says on what.
    """
    config = given_game(game, "game", "starts")
    own = side_of_response(opponent, side)
    fixed = resolve(opponent, own.other)
    count = check_integer("starts", starts, 2, MOST_STARTS)
    seed, controls = check_integer("seed", seed, 0), check_integer("controls", controls, 12)
    if isinstance(fixed.policy, RandomPolicy) or draws_of(fixed) > 1:
        raise InvalidValue(
            f"{fixed.name} draws random numbers, and an exact response foresees its opponent; "
            "best_response plays against chance, too"
        )
    perfect = Script(behavior=behavior_of_game(config))
    found = starts_by_region(config, count, least_margin(config), seed)
    states, values, seeds = map(np.concatenate, zip(*found.values()))
    if not np.isfinite(values).all():
        raise InvalidValue(
            "the value of some starts is infinite here, since no capture can be forced; "
            "choose a game in which it can, or other starts"
        )
    seen = observation_of(fixed.policy, config.scenario) or config.observation
    config = replace(with_horizon(config, values), observation=seen)
    places = states["players"]["body"]["position"]
    far = np.abs(places[:, 1] - places[:, 0])
    if config.target is not None:
        far = np.abs(places - config.shapes[0].center).max(axis=1)
    least = float(far.max())
    reach = _REACH * least if reach is None else check_number("reach", reach, least)
    one = OneDecision(config, fixed, own.other)
    reduction = Reduction(config, own.other, reach)
    reduction.find(lambda situations: _steps(one, reduction, situations))
    finest = NODES[reduction.dimension] if nodes is None else nodes
    finest = check_integer("nodes", finest, 4 * _FEWEST_NODES)
    solutions = list[Solution]()
    for share in (4, 2, 1):
        solutions.append(Solution(one, reduction, finest // share, controls))
        progress(len(solutions), 3)
    response = ResponsePlayer(RESPONSE, solutions[-1], fixed)

    def play(player: AnyPlayer) -> NDArray[np.void]:
        return records_from(config, own.ordered(player, fixed), states, seed)

    rows = rows_of(play(response))
    column = payoff_of(config.payoff).column
    rows["seed"], rows["value"], rows["floor"] = seeds, values, play(perfect)[column]
    rows["region"] = np.repeat(np.arange(len(found)), count)
    names = own.ordered((RESPONSE,), (fixed.name,))
    played = Episodes(*names, config, rows, regions=(*found,))
    by_grid = np.stack([solution.payoffs(states) for solution in solutions])
    return ExactResponse(own, played, by_grid, response, reduction.names)


def _steps(
    one: OneDecision, reduction: Reduction, situations: Situations
) -> NDArray[np.complex128]:
    """The fixed player's steps in situations, see `Reduction.find`."""
    states = one.blank(len(next(iter(situations.values()))))
    reduction.place(situations, states)
    before = states["players"]["body"]["position"][:, reduction.fixed]
    decided = one.decide(states)
    (places, *_), _, _ = one.play(states, decided, np.zeros_like(decided))
    return reduction.in_frame(situations, places[reduction.fixed] - before)


class Estimate(NamedTuple):
    """A number from three grids, and what it may be off."""

    estimate: float
    error: float

    def __format__(self, form: str) -> str:
        return f"{self.estimate:{form}} ± {self.error:{form}}"


@dataclass(frozen=True, eq=False)
class ExactResponse(Tabled):
    """The best response to one player of a solved game.

    Attributes:
        side: of the response.
        played: its episodes in the engine, from S starts, with the columns "value" and
            "region"; "floor" is what perfect play gets against the same opponent.
        by_grid: the payoffs from the starts by each grid, (3, S), coarsest first, in s or m.
        player: plays the response, for `evaluate` and the like; not in environments.
        reduced: the numbers that the opponent and the response depend on.
    """

    side: Side
    played: Episodes
    by_grid: NDArray[np.float64]
    player: ResponsePlayer
    reduced: tuple[str, ...]

    def exploitability(self, region: str | None = None) -> Estimate:
        """The mean of what the response gains over the value, in s or m.

        The grids' means are extrapolated by their observed order, from first to second. The
        error is the difference of the two finest.

        Args:
            region: of the starts; None for all.
        """
        here = self._starts(region)
        coarse, fine, finest = (self._gains(one)[here].mean() for one in self.by_grid)
        last = finest - fine
        order = min(max((fine - coarse) / last, 2.0), 4.0) if last else 2.0
        return Estimate(float(finest + last / (order - 1.0)), abs(float(last)))

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The gain of the response over the value in the engine, (S,), in s or m."""
        return self._gains(self.played.payoffs)

    @cached_property
    def training_gains(self) -> NDArray[np.float64]:
        """The gain of perfect play over the value against the same opponent, (S,)."""
        return self._gains(self.played["floor"])

    def losses(self, states: States) -> NDArray[np.float64]:
        """The loss of the opponent to the response from states of the game, (N,), in s or m.

        They are records as `Engine.get_state` returns them.
        """
        value = known_values(self.played.config, states).value
        return self._sign * (self.player.solution.payoffs(states) - value)

    @property
    def _sign(self) -> float:
        return 1.0 if self.side is EVADER else -1.0

    def _gains(self, payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._sign * (payoffs - self.played["value"])

    def _starts(self, region: str | None) -> NDArray[np.bool_]:
        if region is None:
            return np.ones(len(self.played), np.bool_)
        return np.asarray(self.played["region"] == self.played.regions.index(region))

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers for JSON."""
        regions = {name: self._numbers(name) for name in self.played.regions}
        return {
            "version": self.played.version,
            "opponent": self.played.names(self.side.other.name)[0],
            "side": self.side.name,
            "reduced": list(self.reduced),
            "grid": list(self.player.solution.grid.shape),
            "first_seed": int(self.played.seeds.min()),
            "regions": regions,
            "overall": self._numbers(None),
        }

    def _numbers(self, region: str | None) -> dict[str, Any]:
        here = self._starts(region)
        return {
            "starts": int(here.sum()),
            "mean_value": float(self.played["value"][here].mean()),
            "training_gap": float(self.training_gains[here].mean()),
            "exploitability": self.exploitability(region)._asdict(),
            "in_play": float(self.gains[here].mean()),
        }

    def table(self) -> Table:
        """Returns a row for each region of the solution, and one for all starts."""
        unit, rows = self.played.payoff.unit, []
        for region in (*self.played.regions, None):
            numbers = self._numbers(region)
            shown = ("mean_value", "training_gap", "in_play")
            value, training, played = (f"{numbers[name]:.3f}" for name in shown)
            row = f"{self.exploitability(region):.3f}", played
            name = "all" if region is None else in_words(region)
            rows.append((name, f"{numbers['starts']:,}", value, training, *row))
        header = "region", "starts", "V", "v perfect play", "exploitability", "in play"
        opponent = self.played.names(self.side.other.name)[0]
        shape = " x ".join(map(str, self.player.solution.grid.shape))
        return Table(
            f"The best {self.side.name} against {opponent}, less the value V [{unit}]",
            header,
            rows,
            f"By dynamic programming over {', '.join(self.reduced)} ({shape} nodes, and two "
            "coarser grids); ± is the difference of the two finest. V perfect play: what "
            "perfect play gains, the gap. In play: what the response gains in the engine, a "
            "lower bound.",
        )


class ResponsePlayer(Player):
    """Plays the best response: it knows its opponent, and sees the state of the game.

    Attributes:
        solution: on the finest grid.
    """

    def __init__(self, name: str, solution: Solution, fixed: Player) -> None:
        super().__init__(name)
        self.solution, self._opponent = solution, fixed
        self._one: OneDecision | None = None

    def changed(self, **attributes: Any) -> Player:
        """A copy that has joined no games, with another name."""
        return ResponsePlayer(attributes.get("name", self.name), self.solution, self._opponent)

    def fit(self, side: int, players: int, features: int) -> Player:
        """Raises an InvalidValue: observations are not enough for it."""
        raise InvalidValue(
            "an exact response sees the state of the game, which opponents in environments do "
            "not: play it with evaluate(...)"
        )

    def join(self, engine: Engine, side: int) -> Player:
        """A copy that plays a side of an engine's games."""
        joined = ResponsePlayer(self.name, self.solution, self._opponent)
        joined._engine, joined._side = engine, side
        size = min(AT_ONCE, len(self.solution.controls) * engine.num_games)
        joined._one = OneDecision(engine.config, self._opponent, Side(side).other, size)
        return joined

    def act(
        self, running: NDArray[np.bool_], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Returns actions, (N, 1, 2), or (M, 1, 2) in the games that it is asked about."""
        actions = np.zeros((len(running), 1, 2), np.float32)
        here = running if asked is None else running & asked
        if here.any() and self._one is not None:
            states = self._engine.get_state()[here]
            actions[here] = self.solution.actions(states, self._one)
        return actions if asked is None else actions[asked]
