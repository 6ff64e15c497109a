"""Collects the episodes of a player as data for offline reinforcement learning."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steer_env
from steer_env.actions import DIRECTIONS, action_space, check_action_type
from steer_env.baselines.datasets import DTYPES, Dataset
from steer_env.baselines.policies import ScriptedPolicy
from steer_env.baselines.rollouts import seeds_from
from steer_env.envs.learner_games import LearnerGames
from steer_env.errors import InvalidType, check_integer, check_number
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game, is_json, json_keywords, plain
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.state import PAST_COLUMNS
from steer_env.players.player import AnyPlayer, Player, Policy, policy_name, seen_by
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.sides import Side

MOST_EPISODES = 10**6
_STREAM = 7  # of a seed's random numbers, besides the environment's own
_STEPS_AT_ONCE = 150_000  # which are kept at their full length until they are cut
_OF_THE_MATCH = ("script", *PAST_COLUMNS)  # columns that are not observed


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
    action_type: str = "continuous",
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
        action_type: "continuous" or "discrete".

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
    check_action_type(action_type)
    game = given_game(config, "config", "episodes")
    players = resolve_pair(pursuer, evader, names=names)  # here, an error names the argument
    game = seen_by([players[learner]], game)
    keywords = json_keywords(game, "config")
    player, opponent = learner.ordered(pursuer, evader)
    parts: list[dict[str, NDArray[Any]]] = []
    all_seeds = seeds_from(first, count)
    batch = min(max(_STEPS_AT_ONCE // game.horizon, 1), count)
    for done in range(0, count, batch):
        if progress is not None and done:
            progress(done)
        seeds = all_seeds[done : done + batch]
        with closing(_Collector(player, game, learner, opponent, action_type, seeds)) as games:
            parts.append(games.play(share))
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["starts"] = np.cumsum(arrays["lengths"]) - arrays["lengths"]
    named = plain(opponent)  # a name, a file or the fields of a Script
    if isinstance(named, str | dict) and is_json(named):
        keywords["opponent"] = json.loads(json.dumps(named))
    kind = "Discrete-" if action_type == "discrete" else "-"
    environment = learner.environment.replace("-", kind)
    about: dict[str, Any] = {"version": steer_env.__version__}
    about |= {side.name: one.name for side, one in zip(Side, players)}
    about |= {"side": learner.name, "epsilon": share, "action_type": action_type}
    return Dataset(**arrays, environment=environment, keywords=keywords, about=about)


class _Collector(LearnerGames):
    """Games in which a player acts on the learner's side, a game for each seed."""

    def __init__(
        self,
        player: AnyPlayer,
        config: Game,
        side: Side,
        opponent: AnyPlayer,
        action_type: str,
        seeds: NDArray[np.uint64],
    ) -> None:
        super().__init__(config, side, opponent, num_games=len(seeds))
        self._seeds, self._action_type, seed = seeds, action_type, int(seeds[0])
        self._seen: Engine | None = None  # the same games, where observations are standard
        found = resolve(player, side, seed=seed)
        policy: Any = found.policy
        if found.script is not None:
            exact = replace(config, observation=config.observation.standard)
            policy = ScriptedPolicy(found.script, exact, action_type, side.name, seed)
            if not config.observation.is_standard:
                self._seen = Engine(exact, [None], [None], len(seeds), num_threads=1)
        elif isinstance(policy, RandomPolicy):
            policy = RandomPolicy(action_space(action_type, players=1), (seed, side))
        features = len((self._seen or self._engine).features(side))
        self._policy: Policy = policy
        self._player = Player(found.name, policy=policy).fit(side, self._players, features)

    def close(self) -> None:
        """Ends the threads."""
        self._engine.close()

    def play(self, epsilon: float) -> dict[str, NDArray[Any]]:
        """Plays one episode in each game, for the arrays of a data set."""
        seeds, count = self._seeds, len(self._seeds)
        explores, random = self._random_actions(epsilon)
        self._begin_games([*map(int, seeds)], self._everyone, {})
        observations = self._engine.observe(self._side)
        final = np.empty_like(observations)
        lengths = np.zeros(count, np.int64)
        running = np.ones(count, np.bool_)
        steps: list[tuple[NDArray[Any], ...]] = []
        while running.any():
            now = len(steps)
            wanted = self._act(observations, np.full(count, now == 0))
            actions = np.where(explores[:, now, :, None], random[:, now], wanted)
            given = self._recorded(actions)
            after, rewards, terminated, truncated = self._step_games(actions, restart=True)
            steps.append((observations, given, rewards, terminated, truncated))
            lengths += running
            over = running & (terminated | truncated)
            final[over] = after[over]
            running &= ~over
            observations = after
        mask = np.arange(len(steps)) < lengths[:, None]  # games that are over began anew
        columns = [np.stack(column, axis=1)[mask] for column in zip(*steps)]
        arrays = dict(zip(DTYPES, [*columns, final]))  # its first names, in this order
        if self._players == 1:
            for name in ("observations", "final_observations"):
                arrays[name] = arrays[name][:, 0]
        return {**arrays, "lengths": lengths, "seeds": seeds}

    def _act(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """The actions in all games, (N, players, 2), from the learner's observations."""
        if self._seen is not None:
            for name, column in self._seen.state._asdict().items():
                if name not in _OF_THE_MATCH:
                    column[...] = getattr(self._engine.state, name)
            observations = self._seen.observe(self._side)
        return self._player.choose(observations, episode_start)

    def _recorded(self, actions: NDArray[np.float32]) -> NDArray[Any]:
        """Actions as the environment takes them, (N,), (N, 2) or with an axis for players."""
        found: NDArray[Any] = actions
        if self._action_type == "discrete":
            is_same = (actions[..., None, :] == DIRECTIONS).all(axis=-1)
            if not is_same.any(axis=-1).all():
                raise InvalidType(
                    f"{policy_name(self._policy)} has continuous actions; collect them "
                    "with action_type='continuous'"
                )
            found = is_same.argmax(axis=-1)
        return found[:, 0] if self._players == 1 else found

    def _random_actions(self, epsilon: float) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Draws actions, (N, steps, players, 2), by the seeds, and the steps that take them."""
        size = self._engine.config.horizon, self._players
        explores, actions = [], []
        for seed in self._seeds:
            generator = np.random.default_rng([int(seed), _STREAM])
            explores.append(generator.random(size) < epsilon)
            if self._action_type == "discrete":
                actions.append(DIRECTIONS[generator.integers(len(DIRECTIONS), size=size)])
            else:
                actions.append(generator.uniform(-1.0, 1.0, (*size, 2)).astype(np.float32))
        return np.array(explores), np.array(actions)
