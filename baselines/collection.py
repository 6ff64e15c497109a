"""Collects the episodes of any two players as data for offline reinforcement learning."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from baselines.datasets import Dataset, describe
from baselines.policies import ScriptedPolicy
from baselines.rollouts import names_of
from steer_env.actions import DIRECTIONS, action_space
from steer_env.envs.keywords import check_action_type, given_game
from steer_env.envs.policy_player import PolicyPlayer, policy_name
from steer_env.errors import InvalidType, check_integer, check_number, shown
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.players import Player, Policy, controller_of, controllers_of
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side

MOST_EPISODES = 10**6
_STREAM = 7  # of a seed's random numbers, besides the environment's own
_STEPS_AT_ONCE = 150_000  # which are kept at their full length until they are cut


def collect(
    pursuer: Player,
    evader: Player,
    side: str = "pursuer",
    game: Mapping[str, Any] | None = None,
    episodes: int = 1000,
    seed: int = 0,
    *,
    epsilon: float = 0.0,
    action_type: str = "continuous",
    names: tuple[str, str] | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Dataset:
    """Plays episodes in an environment, and keeps what a learner of one side gets and does.

    The other side is the environment's opponent. A script on the learner's side acts from
    observations, see `ScriptedPolicy`; its actions are those that moved its vehicle. So is a
    random action: the data hold what was done, not what the player wanted.

    Args:
        pursuer: see `evaluate`.
        evader: likewise.
        side: "pursuer" or "evader": whose data these are.
        game: the environment's keywords, such as {"obstacles": 3}; None for the default game.
        episodes: their number.
        seed: of the first one; the next ones have seed + 1, and so on.
        epsilon: the share of random actions, from 0 to 1. Offline reinforcement learning needs
            actions besides those of the player to compare them with.
        action_type: "continuous" or "discrete".
        names: of the pursuer and the evader in the data; None for `name_of` each.
        progress: called now and then with the number of episodes that are over.

    Returns:
        The data, to `Dataset.save` or to use: its arrays have the names of Minari's.

    Raises:
        TypeError, ValueError: for an argument out of range, and as `evaluate`.
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
    keywords = _plain_keywords(game)
    config = given_game(keywords, "game", "episodes")
    controllers_of(pursuer, evader)  # so that an error names the argument
    player, opponent = learner.ordered(pursuer, evader)
    environment = learner.environment
    if action_type == "discrete":
        environment = environment.replace("-", "Discrete-")
    parts: list[dict[str, NDArray[Any]]] = []
    batch = min(max(_STEPS_AT_ONCE // config.horizon, 1), count)
    for done in range(0, count, batch):
        if progress is not None and done:
            progress(done)
        seeds = np.arange(done, min(done + batch, count), dtype=np.uint64) + np.uint64(first)
        policy = _policy_of(player, learner, config, action_type, int(seeds[0]))
        envs = gym.make_vec(environment, len(seeds), opponent=opponent, **keywords)
        try:
            parts.append(_play(envs, policy, learner, seeds, share, action_type))
        finally:
            envs.close()
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["starts"] = np.cumsum(arrays["lengths"]) - arrays["lengths"]
    if isinstance(opponent, str | Path):
        keywords["opponent"] = str(opponent)
    about = describe(pair, learner.name, share, action_type)
    return Dataset(**arrays, environment=environment, keywords=keywords, about=about)


def _plain_keywords(game: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns keywords that JSON can hold, since the data name their environment."""

    def plain(value: Any) -> Any:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return dataclasses.asdict(value)
        return value.tolist()

    if game is not None and not isinstance(game, Mapping):
        raise InvalidType(
            "game must be a dict of the environment's keywords, since the data name them, got "
            f"{shown(game)} ({type(game).__name__})"
        )
    try:
        keywords: dict[str, Any] = json.loads(json.dumps(dict(game or {}), default=plain))
    except (TypeError, AttributeError, ValueError) as error:
        raise InvalidType(f"game must be of values that JSON can hold: {error}") from None
    return keywords


def _policy_of(
    player: Player, side: Side, config: GameConfig, action_type: str, seed: int
) -> Policy:
    controller = controller_of(player, side, seed=seed)
    if isinstance(controller, Script):
        return ScriptedPolicy(controller, config, action_type, side.name, seed)
    if isinstance(controller, RandomPolicy):
        return RandomPolicy(action_space(action_type, players=1), (seed, side))
    return controller


def _play(
    envs: Any,
    policy: Policy,
    side: Side,
    seeds: NDArray[np.uint64],
    epsilon: float,
    action_type: str,
) -> dict[str, NDArray[Any]]:
    """Plays one episode in each game; returns the arrays of a data set but for starts."""
    count, shape = envs.num_envs, envs.single_observation_space.shape
    players = 1 if len(shape) == 1 else shape[0]
    player = PolicyPlayer(policy, side, players, shape[-1])
    size = envs.unwrapped.config.horizon, players
    explores, random = _random_actions(seeds, size, epsilon, action_type)
    observations, _ = envs.reset(seed=[int(seed) for seed in seeds])
    final = np.empty_like(observations)
    lengths = np.zeros(count, np.int64)
    running = np.ones(count, np.bool_)
    steps: list[tuple[NDArray[Any], ...]] = []
    while running.any():
        rows = observations.reshape(count, players, shape[-1])
        wanted = player.act(rows, np.full(count, not steps))
        now = len(steps)
        actions = np.where(explores[:, now, :, None], random[:, now], wanted)
        if action_type == "discrete":
            actions = _discrete(actions, policy)
        given = actions.reshape(envs.action_space.shape)
        after, rewards, terminated, truncated, _ = envs.step(given)
        steps.append((observations, given, rewards, terminated, truncated))
        lengths += running
        over = running & (terminated | truncated)
        final[over] = after[over]
        running &= ~over
        observations = after
    names = ("observations", "actions", "rewards", "terminations", "truncations")
    mask = np.arange(len(steps)) < lengths[:, None]  # games that are over began anew
    return {
        **{
            name: np.stack(column, axis=1)[mask]
            for name, column in zip(names, zip(*steps, strict=True))
        },
        "final_observations": final,
        "lengths": lengths,
        "seeds": seeds,
    }


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
