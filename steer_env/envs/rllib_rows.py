"""What the env runners for RLlib share: a network's actions, and episodes made of arrays.

RLlib's own runners add every step of every game to an episode by itself, and pass every action
through a pipeline of Python functions, which takes ten times as long as the games and the
network do. Ours write arrays, and make episodes of their slices at the end.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils import metrics as names

from steer_env.errors import InvalidValue


def check_callbacks(config: Any, runner: str) -> None:
    """Checks that an algorithm does not ask a runner to call a class of callbacks.

    Raises:
        InvalidValue: if it does.
    """
    if config.callbacks_class not in (RLlibCallback, [RLlibCallback]):
        raise InvalidValue(
            f"{runner} calls no callbacks: pass functions that the algorithm calls, such as "
            "config.callbacks(on_train_result=...), or use RLlib's own env runner"
        )


def choose(module: Any, observations: NDArray[Any], explore: bool) -> dict[str, NDArray[Any]]:
    """What a module of RLlib does, and what its learner wants to know about that.

    Args:
        module: on torch, without a memory.
        observations: (N, features).
        explore: whether to sample actions; else they are deterministic.

    Returns:
        Arrays with N rows by RLlib's names of columns: the actions, the inputs of their
        distribution, and the logarithm of their probability if they are sampled.
    """
    with torch.no_grad():
        forward = module.forward_exploration if explore else module.forward_inference
        outputs = forward({Columns.OBS: torch.from_numpy(observations)})
        inputs = outputs[Columns.ACTION_DIST_INPUTS]
        kind = (
            module.get_exploration_action_dist_cls()
            if explore
            else module.get_inference_action_dist_cls()
        )
        distribution = kind.from_logits(inputs)
        if not explore:
            distribution = distribution.to_deterministic()
        actions = distribution.sample()
        found = {Columns.ACTIONS: actions, Columns.ACTION_DIST_INPUTS: inputs}
        if explore:
            found[Columns.ACTION_LOGP] = distribution.logp(actions)
    return {name: values.numpy() for name, values in found.items()}


class Recorder:
    """The steps of one player in each of N games, and the episodes that they make.

    Args:
        games: N.
        observation_space: of one player.
        action_space: of one player.
        agent_id: RLlib's name of the player, if there are several.
        module_id: of the network that plays it, likewise.

    Attributes:
        over: the lengths and the returns of the episodes that have ended; the caller empties
            it.
        module_id: as given.
    """

    _STATE = ("_ids", "_played", "_returns")

    def __init__(
        self,
        games: int,
        observation_space: gym.Space[Any],
        action_space: gym.Space[Any],
        agent_id: str | None = None,
        module_id: str | None = None,
    ) -> None:
        self._games, self._spaces = games, (observation_space, action_space)
        self.agent_id, self.module_id = agent_id, module_id
        self.over: list[tuple[int, float]] = []
        self.begin()

    def begin(self) -> None:
        """Begins a new episode in every game."""
        self._ids = [uuid.uuid4().hex for _ in range(self._games)]
        self._played = np.zeros(self._games, np.int64)  # steps of the episodes so far
        self._returns = np.zeros(self._games)
        self._rows: dict[str, list[NDArray[Any]]] = {}

    def get_state(self) -> dict[str, Any]:
        """A copy of what it knows of the running episodes, between two calls of `episodes`."""
        return {name: copy.copy(getattr(self, name)) for name in self._STATE}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Goes on with episodes that `get_state` returned."""
        for name in self._STATE:
            setattr(self, name, copy.copy(state[name]))
        self._rows = {}

    def add(self, row: Mapping[str, NDArray[Any]]) -> None:
        """Adds a step of all games: arrays with N rows, by RLlib's names of columns."""
        for name, values in row.items():
            self._rows.setdefault(name, []).append(values)

    def episodes(self) -> list[Any]:
        """Cuts the steps since the last call where episodes end.

        Returns:
            A SingleAgentEpisode for each episode and each part of one. The last part of each
            game goes on in the next call, under the same ``id_``.
        """
        played = {name: np.stack(values) for name, values in self._rows.items()}
        self._rows = {}
        if not played:
            return []
        observations, after = played.pop(Columns.OBS), played.pop(Columns.NEXT_OBS)
        rewards, actions = played.pop(Columns.REWARDS), played.pop(Columns.ACTIONS)
        terminated = played.pop(Columns.TERMINATEDS)
        truncated = played.pop(Columns.TRUNCATEDS)
        is_over = terminated | truncated
        steps, episodes = len(rewards), []
        for game in range(self._games):
            first = 0
            ends = [*(np.flatnonzero(is_over[:, game]) + 1)]
            if not ends or ends[-1] < steps:
                ends.append(steps)
            for end in ends:
                part, last = slice(first, end), end - 1
                gained = rewards[part, game]
                episode = SingleAgentEpisode(
                    self._ids[game],
                    observations=np.concatenate(
                        [observations[part, game], after[last : last + 1, game]]
                    ),
                    observation_space=self._spaces[0],
                    infos=[{}] * (end - first + 1),
                    actions=actions[part, game],
                    action_space=self._spaces[1],
                    rewards=gained,
                    terminated=bool(terminated[last, game]),
                    truncated=bool(truncated[last, game]),
                    extra_model_outputs={
                        name: values[part, game] for name, values in played.items()
                    },
                    t_started=int(self._played[game]),
                    len_lookback_buffer=0,
                    agent_id=self.agent_id,
                    module_id=self.module_id,
                    # RLlib's learner takes parts of the same name for one episode.
                    multi_agent_episode_id=f"{self._ids[game]}_{self._played[game]}",
                )
                episodes.append(episode)
                self._played[game] += end - first
                self._returns[game] += gained.sum()
                if is_over[last, game]:
                    self.over.append((int(self._played[game]), float(self._returns[game])))
                    self._ids[game] = uuid.uuid4().hex
                    self._played[game], self._returns[game] = 0, 0.0
                first = end
        return episodes


def only_whole(episodes: Iterable[Any]) -> list[Any]:
    """The parts of those episodes that have ended."""
    episodes = list(episodes)
    ended = {episode.id_ for episode in episodes if episode.is_done}
    return [episode for episode in episodes if episode.id_ in ended]


def log_steps(
    metrics: Any, steps: int, of_agents: Mapping[str, int], of_modules: Mapping[str, int]
) -> None:
    """Logs the steps of all games, and those of each agent and each module among them."""
    metrics.log_value(names.NUM_ENV_STEPS_SAMPLED, steps, reduce="sum")
    metrics.log_value(
        names.NUM_ENV_STEPS_SAMPLED_LIFETIME,
        steps,
        reduce="lifetime_sum",
        with_throughput=True,
    )
    for one, lifetime, counts in (
        (names.NUM_AGENT_STEPS_SAMPLED, names.NUM_AGENT_STEPS_SAMPLED_LIFETIME, of_agents),
        (names.NUM_MODULE_STEPS_SAMPLED, names.NUM_MODULE_STEPS_SAMPLED_LIFETIME, of_modules),
    ):
        for key, count in counts.items():
            metrics.log_value((one, key), count, reduce="sum")
            metrics.log_value((lifetime, key), count, reduce="lifetime_sum")


def log_episodes(metrics: Any, count: int) -> None:
    """Logs how many episodes have ended."""
    metrics.log_value(names.NUM_EPISODES, count, reduce="sum")
    metrics.log_value(names.NUM_EPISODES_LIFETIME, count, reduce="lifetime_sum")
