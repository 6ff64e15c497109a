"""The configuration of RLlib's PPO for a league: four modules, and five groups of games."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from agents.league.matchmaking import SELF_PLAY_SHARE
from agents.rllib.configuration import FIRST_SAMPLES, algorithm_configuration
from agents.selfplay.generations import SelfPlay
from agents.selfplay.methods import first_scripts
from agents.training.hyperparameters import Preset, argument_defaults
from agents.training.preset_values import LinearSchedule
from agents.training.start import game_keywords
from agents.training.training import Training
from agents.training.validation import VALIDATION_SEED
from baselines.payoffs import CAPTURE_TIME, payoff_of
from baselines.ray_cluster import import_ray
from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig, game_config
from steer_env.players import Player
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import ENVIRONMENTS, GAMES

MAIN = {side: side.name for side in Side}
"""RLlib's modules of the main agents."""

EXPLOITERS = {side: f"{side.name}_exploiter" for side in Side}
"""RLlib's modules of the exploiters."""

SELF_PLAY = 0
AGAINST_POOL = {PURSUER: 1, EVADER: 2}
EXPLOITING = {PURSUER: 3, EVADER: 4}
"""The numbers of the matchups: of both main agents, of a side's main agent against the pool,
and of a side's exploiter against the other side's main agent."""

_ALIKE = ("num_epochs", "minibatch_size", "rollout_fragment_length")
_OF_MODULES = ("clip_param", "entropy_coeff", "vf_loss_coeff", "vf_clip_param", "grad_clip")


class Games(NamedTuple):
    """The games of each env runner.

    Attributes:
        of_module: those from which each module learns.
        self_play: those of them in which the main agents meet.
        runners: the number of env runners.
    """

    of_module: int
    self_play: int
    runners: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The games of each matchup, by its number; none is empty."""
        pool = self.of_module - self.self_play
        return (self.self_play, pool, pool, self.of_module, self.of_module)

    @property
    def total(self) -> int:
        """All games of all env runners."""
        return sum(self.sizes) * self.runners


def check_league(plan: SelfPlay, address: str | None = None) -> None:
    """Checks that a league can be trained, on the Ray cluster at an address.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Ray.
        ValueError: if its game, seed or hyperparameters do not fit.
    """
    import_ray(address)
    league_configuration(plan, {side: first_scripts(plan.game, side) for side in Side})


def training_of(plan: SelfPlay, side: Side, number: int = 1) -> Training:
    """The training of a side's generation as the other methods would begin it."""
    scripts = first_scripts(plan.game, side.other)
    return plan.training(side, scripts, **plan.later(number))


def games_of(plan: SelfPlay) -> Games:
    """How the games are divided.

    Raises:
        ValueError: if they cannot be.
    """
    runners = max(plan.env_runners, 1)
    games, rest = divmod(training_of(plan, PURSUER).read_preset().num_envs, runners)
    if rest or games < 2:
        raise InvalidValue(
            f"{games * runners + rest} games cannot be divided among {runners} env runners, at "
            f"least 2 for each: set num_envs to {max(games, 2) * runners}"
        )
    self_play = min(max(round(SELF_PLAY_SHARE * games), 1), games - 1)
    return Games(games, self_play, runners)


def game_of(plan: SelfPlay) -> dict[str, Any]:
    """The keywords of the games.

    Raises:
        ValueError: if the sides train in different ones, or not one on one against the clock,
            or if RLlib does not have their kind of actions.
    """
    game, why = GAMES[plan.game], None
    kinds = {ENVIRONMENTS[plan.environment(side)].action_type for side in Side}
    if any(map(game.is_team, Side)):
        why = "has teams"
    elif payoff_of(game_config(game=plan.game).payoff) is not CAPTURE_TIME:
        why = "is about a distance"
    elif "discrete" in kinds:
        why = "has presets for discrete actions"
    else:
        found = {side: _keywords(training_of(plan, side)) for side in Side}
        if not _same(found[PURSUER], found[EVADER]):
            why = "trains its sides in different ways"
    if why:
        raise InvalidValue(
            "the method league plays one on one against the clock with continuous actions, and "
            f"{plan.game} {why}: choose another method, or game walls, agile_torus, obstacles "
            "or simple_plane"
        )
    return {"game": plan.game, **found[PURSUER]}


def _keywords(training: Training) -> dict[str, Any]:
    """The keywords of a training's games, but for the opponents."""
    keywords = {**game_keywords(training), **training.read_preset().env_kwargs}
    return {k: v for k, v in keywords.items() if k not in ("opponent", "opponent_weights")}


def training_config(plan: SelfPlay) -> GameConfig:
    """The game in which it trains, with the limit of its episodes."""
    return game_config(**game_of(plan))


def _same(one: Any, other: Any) -> bool:
    """Whether nested keywords are equal, arrays among them."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other))


def learning_rate(plan: SelfPlay, side: Side) -> Any:
    """The learning rate of a main agent, by the steps of all games together.

    It is that of the other methods: each generation begins with its own.
    """
    per_step = games_of(plan).total / training_of(plan, side).read_preset().num_envs
    generation = round(plan.steps * per_step)
    points: list[list[float]] = []
    for number in range(1, plan.generations + 1):
        value = _rate(training_of(plan, side, number).read_preset())
        first, last = (value.initial, 0.0) if isinstance(value, LinearSchedule) else [value] * 2
        start = generation * (number - 1)
        points += [[start, first], [start + generation - 1, last]]
    return points


def league_configuration(
    plan: SelfPlay,
    pools: Mapping[Side, Sequence[Player]],
    on_train_result: Callable[..., None] | None = None,
) -> Any:
    """The AlgorithmConfig of a league.

    All modules learn from equally many games, since RLlib's learner would go through a smaller
    batch more often than through the others. A side's hyperparameters are those of its preset,
    and its exploiter has the same, with a constant learning rate.

    Args:
        plan: of self-play.
        pools: what each side's pool holds: names of scripts, and networks.
        on_train_result: called in this process after every update, as RLlib's callback.

    Raises:
        ValueError: for hyperparameters that RLlib does not have, or that it has only once for
            both sides; see also `game_of` and `games_of`.
    """
    if plan.algo != "ppo":
        raise InvalidValue(f"the method league trains with ppo, got algo={plan.algo!r}")
    keywords, games = game_of(plan), games_of(plan)
    presets = {side: _preset(plan, side) for side in Side}
    configs = {side: algorithm_configuration("ppo", presets[side]) for side in Side}
    for name in _ALIKE:
        if getattr(configs[PURSUER], name) != getattr(configs[EVADER], name):
            raise InvalidValue(
                f"both sides of a league have the same {name}, and the presets have "
                f"{getattr(configs[PURSUER], name)} and {getattr(configs[EVADER], name)}"
            )
    if presets[PURSUER].num_envs != presets[EVADER].num_envs:
        raise InvalidValue("both sides of a league play equally many games: set num_envs")
    if (plan.seed + 1) * games.total > VALIDATION_SEED:
        raise InvalidValue(
            f"seed {plan.seed} with {games.total} games would train with the starts that are "
            "reserved for measuring; the largest possible seed is "
            f"{VALIDATION_SEED // games.total - 1}"
        )

    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec

    from steer_env.envs.parallel_vector import ParallelVectorEnv
    from steer_env.envs.rllib import RLlibEnv
    from steer_env.envs.rllib_learning import Discount, HereOnly, connectors_of
    from steer_env.envs.rllib_multi_runner import MATCHUPS, BatchedMultiAgentEnvRunner

    envs = ParallelVectorEnv(1, **keywords)
    modules = {**{MAIN[side]: side for side in Side}, **{EXPLOITERS[s]: s for s in Side}}
    specs = {
        module: RLModuleSpec(
            observation_space=envs.observation_spaces[side.name],
            action_space=envs.action_spaces[side.name],
            model_config=configs[side].model_config,
        )
        for module, side in modules.items()
    }
    envs.close()
    discounts = {
        module: Discount(configs[side].gamma, configs[side].lambda_)
        for module, side in modules.items()
    }
    overrides = {
        module: {
            "lr": learning_rate(plan, side) if module == MAIN[side] else configs[side].lr,
            **{name: getattr(configs[side], name) for name in _OF_MODULES},
        }
        for module, side in modules.items()
    }
    fragment = configs[PURSUER].rollout_fragment_length
    config = configs[PURSUER]

    def mapping(agent: str, *_: Any, **__: Any) -> str:
        return agent.removesuffix("_0")

    return (
        config.environment(RLlibEnv, env_config={**keywords, MATCHUPS: matchups(games, pools)})
        .env_runners(
            env_runner_cls=BatchedMultiAgentEnvRunner,
            num_env_runners=plan.env_runners,
            num_envs_per_env_runner=sum(games.sizes),
            sample_timeout_s=FIRST_SAMPLES,
        )
        .training(train_batch_size_per_learner=games.total * fragment)
        .reporting(min_time_s_per_iteration=0)
        .multi_agent(
            policies=list(modules),
            policy_mapping_fn=mapping,
            policies_to_train=list(modules),
        )
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs),
            algorithm_config_overrides_per_module=overrides,
        )
        .learners(
            num_learners=0,
            learner_connector=lambda *_: connectors_of(specs, mapping, discounts),
            add_default_connectors_to_learner_pipeline=False,
        )
        # An env runner that begins anew would have the pool of the beginning.
        .fault_tolerance(restart_failed_env_runners=False)
        .callbacks(on_train_result=HereOnly(on_train_result))
        .debugging(seed=plan.seed * games.total)
    )


def matchups(games: Games, pools: Mapping[Side, Sequence[Player]]) -> tuple[Any, ...]:
    """The `Matchup` objects of an env runner, in the order of their numbers."""
    from steer_env.envs.rllib_multi_runner import Matchup

    def of_exploiter(side: Side) -> Matchup:
        both = {side.name: EXPLOITERS[side], side.other.name: MAIN[side.other]}
        return Matchup(games.of_module, both, learning=(side.name,))

    against = games.of_module - games.self_play
    return (
        Matchup(games.self_play, {side.name: MAIN[side] for side in Side}),
        *(Matchup(against, {s.name: MAIN[s]}, tuple(pools[s.other])) for s in Side),
        *map(of_exploiter, Side),
    )


def _preset(plan: SelfPlay, side: Side) -> Preset:
    """The preset of a side, with its first learning rate.

    Raises:
        ValueError: if later generations change more than the learning rate.
    """
    presets = [
        training_of(plan, side, number).read_preset()
        for number in range(1, min(plan.generations, 2) + 1)
    ]
    for one, other in itertools.pairwise(presets):
        written = [{**each.written, "learning_rate": None} for each in (one, other)]
        if written[0] != written[1]:
            raise InvalidValue(
                "a league goes on with the same networks and games: params can change the "
                "learning_rate alone"
            )
    rate = _rate(presets[0])
    first = rate.initial if isinstance(rate, LinearSchedule) else rate
    return replace(presets[0], arguments={**presets[0].arguments, "learning_rate": first})


def _rate(preset: Preset) -> Any:
    """The learning rate of a preset: a number or a schedule."""
    default = argument_defaults("ppo")["learning_rate"]
    return preset.arguments.get("learning_rate", default)
