"""Teaches a new network to act as a teacher does: a script, or a search.

Dataset aggregation (Ross, Gordon and Bagnell 2011, "A Reduction of Imitation Learning and
Structured Prediction to No-Regret Online Learning"): the network plays, with its own errors,
the teacher gives its actions, and the network learns from all of them so far.
"""

from __future__ import annotations

import copy
import time
from contextlib import closing
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from rich import progress as bars
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy

from steer_env.players.network import NetworkPolicy

from ..export.actor import actor_of
from .model import payoff_in_words, validate
from .run import VALIDATION_SEED, Training
from .teachers import teacher_of

GAMES = 128
ROUNDS = 5
STEPS = 150  # in each round and game
SEARCHED_GAMES, SEARCHED_STEPS = 512, 256  # the same if the teacher searches
BATCHES, BATCH_SIZE = 600, 2048  # in the training of each round
LEARNING_RATE = 1e-3  # in the first round, and falling by a fifth with each round
NOISE = 0.3  # standard deviation of the noise in half of the games' actions
SHARE_OF_SCRIPT = 0.3  # of its actions in the second round; it falls to zero in the later ones
MOST_BALANCED = 20_000  # answers by which the strength of a network's actions is chosen
LEAST_DEVIATION = np.float32(0.01)  # by which inputs are scaled
MOST_STRENGTH = 3.0  # the largest factor of `_strength`
CRITIC_ROLLOUTS = 10  # of the critic alone, in the end: an untrained one ruins a good actor


class Lessons:
    """All that a network was taught so far, and how its inputs are scaled while it learns."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.float32], ...]] = []
        self._mean, self._deviation = np.float32(0.0), np.float32(1.0)
        self.strength = 1.0  # by which the network's actions are to be multiplied

    def add(
        self, seen: NDArray[Any], answers: NDArray[np.float32], weights: NDArray[Any]
    ) -> None:
        """Adds the observations of players, (games, players, features), that are taught."""
        if (is_taught := weights > 0.0).any():
            self._parts.append((seen[is_taught], answers[is_taught], weights[is_taught]))

    def all(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """The observations (N, features), the answers (N, 2), and their weights (N,)."""
        rows, answers, weights = (np.concatenate(part) for part in zip(*self._parts))
        self._parts = [(rows, answers, weights)]
        return rows, answers, weights

    def scale(self) -> None:
        """Scales inputs by the observations so far: to mean 0 and deviation 1."""
        rows, _, _ = self.all()
        self._mean = rows.mean(axis=0)
        self._deviation = np.maximum(rows.std(axis=0), LEAST_DEVIATION)

    def scaled(self, seen: NDArray[np.float32]) -> NDArray[np.float32]:
        """Observations as the network takes them while it learns."""
        return np.divide(seen - self._mean, self._deviation)

    def fold_into(self, policy: Any) -> None:
        """Changes a policy so that it takes unscaled observations, and acts with strength."""
        mean, deviation = map(torch.as_tensor, (self._mean, self._deviation))
        with torch.no_grad():
            for parameter in policy.action_net.parameters():
                parameter *= self.strength
            if mean.ndim > 0:
                for net in (policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net):
                    net[0].weight /= deviation
                    net[0].bias -= net[0].weight @ mean


def imitate(model: BaseAlgorithm, training: Training, console: Console) -> float:
    """Teaches a new model's actor a script or a search, and the value of that to its critic.

    After each round the console gets a line with the error, or with what a network measures
    that learns from a search.

    Returns the seconds that it took, from the first step of the games on: none if the preset
    has no teacher, or the model goes on from another one.
    """
    study, preset = training.study, training.read_preset()
    if training.start_from is not None or not (preset.imitate or preset.search):
        return 0.0
    assert isinstance(model, OnPolicyAlgorithm)
    policy: Any = model.policy
    count, rounds, steps, deepened = GAMES, ROUNDS, STEPS, 0
    if preset.search:
        count, steps, deepened = SEARCHED_GAMES, SEARCHED_STEPS, preset.deepened
        rounds = preset.search + deepened
    is_base = rounds - deepened - 1  # from when on the network is
    keywords = training.game_keywords
    keywords.pop("credit", None)  # rewards teach nothing here
    mode = AutoresetMode.SAME_STEP  # all games are always running
    games: Any = gym.make_vec(study.environment, count, autoreset_mode=mode, **keywords)
    bar = bars.Progress(console=console, transient=True)
    with closing(games), bar:
        teacher = teacher_of(training, games.unwrapped)
        begin = time.perf_counter()
        optimizer = torch.optim.Adam(policy.parameters(), LEARNING_RATE)
        lessons = Lessons()
        task = bar.add_task("learning", total=rounds * steps)
        generator = np.random.default_rng(training.seed)
        # Other starts are reserved for measuring.
        seeds = [(training.seed * count + game) % VALIDATION_SEED for game in range(count)]
        observations, _ = games.reset(seed=seeds)
        for number in range(rounds):
            share = 1.0 if number == 0 else SHARE_OF_SCRIPT * (1 - number / rounds)
            for _ in range(steps):
                wanted, weights = teacher.lesson(games.get_state())
                seen = observations.reshape(*weights.shape, -1)
                lessons.add(seen, wanted, weights)
                acts_itself = generator.random(count) < share
                own = lessons.strength * _act(policy, lessons.scaled(seen))
                chosen = np.where(acts_itself[:, None, None], wanted, own)
                is_noisy = generator.random(count) < 0.5
                noise = generator.normal(0.0, NOISE, chosen.shape) * is_noisy[:, None, None]
                actions = np.clip(chosen + noise, -1.0, 1.0).astype(np.float32)
                observations, *_ = games.step(actions.reshape(games.action_space.shape))
                bar.advance(task)
            if number == 0 and preset.search and not preset.block_width:
                lessons.scale()
            error = _fit(policy, optimizer, lessons, generator)
            rows, answers, _ = lessons.all()
            some = generator.integers(0, len(rows), MOST_BALANCED)
            own = _act(policy, lessons.scaled(rows[some]))
            lessons.strength = _strength(own, answers[some])
            for group in optimizer.param_groups:
                group["lr"] *= 0.8
            actor = _actor(model, lessons)
            if is_base <= number < rounds - 1:
                teacher.follow(actor)
            what, found = f"imitated {preset.imitate} in", f"mean squared error {error:.3f}"
            if preset.search:
                measured = validate(actor, study, training.validation_episodes)
                what, found = "searched", payoff_in_words(measured, study)
            done = f"{what} {len(rows):,} states, round {number + 1} of {rounds}"
            console.print(f"{done}: {found}")
    lessons.fold_into(policy)
    _teach_critic(model)
    model.get_env().seed(training.seed * preset.n_envs)  # the games begin again
    return time.perf_counter() - begin


def _act(policy: ActorCriticPolicy, seen: NDArray[np.float32]) -> NDArray[np.float32]:
    with torch.no_grad():
        rows = torch.tensor(seen.reshape(-1, seen.shape[-1]))
        means: torch.Tensor = policy.get_distribution(rows).distribution.mean
    return means.numpy().reshape(*seen.shape[:-1], -1)


def _fit(
    policy: ActorCriticPolicy,
    optimizer: torch.optim.Optimizer,
    lessons: Lessons,
    generator: np.random.Generator,
) -> float:
    """Trains the actor, and returns the last batch's mean squared error."""
    rows, answers, weights = lessons.all()
    known = torch.from_numpy(lessons.scaled(rows)), torch.from_numpy(answers)
    firmness = torch.from_numpy((weights / weights.mean()).astype(np.float32))[:, None]
    for _ in range(BATCHES):
        chosen = torch.tensor(generator.integers(0, len(rows), BATCH_SIZE))
        means = policy.get_distribution(known[0][chosen]).distribution.mean
        loss = (firmness[chosen] * (means - known[1][chosen]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float(loss.item())


def _actor(model: OnPolicyAlgorithm, lessons: Lessons) -> NetworkPolicy:
    """The network as it is now, for observations as they are."""
    kept = copy.deepcopy(model.policy.state_dict())
    lessons.fold_into(model.policy)
    actor = actor_of(model)
    model.policy.load_state_dict(kept)
    return actor


def _strength(actions: NDArray[np.float32], answers: NDArray[np.float32]) -> float:
    """The factor with which actions are as strong as the script's, on average.

    Where a script turns sharply, a mean over similar states goes neither way, and does little.
    A vehicle that hesitates loses more than one that takes the wrong way for a moment.
    """
    lengths = np.hypot(*actions.T)
    wanted = float(np.hypot(*answers.T).mean())
    low, high = 1.0, MOST_STRENGTH
    for _ in range(20):
        middle = 0.5 * (low + high)
        if np.minimum(middle * lengths, 1.0).mean() < wanted:
            low = middle
        else:
            high = middle
    return low


def _teach_critic(model: OnPolicyAlgorithm) -> None:
    policy: Any = model.policy
    parts = [policy.mlp_extractor.value_net, policy.value_net]
    if not policy.share_features_extractor:
        parts.append(policy.vf_features_extractor)
    try:
        policy.requires_grad_(False)
        for part in parts:
            part.requires_grad_(True)
        model.set_logger(Logger(None, []))  # else it makes a folder for one
        model.learn(CRITIC_ROLLOUTS * model.n_steps * model.n_envs)
    finally:
        policy.requires_grad_(True)
        model.num_timesteps = 0  # the training has not begun
