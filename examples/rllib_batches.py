"""An env runner for RLlib that samples whole batches from a native vector environment."""

import uuid

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_AGENT_ID, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils import metrics as names


class BatchedEnvRunner(SingleAgentEnvRunner):
    """Plays all games of a native vector environment at once, and samples as RLlib's does.

    RLlib's own runner adds every step of every game to an episode by itself, and passes every
    action through a pipeline of Python functions. This one writes arrays, and makes episodes of
    their slices at the end.

    It is for one policy on torch without a memory, in an environment of this package that is
    named by its id. It calls no callbacks for steps, episodes and samples, and none of your
    connectors between the games and the policy; those of the learner are RLlib's as before.

    Example:
        ``PPOConfig().environment("steer_env:Pursuit-v0").env_runners(
        env_runner_cls=BatchedEnvRunner, num_envs_per_env_runner=256)``
    """

    def make_env(self):
        """Makes the games, in the autoreset mode DISABLED."""
        import steer_env  # noqa: F401  (a runner's process gets this class without the imports)

        env = self.config.env
        name = env.removeprefix("steer_env:") if isinstance(env, str) else None
        if name is None or not str(gym.spec(name).vector_entry_point).startswith("steer_env."):
            raise TypeError(
                "BatchedEnvRunner takes the id of an environment of steer_env, such as "
                f"'steer_env:Pursuit-v0', got {env!r}"
            )
        if self.config.callbacks_class not in (RLlibCallback, [RLlibCallback]):
            raise ValueError(
                "BatchedEnvRunner calls no callbacks: pass functions that the algorithm calls, "
                "such as config.callbacks(on_train_result=...), or use RLlib's own env runner"
            )
        self.env = gym.make_vec(
            env,
            num_envs=self.config.num_envs_per_env_runner,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            **dict(self.config.env_config),
        )
        self.num_envs = self.env.num_envs
        self._observations = None  # of the games as they stand; None before the first

    def sample(
        self,
        *,
        num_timesteps=None,
        num_episodes=None,
        explore=None,
        random_actions=False,
        force_reset=False,
    ):
        """Returns the next steps of all games, as episodes and parts of episodes.

        Args:
            num_timesteps: of all games together, at least; by default a fragment of each.
            num_episodes: to begin and to play to their ends, at least, instead.
            explore: True to sample actions; by default as configured.
            random_actions: True for uniform ones.
            force_reset: True to begin new episodes in all games.

        Returns:
            A SingleAgentEpisode of arrays for each episode and each part of one; the parts have
            the same id and go on where the last one stopped.
        """
        if num_timesteps is None:
            fragment = self.config.get_rollout_fragment_length(self.worker_index)
            num_timesteps = fragment * self.num_envs
        explore = self.config.explore if explore is None else explore
        with self.metrics.log_time(names.SAMPLE_TIMER):
            if self._observations is None or force_reset or num_episodes is not None:
                self._begin()
            self._over = []  # lengths and returns of whole episodes
            steps = -(-num_timesteps // self.num_envs)
            episodes = self._play(steps, explore, random_actions)
            while num_episodes is not None and len(self._over) < num_episodes:
                episodes += self._play(steps, explore, random_actions)
        if num_episodes is not None:
            self._observations = None  # the others are not played on
            ended = {episode.id_ for episode in episodes if episode.is_done}
            episodes = [episode for episode in episodes if episode.id_ in ended]
        self._log(sum(map(len, episodes)))
        return episodes

    def get_metrics(self):
        """Returns what was measured since the last call."""
        return self.metrics.reduce()

    def _begin(self):
        """Begins a new episode in every game."""
        # RLlib counts processes from 1; 0 is its own.
        worker = max(self.worker_index or 0, 1) - 1
        seed = None if self.config.seed is None else self.config.seed + worker * self.num_envs
        self._observations, _ = self.env.reset(seed=seed)
        self._ids = [uuid.uuid4().hex for _ in range(self.num_envs)]
        self._played = np.zeros(self.num_envs, np.int64)  # steps of the episodes so far
        self._returns = np.zeros(self.num_envs)

    def _play(self, steps, explore, random_actions):
        """Plays steps, and returns them as episodes."""
        rows = {}
        for _ in range(steps):
            if random_actions:
                row = {Columns.ACTIONS: self.env.action_space.sample()}
            else:
                row = _chosen(self.module, self._observations, explore)
            actions = row[Columns.ACTIONS]
            if isinstance(self.env.single_action_space, gym.spaces.Box):
                actions = np.clip(actions, -1.0, 1.0)
            after, rewards, terminated, truncated, _ = self.env.step(actions)
            row |= {
                Columns.OBS: self._observations,
                Columns.NEXT_OBS: after,
                Columns.REWARDS: rewards,
                Columns.TERMINATEDS: terminated,
                Columns.TRUNCATEDS: truncated,
            }
            for name, values in row.items():
                rows.setdefault(name, []).append(values)
            is_over = terminated | truncated
            self._observations = after
            if is_over.any():
                self._observations, _ = self.env.reset(options={"reset_mask": is_over})
        return self._episodes({name: np.stack(values) for name, values in rows.items()})

    def _episodes(self, played):
        """Cuts steps, arrays (steps, N, ...) by RLlib's columns, at the ends of episodes.

        The last part of each game goes on in the next call, under the same ``id_``.
        """
        columns = (
            *(Columns.OBS, Columns.NEXT_OBS, Columns.ACTIONS, Columns.REWARDS),
            *(Columns.TERMINATEDS, Columns.TRUNCATEDS),
        )
        observations, after, actions, rewards, terminated, truncated = map(played.pop, columns)
        is_over = terminated | truncated
        steps, episodes = len(rewards), []
        for game in range(self.num_envs):
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
                    observation_space=self.env.single_observation_space,
                    infos=[{}] * (end - first + 1),
                    actions=actions[part, game],
                    action_space=self.env.single_action_space,
                    rewards=gained,
                    terminated=bool(terminated[last, game]),
                    truncated=bool(truncated[last, game]),
                    extra_model_outputs={
                        name: values[part, game] for name, values in played.items()
                    },
                    t_started=int(self._played[game]),
                    len_lookback_buffer=0,
                    # RLlib's learner takes parts of the same name for one episode.
                    multi_agent_episode_id=f"{self._ids[game]}_{self._played[game]}",
                )
                episodes.append(episode)
                self._played[game] += end - first
                self._returns[game] += gained.sum()
                if is_over[last, game]:
                    self._over.append((int(self._played[game]), float(self._returns[game])))
                    self._ids[game] = uuid.uuid4().hex
                    self._played[game], self._returns[game] = 0, 0.0
                first = end
        return episodes

    def _log(self, steps):
        """Logs steps, and the episodes that have ended, under RLlib's names."""
        log = self.metrics.log_value
        log(names.NUM_ENV_STEPS_SAMPLED, steps, reduce="sum")
        lifetime = names.NUM_ENV_STEPS_SAMPLED_LIFETIME
        log(lifetime, steps, reduce="lifetime_sum", with_throughput=True)
        agent, module = DEFAULT_AGENT_ID, DEFAULT_MODULE_ID
        log((names.NUM_AGENT_STEPS_SAMPLED, agent), steps, reduce="sum")
        log((names.NUM_AGENT_STEPS_SAMPLED_LIFETIME, agent), steps, reduce="lifetime_sum")
        log((names.NUM_MODULE_STEPS_SAMPLED, module), steps, reduce="sum")
        log((names.NUM_MODULE_STEPS_SAMPLED_LIFETIME, module), steps, reduce="lifetime_sum")
        log(names.NUM_EPISODES, len(self._over), reduce="sum")
        log(names.NUM_EPISODES_LIFETIME, len(self._over), reduce="lifetime_sum")
        for length, gained in self._over:
            log(names.EPISODE_LEN_MEAN, length, window=100)
            log(names.EPISODE_RETURN_MEAN, gained, window=100)


def _chosen(module, observations, explore):
    """The actions of a module of RLlib on torch, and what its learner needs, by column."""
    forward = module.forward_exploration if explore else module.forward_inference
    with torch.no_grad():
        inputs = forward({Columns.OBS: torch.from_numpy(observations)})[
            Columns.ACTION_DIST_INPUTS
        ]
        if explore:
            distribution = module.get_exploration_action_dist_cls().from_logits(inputs)
        else:
            kind = module.get_inference_action_dist_cls()
            distribution = kind.from_logits(inputs).to_deterministic()
        actions = distribution.sample()
        found = {Columns.ACTIONS: actions, Columns.ACTION_DIST_INPUTS: inputs}
        if explore:
            found[Columns.ACTION_LOGP] = distribution.logp(actions)
    return {name: values.numpy() for name, values in found.items()}
