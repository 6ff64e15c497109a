"""Standings: the leading players of each game of the suite.

The best known players of both sides, hand-written and learned, play each other from held-out
starts. The leading players are those at the equilibrium of that empirical game. A side's
headroom is its loss with its hand-written players alone, which learning can gain; its shortfall
is its loss with its learned players alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from open_questions import OPEN_QUESTIONS

from steer_env.baselines.cross_play import crossplay, equilibrium, game_value
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.statistics import Interval, jsonable
from steer_env.baselines.tables import Table
from steer_env.baselines.tasks import HELD_OUT_SEED, TASKS
from steer_env.errors import InvalidValue
from steer_env.players import pretrained
from steer_env.players.pretrained import is_pretrained
from steer_env.scenarios.registry import suite_game
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, short_name
from steer_env.sides import Side

EPISODES = 500  # of each pair

FORCEFUL = {
    side: tuple(
        name
        for name, script in ROSTER.items()
        if name.endswith(AT_FULL_FORCE) and script.chases == (side is Side.PURSUER)
    )
    for side in Side
}
"""The scripts at full force, by their side."""

_OF_EACH_VALUE = 0.975  # by Bonferroni, the difference of two has the confidence 0.95


class Guarantee(NamedTuple):
    """A player's result against the opponent that it does worst against."""

    player: str
    opponent: str
    time: Interval  # mean capture time of the pair, not corrected for having been picked


@dataclass(frozen=True, eq=False)
class Standing:
    """The known players of a game: pretrained ones are learned, all others hand-written."""

    game: Scenario
    played: Episodes

    def names(self, side: Side) -> tuple[str, ...]:
        """The players of a side."""
        return self.played.names(side.name)

    def scripts(self, side: Side) -> tuple[str, ...]:
        """The hand-written players of a side."""
        return tuple(name for name in self.names(side) if not is_pretrained(name))

    def learned(self, side: Side) -> tuple[str, ...]:
        """The learned players of a side."""
        return tuple(name for name in self.names(side) if is_pretrained(name))

    @cached_property
    def mixtures(self) -> tuple[dict[str, float], dict[str, float]]:
        """The players of each side at the equilibrium, the largest share first."""
        return equilibrium(self.played)

    @cached_property
    def value(self) -> Interval:
        """Mean capture time at the equilibrium, in seconds."""
        return game_value(self.played)

    @cached_property
    def captured(self) -> float:
        """The share of episodes with a capture if both sides play their mixtures, 0 to 1.

        It has no interval, since the mixtures are chosen by the same episodes.
        """
        pairs = product(*(mixture.items() for mixture in self.mixtures))
        return sum(
            share * other * float(self._pair(pursuer, evader)["captured"].mean())
            for (pursuer, share), (evader, other) in pairs
        )

    def _pair(self, pursuer: str, evader: str) -> Episodes:
        return self.played.where(pursuer=pursuer, evader=evader)

    @cached_property
    def headroom(self) -> Mapping[Side, Interval | None]:
        """The gain of a side's learned players over its hand-written ones, in seconds, from 0.

        It is the difference between the game's value and its value with only the hand-written
        players of that side; None for a side without a learned player. A bootstrap over the
        starts would be biased, see `cross_play.game_value`. The interval goes from the least to
        the largest difference between the two values' 97.5% intervals, so it contains the
        difference at least 95% of the time, and is rather too long.
        """
        return {side: self._loss(side, self.scripts(side)) for side in Side}

    @cached_property
    def shortfall(self) -> Mapping[Side, Interval | None]:
        """The gain of a side's hand-written players over its learned ones, as `headroom`."""
        return {side: self._loss(side, self.learned(side)) for side in Side}

    def _loss(self, side: Side, names: Sequence[str]) -> Interval | None:
        """The loss of a side with learned players that has only these, in seconds."""
        if not self.learned(side):
            return None
        fewer = self.played.where(**{side.name: names})
        values = [game_value(played, _OF_EACH_VALUE) for played in (fewer, self.played)]
        longer, shorter = side.ordered(*values)  # pursuers want less time, evaders more
        return Interval(
            max(longer.estimate - shorter.estimate, 0.0),  # below by rounding only
            max(longer.low - shorter.high, 0.0),
            longer.high - shorter.low,
        )

    def guarantee(self, side: Side, names: Sequence[str] | None = None) -> Guarantee:
        """The player with the best result against its worst opponent: of some, or of all."""
        ranking = self.ranking(side)
        best = min(names or ranking, key=ranking.index)
        costs = self._costs(side)[self.names(side).index(best)]
        opponent = self.names(side.other)[int(costs.argmax())]
        pair = self._pair(*side.ordered(best, opponent))
        return Guarantee(best, opponent, pair.mean_capture_time)

    def ranking(self, side: Side) -> list[str]:
        """The players of a side by their worst mean capture times, the best player first."""
        worst = dict(zip(self.names(side), self._costs(side).max(axis=1).tolist()))
        return sorted(worst, key=worst.__getitem__)

    def _costs(self, side: Side) -> NDArray[np.float64]:
        """Mean capture times, negative for evaders: (players, opponents), less is better."""
        return (1.0, -1.0)[side] * self._means("time").swapaxes(0, side)

    def _means(self, column: str) -> NDArray[np.float64]:
        """The mean of a column by pursuer and evader."""
        means: NDArray[np.float64] = self.played.array(column, "pursuer", "evader").mean(-1)
        return means

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the episodes, for JSON; a row of pairs for each pursuer."""
        return {
            "challenge": self.game.challenge,
            "question": OPEN_QUESTIONS[self.game.name],
            "value": self.value._asdict(),
            "captured": self.captured,
            **{side.name: self._numbers_of(side) for side in Side},
            "episodes": len(self.played.seeds),
            "first_seed": int(self.played.seeds[0]),
            "pursuers": list(self.played.pursuers),
            "evaders": list(self.played.evaders),
            "mean_capture_time": self._means("time").tolist(),
            "capture_rate": self._means("captured").tolist(),
        }

    def _numbers_of(self, side: Side) -> dict[str, Any]:
        return jsonable(
            {
                "learned": len(self.learned(side)),
                "mixture": self.mixtures[side],
                "headroom": self.headroom[side],
                "shortfall": self.shortfall[side],
                "best": self.guarantee(side)._asdict(),
                "best_script": self.guarantee(side, self.scripts(side))._asdict(),
            }
        )


def players(game: str, side: Side) -> tuple[str, ...]:
    """Each of the protocol's players, scripts at full force or tuned, and networks, once."""
    found = suite_game(game)
    own, others = (TASKS[f"{one.name}/{found.name}"] for one in (side, side.other))
    runs = {pretrained.path_of(name): name for name in pretrained.runs_of(found, side)}
    protocol = (*own.references, *others.opponents, *others.held_out)
    tuned = [name for name in ROSTER if name.startswith(f"tuned/{game}/{side.name}")]
    listed = (*protocol, *FORCEFUL[side], *tuned, *runs.values())

    def one_name(name: str) -> str:  # of several for the same player
        if is_pretrained(name):
            return runs.get(pretrained.path_of(name), name)
        return short_name(name)

    return tuple(dict.fromkeys(map(one_name, listed)))


def standings(
    games: Sequence[str],
    episodes: int = EPISODES,
    seed: int = HELD_OUT_SEED,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Standing]:
    """Plays all known players of games of the suite against each other.

    The progress is called after each pair with the numbers of pairs done, and of all games'.
    """
    if not games:
        raise InvalidValue("games must be at least one of the suite's")
    sides = {game: [players(game, side) for side in Side] for game in games}
    total = sum(len(pursuers) * len(evaders) for pursuers, evaders in sides.values())
    done = itertools.count(1)

    def count(*_: int) -> None:
        if progress is not None:
            progress(next(done), total)

    return [
        Standing(suite_game(game), crossplay(pursuers, evaders, game, episodes, seed, count))
        for game, (pursuers, evaders) in sides.items()
    ]


def suite_table(found: Sequence[Standing]) -> Table:
    """Returns the table of all games, one in a line."""

    def room(value: Interval | None, side: Side) -> str:
        return f"no learned {side.name} yet" if value is None else f"{value:.2f}"

    def leader(standing: Standing, side: Side) -> str:
        name, share = next(iter(standing.mixtures[side].items()))
        return f"`{name}` ({share:.1%})"

    kinds = ("headroom", "shortfall")
    header = (
        *("game", "what is hard", "value [s]", "captured"),
        *(f"{side.name}s' {kind} [s]" for side in Side for kind in kinds),
        *(f"leading {side.name}" for side in Side),
    )
    rows = [
        (
            f"`{standing.game.name}`",
            standing.game.challenge,
            f"{standing.value:.2f}",
            f"{standing.captured:.1%}",
            *(room(getattr(standing, kind)[side], side) for side in Side for kind in kinds),
            *(leader(standing, side) for side in Side),
        )
        for standing in found
    ]
    return Table(
        "Leading players in each game of the suite",
        header,
        rows,
        "Value: mean capture time if both sides mix their players as well as they can; a "
        "time-out counts as the time limit. Captured: share of episodes then. Headroom: by how "
        "much a side's learned players improve the value over its hand-written ones. "
        "Shortfall: by how much the latter improve it over its learned ones. After a "
        "leading player stands its share in the mixture. 95% intervals; those of headrooms "
        "are wider than they need to be. The estimates are biased towards players that were "
        "lucky in these starts.",
    )
