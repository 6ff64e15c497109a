"""The tasks of the benchmark protocol, version v1, and its numbers: see PROTOCOL.md."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from steer_env import __version__
from steer_env.errors import check_choice
from steer_env.players import pretrained
from steer_env.scenarios.registry import ENVIRONMENTS, SUITE, TEAMS, WORLDS
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER, Side

if TYPE_CHECKING:  # a command line is parsed before they are imported
    from steer_env.baselines.episodes import Episodes
    from steer_env.game.config import Game
    from steer_env.players.player import AnyPlayer

VERSION = "v1"
EPISODES = 2500  # against each opponent: 95 of 100 studies find 5% of capture time
HELD_OUT_SEED = 1_000_000  # the first of the starts to measure from; training is below it
REGION_STARTS = 2000  # 98 of 100 such samples show a failure in one start of 500
MOST_STARTS = 100_000  # in a region, or of a search
BUDGET = 8192  # plans of a search from a start
MOST_BUDGET = 10**9
CHOICE_EPISODES = 2048  # starts to choose the winner of a search on
FROZEN = "frozen"  # in the names of networks that are opponents and never trained again
RUNS = 5  # the least number of training runs, of different seeds, behind a learned result


def held_out_seed(version: str = __version__) -> int:
    """Returns the first of the starts that the protocol measures from in a version.

    The SHA-256 of the version decides it, so no earlier policy was chosen on these starts.
    """
    number = int.from_bytes(hashlib.sha256(version.encode()).digest()[:2], "big")
    return HELD_OUT_SEED + 10_000 * (1 + number)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A fixed game to train in and to measure policies in.

    Attributes:
        name: "side/game".
        environment: id of the environment to train in; its game is the one to measure in.
        side: of the learner, "pursuer" or "evader".
        keywords: of the environment.
        training: further keywords, for training alone.
        opponents: for training, with equal chances.
        held_out: further opponents, never for training.
        references: hand-written policies of the learner's side, the main one first.
    """

    name: str
    environment: str
    side: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    opponents: tuple[str, ...]
    held_out: tuple[str, ...]
    references: tuple[str, ...]

    def __post_init__(self) -> None:
        check_choice("environment", self.environment, ENVIRONMENTS)

    @property
    def config(self) -> Game:
        """The game."""
        from steer_env.game.config import make_game

        return make_game(**{"game": self._scenario, **self.keywords})

    @property
    def all_opponents(self) -> tuple[str, ...]:
        """The opponents to measure against, without repetitions."""
        return tuple(dict.fromkeys((*self.opponents, *self.held_out)))

    @property
    def unseen(self) -> Game | None:
        """The game on maps that are for measuring alone, or None for one without such maps."""
        maps: Any = self._scenario.unseen_maps
        return replace(self.config, map=maps) if maps else None

    @property
    def _scenario(self) -> Scenario:
        return ENVIRONMENTS[self.environment].game

    @property
    def make_keywords(self) -> dict[str, Any]:
        """The keywords for ``gym.make_vec(task.environment, ...)``, as a copy."""
        given = copy.deepcopy({**self.keywords, **self.training})
        return {**given, "opponent": list(self.opponents)}

    def evaluate(
        self,
        policy: AnyPlayer,
        opponent: str,
        episodes: int = EPISODES,
        seed: int = held_out_seed(),
    ) -> Episodes:
        """Plays a policy of the learner's side against an opponent."""
        from steer_env.baselines.rollouts import evaluate

        pair = Side.named(self.side).ordered(policy, opponent)
        return evaluate(*pair, self.config, episodes, seed)


# Each side's opponents, held-out opponents and references. The tuned scripts are the best
# against the opponents for training, so they are held out themselves: neither side is tuned
# against the other's.
_POLICIES = {
    PURSUER: (
        "evade evade/full_force evade/target_speed/full_force escape/full_force "
        "escape/sidestep/full_force",
        "wander evade/threatened/full_force",
        "pursuit pursuit/full_force",
    ),
    EVADER: (
        "pursuit pursuit/full_force pursuit/own_speed/full_force navigation/full_force "
        "constant_bearing/full_force",
        "seek offset_pursuit/full_force",
        "evade evade/full_force escape/full_force",
    ),
}
_AMONG_OBSTACLES = {
    "pursuit": "pursuit/among_obstacles",
    "pursuit/full_force": "pursuit/among_obstacles/full_force",
    "evade": "evade/among_obstacles",
    "evade/full_force": "evade/among_obstacles/full_force",
    "evade/target_speed/full_force": "hide/full_force",
}


def _duel_policies(side: Side, game: Scenario) -> Iterable[tuple[str, ...]]:
    replaced = _AMONG_OBSTACLES if game.keywords.get("obstacles") else {}
    opponents, held_out, references = (
        tuple(replaced.get(name, name) for name in names.split()) for names in _POLICIES[side]
    )
    held_out += (game.tuned_script(side.other),)
    if not game.is_team(side.other):
        held_out += (pretrained.name_of(game, side.other, FROZEN),)
    return opponents, held_out, (*references, game.tuned_script(side))


def _tasks_of(
    games: Mapping[str, Scenario],
    policies: Callable[[Side, Scenario], Iterable[tuple[str, ...]]],
) -> Mapping[str, Task]:
    """The tasks of both sides, with their opponents, held-out opponents and references."""
    found, kinds = {}, ("opponents", "held_out", "references")
    for side, game in product(Side, games.values()):
        given: Any = dict(zip(kinds, policies(side, game)))
        name, environment = f"{side.name}/{game.name}", game.environment(side)
        found[name] = Task(name=name, environment=environment, side=side.name, **given)
    return MappingProxyType(found)


TASKS = _tasks_of(SUITE, _duel_policies)
"""The tasks of this version, by name. They never change: a new version gets new ones."""

_PACKS = tuple(
    f"{name}/full_force" for name in ("pursuit", "pursuit/pack", "encircle", "voronoi")
)
_TEAM_POLICIES = {
    PURSUER: (
        ("evade/full_force", "escape/full_force", "escape/herd/full_force"),
        ("wander", "evade/threatened/full_force", "evade/target_speed/full_force"),
        (*_PACKS, "navigation/pack/full_force", "constant_bearing/full_force"),
    ),
    EVADER: (
        _PACKS,
        ("navigation/pack/full_force", "constant_bearing/full_force"),
        ("evade/full_force", "escape/full_force", "escape/herd/full_force"),
    ),
}


def _team_policies(side: Side, game: Scenario) -> Iterable[tuple[str, ...]]:
    # An evader alone does with "escape/herd" just what it does with "escape".
    left_out = () if game.is_team(EVADER) else ("escape/herd/full_force",)
    return (tuple(n for n in names if n not in left_out) for names in _TEAM_POLICIES[side])


TEAM_TASKS = _tasks_of(TEAMS, _team_policies)
"""The tasks of the games of teams, by name: they are not part of the protocol."""

_AMONG_WALLS = {
    PURSUER: (
        ("evade/paths/full_force", "evade/paths", "hide/full_force"),
        ("wander", "evade/full_force"),
        ("pursuit/paths/searching/full_force", "pursuit/paths", "pursuit/paths/full_force"),
    ),
    EVADER: (
        ("pursuit/paths/searching/full_force", "pursuit/paths", "pursuit/full_force"),
        ("seek/paths/full_force", "pursuit/paths/full_force"),
        ("evade/paths/full_force", "hide/full_force", "evade/full_force"),
    ),
}

WORLD_TASKS = _tasks_of(WORLDS, lambda side, game: _AMONG_WALLS[side])
"""The tasks on maps of walls, by name: they are not part of the protocol."""

ALL_TASKS = MappingProxyType({**TASKS, **TEAM_TASKS, **WORLD_TASKS})

_CHASING_LAWS = (
    "seek arrive deviated_pursuit pursuit pursuit/reynolds pursuit/target_speed "
    "pursuit/own_speed pursuit/contained pursuit/intercept pursuit/turning constant_bearing "
    "navigation navigation/augmented offset_pursuit"
)
_EVADING_LAWS = (
    "wander flee evade evade/intercept evade/threatened evade/prioritized evade/dithered escape"
)


def at_both_forces(*names: str) -> tuple[str, ...]:
    """Every law with a response time of a second, then every law at full force."""
    return (*names, *(f"{name}/full_force" for name in names))


# The players of the published table.
PURSUERS = ("random", *at_both_forces(*_CHASING_LAWS.split()))
EVADERS = ("random", *at_both_forces(*_EVADING_LAWS.split()), "evade/chaotic")
