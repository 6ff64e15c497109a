"""Episodes, the one table of results: the players, the start and the end of each.

A row is an episode. Pairs of players, training runs and regions of a solution are columns, so
that a result is a selection of rows (`Episodes.where`) or a group of them (`Episodes.by`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines import measures
from steer_env.baselines.measures import (
    CAPTURE_TIME,
    COLUMNS,
    NAMED,
    NUMBERED,
    OF_ONE_RUN,
    ROW,
    Payoff,
    payoff_of,
)
from steer_env.baselines.statistics import Curve, Interval, survival_curve
from steer_env.baselines.tables import Table, Tabled
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    got,
    printable,
)
from steer_env.game.config import Game

_PAIRED = "run", "pursuer", "evader"
_GROUPING = (*NAMED, *NUMBERED, "outcome")


def _metric(name: str) -> cached_property[Interval]:
    return cached_property(lambda episodes: episodes._estimate(name))


@dataclass(frozen=True, eq=False)
class Episodes(Tabled):
    """Episodes of one game, and the `METRICS` with their 95% intervals.

    Metrics are over the starts. For several pairs of players they are of the mean over them,
    start by start; for several training runs they are over runs and starts (see
    `training_runs`), clipped to the values that are possible.

    Attributes:
        pursuers: the names of the pursuers' policies.
        evaders: the names of the evaders'.
        config: the game.
        episodes: (N,) rows of `ROW`; ``episodes["time"]`` is a column. Records of `EPISODE`
            will do, of one pair (N,) or of all pairs (pursuers, evaders, N).
        version: of the steer_env that played them.
        regions: the names of the regions of a solved game, else empty.
    """

    pursuers: tuple[str, ...]
    evaders: tuple[str, ...]
    config: Game
    episodes: NDArray[np.void] = field(repr=False)
    version: str = steer_env.__version__
    regions: tuple[str, ...] = ()
    _kept: dict[str, Interval] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("pursuers", "evaders", "regions"):  # perhaps from a stranger's file
            object.__setattr__(self, name, tuple(map(printable, getattr(self, name))))
        object.__setattr__(self, "version", printable(self.version))
        if self.episodes.dtype != ROW or self.episodes.ndim > 1:
            object.__setattr__(self, "episodes", measures.rows_of(self.episodes))

    @classmethod
    def joined(cls, parts: Sequence[Episodes], runs: Sequence[int] = ()) -> Episodes:
        """Puts episodes of one game into one table, those of training runs by their numbers."""
        names: dict[str, Any] = {}
        tables = [part.episodes.copy() for part in parts]
        for column in NAMED:
            listed = dict.fromkeys(name for part in parts for name in part.names(column))
            names[f"{column}s"] = (*listed,)
            places = {name: place for place, name in enumerate(listed)}
            for part, table in zip(parts, tables):
                known = np.array([places[name] for name in part.names(column)] or [0])
                table[column] = known[table[column]]
        for table, run in zip(tables, runs):
            table["run"] = run
        return replace(parts[0], episodes=np.concatenate(tables), **names)

    def renamed(self, **names: str) -> Episodes:
        """Returns the episodes with another name of the ``pursuer``, the ``evader`` or both."""
        rows = self.episodes.copy()
        for column in names:
            rows[column] = 0
        given: Any = {f"{side}s": (name,) for side, name in names.items()}
        return replace(self, episodes=rows, **given)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Returns a column, (N,), or where an outcome has come."""
        return measures.column_of(self.episodes, self.config, name)

    def __len__(self) -> int:
        return len(self.episodes)

    def names(self, column: str) -> tuple[str, ...]:
        """The names that the numbers in a column stand for."""
        if column == "outcome":
            return ("", *self.config.outcomes)
        return {"pursuer": self.pursuers, "evader": self.evaders}.get(column, self.regions)

    @property
    def pursuer(self) -> str:
        """The name of the pursuer, or of the first of several."""
        return self.pursuers[0]

    @property
    def evader(self) -> str:
        """The name of the evader, or of the first of several."""
        return self.evaders[0]

    @property
    def runs(self) -> int:
        """The number of training runs."""
        return len(np.unique(self.episodes["run"]))

    def where(self, **chosen: str | int | Iterable[str | int]) -> Episodes:
        """Returns the episodes of some players, runs, regions or maps.

        Args:
            **chosen: a name or several for ``pursuer``, ``evader``, ``region`` and ``outcome``,
                and a number or several for ``run`` and ``map``. Several names are those of the
                result, in their order.

        Raises:
            ValueError: for another column, or a name or a number that no episode has.
        """
        kept, orders = np.ones(len(self), np.bool_), dict[str, list[int]]()
        for column, given in chosen.items():
            check_choice("column to choose by", column, _GROUPING)
            several: Any = [given] if isinstance(given, str) else given
            listed: Any = [*several] if isinstance(several, Iterable) else [given]
            for one in listed:
                if column in NUMBERED:
                    check_integer(column, one, 0)
                else:
                    check_choice(column, one, self.names(column))
            if column not in NUMBERED:
                listed = orders[column] = [self.names(column).index(one) for one in listed]
            kept &= np.isin(self.episodes[column], listed)
        if not kept.any():
            raise InvalidValue(f"no episode has {chosen}, among {self!r}")
        return self._taken(kept, orders)

    def by(self, *columns: str) -> dict[Any, Episodes]:
        """Groups the episodes by "pursuer", "evader", "run", "region", "outcome" or "map".

        Returns:
            The episodes of each name, number of a run or map, or tuple of them, in their order.
        """
        for column in columns:
            check_choice("column to group by", column, _GROUPING)
            if column == "map" and not self.config.map:
                raise InvalidValue(f"only games on maps have maps, got {self!r}")
            if column == "region" and not self.regions:
                raise InvalidValue(f"only what `gap` returns has regions, got {self!r}")
        found = {}
        for part in np.split(*self._order(columns)):
            row, key = self.episodes[part[0]], []
            for column in columns:
                names = self.names(column)
                key.append(int(row[column]) if column in NUMBERED else names[row[column]])
            found[key[0] if len(key) == 1 else tuple(key)] = self._taken(part)
        return found

    def _order(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of the episodes group by group, and where the second and later begin."""
        keys = [self.episodes[column] for column in reversed(columns)]
        order = np.lexsort([np.zeros(len(self)), *keys])  # one group without columns
        changes = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        return order, np.flatnonzero(changes) + 1

    def _taken(self, rows: NDArray[Any], orders: Mapping[str, Sequence[int]] = {}) -> Episodes:
        """Some rows, and the names in them alone."""
        episodes, names = self.episodes[rows], dict[str, Any]()
        for column in NAMED:
            known = self.names(column)
            kept = orders.get(column) or np.unique(episodes[column]).tolist()
            if known:
                numbers = np.zeros(len(known), ROW[column])
                numbers[kept] = np.arange(len(kept))
                episodes[column] = numbers[episodes[column]]
                names[f"{column}s"] = tuple(known[number] for number in kept)
        return replace(self, episodes=episodes, **names)

    def array(self, column: str, *axes: str) -> NDArray[Any]:
        """Returns a column with an axis for each of `axes`, and the starts as the last one.

        Raises:
            ValueError: if the episodes of the groups are not from the same starts.
        """
        values = self._from_starts(column, axes)
        shape = [len(np.unique(self.episodes[axis])) for axis in axes]
        return values.reshape(*shape, values.shape[1])

    def by_start(self, column: str) -> NDArray[Any]:
        """Returns a column by start, averaged over pairs: (starts,), or (runs, starts)."""
        values = self._from_starts(column).reshape(self.runs, -1, len(self.seeds))
        found = values[:, 0] if values.shape[1] == 1 else values.mean(axis=1)
        return found if len(found) > 1 else found[0]

    @cached_property
    def seeds(self) -> NDArray[np.uint64]:
        """The seeds of the starts, from each of which each pair and run played, (starts,)."""
        return self._from_starts("seed")[0]

    def _from_starts(self, column: str, axes: Sequence[str] = _PAIRED) -> NDArray[Any]:
        """A column, (groups, starts), of the groups by some other columns."""
        places = np.split(*self._order(axes))
        seeds = [self.episodes["seed"][part] for part in places]
        if not all(np.array_equal(one, seeds[0]) for one in seeds):
            raise InvalidValue(
                f"the episodes by {', '.join(axes)} are not from the same starts: play all "
                "with equal seed and episodes"
            )
        return np.ascontiguousarray(self[column])[np.array(places)]

    @property
    def time_limit(self) -> float:
        """The longest that an episode can last, in seconds."""
        return self.config.horizon * self.config.dt

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME` or `DISTANCE`."""
        return payoff_of(self.config.payoff)

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """The payoff of each episode, (N,), in seconds or in meters."""
        return self[self.payoff.column]

    @property
    def mean_payoff(self) -> Interval:
        """The mean of `payoffs`: `mean_capture_time`, or the mean distance in meters."""
        return self.metric(self.payoff.mean)

    capture_rate = _metric("capture_rate")
    """The share of the episodes in which all evaders are caught."""

    mean_capture_time = _metric("mean_capture_time")
    """Restricted mean capture time in seconds: a time-out counts as the limit."""

    median_capture_time = _metric("median_capture_time")
    """The median in seconds, with time-outs at the limit."""

    @cached_property
    def survival(self) -> Curve:
        """The share of episodes still running over time, or of larger distances over them."""
        is_time = self.payoff is CAPTURE_TIME
        ended = self["captured"] if is_time else np.ones(len(self), np.bool_)
        return survival_curve(self.payoffs, ended)

    mean_distance = _metric("mean_distance")
    """The mean distance at the end of an episode in meters, in some games the payoff.

    It is that of each free evader to the nearest pursuer, and 0 if all are caught; in games
    about the distance from a target it is minus that.
    """

    def metric(self, name: str) -> Interval:
        """Returns one of the `metric_names` (ValueError for another name)."""
        several = "" if len(self) == len(self.seeds) else " over several runs or pairs"
        what = f"metric of {self.pursuer} vs {self.evader}{several}"
        check_choice(what, name, self.metric_names)
        return self._estimate(name)

    def _estimate(self, name: str) -> Interval:
        if name in OF_ONE_RUN and len(self) > len(self.seeds):
            return self.metric(name)  # which refuses it
        if name not in self._kept:
            values = self.by_start(COLUMNS.get(name, name))
            self._kept[name] = measures.estimate(name, values, self.config)
        return self._kept[name]

    @property
    def metric_names(self) -> list[str]:
        """Those of `METRICS` and outcomes that fit the game, and the runs and pairs."""
        return measures.metrics_of(self.config, len(self) == len(self.seeds))

    def won(self, side: str) -> Interval:
        """The share of episodes that "pursuer" or "evader" has won, by their outcomes."""
        return measures.won(self.episodes, self.config, side)

    def metrics(self) -> dict[str, Interval]:
        """Returns the `METRICS` of the game's payoff by name, from at least four episodes."""
        if (count := len(self.seeds)) < (least := measures.FEWEST):
            raise InvalidValue(
                f"metrics with intervals need at least {least} episodes, got {count}"
            )
        return {name: self.metric(name) for name in self.metric_names}

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the episodes, for JSON."""
        return copy.deepcopy(self._numbers)

    @cached_property
    def _numbers(self) -> dict[str, Any]:  # those of a cross-play take hundreds of bootstraps
        return {**self._chapter.numbers_of(self)}

    def table(self, by: str | Sequence[str] = (), metrics: str | Sequence[str] = ()) -> Table:
        """Returns the first of all `tables`, or a table with a row for each group of episodes.

        Args:
            by: columns to group by, see `by`.
            metrics: the columns of a table of groups, see `table_of`.

        Raises:
            ValueError: for other columns and metrics.
        """
        if not by and not metrics:
            return self.tables()[0]
        from steer_env.baselines.comparison import table_of

        columns = (by,) if isinstance(by, str) else (*by,)
        groups = self.by(*columns)
        table = table_of(groups.values(), metrics)
        more = [column not in NAMED[:2] for column in columns]
        keys = (key if isinstance(key, tuple) else (key,) for key in groups)
        header, *rows = (
            (*row[:2], *map(str, compress(key, more)), *row[2:])
            for row, key in zip((table.header, *table.rows), (columns, *keys))
        )
        return replace(table, header=header, rows=rows)

    def tables(self) -> Sequence[Table]:
        """Returns the table of the metrics, or those of a cross-play or of a solved game."""
        return [*self._chapter.tables_of(self)]

    @property
    def _chapter(self) -> Any:
        """The module that makes the tables of such episodes."""
        from steer_env.baselines import comparison, cross_play, optimality

        if not np.isnan(self.episodes["value"]).all():
            return optimality
        are_pairs = self.runs == 1 and len(self.pursuers) * len(self.evaders) > 1
        return cross_play if are_pairs else comparison

    def __repr__(self) -> str:
        several = f", {self.runs} runs" if self.runs > 1 else ""
        return f"Episodes({' vs '.join(self.labels)}, {len(self):,} episodes{several})"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of both sides, of several their number, of training runs the first's."""
        if len(self._order(_PAIRED)[1]) + 1 == self.runs:
            return self.pursuer, self.evader
        sides = zip(NAMED, (self.pursuers, self.evaders))
        one, other = (x[0] if len(x) == 1 else f"{len(x)} {side}s" for side, x in sides)
        return one, other

    def save(self, path: str | Path) -> None:
        """Writes the episodes to an .npz file for `load`, or to a .csv file, one in a line.

        Raises:
            OSError: if the file cannot be written.
            ValueError: for another ending.
        """
        measures.write_episodes(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Episodes:
        """Reads an .npz of `save`, and executes nothing in it.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it has no episodes, or is damaged.
        """
        return cls(**measures.read_episodes(path))


def given_episodes(what: str, given: Any) -> Episodes:
    """Returns what was given, after checking that it is `Episodes`."""
    if not isinstance(given, Episodes):
        raise InvalidType(f"{what} must be what evaluate or crossplay returned, {got(given)}")
    return given
