"""Training for the study of exploitability: networks that see the reduced state of a game."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import FlattenExtractor

from steer_env.agents.export.actor import actor_of
from steer_env.agents.selfplay.selfplay import Population
from steer_env.agents.training.hyperparameters import (
    algorithm_class,
    environment_with_preset,
    read_preset,
)
from steer_env.baselines import NetworkPolicy, exact_response
from steer_env.baselines.solution_plots import loss_map
from steer_env.baselines.solved_games import solved_task
from steer_env.envs.sb3 import make_vec_env
from steer_env.files import write_json
from steer_env.game.config import make_game
from steer_env.game.config.features import Feature
from steer_env.game.look.learner import chosen_features
from steer_env.scenarios.registry import SOLVED
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import PURSUER, Side

BOTH = "both"
"""The side of a run that trains the two sides of a game against each other."""

METHODS = {
    "ppo_perfect": "PPO against perfect play",
    "ppo_scripts": "PPO against scripts",
    "sac_perfect": "SAC against perfect play",
    "independent": "self-play (PPO)",
    "fictitious": "fictitious play (PPO)",
    "psro": "PSRO (PPO)",
}
"""The methods of the study, in words."""

POPULATIONS = ("independent", "fictitious", "psro")
"""Those that train both sides, see `steer_env.agents.selfplay`."""

STEPS = {"simple_plane": 2**20, "perimeter_defense": 2**21, "homicidal_chauffeur": 2**21}
"""The steps of PPO, of each side."""

SAC_STEPS = 2**16
"""Those of SAC, which learns eight times in each step of its 32 games."""

CHECKPOINTS, GENERATIONS = 8, 8
STARTS = 64
NODES = {True: 64, False: 32}
"""Nodes of the finest grid, by whether the reduced states have two dimensions.

At the end of training, those of two dimensions have as many as `exact_response` takes.
"""

_SHARES = [2.0**-number for number in reversed(range(CHECKPOINTS))]
_FEWER = 4  # starts before the end of training, by this factor
_MAP_CELLS = 61
_LEAST = 1e-9
_GAMES = 128
_PPO: Mapping[str, Any] = {
    "n_steps": 64,
    "batch_size": 2048,
    "n_epochs": 4,
    "learning_rate": 1e-3,
    "gamma": 1.0,  # the payoff's own, so that shaping stays neutral
    "ent_coef": 0.0,
    "policy_kwargs": {"net_arch": [64, 64], "share_features_extractor": False},
}
_PPO_OF_GAME = {"homicidal_chauffeur": {"gamma": 0.99, "ent_coef": 0.005, "n_epochs": 8}}
# In the plane a beginner never catches anybody, and so learns nothing from times alone.
_SHAPING = {"simple_plane": 10.0}

_SCRIPTS = {
    "perimeter_defense": (("block", "seek"), ("reach", "evade")),
    "": (("seek", "pursuit"), ("evade", "flee", "wander")),
}
"""The pursuers and evaders of a learner that never meets perfect play, by its game."""


class Run(NamedTuple):
    """A training run of the study."""

    game: str
    side: str
    method: str
    seed: int

    @property
    def name(self) -> str:
        """As the option ``--only`` has it."""
        return "/".join(map(str, self))

    @property
    def sides(self) -> tuple[Side, ...]:
        """Those that it trains."""
        return (*Side,) if self.side == BOTH else (Side.named(self.side),)

    def path(self, out: Path) -> Path:
        """The file of its measurements."""
        return out / f"{'-'.join(map(str, self))}.json"

    def map_path(self, out: Path) -> Path:
        """The file of where its networks lose, if it has the first seed."""
        return self.path(out).with_suffix(".npz")


def standard_features(game: Scenario) -> tuple[Feature, ...]:
    """The features that every opponent of a game observes."""
    config = make_game(game=game.name)
    return chosen_features(replace(config, observation=config.observation.standard))


class Opponent:
    """Lets a network of reduced features play as an opponent, from the standard features."""

    def __init__(self, network: NetworkPolicy, game: Scenario, side: Side) -> None:
        self._network, self._names = network, game.reduced[side]
        config, standard = make_game(game=game.name), standard_features(game)
        self._places = {one.name: at for at, one in reversed([*enumerate(standard)])}
        self._length = config.observation.scales["length"]
        self._radius = config.shapes[0].radius if config.targets else 0.0
        self.observation_space = spaces.Box(-1.0, 1.0, (len(standard),), np.float32)
        self.action_space = network.action_space

    def predict(
        self,
        observation: NDArray[np.float32],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """The network's actions, as stable-baselines3's policies have them."""
        return self._network.predict(self.reduced(observation), deterministic=deterministic)

    def reduced(self, standard: NDArray[np.float32]) -> NDArray[np.float32]:
        """The reduced features, (..., features), of standard ones."""

        def vector(name: str, second: str) -> NDArray[np.complex128]:
            first, other = (standard[..., self._places[one]] for one in (name, second))
            return np.asarray(first + 1j * other, np.complex128)

        offset = vector("offset_forward", "offset_left")
        place, heading = vector("position_x", "position_y"), vector("heading_x", "heading_y")
        distance, far = np.abs(offset), np.abs(place)
        # A vector z is seen as z / (|z| + length); the target's center is the origin.
        away = self._length * far / np.maximum(1.0 - far, _LEAST) - self._radius
        target = -place / np.maximum(far, _LEAST) * heading.conj()
        vectors = {
            "other.bearing": offset / np.maximum(distance, _LEAST),
            "other.heading": vector("heading_forward", "heading_left"),
            "own.target": target * away / (np.abs(away) + self._length),
        }
        numbers = {"other.distance": distance}
        for name, one in vectors.items():
            numbers |= {f"{name}_forward": one.real, f"{name}_left": one.imag}
        found = [numbers[name] for name in self._names]
        return np.stack(found, axis=-1).astype(np.float32)


class _Blind(FlattenExtractor):
    """The last features alone: all before are 0."""

    def __init__(self, space: spaces.Space[Any], seen: int) -> None:
        super().__init__(space)
        self._hidden = self.features_dim - seen

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features, (games, features)."""
        features = super().forward(observations).clone()
        features[:, : self._hidden] = 0.0
        return features


class Learner:
    """The network of a side in training.

    The actor sees the reduced state alone, and the critic, which nobody needs in play, all
    features: among them is the time that is left, without which the return is not a function of
    what the critic sees (Pinto et al. 2018, "Asymmetric actor critic for image-based robot
    learning").
    """

    def __init__(self, run: Run, side: Side) -> None:
        game, is_sac = SOLVED[run.game], run.method == "sac_perfect"
        algorithm = "sac" if is_sac else "ppo"
        environment = environment_with_preset(algorithm, game, side)
        preset, task = read_preset(algorithm, environment), solved_task(environment)
        self.steps = SAC_STEPS if is_sac else STEPS[run.game]
        arguments = {**_PPO, **_PPO_OF_GAME.get(run.game, {})}
        if is_sac:
            arguments = dict(preset.arguments)
        self._reduced = game.reduced_observation(side)
        names = self._reduced["features"]
        others = (f"{one.block}.{one.name}" for one in standard_features(game))
        seen = (*(name for name in others if name not in names), *names)
        keywords: dict[str, Any] = {**task.training}
        keywords["observation"] = {**self._reduced, "features": seen}
        if run.game in _SHAPING:
            shaped = {"closing": _SHAPING[run.game]}
            keywords["reward"] = {**game.keywords["reward"], **shaped}
        games = preset.n_envs if is_sac else _GAMES
        self._envs: Any = make_vec_env(environment, games, run.seed, **keywords)
        made: Any = algorithm_class(algorithm)
        self._model = made("MlpPolicy", self._envs, seed=run.seed, device="cpu", **arguments)
        self._extract = _Blind(self._model.observation_space, len(names))
        self._set_extractor(self._extract)

    def learn(self, until: int, opponents: Sequence[Any], weights: Any) -> None:
        """Trains until the network has taken a number of steps in all."""
        self._envs.set_opponent([*opponents], weights)
        self._model.learn(until - self.taken, reset_num_timesteps=False)

    @property
    def taken(self) -> int:
        """The steps so far."""
        return int(self._model.num_timesteps)

    def network(self) -> NetworkPolicy:
        """The actor now, of the reduced features alone."""
        self._set_extractor(FlattenExtractor(self._model.observation_space))
        actor = actor_of(self._model)
        self._set_extractor(self._extract)
        first, *rest = actor.weights
        return NetworkPolicy(
            [first[:, -len(self._reduced["features"]) :], *rest],
            actor.biases,
            activation=actor.activation,
            head=actor.head,
            metadata={"observation": self._reduced},
        )

    def _set_extractor(self, extractor: FlattenExtractor) -> None:
        policy = self._model.policy
        if hasattr(policy, "actor"):
            policy.actor.features_extractor = extractor
        else:
            policy.pi_features_extractor = extractor


def train_and_measure(run: Run, out: Path) -> Path:
    """Trains and measures a run, and returns its file; the first seed has a map of losses."""
    torch.set_num_threads(1)
    game, begin, measuring = SOLVED[run.game], time.process_time(), 0.0
    population = Population(run.game)
    population.scripts = dict(zip(Side, _SCRIPTS.get(run.game, _SCRIPTS[""])))
    learners = {side: Learner(run, side) for side in run.sides}
    checkpoints = {side.name: list[dict[str, Any]]() for side in run.sides}
    maps = dict[str, NDArray[np.float16]]()
    generations = range(1, GENERATIONS) if run.method in POPULATIONS else ()
    for share in sorted({*_SHARES, *(number / GENERATIONS for number in generations)}):
        for side, learner in learners.items():
            opponents, weights = _opponents(run.method, population, game, side)
            learner.learn(round(share * learner.steps), opponents, weights)
        before = time.process_time()
        for side, learner in learners.items():
            network = learner.network()
            population.networks[side].append(Opponent(network, game, side))
            if share in _SHARES:
                is_plane = _is_plane(run.game, side)
                given: Any = {"starts": STARTS, "nodes": None if is_plane else NODES[False]}
                if share < 1.0:
                    given["starts"] = max(STARTS // _FEWER, 2)
                    given["nodes"] = NODES[is_plane]
                found = exact_response(network, run.game, side.other.name, **given)
                seconds = before - begin - measuring
                row = {"steps": learner.taken, "seconds": seconds}
                checkpoints[side.name].append({**row, **found.to_dict()["overall"]})
                if share == 1.0 and run.seed == 0:
                    maps[side.name] = loss_map(found, _MAP_CELLS).value.astype(np.float16)
        measuring += time.process_time() - before
    if maps:
        np.savez_compressed(run.map_path(out), **maps)
    numbers = {**run._asdict(), "checkpoints": checkpoints, "measuring_seconds": measuring}
    write_json(run.path(out), numbers, indent=1)
    return run.path(out)


def _is_plane(game: str, side: Side) -> bool:
    """True if the state of a response to a side has two dimensions."""
    return game == "simple_plane" or (game == "perimeter_defense" and side is PURSUER)


def _opponents(
    method: str, population: Population, game: Scenario, side: Side
) -> tuple[Sequence[Any], Any]:
    """The opponents of a side, and their weights, or None for equal chances."""
    if method in POPULATIONS:
        chosen = population.opponents(method, side.other, 0.0)
        return chosen["opponent"], chosen.get("opponent_weights")
    if method == "ppo_scripts":
        return population.scripts[side.other], None
    return (game.opponents[side],), None
