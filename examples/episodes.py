"""Plays episodes with a vector environment, and keeps all that its learner sees and does."""

from contextlib import closing

import gymnasium as gym
import numpy as np

import steer_env  # noqa: F401  (registers the environments)
from steer_env.baselines import load


def play(environment, player, episodes, epsilon=0.0, seed=0, mode=None, **keywords):
    """The episodes of a player that acts at random in a share epsilon of the steps, as dicts.

    Each has its ``seed``, the ``observations`` (T + 1, features), and ``actions``, ``rewards``,
    ``terminations`` and ``truncations`` of its T steps. The player's name is one of
    `steer-env info opponents` or the path of a network, and it acts from what the learner
    observes. Keywords are the environment's. All steps are kept until the longest episode is
    over, so many thousand episodes are best played in parts, with other seeds. The mode "sync"
    makes copies of the single environment, as Gymnasium 1.0 needs; 0.29 resets too early.
    """
    envs = gym.make_vec(environment, episodes, vectorization_mode=mode, **keywords)
    with closing(gym.make(environment, **keywords)) as env:
        policy = load(player, env)
    random = np.random.default_rng([seed, 1])  # apart from the actions'
    envs.action_space.seed(seed)
    observation, _ = envs.reset(seed=seed)
    running, state, steps = np.ones(episodes, bool), None, []
    while running.any():
        begins = np.full(episodes, not steps)
        action, state = policy.predict(observation, state, begins, deterministic=True)
        explores = random.random(episodes) < epsilon
        explores = explores.reshape(-1, *[1] * (action.ndim - 1))
        action = np.where(explores, envs.action_space.sample(), action)
        after, rewards, terminated, truncated, _ = envs.step(action)
        steps.append((observation, action, rewards, terminated, truncated, after))
        observation, running = after, running & ~(terminated | truncated)
    envs.close()
    names = "observations", "actions", "rewards", "terminations", "truncations", "after"
    columns = dict(zip(names, (np.stack(column, axis=1) for column in zip(*steps))))
    after, found = columns.pop("after"), []
    for index in range(episodes):  # up to its first end: envs begin anew
        over = columns["terminations"][index] | columns["truncations"][index]
        end = int(np.argmax(over)) + 1
        episode = {name: column[index, :end] for name, column in columns.items()}
        last = after[index, end - 1 : end]
        episode["observations"] = np.concatenate([episode["observations"], last])
        found.append({**episode, "seed": seed + index})
    return found
