"""Data of one side's episodes, for offline reinforcement learning: played, and their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.actions import action_space
from steer_env.baselines.policies import ScriptedPolicy
from steer_env.baselines.rollouts import parts_of, seeds_from
from steer_env.envs.learner_games import LearnerGames
from steer_env.errors import (
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    check_path,
)
from steer_env.game.config import AnyGame
from steer_env.game.config.keywords import given_game, is_json, json_keywords, plain
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.state import PAST_COLUMNS
from steer_env.players.archive import json_in, read_archive, refusing_damage, write_archive
from steer_env.players.observed import seen_by
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.sides import Side

FORMAT = "steer_env offline data 1"
MAX_BYTES = 2**31  # the largest size of a file: about 20 million steps of the default game
MOST_EPISODES = 10**6
_STREAM = 7  # of a seed's random numbers, besides the environment's own
_STEPS_AT_ONCE = 150_000  # which are kept at their full length until they are cut
_OF_THE_MATCH = ("script", *PAST_COLUMNS)  # columns of a state that are not observed

DTYPES = {
    "observations": np.float32,
    "actions": np.float32,
    "rewards": np.float64,
    "terminations": np.bool_,
    "truncations": np.bool_,
    "final_observations": np.float32,
    "starts": np.int64,
    "lengths": np.int64,
    "seeds": np.uint64,
}
_OF_EPISODES = ("final_observations", "starts", "lengths", "seeds")


@dataclass(frozen=True, eq=False)
class Dataset:
    """N episodes of S steps together, one after the other, as a learner of one side sees them.

    Step k of episode i is row ``starts[i] + k``. For a team, observations and actions have an
    additional axis: (S, players, ...).

    Attributes:
        observations: (S, features) in float32: before each step.
        actions: (S, 2) in float32.
        rewards: (S,), as in Gymnasium.
        terminations: (S,), the same.
        truncations: (S,), the same.
        final_observations: (N, features): after the last step of each episode.
        starts: (N,): the first row of each episode.
        lengths: (N,): the number of its steps.
        seeds: (N,): with which the environment was reset.
        environment: its id.
        keywords: of ``gym.make``; without an opponent that JSON cannot hold.
        about: both players' names, the side, epsilon, and the version of steer_env.
    """

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    final_observations: NDArray[np.float32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    environment: str
    keywords: dict[str, Any]
    about: dict[str, Any]

    def __len__(self) -> int:
        return len(self.starts)

    def __repr__(self) -> str:
        steps = len(self.rewards)
        return f"Dataset({self.environment!r}, {len(self):,} episodes, {steps:,} steps)"

    @property
    def returns(self) -> NDArray[np.float64]:
        """The sum of the rewards of each episode, (N,)."""
        return np.add.reduceat(self.rewards, self.starts)

    def episode(self, index: int) -> slice:
        """Returns the rows of an episode."""
        first = int(self.starts[index])
        return slice(first, first + int(self.lengths[index]))

    def make_env(self, **keywords: Any) -> gym.Env[Any, Any]:
        """Makes the environment that the episodes were played in."""
        if not {"opponent"} & {*keywords, *self.keywords}:
            side = Side.named(self.about["side"])
            raise InvalidValue(
                f"these data do not name their opponent, {self.about[side.other.name]}, since "
                "it is not a name, a file or a Script; pass it as opponent="
            )
        return gym.make(self.environment, **{**self.keywords, **keywords})

    def save(self, path: str | Path) -> None:
        """Writes an .npz of at most 2 GiB: the arrays, and the rest as JSON, "description".

        Raises:
            OSError: if the file cannot be written.
            ValueError: for another ending, or more than 2 GiB.
        """
        path = check_path("path", path)
        check_choice("ending of the file", path.suffix, (".npz",))
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in DTYPES}
        about = {"format": FORMAT, "environment": self.environment, "keywords": self.keywords}
        arrays["description"] = np.array(json.dumps({**about, **self.about}))
        write_archive(path, arrays, MAX_BYTES)

    @classmethod
    def load(cls, path: str | Path) -> Dataset:
        """Reads an .npz of `save` (ValueError if damaged), and executes nothing in it.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a file, or a damaged one.
        """
        path = check_path("path", path)
        dtypes = {np.dtype(dtype) for dtype in DTYPES.values() if dtype is not None}
        with refusing_damage(path, "a data set that Dataset.save wrote"):
            found = read_archive(path, MAX_BYTES, len(DTYPES) + 1, dtypes=dtypes)
            description = json_in(found, "description")
            del found["description"]
            if description.pop("format") != FORMAT:
                raise InvalidValue("it is of another format")
            environment, keywords = description.pop("environment"), description.pop("keywords")
            check_choice("environment", environment, ENVIRONMENTS)
            data = cls(**found, environment=environment, keywords=keywords, about=description)
            data._check()
        return data

    def _check(self) -> None:
        for name, dtype in DTYPES.items():
            array = getattr(self, name)
            count = len(self.starts) if name in _OF_EPISODES else len(self.rewards)
            if len(array) != count or (dtype is not None and array.dtype != dtype):
                raise InvalidValue(f"{name} has {len(array)} rows of {array.dtype}")
        ends = np.cumsum(self.lengths)
        if (self.lengths < 1).any() or ends[-1] != len(self.rewards):
            raise InvalidValue("the lengths of the episodes do not fit the steps")
        if (self.starts != ends - self.lengths).any():
            raise InvalidValue("the episodes do not follow each other")


def collect(
    pursuer: AnyPlayer,
    evader: AnyPlayer,
    config: AnyGame = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
    names: tuple[str, str] | None = None,
    *,
    side: str = "pursuer",
    epsilon: float = 0.0,
) -> Dataset:
    """Plays episodes of an environment, and keeps the steps of a learner of one side.

    The other side is the environment's opponent. A script on the learner's side acts from exact
    observations of all features, see `ScriptedPolicy`; a policy acts from the features that
    ``config.observation`` chooses, with their noise and delay. These are in the data for both.
    The actions are those before the noise and the delay that ``config.action`` asks for.

    Args:
        pursuer: see `evaluate`, like the next six.
        evader: the evaders' player.
        config: the game. Data name it in JSON, so it cannot have functions.
        episodes: their number.
        seed: of the first one.
        progress: called with the number of episodes that are over.
        names: of both players in the data.
        side: "pursuer" or "evader": the side whose observations, actions and rewards are kept.
        epsilon: the share of random actions, from 0 to 1, with which offline reinforcement
            learning compares the player's.

    Example:
        >>> data = collect("pursuit", "evade", episodes=2, epsilon=0.2)
        >>> data.observations.shape[0] == data.lengths.sum()
        True

    Raises:
        TypeError, ValueError, FileNotFoundError, FaultyBehavior: for functions in the
            configuration, and the arguments that `evaluate` refuses.
    """
    learner = Side.named(side)
    count = check_integer("episodes", episodes, 1, MOST_EPISODES)
    first = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    share = check_number("epsilon", epsilon, 0.0, 1.0)
    game = given_game(config, "config", "episodes")
    players = resolve_pair(pursuer, evader, names=names)  # here, an error names the argument
    game = seen_by([players[learner].policy], game)
    keywords = json_keywords(game, "config")
    player, opponent = learner.ordered(pursuer, evader)
    parts: list[dict[str, NDArray[Any]]] = []
    for done, size in parts_of(count, max(_STEPS_AT_ONCE // game.horizon, 1)):
        if progress is not None and done:
            progress(done)
        with closing(_Games(game, learner, opponent, num_games=size)) as games:
            seeds = seeds_from(first + done, size)
            parts.append(games.play(player, seeds, share))
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["starts"] = np.cumsum(arrays["lengths"]) - arrays["lengths"]
    named = plain(opponent)  # a name, a file or the fields of a Script
    if isinstance(named, str | dict) and is_json(named):
        keywords["opponent"] = json.loads(json.dumps(named))
    about: dict[str, Any] = {"version": steer_env.__version__}
    about |= {side.name: one.name for side, one in zip(Side, players)}
    about |= {"side": learner.name, "epsilon": share}
    environment = learner.environment
    return Dataset(**arrays, environment=environment, keywords=keywords, about=about)


class _Games(LearnerGames):
    """Games in which a player acts on the learner's side."""

    def close(self) -> None:
        """Ends the threads."""
        self._engine.close()

    def play(
        self, player: AnyPlayer, seeds: NDArray[np.uint64], epsilon: float
    ) -> dict[str, NDArray[Any]]:
        """Plays one episode in each game, for the arrays of a data set."""
        engine, side, count = self._engine, self._side, len(seeds)
        asked, seen = self._asked(player, int(seeds[0]))
        size = engine.config.horizon, self._players
        drawn = (_random_actions(int(seed), size, epsilon) for seed in seeds)
        explores, random = map(np.array, zip(*drawn))
        self._begin_games([*map(int, seeds)], self._everyone, {})
        observations = engine.observe(side)
        final, lengths = np.empty_like(observations), np.zeros(count, np.int64)
        running = np.ones(count, np.bool_)
        steps: list[tuple[NDArray[Any], ...]] = []
        while running.any():
            now, shown = len(steps), observations
            if seen is not engine:
                for name, column in seen.state._asdict().items():
                    if name not in _OF_THE_MATCH:
                        column[...] = getattr(engine.state, name)
                shown = seen.observe(side)
            wanted = asked.choose(shown, np.full(count, now == 0))
            actions = np.where(explores[:, now, :, None], random[:, now], wanted)
            after, rewards, terminated, truncated = self._step_games(actions, restart=True)
            steps.append((observations, actions, rewards, terminated, truncated))
            lengths += running
            over = running & (terminated | truncated)
            final[over] = after[over]
            running &= ~over
            observations = after
        mask = np.arange(len(steps)) < lengths[:, None]  # games that are over began anew
        columns = [np.stack(column, axis=1)[mask] for column in zip(*steps)]
        arrays = dict(zip(DTYPES, [*columns, final]))  # its first names, in this order
        if self._players == 1:
            for name in ("observations", "actions", "final_observations"):
                arrays[name] = arrays[name][:, 0]
        return {**arrays, "lengths": lengths, "seeds": seeds}

    def _asked(self, player: AnyPlayer, seed: int) -> tuple[Player, Engine]:
        """The policy that acts in games, and the engine in which it sees them.

        For a script it is another one where not all features of the game are observed exactly.
        """
        side, engine = self._side, self._engine
        found = resolve(player, side, seed=seed)
        policy, seen, config = found.policy, engine, engine.config
        if found.script is not None:
            exact = replace(config, observation=config.observation.standard)
            policy = ScriptedPolicy(found.script, exact, "continuous", side.name, seed)
            if not config.observation.is_standard:
                seen = Engine(exact, [None], [None], engine.num_games, num_threads=1)
        elif isinstance(policy, RandomPolicy):
            policy = RandomPolicy(action_space("continuous", players=1), (seed, side))
        features = len(seen.features(side))
        return Player(found.name, policy=policy).fit(side, self._players, features), seen


def _random_actions(
    seed: int, size: tuple[int, int], epsilon: float
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Draws the steps (steps, players) that take random actions, and these (..., 2)."""
    generator = np.random.default_rng([seed, _STREAM])
    explores = generator.random(size) < epsilon
    return explores, generator.uniform(-1.0, 1.0, (*size, 2)).astype(np.float32)
