"""The gap between a policy and perfect play, in the solved games.

The policy and the perfect player play against the perfect opponent from the same starts, drawn
region by region of the solution, away from where the value jumps. The gap is J - V for a
pursuer and V - J for an evader, with the known value V and the payoff J; that of perfect play,
which is not 0 since time passes in steps, is its floor. About a target V and J are minus a
distance; tables show the distance. The gap is a lower bound of the policy's exploitability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes, given_episodes
from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of, rows_of
from steer_env.baselines.solved_games import (
    PERFECT,
    behavior_of_game,
    in_words,
    records_from,
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
from steer_env.baselines.tables import Table, cell
from steer_env.baselines.tasks import HELD_OUT_SEED, MOST_STARTS, REGION_STARTS
from steer_env.errors import InvalidValue, check_integer, check_number, check_texts
from steer_env.game.config import SIDES, AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.players.observed import observation_of
from steer_env.players.player import AnyPlayer
from steer_env.players.resolver import listed, name_of, resolve
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

_FORMS = {"gap": ".3f", "share": ".1%", "floor": ".5f", "never_caught": ".1%", "score": ".3f"}


def side_of(found: Episodes) -> Side:
    """The side of the policy that played against the perfect opponent."""
    return PURSUER if found.evaders == (PERFECT,) else EVADER


def by_region(found: Episodes) -> dict[str, Episodes]:
    """Groups episodes by the region of their start, and "all" with a finite value."""
    regions: dict[str, Episodes] = given_episodes("found", found).by("region")
    finite = found.episodes[np.isfinite(found["value"])]
    return {**regions, "all": replace(found, episodes=finite)}


def excess_of(found: Episodes, column: str | None = None) -> NDArray[np.float64]:
    """The gap from each start, see `Episodes.by_start`, infinite or nan where the value is.

    That of perfect play has the column "floor".
    """
    sign = 1.0 if side_of(found) is PURSUER else -1.0
    payoff = found.by_start(found.payoff.column if column is None else column)
    return np.asarray(sign * (payoff - found.by_start("value")))


def mean_value(found: Episodes) -> float:
    """The mean of V or of the distance that it is, infinite if capture cannot be forced."""
    if not len(found):
        return math.nan
    return float(np.abs(np.atleast_2d(found.by_start("value"))[0]).mean())


def gap_metrics(found: Episodes) -> dict[str, Interval | None]:
    """Returns the mean gap, and its floor, share and score, over starts and runs.

    Intervals of times allow for failures that no start has shown: an episode without a capture
    that happens once in a thousand starts may cost more than all other errors.

    Args:
        found: episodes of `gap`, or some of them, such as those of a region.

    Returns:
        "gap": the mean gap, too small if captures are missing. "floor": that of perfect play.
        "share": the gap over the mean value. "never_caught": the share of episodes without a
        capture. "score": the mean of V / J for a pursuer (0 without a capture), or of J / V for
        an evader, cut to [0, 1], of which 1 is perfect; of distances it is (V + l) / (J + l)
        with the capture radius l, the other way round for distances from a target. Each is
        None where it has no meaning: a share of values of 0, captures in games about a
        distance, and all others where the value is infinite.
    """
    names = ("gap", "floor", "share", "never_caught", "score")
    if not len(given_episodes("found", found)):
        return dict.fromkeys(names)
    limit, value = largest_payoff(found.config), mean_value(found)
    most = None
    if limit is not None:
        values = found["value"]
        most = float(limit - values.min() if side_of(found) is PURSUER else values.max())
    gap = _mean_of(excess_of(found), most)
    share = None
    if gap is not None and value > 0.0:
        share = Interval(*(number / value for number in gap))
    floor = _mean_of(excess_of(found, "floor"))
    never = rate_with_interval(~found.by_start("captured")) if limit is not None else None
    return dict(zip(names, (gap, floor, share, never, _score(found))))


def _score(found: Episodes) -> Interval | None:
    """The mean ratio of V and J, see `gap_metrics`."""
    is_time, is_pursuer = found.payoff is CAPTURE_TIME, side_of(found) is PURSUER
    soft = 0.0 if is_time else found.config.capture_radius  # so that distances of 0 have one
    value, payoff = (
        np.abs(found.by_start(name)) + soft for name in ("value", found.payoff.column)
    )
    if not np.isfinite(value).all():
        return None
    wants_less = is_pursuer != (found.config.payoff == "target_distance")
    best, worst = (value, payoff) if wants_less else (payoff, value)
    shares = np.clip(best / np.maximum(worst, 1e-300), 0.0, 1.0)
    if is_time and is_pursuer:
        shares[~found.by_start("captured")] = 0.0
    return _mean_of(shares, 1.0 if is_time else None)


def _mean_of(values: NDArray[np.float64], most: float | None = None) -> Interval | None:
    """The mean, with an interval that allows for unseen values of up to `most`."""
    if not np.isfinite(values).all():
        return None
    found = mean_with_interval(values)
    if most is None:
        return found
    of_starts = np.atleast_2d(values).mean(axis=0)
    least = min(float(of_starts.min()), 0.0)
    wide = score_interval(of_starts - least, max(most, float(of_starts.max())) - least)
    return found.widened(Interval(*(number + least for number in wide)))


def numbers_of(found: Episodes) -> dict[str, Any]:
    """Returns the gap in each region and overall for JSON, of several policies by name."""
    side, numbers = side_of(found), dict[str, Any]()
    if len(found.names(side.name)) > 1:
        return {name: numbers_of(one) for name, one in found.by(side.name).items()}
    for name, part in by_region(found).items():
        value = mean_value(part)
        numbers[name] = {
            "starts": len(part) // found.runs,
            "mean_value": value if math.isfinite(value) else None,
            **jsonable(gap_metrics(part)),
        }
    overall = numbers.pop("all")
    return {
        **{"version": found.version, "policy": found.names(side.name)[0], "side": side.name},
        **{"dt": found.config.dt, "horizon": found.config.horizon},
        **{"first_seed": int(found["seed"].min()), "regions": numbers, "overall": overall},
    }


def tables_of(found: Episodes) -> list[Table]:
    """Returns a table for each policy, with a row for each region."""
    side, unit = side_of(found), found.payoff.unit
    header = (
        *("region", "starts", f"V [{unit}]", f"gap [{unit}]", "gap / V"),
        *(f"floor [{unit}]", "never caught", "score"),
    )
    tables = []
    for policy, played in found.by(side.name).items():
        rows, notes, regions = [], [], by_region(played)
        for name, part in regions.items():
            if len(part):
                metrics = gap_metrics(part)
                texts = (cell(metrics[one], form) for one, form in _FORMS.items())
                value = f"{mean_value(part):.3f}"
                rows.append((in_words(name), f"{len(part):,}", value, *texts))
        if found.payoff is CAPTURE_TIME:
            notes.append(
                "An episode without a capture counts as one at the horizon in the gap, and 0 "
                "in a pursuer's score."
            )
        if 0 < len(regions["all"]) < len(played):
            notes.append('The row "all" has the starts with a finite V.')
        if absent := [name for name in regions_of(found.config) if name not in regions]:
            notes.append(f"No start lies in {', '.join(absent)}.")
        title = f"{policy} as the {side.name} against perfect play, gap and its floor"
        table = Table(f"{title} [95% interval]", header, rows, " ".join(notes))
        is_time = found.payoff is CAPTURE_TIME
        tables.append(table if is_time else table.without("never caught"))
    return tables


def least_margin(config: Game) -> float:
    """The margin of `gap`: what both cover in a step, or a fifth of the capture radius."""
    way = config.dt * sum(config.vehicles(each)[0].max_speed for each in SIDES)
    return min(way, 0.2 * config.capture_radius)


def gap(
    policy: AnyPlayer | Sequence[AnyPlayer],
    game: AnyGame = "homicidal_chauffeur",
    side: str = "pursuer",
    *,
    starts: int = REGION_STARTS,
    margin: float | None = None,
    seed: int = HELD_OUT_SEED,
    name: str | Sequence[str] | None = None,
) -> Episodes:
    """Measures the gap between a policy and perfect play, or of several from the same starts.

    The episodes have the columns "value", "floor" and "region"; their tables and `to_dict` have
    the `gap_metrics` of each region.

    Args:
        policy: a player, as `evaluate` takes it, or a list of them.
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
        name: of the policy in the results, or of each of several; None for `name_of` it.

    Raises:
        TypeError, ValueError: for the arguments that `evaluate` refuses, several policies with
            one name, a game that is not solved, and if too few starts lie in a region.
    """
    learner, policies = Side.named(side), listed(policy, "policy")
    for one in policies:
        resolve(one, learner, what="policy")  # not "evader" in messages
    given = [name] if isinstance(name, str) else name
    names = (*map(name_of, policies),) if given is None else check_texts("name", given)
    if not len(policies) == len(names) == len({*names}):
        raise InvalidValue(
            f"name must be different for each of the {len(policies)} policies, got "
            f"{', '.join(names)}"
        )
    config = given_game(game, "game", "starts")
    count = check_integer("starts", starts, 2, MOST_STARTS)
    seed = check_integer("seed", seed, 0)
    perfect = Script(behavior=behavior_of_game(config))
    margin = least_margin(config) if margin is None else margin
    found = starts_by_region(config, count, check_number("margin", margin, 0.0), seed)
    states, values, seeds = map(np.concatenate, zip(*found.values()))
    config = with_horizon(config, values)

    def play(one: AnyPlayer) -> NDArray[np.void]:
        seen = observation_of(resolve(one, None).policy, config.scenario)
        here = config if seen is None else replace(config, observation=seen)
        return records_from(here, learner.ordered(one, perfect), states)

    records = np.stack([play(one) for one in policies])
    records["seed"] = seeds
    rows = rows_of(records[learner.ordered(slice(None), None)])
    table = rows.reshape(len(policies), -1)
    table["value"], table["floor"] = values, play(perfect)[payoff_of(config.payoff).column]
    table["region"] = np.repeat(np.arange(len(found)), count)
    return Episodes(*learner.ordered(names, (PERFECT,)), config, rows, regions=(*found,))
