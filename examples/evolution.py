# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]"]
#
# [tool.clients]
# tool = "numpy (evolution strategy)"
# versions = ["numpy", "gymnasium"]
# runs = "native vector"
# ///
"""An evolution strategy in numpy: 128 networks play 16 games each, all 2,048 games at once.

    python examples/evolution.py

Every network of a generation plays from the same starts, so that a difference between two of
them is not the luck of a start. The update follows Salimans et al. (2017), "Evolution
Strategies as a Scalable Alternative to Reinforcement Learning": mirrored noise, ranks, Adam.
"""

import gymnasium as gym
import numpy as np
from result import print_result

import steer_env  # noqa: F401  (registers the environments)
from steer_env.baselines import FunctionPolicy

GENERATIONS = 80
NETWORKS = 128
GAMES = 16  # of each network
NOISE = 0.1
LEARNING_RATE = 0.1

FEATURES, HIDDEN, ACTIONS = 21, 16, 2
PARAMETERS = (FEATURES + ACTIONS) * HIDDEN


def act(parameters, observations):
    """Returns actions (P, N, 2) of P networks, rows of (P, PARAMETERS), for (P, N, 21)."""
    first, second = np.split(parameters.astype(np.float32), [FEATURES * HIDDEN], axis=1)
    hidden = np.tanh(observations @ first.reshape(-1, FEATURES, HIDDEN))
    return np.clip(hidden @ second.reshape(-1, HIDDEN, ACTIONS), -1.0, 1.0)


def mean_returns(parameters, envs, seed):
    """Plays an episode in every game; returns the mean return of each network, (P,)."""
    networks = len(parameters)
    games = envs.num_envs // networks
    starts = np.tile(np.arange(seed, seed + games), networks)
    observations, _ = envs.reset(seed=starts)
    returns, running = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    while running.any():
        actions = act(parameters, observations.reshape(networks, games, FEATURES))
        observations, rewards, terminated, truncated, _ = envs.step(
            actions.reshape(envs.num_envs, ACTIONS)
        )
        returns += rewards * running
        running &= ~(terminated | truncated)
    return returns.reshape(networks, games).mean(axis=1)


def policy(parameters):
    """Returns one network, (PARAMETERS,), as a policy."""

    @FunctionPolicy
    def evolved(observations):
        return act(parameters[None], observations[None])[0]

    return evolved


def evolve(generations=GENERATIONS):
    """Returns the parameters of the network in the middle of the last generation."""
    envs = gym.make_vec("Pursuit-v0", NETWORKS * GAMES)
    generator = np.random.default_rng(0)
    center, slope, square = np.zeros((3, PARAMETERS))
    for generation in range(1, generations + 1):
        noise = generator.standard_normal((NETWORKS // 2, PARAMETERS))
        noise = np.concatenate([noise, -noise])
        returns = mean_returns(center + NOISE * noise, envs, seed=GAMES * generation)
        ranks = returns.argsort().argsort() / (NETWORKS - 1) - 0.5
        gradient = ranks @ noise / (NETWORKS * NOISE)
        slope = 0.9 * slope + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        scale = np.sqrt(square / (1.0 - 0.99**generation)) + 1e-8
        center = center + LEARNING_RATE * slope / (1.0 - 0.9**generation) / scale
        if generation % 10 == 0:
            print(f"generation {generation}: mean return {returns.mean():.2f}", flush=True)
    envs.close()
    return center


if __name__ == "__main__":
    print_result(policy(evolve()))
