"""Samples for RLlib's multi-agent algorithms, whole batches of many games at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

try:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.utils import metrics as names

    from steer_env.envs.rllib import RLlibEnv
    from steer_env.envs.rllib_rows import (
        Recorder,
        check_callbacks,
        choose,
        log_episodes,
        log_steps,
        only_whole,
    )
    from steer_env.envs.rllib_tables import Matchup as Matchup
    from steer_env.envs.rllib_tables import Outcomes, Seat, Spaces, Table
except ImportError as error:
    raise DependencyNotInstalled(
        'RLlib is not installed; run: pip install "ray[rllib]" torch'
    ) from error

from steer_env.errors import InvalidType, InvalidValue, shown
from steer_env.players import Player
from steer_env.sides import Side

MATCHUPS = "matchups"
"""The entry of an algorithm's ``env_config`` with its `Matchup` objects."""


class BatchedMultiAgentEnvRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Plays games of one on one for several modules, and samples as RLlib's own runner does.

    It takes the place of RLlib's runner for `RLlibEnv`: each side is played by the module that
    the ``policy_mapping_fn`` names. With `MATCHUPS` in the ``env_config``, the games are
    divided into groups: in one of them two modules may play each other, in another a module may
    play against scripts and networks, which play inside the compiled loop and never learn.

    It is for modules on torch without a memory. It calls no callbacks for steps, episodes and
    samples, and no connectors of your own between the games and the modules; those of the
    learner are RLlib's as before.

    Raises:
        gymnasium.error.DependencyNotInstalled: when this module is imported without RLlib.
        TypeError: for another environment.
        ValueError: for a class of callbacks, a team, or matchups that do not fit.

    Example:
        ``PPOConfig().environment(RLlibEnv).multi_agent(policies={"pursuer", "evader"},
        policy_mapping_fn=lambda agent, *_, **__: agent.removesuffix("_0")).env_runners(
        env_runner_cls=BatchedMultiAgentEnvRunner, num_envs_per_env_runner=256)``
    """

    def make_env(self) -> None:
        """Makes the games, which wait after their ends until they are reset."""
        if self.config.env is not RLlibEnv:
            raise InvalidType(
                "BatchedMultiAgentEnvRunner plays the games of RLlibEnv, got "
                f"{shown(self.config.env)}"
            )
        check_callbacks(self.config, "BatchedMultiAgentEnvRunner")
        keywords = dict(self.config.env_config)
        self.num_envs = self.config.num_envs_per_env_runner
        agents = {side.name: f"{side.name}_0" for side in Side}
        module_of = self.config.policy_mapping_fn
        everything = Matchup(
            self.num_envs, {side: module_of(agents[side], None) for side in agents}
        )
        matchups = keywords.pop(MATCHUPS, (everything,))
        if sum(one.games for one in matchups) != self.num_envs:
            raise InvalidValue(
                f"the matchups have {[one.games for one in matchups]} games, and "
                f"num_envs_per_env_runner is {self.num_envs}: it must be their sum"
            )
        self._tables = [Table(one, keywords, agents) for one in matchups]
        self.env = Spaces(keywords, agents, self.num_envs)
        seats = [seat for table in self._tables for seat in table.seats]
        self._seats: dict[tuple[str, bool], list[Seat]] = {}
        for seat in seats:  # those that one call of a module serves
            key = seat.module, seat.recorder is not None
            self._seats.setdefault(key, []).append(seat)
        self._has_begun = False

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Any]:
        """Returns the next steps of all games, as episodes and parts of episodes.

        Args:
            num_timesteps: of all games together, at least; by default a fragment of each.
            num_episodes: to begin and to play to their ends, at least, instead.
            explore: whether to sample actions; by default as configured.
            random_actions: whether to take uniform ones.
            force_reset: whether to begin new episodes in all games.

        Returns:
            A SingleAgentEpisode of arrays, with its ``agent_id`` and ``module_id``, for each
            learning player of each episode, or of each part of one; the parts have the same
            ``id_`` and go on where the last one stopped.
        """
        if num_timesteps is None:
            fragment = self.config.get_rollout_fragment_length(self.worker_index)
            num_timesteps = fragment * self.num_envs
        explore = self.config.explore if explore is None else explore
        with self.metrics.log_time(names.SAMPLE_TIMER):
            if not self._has_begun or force_reset or num_episodes is not None:
                self._begin()
            steps = -(-num_timesteps // self.num_envs)
            played, ended = steps, self._play(steps, explore, random_actions)
            while num_episodes is not None and ended < num_episodes:
                ended += self._play(steps, explore, random_actions)
                played += steps
        recorders = [
            seat.recorder for table in self._tables for seat in table.seats if seat.recorder
        ]
        episodes = [episode for one in recorders for episode in one.episodes()]
        if num_episodes is not None:
            self._has_begun = False  # the others are not played on
            episodes = only_whole(episodes)
        self._log(played * self.num_envs, ended, episodes, recorders)
        return episodes

    def get_metrics(self) -> Any:
        """Returns what was measured since the last call."""
        return self.metrics.reduce()

    def take_outcomes(self) -> list[Outcomes]:
        """Returns the episodes of each matchup that have ended since the last call."""
        return [table.take_outcomes() for table in self._tables]

    def add_opponents(
        self, matchup: int, new: Sequence[Player], weights: Sequence[float]
    ) -> None:
        """Lets the opponents of a matchup grow, in episodes that begin from now on.

        Args:
            matchup: its number.
            new: the opponents after those that there are, which keep their numbers.
            weights: the chance of each, old and new.
        """
        env = self._tables[matchup].env
        env.set_opponent([*env.opponent, *new], weights)

    def weigh_opponents(self, matchup: int, weights: Sequence[float]) -> None:
        """Changes the chances of a matchup's opponents, in later episodes."""
        self._tables[matchup].env.opponent_weights = weights

    def get_games(self) -> dict[str, Any]:
        """Returns the games in the middle of their episodes, and the random generator.

        RLlib's own state of an env runner is sent to all others, so it cannot hold them.
        """
        found: dict[str, Any] = {"random": torch.get_rng_state()}
        if self._has_begun:
            found["tables"] = [table.get_games() for table in self._tables]
        return found

    def set_games(self, games: Mapping[str, Any]) -> None:
        """Goes on with games that `get_games` returned; the opponents must be those of then."""
        torch.set_rng_state(games["random"])
        if "tables" in games:
            for table, state in zip(self._tables, games["tables"], strict=True):
                table.set_games(state)
            self._has_begun = True

    def stop(self) -> None:
        """Ends the games, if this env runner has any."""
        if self.env is not None:
            for table in self._tables:
                table.env.close()

    def _begin(self) -> None:
        worker = (
            max(self.worker_index or 0, 1) - 1
        )  # RLlib counts processes from 1; 0 is its own
        seed = self.config.seed
        first = None if seed is None else seed + worker * self.num_envs
        for table in self._tables:
            table.begin(first)
            first = None if first is None else first + table.env.num_envs
        self._has_begun = True

    def _play(self, steps: int, explore: bool, random_actions: bool) -> int:
        """Plays steps of all games; returns how many episodes ended."""
        ended = 0
        for _ in range(steps):
            for (module, learns), seats in self._seats.items():
                if random_actions:
                    for seat in seats:
                        seat.chosen = {Columns.ACTIONS: seat.space.sample()}
                    continue
                rows = [seat.observations for seat in seats]
                together = rows[0] if len(rows) == 1 else np.concatenate(rows)
                chosen = choose(self.module[module], together, explore and learns)
                first = 0
                for seat, own in zip(seats, rows):
                    part = slice(first, first + len(own))
                    seat.chosen = {name: values[part] for name, values in chosen.items()}
                    first += len(own)
            ended += sum(table.step() for table in self._tables)
        return ended

    def _log(
        self, steps: int, ended: int, episodes: list[Any], recorders: Sequence[Recorder]
    ) -> None:
        of_agents: Counter[str] = Counter()
        of_modules: Counter[str] = Counter()
        for episode in episodes:
            of_agents[episode.agent_id] += len(episode)
            of_modules[episode.module_id] += len(episode)
        log_steps(self.metrics, steps, of_agents, of_modules)
        log_episodes(self.metrics, ended)
        for recorder in recorders:
            returns = names.EPISODE_MODULE_RETURN_MEAN, recorder.module_id
            for length, gained in recorder.over:
                self.metrics.log_value(names.EPISODE_LEN_MEAN, length, window=100)
                self.metrics.log_value(returns, gained, window=100)
            recorder.over = []
