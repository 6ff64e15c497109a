"""Trains a league with RLlib, one algorithm for all of its agents, and freezes generations."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from threadpoolctl import threadpool_limits

from agents.durable import newest_checkpoint, write_checkpoint
from agents.league.configuration import (
    AGAINST_POOL,
    EXPLOITERS,
    EXPLOITING,
    MAIN,
    games_of,
    league_configuration,
    training_config,
    training_of,
)
from agents.league.matchmaking import League
from agents.rllib.actor import actor_of_state, first_weights
from agents.rllib.algorithms import (
    close,
    cluster,
    env_runners_of,
    find_trouble,
    losses_of,
    read_snapshot,
    restore_checkpoint,
    restore_games,
    send_weights,
    set_rate,
    take_snapshot,
)
from agents.rllib.configuration import networks_of
from agents.rllib.conversion import stable_baselines_model
from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.selfplay.methods import first_scripts
from agents.training.divergence import Diverged
from agents.training.validation import shares_of_worst
from baselines import NetworkPolicy
from steer_env.files import write_bytes, write_json
from steer_env.players import Player
from steer_env.policies.loading import is_file
from steer_env.sides import EVADER, PURSUER, Side

CHECKPOINT_SECONDS = 30.0
"""Between two checkpoints: a crash loses that much training."""


def train_league(
    plan: SelfPlay, folder: SelfPlayFolder, console: Console, address: str | None = None
) -> None:
    """Trains all generations of a league, from where a crash left it.

    Each generation's folder gets last_policy.npz, and last_model.zip with the same actor and
    its critic as a model of stable-baselines3, from which exploiters can go on. The folder
    "league" gets the exploiters of the pool, the checkpoints, and matches.json. A checkpoint is
    unpickled, which can run any code: never resume a run that you do not trust.

    Args:
        plan: of self-play, with the method "league".
        folder: of self-play.
        console: for a line at each generation.
        address: of the Ray cluster; see `baselines.ray_cluster.joined`.

    Raises:
        ClusterError, DependencyNotInstalled: as `baselines.ray_cluster.joined`.
        Diverged: if a weight or a loss is not finite. What was saved before stays.
        ValueError: if the plan does not fit, or all checkpoints are damaged.
    """
    if all(folder.generation(plan.generations, side).is_trained for side in Side):
        return
    torch.set_num_threads(1)  # fastest for networks this small, and repeatable
    with threadpool_limits(1), cluster(address, plan.env_runners):
        training = LeagueTraining(plan, folder, console)
        try:
            training.train()
        finally:
            close(training.algorithm)


class LeagueTraining:
    """The algorithm of a league, its pools and its files.

    Attributes:
        algorithm: RLlib's.
        league: what is met, and how often.
    """

    def __init__(self, plan: SelfPlay, folder: SelfPlayFolder, console: Console) -> None:
        self._plan, self._folder, self._console = plan, folder, console
        self._path = folder.path / "league"
        self._path.mkdir(parents=True, exist_ok=True)
        self._config = training_config(plan)
        self._networks = {
            side: networks_of("ppo", training_of(plan, side).read_preset()) for side in Side
        }
        content = newest_checkpoint(self._path / "checkpoints")
        saved = None if content is None else read_snapshot(content)
        scripts = {side: first_scripts(plan.game, side) for side in Side}
        self.league = League(scripts) if saved is None else saved["league"]
        pools = {side: self._players(self.league.pools[side].members) for side in Side}
        self._sent = {side: len(pools[side]) for side in Side}
        config = league_configuration(plan, pools, self._on_train_result)
        fragment = config.rollout_fragment_length
        self._steps = games_of(plan).of_module * games_of(plan).runners * fragment
        self.algorithm = config.build_algo()
        self._first = self.algorithm.learner_group.get_weights()
        if saved is None:
            for number, side in enumerate(Side):
                for module, kind in ((MAIN[side], 0), (EXPLOITERS[side], 1)):
                    self._begin_anew(module, side, 2 * number + kind)
            send_weights(self.algorithm)
        else:
            restore_checkpoint(self.algorithm, saved)
        set_rate(self.algorithm, [*MAIN.values(), *EXPLOITERS.values()])
        if saved is not None:
            self._send_chances()
            restore_games(self.algorithm, saved)

    def train(self) -> None:
        """Trains to the end of the last generation."""
        saved_at = time.monotonic()
        while self.league.generations < self._plan.generations:
            before = self.league.generations
            self.algorithm.train()
            is_frozen = self.league.generations > before
            if is_frozen or time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                self._write_checkpoint()
                saved_at = time.monotonic()

    def _write_checkpoint(self) -> None:
        content = take_snapshot(self.algorithm, league=self.league)
        write_checkpoint(self._path / "checkpoints", self.league.steps, content)

    def _on_train_result(self, *, result: dict[str, Any], **_: Any) -> None:
        """RLlib's callback after an update: lets the league know, and grow."""
        weights = self.algorithm.learner_group.get_weights()
        self._check_sound(weights, result)
        self.league.count(self._steps)
        self._record()
        generation = self._plan.steps
        if self.league.steps >= (self.league.generations + 1) * generation:
            self._freeze_generation(weights)
        is_new = False
        for side in Side:
            if self.league.exploiters[side].is_done(generation):
                self._freeze_exploiter(side, weights)
                is_new = True
        if is_new:
            send_weights(self.algorithm)
        self._send_chances()
        write_json(self._path / "matches.json", self.league.to_dict(self._plan.hardness))

    def _check_sound(self, weights: dict[str, Any], result: dict[str, Any]) -> None:
        for module in weights:
            trouble = find_trouble(weights[module], losses_of(result, module))
            if trouble is not None:
                raise Diverged(
                    f"the league diverged after {self.league.steps:,} steps: {module}: "
                    f"{trouble}; begin another one with another seed, or with a smaller "
                    "learning_rate in agents/presets"
                )

    def _record(self) -> None:
        """Notes the episodes that have ended."""
        group, is_remote = env_runners_of(self.algorithm)
        found = group.foreach_env_runner(
            lambda runner: runner.take_outcomes(), local_env_runner=not is_remote
        )
        for outcomes in found:
            for side in Side:
                met = outcomes[AGAINST_POOL[side]]
                self.league.pools[side.other].record(met.opponents, self._shares(met.steps))
                exploited = outcomes[EXPLOITING[side]]
                self.league.record(side, self._shares(exploited.steps).tolist())

    def _shares(self, steps: np.ndarray) -> np.ndarray:
        """Lengths of episodes as shares of what is worst for a pursuer."""
        return shares_of_worst(steps * self._config.dt, self._config)

    def _freeze_generation(self, weights: dict[str, Any]) -> None:
        """Writes the main agents, and adds them to the pools."""
        number = self.league.generations + 1
        for side in Side:
            run = self._folder.generation(number, side)
            run.path.mkdir(parents=True, exist_ok=True)
            self._write_policy(side, weights[MAIN[side]], run.last_policy)
        for side in Side:  # the model says that the generation is trained, so it is the last
            run = self._folder.generation(number, side)
            training = training_of(self._plan, side, number)
            model, content = stable_baselines_model(weights[MAIN[side]], training), io.BytesIO()
            model.save(content)
            write_bytes(run.last_model, content.getvalue())
            self.league.pools[side].add(self._name(run.last_policy))
        self.league.generations = number
        counts = [len(self.league.pools[side].members) for side in (EVADER, PURSUER)]
        self._console.print(
            f"generation {number} of {self._plan.generations}: both sides at once, now against "
            f"pools of {counts[0]} evaders and {counts[1]} pursuers"
        )

    def _freeze_exploiter(self, side: Side, weights: dict[str, Any]) -> None:
        """Adds an exploiter to the pool, and lets it start again as a new network."""
        exploiter = self.league.exploiters[side]
        path = self._path / f"{EXPLOITERS[side]}_{exploiter.joined + 1:02}.npz"
        self._write_policy(side, weights[EXPLOITERS[side]], path)
        self.league.pools[side].add(self._name(path))
        exploiter.start_again()
        seed = 2 * len(Side) + 2 * exploiter.joined + side
        self._begin_anew(EXPLOITERS[side], side, seed)

    def _begin_anew(self, module: str, side: Side, number: int) -> None:
        """Gives a module stable-baselines3's first weights, and a new optimizer."""
        # Far from the seeds of other runs, and none is used twice in one.
        seed = 1_000 * self._plan.seed + number
        weights = first_weights(self._first[module], self._networks[side], seed)
        self.algorithm.learner_group.set_weights({module: weights})

        def forget(learner: Any) -> None:
            for _, optimizer in learner.get_optimizers_for_module(module):
                optimizer.state.clear()

        self.algorithm.learner_group.foreach_learner(forget)

    def _send_chances(self) -> None:
        """Gives the env runners what is new in the pools, and the chances of all members."""
        group, is_remote = env_runners_of(self.algorithm)
        for side in Side:
            matchup = AGAINST_POOL[side]
            members = self.league.pools[side.other].members
            new = self._players(members[self._sent[side.other] :])
            chances = self.league.weights(side, self._plan.hardness)
            self._sent[side.other] = len(members)
            group.foreach_env_runner(
                (lambda runner, m=matchup, n=new, c=chances: runner.add_opponents(m, n, c))
                if new
                else (lambda runner, m=matchup, c=chances: runner.weigh_opponents(m, c)),
                local_env_runner=not is_remote,
            )

    def _write_policy(self, side: Side, state: Any, path: Path) -> None:
        about = {
            "environment": training_of(self._plan, side).environment,
            "algorithm": "PPO",
            "steps": self.league.steps,
        }
        actor = actor_of_state(state, "ppo", self._networks[side], about)
        actor.save(path)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder.path).as_posix()

    def _players(self, members: Sequence[str]) -> list[Player]:
        """What plays for members: names of scripts, and networks, which can be sent."""
        return [
            NetworkPolicy.load(self._folder.path / one) if is_file(one) else one
            for one in members
        ]
