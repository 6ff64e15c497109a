"""Collects the episodes of any two players as data for offline reinforcement learning."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.datasets import Dataset, describe
from baselines.policies import ScriptedPolicy
from baselines.rollouts import names_of
from steer_env.actions import DIRECTIONS, action_space
from steer_env.envs.keywords import check_action_type, given_game
from steer_env.envs.match import Match
from steer_env.envs.policy_player import PolicyPlayer, policy_name
from steer_env.envs.specification import is_json, json_keywords, plain
from steer_env.errors import InvalidType, check_integer, check_number
from steer_env.game.config import AnyGame
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.state import PAST_COLUMNS
from steer_env.players import Player, Policy, controller_of, controllers_of
from steer_env.policies.own_observation import with_observation_of
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side

MOST_EPISODES = 10**6
_STREAM = 7  # of a seed's random numbers, besides the environment's own
_STEPS_AT_ONCE = 150_000  # which are kept at their full length until they are cut
_OF_THE_MATCH = ("script", *PAST_COLUMNS)  # columns that nobody observes


def collect(
    pursuer: Player,
    evader: Player,
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
    """Plays episodes of an environment, and keeps what a learner of one side gets and does.

    The other side is the environment's opponent. A script on the learner's side acts from
    observations of all features, exact and at once, see `ScriptedPolicy`. A policy acts from
    what the environment's learner observes: the features that ``config.observation`` chooses,
    with their noise and delay. These are what the data hold for both. The actions are those
    that moved the vehicle, also where they are random, before the noise and the delay that
    ``config.action`` asks for.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        config: the game, or a dict of its keywords, see `evaluate`. Data name their game in
            JSON, so your own functions (reward terms, features) cannot be in it.
        episodes: their number.
        seed: of the first one; the next ones have seed + 1, and so on.
        progress: called now and then with the number of episodes that are over.
        names: of the pursuer and the evader in the data; None for `name_of` each.
        side: "pursuer" or "evader": the side whose observations, actions and rewards are kept.
        epsilon: the share of random actions, from 0 to 1. Offline reinforcement learning needs
            actions besides those of the player to compare them with.
        action_type: "continuous" or "discrete".

    Returns:
        The data, to `Dataset.save` or to use: its arrays have the names of Minari's.

    Raises:
        TypeError, ValueError: for an argument out of range, functions in the configuration, a
            policy of the learner's side that was made for other observations, and as
            `evaluate`.
        FileNotFoundError: if there is no such file of a player.
        FaultyBehavior: if your own behavior returned nan or infinity.

    Example:
        >>> data = collect("pursuit", "evade", episodes=2, epsilon=0.2)
        >>> data.observations.shape[0] == data.lengths.sum()
        True
    """
    learner = Side.named(side)
    count = check_integer("episodes", episodes, 1, MOST_EPISODES)
    first = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    share = check_number("epsilon", epsilon, 0.0, 1.0)
    check_action_type(action_type)
    pair = names_of(pursuer, evader, names)
    game = given_game(config, "config", "episodes")
    pair_of_controllers = controllers_of(pursuer, evader)  # here, an error names the argument
    game = with_observation_of(game, [pair_of_controllers[learner]])
    keywords = json_keywords(game, "config")
    player, opponent = learner.ordered(pursuer, evader)
    parts: list[dict[str, NDArray[Any]]] = []
    batch = min(max(_STEPS_AT_ONCE // game.horizon, 1), count)
    for done in range(0, count, batch):
        if progress is not None and done:
            progress(done)
        seeds = np.arange(done, min(done + batch, count), dtype=np.uint64) + np.uint64(first)
        match = Match(game, learner, opponent, len(seeds))
        try:
            collector = _Collector(player, match, action_type, int(seeds[0]))
            parts.append(_play(match, collector, seeds, share))
        finally:
            match.engine.close()
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["starts"] = np.cumsum(arrays["lengths"]) - arrays["lengths"]
    if (named := _plain_opponent(opponent)) is not None:
        keywords["opponent"] = named
    environment = learner.environment
    if action_type == "discrete":
        environment = environment.replace("-", "Discrete-")
    about = describe(pair, learner.name, share, action_type)
    return Dataset(**arrays, environment=environment, keywords=keywords, about=about)


def _plain_opponent(opponent: Player) -> Any:
    """Returns the opponent's name, file or fields of a Script; None if JSON has none."""
    given = plain(opponent)
    is_plain = isinstance(given, str | dict) and is_json(given)
    return json.loads(json.dumps(given)) if is_plain else None


class _Collector:
    """The player of the learner's side.

    Args:
        player: as the caller passed it.
        match: in which the other side is the opponent.
        action_type: "continuous" or "discrete".
        seed: of a player with random actions.
    """

    def __init__(self, player: Player, match: Match, action_type: str, seed: int) -> None:
        self.action_type, self._engine = action_type, match.engine
        side, config = Side(match.side), match.config
        self._side, self._players = side, match.players
        self._seen: Engine | None = None  # the same games, where observations are standard
        policy: Any = controller_of(player, side, seed=seed)
        if isinstance(policy, Script):
            observation = replace(config.observation, features=(), noise=0.0, delay=0)
            exact = replace(config, observation=observation)
            policy = ScriptedPolicy(policy, exact, action_type, side.name, seed)
            if not config.observation.is_standard:
                count = match.engine.num_games
                self._seen = Engine(exact, [None], [None], count, num_threads=1)
        elif isinstance(policy, RandomPolicy):
            policy = RandomPolicy(action_space(action_type, players=1), (seed, side))
        self.policy: Policy = policy
        features = len((self._seen or match.engine).features(side))
        self._asked = PolicyPlayer(policy, side, self._players, features)

    def act(
        self, observations: NDArray[np.float32], episode_start: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """What it does in all games, (N, players, 2); the observations are the learner's."""
        if self._seen is not None:
            for name, column in self._seen.state._asdict().items():
                if name not in _OF_THE_MATCH:
                    column[...] = getattr(self._engine.state, name)
            observations = self._seen.observe(self._side)
        return self._asked.act(observations, episode_start)

    def recorded(self, actions: NDArray[np.float32]) -> NDArray[Any]:
        """Actions as the environment takes them, (N,), (N, 2) or with an axis for players."""
        if self.action_type == "discrete":
            found: NDArray[Any] = _discrete(actions, self.policy)
        else:
            found = actions
        return found[:, 0] if self._players == 1 else found


def _play(
    match: Match, collector: _Collector, seeds: NDArray[np.uint64], epsilon: float
) -> dict[str, NDArray[Any]]:
    """Plays one episode in each game; returns the arrays of a data set but for starts."""
    count, players = len(seeds), match.players
    size = match.config.horizon, players
    explores, random = _random_actions(seeds, size, epsilon, collector.action_type)
    match.reset([int(seed) for seed in seeds], np.random.default_rng())
    observations = match.engine.observe(match.side)
    final = np.empty_like(observations)
    lengths = np.zeros(count, np.int64)
    running = np.ones(count, np.bool_)
    steps: list[tuple[NDArray[Any], ...]] = []
    while running.any():
        wanted = collector.act(observations, np.full(count, not steps))
        now = len(steps)
        actions = np.where(explores[:, now, :, None], random[:, now], wanted)
        given = collector.recorded(actions)
        after, rewards, terminated, truncated = match.step(actions, restart=True)
        steps.append((observations, given, rewards, terminated, truncated))
        lengths += running
        over = running & (terminated | truncated)
        final[over] = after[over]
        running &= ~over
        observations = after
    names = ("observations", "actions", "rewards", "terminations", "truncations")
    mask = np.arange(len(steps)) < lengths[:, None]  # games that are over began anew
    arrays = {
        name: np.stack(column, axis=1)[mask]
        for name, column in zip(names, zip(*steps, strict=True))
    }
    arrays |= {"final_observations": final, "lengths": lengths, "seeds": seeds}
    if players == 1:
        for name in ("observations", "final_observations"):
            arrays[name] = arrays[name][:, 0]
    return arrays


def _random_actions(
    seeds: NDArray[np.uint64], size: tuple[int, int], epsilon: float, action_type: str
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Draws each episode's random actions from its own seed.

    Returns:
        Where they are taken, (N, steps, players), and the actions, (N, steps, players, 2).
    """
    explores, actions = [], []
    for seed in seeds:
        generator = np.random.default_rng([int(seed), _STREAM])
        explores.append(generator.random(size) < epsilon)
        if action_type == "discrete":
            actions.append(DIRECTIONS[generator.integers(len(DIRECTIONS), size=size)])
        else:
            actions.append(generator.uniform(-1.0, 1.0, (*size, 2)).astype(np.float32))
    return np.array(explores), np.array(actions)


def _discrete(actions: NDArray[np.float32], policy: Policy) -> NDArray[np.int64]:
    """The numbers of discrete actions, (N, players), from the engine's form of them."""
    is_same = (actions[..., None, :] == DIRECTIONS).all(axis=-1)
    if not is_same.any(axis=-1).all():
        raise InvalidType(
            f"{policy_name(policy)} has continuous actions; collect them with "
            "action_type='continuous'"
        )
    return is_same.argmax(axis=-1)
