"""The gap between a policy and perfect play, in the solved games.

The policy and the perfect player play against the perfect opponent from the same starts, drawn
region by region of the solution, away from where the value jumps. The gap is J - V for a
pursuer and V - J for an evader, with the known value V and the payoff J; that of perfect play,
which is not 0 since time passes in steps, is its floor. About a target V and J are minus a
distance; tables show the distance. The gap is a lower bound of the policy's exploitability: an
opponent that knows the policy may do better than the perfect one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.evaluation import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.solved_games import (
    behavior_of_game,
    in_words,
    payoffs_from,
    regions_of,
    starts_by_region,
    with_horizon,
)
from steer_env.baselines.statistics import (
    Interval,
    jsonable,
    mean_with_interval,
    rate_with_interval,
    score_interval,
)
from steer_env.baselines.tables import Table, Tabled, cell
from steer_env.baselines.tasks import HELD_OUT_SEED, MOST_STARTS, REGION_STARTS
from steer_env.baselines.training_runs import mean_of_runs, rate_of_runs
from steer_env.errors import check_integer, check_number, check_text, printable
from steer_env.game.config import SIDES, AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import name_of, resolve
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side

START = np.dtype(
    [
        ("region", "U8"),
        ("value", np.float64),  # V, in seconds or in meters
        ("payoff", np.float64),  # J of the policy against the perfect opponent
        ("floor_payoff", np.float64),  # J of the perfect pair
        ("captured", np.bool_),
        ("floor_captured", np.bool_),
    ]
)
"""The record of one start."""

_CELLS = {"gap": ".3f", "share": ".1%", "floor": ".5f", "never_caught": ".1%", "score": ".3f"}


@dataclass(frozen=True, eq=False)
class RegionGap:
    """The measurements from the starts of one region, or of all together.

    Intervals of times allow for failures that no start has shown: an episode without a capture
    that happens once in a thousand starts may cost more than all other errors.
    """

    region: str  # its name
    starts: NDArray[np.void]  # (N,) records of `START`; (runs, N) if `pooled`
    sign: float  # 1 for a pursuer, -1 for an evader
    soft: float  # added to V and J in the score, so that distances of 0 have one; in meters
    limit: float | None  # the time limit, in seconds; None if the payoff is a distance
    is_negative: bool = False  # V and J are minus distances

    @property
    def mean_value(self) -> float:
        """The mean of V or of the distance that it is, infinite if capture cannot be forced."""
        values = np.atleast_2d(self.starts["value"])[0]
        return float(np.abs(values).mean()) if len(values) else math.nan

    @property
    def gap(self) -> Interval | None:
        """The mean gap, too small if captures are missing, or None if V is infinite."""
        values, most = self.starts["value"], None
        if self.limit is not None and values.size:
            most = float(self.limit - values.min() if self.sign > 0.0 else values.max())
        return _mean_of(self.excess, most)

    @property
    def floor(self) -> Interval | None:
        """The mean gap of perfect play."""
        return _mean_of(self.sign * (self.starts["floor_payoff"] - self.starts["value"]))

    @property
    def share(self) -> Interval | None:
        """The gap over the mean value, or None for values of 0 and infinity."""
        gap, value = self.gap, self.mean_value
        if gap is None or value <= 0.0:
            return None
        return Interval(*(number / value for number in gap))

    @property
    def never_caught(self) -> Interval | None:
        """The share of episodes without a capture (Wilson) in games about a time."""
        if self.limit is None or not self.starts.size:
            return None
        escaped = ~self.starts["captured"]
        return rate_with_interval(escaped) if escaped.ndim == 1 else rate_of_runs(escaped)

    @property
    def score(self) -> Interval | None:
        """The mean of V / J for a pursuer (0 without a capture), or of J / V for an evader.

        It is cut to [0, 1], and 1 is perfect. Of distances it is (V + l) / (J + l) with the
        capture radius l, the other way round for distances from a target. None if V is
        infinite.
        """
        value, payoff = (np.abs(self.starts[name]) + self.soft for name in ("value", "payoff"))
        if not len(value) or not np.isfinite(value).all():
            return None
        wants_less = (self.sign > 0.0) != self.is_negative
        best, worst = (value, payoff) if wants_less else (payoff, value)
        shares = np.clip(best / np.maximum(worst, 1e-300), 0.0, 1.0)
        if self.limit is not None and self.sign > 0.0:
            shares[~self.starts["captured"]] = 0.0
        return _mean_of(shares, None if self.limit is None else 1.0)

    @property
    def excess(self) -> NDArray[np.float64]:
        """The gap of each start, infinite or nan where V is infinite."""
        return np.asarray(self.sign * (self.starts["payoff"] - self.starts["value"]))

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers, for JSON."""
        value = self.mean_value if np.isfinite(self.mean_value) else None
        names = ("gap", "floor", "share", "never_caught", "score")
        found = {name: getattr(self, name) for name in names}
        return {"starts": self.starts.shape[-1], "mean_value": value, **jsonable(found)}


def _mean_of(values: NDArray[np.float64], most: float | None = None) -> Interval | None:
    """The mean, with an interval that allows for unseen values of up to `most`."""
    if not values.size or not np.isfinite(values).all():
        return None
    found = mean_with_interval(values) if values.ndim == 1 else mean_of_runs(values)
    if most is None:
        return found
    of_starts = np.atleast_2d(values).mean(axis=0)
    least = min(float(of_starts.min()), 0.0)
    wide = score_interval(of_starts - least, max(most, float(of_starts.max())) - least)
    return found._replace(
        low=min(found.low, wide.low + least), high=max(found.high, wide.high + least)
    )


@dataclass(frozen=True, eq=False)
class OptimalityGap(Tabled):
    """The gap between a policy and perfect play, by region, from records of `START`."""

    policy: str  # its name
    side: Side
    config: Game  # with the horizon that was played
    starts: NDArray[np.void]
    seed: int  # as of `gap`, like the margin
    margin: float
    version: str = steer_env.__version__

    @property
    def regions(self) -> Mapping[str, RegionGap]:
        """The gap in each region."""
        names = dict.fromkeys(self.starts["region"].tolist())
        return {name: self._of(name, self.starts["region"] == name) for name in names}

    @property
    def overall(self) -> RegionGap:
        """The gap from all starts with a finite value, as many of each region."""
        return self._of("all", np.isfinite(self.starts["value"]))

    @property
    def absent(self) -> tuple[str, ...]:
        """The regions of the solution in which no start of the game lies."""
        return tuple(name for name in regions_of(self.config) if name not in self.regions)

    def _of(self, region: str, chosen: NDArray[np.bool_]) -> RegionGap:
        limit = largest_payoff(self.config)
        soft = self.config.capture_radius if limit is None else 0.0
        sign = 1.0 if self.side is PURSUER else -1.0
        is_negative = self.config.payoff == "target_distance"
        return RegionGap(region, self.starts[chosen], sign, soft, limit, is_negative)

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers of all regions, for JSON."""
        return {
            **{"version": self.version, "policy": self.policy, "side": self.side.name},
            **{"dt": self.config.dt, "horizon": self.config.horizon},
            **{"seed": self.seed, "margin": self.margin},
            "regions": {name: found.to_dict() for name, found in self.regions.items()},
            "overall": self.overall.to_dict(),
        }

    def table(self) -> Table:
        """Returns a table with a row for each region."""
        payoff = payoff_of(self.config.payoff)
        unit, finite = payoff.unit, self.overall
        header = (
            *("region", "starts", f"V [{unit}]", f"gap [{unit}]", "gap / V"),
            *(f"floor [{unit}]", "never caught", "score"),
        )
        rows = [
            (
                in_words(found.region),
                f"{len(found.starts):,}",
                f"{found.mean_value:.3f}",
                *(cell(getattr(found, name), form) for name, form in _CELLS.items()),
            )
            for found in (*self.regions.values(), finite)
            if len(found.starts)
        ]
        notes = []
        if payoff is CAPTURE_TIME:
            notes.append(
                "An episode without a capture counts as one at the horizon in the gap, and 0 "
                "in a pursuer's score."
            )
        if 0 < len(finite.starts) < len(self.starts):
            notes.append('The row "all" has the starts with a finite V.')
        if self.absent:
            notes.append(f"No start lies in {', '.join(self.absent)}.")
        who = f"{self.policy} as the {self.side.name}"
        title = f"{who} against perfect play, gap and its floor [95% interval]"
        table = Table(title, header, rows, " ".join(notes))
        return table if payoff is CAPTURE_TIME else table.without("never caught")


def gap(
    policy: AnyPlayer,
    game: AnyGame = "homicidal_chauffeur",
    side: str = "pursuer",
    *,
    starts: int = REGION_STARTS,
    margin: float | None = None,
    seed: int = HELD_OUT_SEED,
    name: str | None = None,
) -> OptimalityGap:
    """Measures the gap between a policy and perfect play.

    Args:
        policy: a player, as `evaluate` takes it.
        game: a solved game: a name of `steer_env.scenarios.registry.SOLVED`, a dict of keywords
            such as ``{"game": "homicidal_chauffeur", "capture_radius": 0.5}``, or a
            configuration. Its horizon is made long enough for perfect play.
        side: the policy's, "pursuer" or "evader". It observes and acts without noise and
            delays.
        starts: in each region that has any, at least two.
        margin: the least distance of starts from where the value jumps, see `KnownValues`, in
            meters; None for the distance that both can cover in a step, but at most a fifth of
            the capture radius.
        seed: of the first episode that starts are drawn from; smaller ones are for training.
        name: of the policy in the results; None for `name_of` it.

    Errors are those of `evaluate`; too few starts in a region are a ValueError.

    Raises:
        TypeError, ValueError: for the arguments that `evaluate` refuses, a game that is not
            solved, and if too few starts lie in a region.
    """
    if name is not None:
        check_text("name", name)
    resolve(policy, Side.named(side), what="policy")  # not "evader" in messages
    name = name_of(policy) if name is None else name
    return next(gaps({name: policy}, game, side, starts=starts, margin=margin, seed=seed))


def gaps(
    policies: Mapping[str, AnyPlayer],
    game: AnyGame = "homicidal_chauffeur",
    side: str = "pursuer",
    *,
    starts: int = REGION_STARTS,
    margin: float | None = None,
    seed: int = HELD_OUT_SEED,
) -> Iterator[OptimalityGap]:
    """Measures policies by their names from the same starts, otherwise as `gap`."""
    learner = Side.named(side)
    for policy, player in policies.items():
        resolve(player, learner, what=f"policy {policy!r}")
    config = given_game(game, "game", "starts")
    count = check_integer("starts", starts, 2, MOST_STARTS)
    seed = check_integer("seed", seed, 0)
    perfect = Script(behavior=behavior_of_game(config))
    if margin is None:
        way = config.dt * sum(config.vehicles(each)[0].max_speed for each in SIDES)
        margin = min(way, 0.2 * config.capture_radius)
    margin = check_number("margin", margin, 0.0)
    found = starts_by_region(config, count, margin, seed)
    records = np.zeros(count * len(found), START)
    records["region"] = np.repeat(list(found), count)
    states, records["value"] = map(np.concatenate, zip(*found.values()))
    config = with_horizon(config, records["value"])
    floor = payoffs_from(config, (perfect, perfect), states)
    records["floor_payoff"], records["floor_captured"] = floor

    def measured(name: str) -> OptimalityGap:
        found = records.copy()
        pair = learner.ordered(policies[name], perfect)
        found["payoff"], found["captured"] = payoffs_from(config, pair, states)
        return OptimalityGap(printable(name), learner, config, found, seed, margin)

    return map(measured, policies)
