"""Measures of episodes: records, the payoff of a game, metrics, and files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.statistics import (
    Interval,
    mean_with_interval,
    median_with_interval,
    rate_with_interval,
)
from steer_env.baselines.tables import write_csv
from steer_env.errors import InvalidType, InvalidValue, check_choice, check_path
from steer_env.game.config import Game, make_game
from steer_env.game.config.keywords import plain
from steer_env.players.archive import json_in, read_archive, refusing_damage, write_archive
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.baselines.episodes import Episodes

EPISODE = np.dtype(
    [
        ("seed", np.uint64),
        ("captured", np.bool_),  # whether all evaders are caught within the time limit
        ("caught", np.int64),  # number of evaders caught
        ("time", np.float64),  # until the end, in seconds; a time-out counts as the limit
        # at the end, as in infos: the mean over free evaders; or minus that from a target
        ("distance", np.float64),
        ("closest", np.float64),  # least distance of a pursuer to a free evader, in meters
        ("pursuer_path", np.float64),  # length of a pursuer's path, in meters
        ("evader_path", np.float64),
        ("pursuer_effort", np.float64),  # mean length of a pursuer's action, from 0 to 1
        ("evader_effort", np.float64),
        ("outcome", np.uint8),  # its number, see `Game.outcome`; 0 for an unknown one
        ("map", np.uint16),  # its number
    ]
)
"""The record of one episode. Paths and efforts of teams are means over the side."""

ROW = np.dtype(
    [
        *EPISODE.descr,
        # In a solved game the payoffs of perfect play from this start, in theory and in steps
        # of the game, and the region of the solution in which the start lies; else nan and 0.
        ("value", np.float64),
        ("floor", np.float64),
        ("region", np.uint8),  # numbers of the names in `Episodes.regions` ...
        ("pursuer", np.uint16),
        ("evader", np.uint16),
        ("run", np.uint16),  # of several training runs of a method
    ]
)
"""The row of an episode in a table: its record, and what it belongs to."""


def rows_of(records: NDArray[np.void]) -> NDArray[np.void]:
    """Rows of records of one pair, (N,), or of all pairs, (pursuers, evaders, N)."""
    rows = np.zeros(records.shape, ROW)
    rows["value"] = rows["floor"] = np.nan
    for name in records.dtype.names or ():
        rows[name] = records[name]
    if records.ndim == 3:
        places: Any = np.indices(records.shape, sparse=True)
        rows["pursuer"], rows["evader"], _ = places
    return rows.ravel()


FEWEST = 4  # the least number of episodes for all metrics with their intervals
METRICS = {
    "capture_rate": "%",
    "mean_capture_time": "s",
    "median_capture_time": "s",
    "mean_distance": "m",
    "mean_closest_distance": "m",
    "mean_pursuer_path": "m",
    "mean_evader_path": "m",
    "mean_pursuer_effort": "%",
    "mean_evader_effort": "%",
}
"""The estimates with intervals that `Episodes` have, and their units.

Shares, whose unit is "%", are from 0 to 1. `Episodes.metrics` leaves out capture times in
games about a distance, and the mean distance in all others.
"""

OF_ONE_RUN = {"median_capture_time": median_with_interval}
COLUMNS = {name: name.removeprefix("mean_") for name in METRICS} | {
    **{name: "time" for name in METRICS if name.endswith("capture_time")},
    **{"capture_rate": "captured", "mean_closest_distance": "closest"},
}


def metrics_of(config: Game, is_plain: bool) -> list[str]:
    """Those of `METRICS` and outcomes that fit a game, and one run of one pair or several."""
    other = "mean_distance" if payoff_of(config.payoff) is CAPTURE_TIME else "capture_time"
    left_out = () if is_plain else (*OF_ONE_RUN,)
    found = [name for name in METRICS if not name.endswith(other) and name not in left_out]
    has_ends, outcomes = config.has_rule("ends"), [*config.outcomes]
    if not has_ends and len(config.targets) < 2:
        return found
    own = getattr(config.scenario, "outcomes", ())
    unused = ["captured", "decided"] + ["escaped"] * (
        not config.targets and "escaped" not in own
    )
    return found + [outcome for outcome in outcomes if outcome not in unused]


def column_of(rows: NDArray[np.void], config: Game, name: str) -> NDArray[Any]:
    """A column of rows, (N,), or where an outcome has come."""
    outcomes = [*config.outcomes]
    check_choice("column of episodes", name, dict.fromkeys((*(ROW.names or ()), *outcomes)))
    found = name in (ROW.names or ())
    return rows[name] if found else np.equal(rows["outcome"], outcomes.index(name) + 1)


def won(rows: NDArray[np.void], config: Game, side: str) -> Interval:
    """The share of rows that a side has won."""
    winners = [None, *config.outcomes.values()]
    numbers = [n for n, winner in enumerate(winners) if winner is Side.named(side)]
    return rate_with_interval(np.isin(rows["outcome"], numbers))


def unit_of(name: str) -> str:
    """The unit of one of the `METRICS`, or of the share of an outcome."""
    return METRICS.get(name, "%")


def estimate(name: str, values: NDArray[Any], config: Game) -> Interval:
    """A metric of a game from its column's values, (starts,) or (runs, starts)."""
    if name in OF_ONE_RUN:
        return OF_ONE_RUN[name](values)
    if values.dtype == np.bool_:
        return rate_with_interval(values)
    highest = {"%": 1.0, "s": config.horizon * config.dt}.get(unit_of(name), np.inf)
    is_bounded = name in ("capture_rate", "mean_capture_time") or name not in METRICS
    found = mean_with_interval(values, limit=highest if is_bounded else None)
    is_negative = name == "mean_distance" and config.payoff == "target_distance"
    return found.clipped(-np.inf, 0.0) if is_negative else found.clipped(0.0, highest)


NAMED = ("pursuer", "evader", "region")  # columns of numbers of names, beside "outcome"
NUMBERED = ("run", "map")  # columns of numbers


class Payoff(NamedTuple):
    """The number that a pursuer minimizes and an evader maximizes."""

    name: str  # in results, "capture_time" or "distance"
    column: str  # of `EPISODE`, the record of an episode
    unit: str  # "s" or "m"
    unit_name: str  # "seconds" or "meters"

    @property
    def words(self) -> str:
        """The name in tables and figures."""
        return self.name.replace("_", " ")

    @property
    def mean(self) -> str:
        """The name of its mean in results, such as "mean_capture_time"."""
        return f"mean_{self.name}"

    @property
    def label(self) -> str:
        """The mean and its unit, such as "mean capture time [s]"."""
        return f"mean {self.words} [{self.unit}]"


CAPTURE_TIME = Payoff("capture_time", "time", "s", "seconds")
"""The payoff of most games, with the time limit for time-outs."""

DISTANCE = Payoff("distance", "distance", "m", "meters")
"""The payoff of games about the closest approach, the final distance or, negative, a target."""


def payoff_of(kind: str) -> Payoff:
    """The payoff of a game, from the field `payoff` of its `Game`."""
    return CAPTURE_TIME if kind in ("capture", "time") else DISTANCE


def largest_payoff(config: Game) -> float | None:
    """The time limit of a game, or None for a distance."""
    is_time = payoff_of(config.payoff) is CAPTURE_TIME
    return config.horizon * config.dt if is_time else None


def fields_of_game(config: Game) -> dict[str, Any]:
    """All fields of a game for JSON, as keywords of `make_game`."""
    found = plain(config)
    if isinstance(scenario := found.pop("scenario"), Scenario):
        raise InvalidType(
            f"a file holds a scenario by its name, and {scenario.name!r} is not registered: "
            "see steer_env.register"
        )
    return {"game": scenario, **found, "map": found["map"] or None}


FORMAT = "steer_env episodes 4"
MAX_BYTES = 512 * 2**20  # of a file's arrays: 7 million episodes of one pair
MAX_RATIO = 20.0  # of the episodes' size over their compressed size; 6 if no vehicle moves
_MAX_ABOUT = 2**24  # letters: a thousand maps from files


def write_episodes(found: Episodes, path: str | Path) -> None:
    """Writes episodes to an .npz or a .csv file, see `Episodes.save`."""
    path = check_path("path", path)
    check_choice("ending of the file", path.suffix, (".npz", ".csv"))
    if path.suffix == ".csv":
        of_solved = ("value", "floor", "region")
        columns = [x for x in ROW.names or () if found.regions or x not in of_solved]
        names = [found.names(x) if x in (*NAMED, "outcome") else () for x in columns]
        lines = (
            [known[x] if known else x for x, known in zip(row.item(), names)]
            for row in found.episodes[columns]
        )
        write_csv(path, columns, lines)
        return
    about = {
        "format": FORMAT,
        "version": found.version,
        **{f"{column}s": found.names(column) for column in NAMED},
        "config": fields_of_game(found.config),
    }
    arrays = {"episodes": found.episodes, "about": np.array(json.dumps(about))}
    write_archive(path, arrays, MAX_BYTES, compressed=True)


def read_episodes(path: str | Path) -> dict[str, Any]:
    """Reads the fields of `Episodes` from an .npz, see `Episodes.load`."""
    path = check_path("path", path)
    with refusing_damage(path, "a file of episodes that Episodes.save wrote"):
        found = read_archive(path, MAX_BYTES, 2, dtypes=(ROW,), max_ratio=MAX_RATIO)
        if found["about"].nbytes > 4 * _MAX_ABOUT:
            raise InvalidValue(f"about must be a string of at most {_MAX_ABOUT:,} letters")
        rows, about = found["episodes"], json_in(found, "about")
        if about["format"] != FORMAT or rows.dtype != ROW or rows.ndim != 1 or not len(rows):
            raise InvalidValue(
                f"its format is {about['format']!r}, with {rows.ndim} axes of {rows.dtype}"
            )
        if not all(np.isfinite(rows[name]).all() for name in EPISODE.names or ()):
            raise InvalidValue("some of its numbers are nan or infinite")
        config = make_game(**about["config"])
        listed = {column: (*map(str, about[f"{column}s"]),) for column in NAMED}
        numbers = {
            **{column: len(names) for column, names in listed.items()},
            **{"outcome": len(config.outcomes) + 1, "map": len(config.map)},
        }
        for column, count in numbers.items():
            if rows[column].max() >= max(count, 1):
                raise InvalidValue(f"some of its episodes have an unknown {column}")
        names = {f"{column}s": names for column, names in listed.items()}
        return {**names, "episodes": rows, "version": str(about["version"]), "config": config}
