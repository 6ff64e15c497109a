"""The best response that a search found to one player: its plans, their gain, and their file.

What was played can be replayed, bit for bit, and its gain over the best known player is a lower
bound of the opponent's exploitability. `steer_env.baselines.response_search` finds it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.baselines.evaluation import GameResult, fields_of_game, largest_payoff
from steer_env.baselines.feedback import drawing_anew, draws_of, has_chance, tried_at_a_decision
from steer_env.baselines.plans import Plans, Rollouts
from steer_env.baselines.rollouts import seeds_from
from steer_env.baselines.statistics import Interval, jsonable, mean_with_interval
from steer_env.baselines.tables import Table
from steer_env.errors import InvalidValue, check_integer, check_path
from steer_env.game.config import GameConfig
from steer_env.game.config.keywords import is_json, plain
from steer_env.policies.archive import (
    SavedPolicy,
    json_in,
    read_archive,
    refusing_damage,
    write_archive,
)
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.players import controller_of, name_of
from steer_env.policies.policy_player import Controller
from steer_env.policies.pretrained import network_of
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, Side

COPIES = 128
"""The number of plans of a generation: a block of the engine."""

_AT_ONCE = 64  # starts that are searched together

_FORMAT = "steer_env plans 1"
_MAX_BYTES = 2**30
_MAX_ARRAYS = 5 + 6 * MixturePolicy.MAX_ARRAYS
_DTYPES = tuple(map(np.dtype, (np.float32, np.float64, np.int8)))


@dataclass(frozen=True, eq=False)
class BestResponse(GameResult):
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
    version: str = steer_env.__version__

    @property
    def gains(self) -> NDArray[np.float64]:
        """The gain of the plan from each start, (S,), in seconds or meters.

        It is less than 0 where a network is the best known player, and no script comes near.
        """
        gains: NDArray[np.float64] = self.payoffs - self.known_payoffs
        return gains if self.side is EVADER else -gains

    @cached_property
    def gain(self) -> Interval:
        """The mean gain over the best known player, paired by start.

        The interval is the bootstrap's: it knows nothing of larger gains that are too rare to
        have been seen, so that the gain remains a lower bound.
        """
        return mean_with_interval(self.gains)

    def replay(self) -> NDArray[np.float64]:
        """Plays the plans once more, and returns the payoffs, (S,): the same bits."""
        opponent, *guides = self.players
        opponent, payoffs = drawing_anew(opponent, self.seed), []
        for first, size in parts_of(len(self.payoffs)):
            rollouts = Rollouts(self.config, self.side, [opponent], guides, size)
            rollouts.begin(seeds_from(self.seed + first, size))
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
        tried = tried_at_a_decision(self.budget // COPIES, draws := draws_of(self.players[0]))
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
            "95% intervals",
            ("player", f"{payoff.words} [{payoff.unit}]"),
            rows,
            caption,
        )

    def save(self, path: str | Path) -> None:
        """Writes the plans, their payoffs and all players to an .npz file for `load`.

        Raises:
            OSError: if the file cannot be written.
            InvalidValue: if a player is neither a script nor a network.
        """
        for player in self.players:
            check_writable(player)
        about = {
            "format": _FORMAT,
            "version": self.version,
            "opponent": self.opponent,
            "side": self.side.name,
            "config": fields_of_game(self.config),
            "seed": self.seed,
            "known": self.known,
            "budget": self.budget,
            "players": [
                plain(one) if isinstance(one, Script) else {"network": name_of(one)}
                for one in self.players
            ],
        }
        arrays = {
            "about": np.array(json.dumps(about)),
            "known_payoffs": self.known_payoffs,
            "payoffs": self.payoffs,
            "actions": self.plans.actions,
            "guides": self.plans.guides.astype(np.int8),
        }
        for number, player in enumerate(self.players):
            if isinstance(player, SavedPolicy):
                own = player.arrays()
                arrays |= {f"{number}/{name}": array for name, array in own.items()}
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
            found = read_archive(path, _MAX_BYTES, _MAX_ARRAYS, dtypes=_DTYPES)
            about = json_in(found, "about")
            if about["format"] != _FORMAT:
                raise InvalidValue(f"its format is {about['format']!r}")
            side, config = Side.named(about["side"]), GameConfig(**about["config"])
            sides = itertools.chain([side.other], itertools.repeat(side))
            players = tuple(
                _read_player(entry, number, found, of_side)
                for number, (entry, of_side) in enumerate(zip(about["players"], sides))
            )
            guides = players[1:]
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
                str(about["version"]),
            )


def check_writable(player: Controller) -> None:
    """Raises an InvalidValue if no file can hold a player, nor plans with or against it."""
    is_data = isinstance(player, Script) and is_json(plain(player))
    if not (is_data or isinstance(player, SavedPolicy)):
        raise InvalidValue(
            "a file can hold scripts without functions, and networks; it cannot hold "
            f"{name_of(player)}"
        )


def _read_player(
    entry: Any, number: int, arrays: Mapping[str, NDArray[Any]], side: Side
) -> Controller:
    """A player of a file: a script or a network. Older files name their networks."""
    if not (isinstance(entry, dict) and "network" in entry):
        return controller_of(entry, side)
    prefix = f"{number}/"
    network = network_of(
        {
            name.removeprefix(prefix): one
            for name, one in arrays.items()
            if name.startswith(prefix)
        }
    )
    network.name = str(entry["network"])
    return network


def _check_plans(plans: Plans, players: int, starts: int, guides: int) -> None:
    shape = plans.actions.shape
    if len(shape) != 4 or shape[0] != starts or shape[2:] != (players, 2):
        raise InvalidValue(f"its actions have the shape {shape}")
    if plans.guides.shape != shape[:2] or not np.isin(plans.guides, range(guides + 1)).all():
        raise InvalidValue("its guides do not fit its actions")


def parts_of(starts: int) -> Iterator[tuple[int, int]]:
    """The number of the first of those starts that are searched together, and how many."""
    return ((first, min(_AT_ONCE, starts - first)) for first in range(0, starts, _AT_ONCE))
