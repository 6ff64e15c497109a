"""The episodes of an evaluation, their payoff, and the metrics computed from them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.statistics import (
    Interval,
    SurvivalCurve,
    interquartile_mean_with_interval,
    jsonable,
    mean_with_interval,
    median_with_interval,
    rate_with_interval,
    survival_curve,
)
from steer_env.baselines.tables import Table, Tabled, write_csv
from steer_env.errors import InvalidType, InvalidValue, check_choice, check_path, printable
from steer_env.game.config import ActionConfig, Game, ObservationConfig, RewardConfig
from steer_env.game.config.observation import name_of_feature
from steer_env.players.archive import json_in, read_archive, refusing_damage, write_archive
from steer_env.scenarios.registry import GAMES


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
    ]
)
"""The record of one episode. Paths and efforts of teams are means over the side."""

FORMAT = "steer_env evaluation 1"
MAX_BYTES = 512 * 2**20  # of a file's arrays: 7 million episodes
MAX_RATIO = 20.0  # of the episodes' size over their compressed size; 6 if no vehicle moves
_MAX_ABOUT = 2**16  # letters
FEWEST = 4  # the least number of episodes for all metrics with their intervals
METRICS = {
    "capture_rate": "%",
    "mean_capture_time": "s",
    "median_capture_time": "s",
    "interquartile_mean_capture_time": "s",
    "mean_distance": "m",
    "mean_closest_distance": "m",
    "mean_pursuer_path": "m",
    "mean_evader_path": "m",
    "mean_pursuer_effort": "%",
    "mean_evader_effort": "%",
}
"""The estimates with intervals that an `Evaluation` has, and their units.

Shares, whose unit is "%", are from 0 to 1. `Evaluation.metrics` leaves out capture times in
games about a distance, and the mean distance in all others.
"""


_OF_ARENA = {
    "size": "arena_size",
    "obstacles": "obstacles",
    "obstacle_radius": "obstacle_radius",
}
"""Fields of the arena in files beside its kind, and those of a `Game`."""


def fields_of_game(config: Game) -> dict[str, Any]:
    """All fields of a game for JSON, with its name and parameters for a registered scenario."""
    scenario, seen = config.scenario, config.observation
    without = replace(config, scenario=None, observation=replace(seen, features=()))
    found = dataclasses.asdict(without)
    del found["scenario"]
    sizes = {key: found.pop(name) for key, name in _OF_ARENA.items()}
    found["arena"] = {"kind": config.arena, **sizes}
    if config.target is None:
        del found["target"]
    found["observation"]["features"] = tuple(name_of_feature(one) for one in seen.features)
    if scenario is not None:
        if type(GAMES.get(scenario.name)) is not type(scenario):
            raise InvalidType(
                f"a file holds a scenario by its name, and {scenario.name!r} is not "
                "registered: see steer_env.register"
            )
        found["scenario"] = {"scenario": scenario.name, **vars(scenario)}
    return found


def game_of_fields(given: Mapping[str, Any]) -> Game:
    """The game in a file, from its `fields_of_game`."""
    arena = given["arena"]
    sizes = {name: arena[key] for key, name in _OF_ARENA.items()}
    return Game(**{**given, "arena": arena["kind"], **sizes})


def _estimate(
    column: str, estimator: Callable[[NDArray[Any]], Interval] = mean_with_interval
) -> cached_property[Interval]:
    return cached_property(lambda evaluation: estimator(evaluation[column]))


class GameResult(Tabled):
    """A result about one game."""

    config: Game

    @property
    def time_limit(self) -> float:
        """The longest that an episode can last, in seconds."""
        return self.config.horizon * self.config.dt

    @property
    def payoff(self) -> Payoff:
        """`CAPTURE_TIME` or `DISTANCE`."""
        return payoff_of(self.config.payoff)


@dataclass(frozen=True, eq=False)
class Evaluation(GameResult):
    """Episodes of a pursuer against an evader, and the metrics with their 95% intervals.

    Attributes:
        pursuer: the name of the pursuer's policy.
        evader: the name of the evader's.
        config: the game.
        episodes: (N,) records of `EPISODE`; ``evaluation["time"]`` is a column.
        version: of the steer_env that played them.
    """

    pursuer: str
    evader: str
    config: Game
    episodes: NDArray[np.void]
    version: str = steer_env.__version__

    def __post_init__(self) -> None:
        for name in ("pursuer", "evader", "version"):  # perhaps from a stranger's file
            object.__setattr__(self, name, printable(getattr(self, name)))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Returns a column of the episodes, (N,)."""
        check_choice("column of an evaluation", name, EPISODE.fields or ())
        return self.episodes[name]

    def __len__(self) -> int:
        return len(self.episodes)

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """The payoff of each episode, (N,), in seconds or in meters."""
        return self[self.payoff.column]

    @cached_property
    def mean_payoff(self) -> Interval:
        """The mean of `payoffs`: `mean_capture_time`, or the mean distance in meters."""
        return mean_with_interval(self.payoffs, limit=largest_payoff(self.config))

    capture_rate = _estimate("captured", rate_with_interval)
    """The share of the episodes in which all evaders are caught."""

    @cached_property
    def mean_capture_time(self) -> Interval:
        """Restricted mean capture time in seconds: a time-out counts as the limit."""
        return mean_with_interval(self["time"], limit=self.time_limit)

    median_capture_time = _estimate("time", median_with_interval)
    """The median in seconds, with time-outs at the limit."""

    interquartile_mean_capture_time = _estimate("time", interquartile_mean_with_interval)
    """The mean of the middle half in seconds, with time-outs at the limit."""

    @cached_property
    def survival(self) -> SurvivalCurve:
        """The share of episodes still running over time, or of larger distances over them."""
        is_time = self.payoff is CAPTURE_TIME
        ended = self["captured"] if is_time else np.ones(len(self), np.bool_)
        return survival_curve(self.payoffs, ended)

    mean_distance = _estimate("distance")
    """The mean distance at the end of an episode in meters, in some games the payoff.

    It is that of each free evader to the nearest pursuer, and 0 if all are caught; in games
    about the distance from a target it is minus that.
    """

    mean_closest_distance = _estimate("closest")
    """The least distance of a pursuer to a free evader, in meters."""

    mean_pursuer_path = _estimate("pursuer_path")
    """The length of a pursuer's path, in meters."""

    mean_evader_path = _estimate("evader_path")
    """The length of an evader's path, in meters."""

    mean_pursuer_effort = _estimate("pursuer_effort")
    """The share of its force that a pursuer uses: mean length of its actions, 0 to 1."""

    mean_evader_effort = _estimate("evader_effort")
    """The share of its force that an evader uses: mean length of its actions, 0 to 1."""

    def metrics(self) -> dict[str, Interval]:
        """Returns the `METRICS` of the game's payoff by name, from at least four episodes."""
        if len(self) < FEWEST:
            raise InvalidValue(
                f"metrics with intervals need at least {FEWEST} episodes, got {len(self)}"
            )
        return {name: getattr(self, name) for name in self.metric_names}

    @property
    def metric_names(self) -> list[str]:
        """Those of `METRICS` that fit the game's payoff."""
        other = "mean_distance" if self.payoff is CAPTURE_TIME else "capture_time"
        return [name for name in METRICS if not name.endswith(other)]

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the episodes, for JSON."""
        numbers = {"episodes": len(self), "first_seed": int(self["seed"][0])}
        return {**self._about(), **numbers, **jsonable(self.metrics())}

    def _about(self) -> dict[str, Any]:
        names = {name: getattr(self, name) for name in ("version", "pursuer", "evader")}
        return {**names, "config": fields_of_game(self.config)}

    def table(self) -> Table:
        """Returns a table of the metrics."""
        rows = [
            (name.replace("_", " "), metric_text(name, interval, with_unit=True))
            for name, interval in self.metrics().items()
        ]
        seeds, caption = f"seeds {self['seed'][0]} to {self['seed'][-1]}", ""
        if self.payoff is CAPTURE_TIME:
            caption = f"Episodes without a capture count as {self.time_limit:g} s."
        elif self.config.payoff == "target_distance":
            caption = "The distance is that from the target, with a minus: 0 if it was reached."
        title = f"{self.pursuer} vs {self.evader}, {len(self):,} episodes ({seeds})"
        return Table(title, ("metric", "estimate [95% interval]"), rows, caption)

    def __repr__(self) -> str:
        return f"Evaluation({self.pursuer!r} vs {self.evader!r}, {len(self):,} episodes)"

    def save(self, path: str | Path) -> None:
        """Writes the episodes to an .npz file for `load`, or to a .csv file, one in a line.

        Raises:
            OSError: if the file cannot be written.
            ValueError: for another ending.
        """
        path = check_path("path", path)
        check_choice("ending of the file", path.suffix, (".npz", ".csv"))
        if path.suffix == ".csv":
            write_csv(path, EPISODE.names or (), (record.item() for record in self.episodes))
            return
        about = np.array(json.dumps({"format": FORMAT, **self._about()}))
        arrays = {"episodes": self.episodes, "about": about}
        write_archive(path, arrays, MAX_BYTES, compressed=True)

    @classmethod
    def load(cls, path: str | Path) -> Evaluation:
        """Reads an .npz of `save`, and executes nothing in it.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not an evaluation, or a damaged one.
        """
        path = check_path("path", path)
        with refusing_damage(path, "an evaluation that Evaluation.save wrote"):
            found = read_archive(path, MAX_BYTES, 2, dtypes=(EPISODE,), max_ratio=MAX_RATIO)
            if found["about"].nbytes > 4 * _MAX_ABOUT:
                raise InvalidValue(f"about must be a string of at most {_MAX_ABOUT:,} letters")
            episodes, about = found["episodes"], json_in(found, "about")
            if about["format"] != FORMAT or episodes.dtype != EPISODE or episodes.ndim != 1:
                raise InvalidValue(
                    f"its format is {about['format']!r}, with {episodes.ndim} axes of "
                    f"{episodes.dtype}"
                )
            if not all(np.isfinite(episodes[name]).all() for name in EPISODE.names or ()):
                raise InvalidValue("some of its numbers are nan or infinite")
            pursuer, evader, version = (str(about[x]) for x in ("pursuer", "evader", "version"))
            return cls(pursuer, evader, game_of_fields(about["config"]), episodes, version)


def game_of_opponent(config: Game, sees_all: bool) -> Game:
    """A game without the other side's observation, actions and rewards."""
    seen = config.observation
    seen = ObservationConfig() if sees_all else replace(seen.exact, features=())
    return replace(config, observation=seen, action=ActionConfig(), reward=RewardConfig())


def metric_text(name: str, interval: Interval, with_unit: bool = False) -> str:
    """Returns an estimate in percent, or with two digits."""
    if METRICS[name] == "%":
        return f"{interval:.1%}"
    return f"{interval:.2f}" + f" {METRICS[name]}" * with_unit
