"""Plays many episodes at once, to measure players."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import EPISODE
from steer_env.episodes.action_sources import ActionSource, make_engine
from steer_env.errors import InvalidType, InvalidValue, check_integer, printable, shown
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.run.memory import Measures, make_measures
from steer_env.game.state import OVER
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player, controllers_of, name_of
from steer_env.policies.policy_player import Controller
from steer_env.scripts.script import Script
from steer_env.sides import Side

MOST_EPISODES = 7 * 10**6  # of a call: what a file can hold
_STRIDE = 50  # the most steps that scripts play between two reports of progress
_SECONDS = 0.1  # that they should take, since Ctrl-C waits for the compiled loop
_AT_ONCE = {Script: 2**17, NetworkPolicy: 2**14}  # players in games, by the kind of both


def evaluate(
    pursuer: Player,
    evader: Player,
    config: AnyGame = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
    names: tuple[str, str] | None = None,
    learner: str | None = None,
    num_threads: int | None = None,
) -> Episodes:
    """Plays an episode from the start of each of the seeds seed, seed + 1 and so on.

    The same seed gives the same start (places, headings, limits, obstacles) to all players, so
    that results can be compared pair by pair (`compare`). Two scripts play inside the compiled
    loop; policies are asked once a step for all episodes.

    Args:
        pursuer: a name of the roster or of a pretrained policy, "random", the path of a
            policy's .npz, a `Script`, a user-defined behavior (see `Script`), or a policy: an
            object with ``predict(observations, state, episode_start, deterministic)`` that
            returns (actions, state). A team's observations are (N * players, features); or (N,
            players, features) if its ``observation_space`` has the shape (players, features).
            A model of stable-baselines3 plays through the VecNormalize of its environment; a
            loaded one needs its file, see `steer_env.baselines.load`.
        evader: the same.
        config: the game, a dict of its keywords such as {"obstacles": 3}, see `game_config`, or
            its name in the suite, such as "obstacles"; None for the default one. User-defined
            reward terms, and without a ``learner`` noise and delays, are left out.
        episodes: the number of episodes, at most seven million.
        seed: the seed of the first episode. Seeds from 1,000,000 on
            (`steer_env.baselines.tasks.HELD_OUT_SEED`) are held out: `steer-env train` never
            takes them.
        progress: called now and then with the number of episodes that are over.
        names: of the pursuer and the evader in the results; None for `name_of` each.
        learner: "pursuer" or "evader", the policy that observes and acts with the noise and the
            delays of the configuration; None for neither.
        num_threads: which changes no result; None for as many as there are cores, up to 16.

    Raises:
        TypeError, ValueError: for anything but a player, a policy for other observations or
            for the other side, or actions that do not fit.
        FileNotFoundError: if there is no such file.
        FaultyBehavior: if a user-defined behavior returned nan or infinity.
    """
    config = given_game(config, "config", "episodes")
    count = check_integer("episodes", episodes, 1, MOST_EPISODES)
    pair = names_of(pursuer, evader, names)
    side = None if learner is None else Side.named(learner)
    game = replace(config, reward=config.as_evaluated().reward)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    players = controllers_of(pursuer, evader, seed)
    if side is not None and isinstance(players[side], Script):
        raise InvalidValue(
            f"the learner must be a policy, and {pair[side]} is a script, which sees the game "
            "as it is; ScriptedPolicy makes a policy of it"
        )
    parts: list[NDArray[np.void]] = []
    over = 0  # episodes of the parts before

    def report(done: int) -> None:
        if progress is not None:
            progress(over + done)

    for over, size in shares(game, players, count):
        engine, sides = start_games(game, *players, seed + over, size, side, num_threads)
        parts.append(records_of_episodes(engine, play_to_the_end(engine, sides, report)))
    records = np.concatenate(parts)
    records["seed"] = seeds_from(seed, count)
    played = engine.config.as_evaluated(with_disturbances=side is not None)
    return Episodes(pair[:1], pair[1:], played, records)


def shares(
    config: GameConfig, players: Iterable[Controller], count: int
) -> Iterator[tuple[int, int]]:
    """Yields first games and numbers of parts: Ctrl-C waits for the compiled loop."""
    # Policies that may draw or remember get all at once.
    most = [_AT_ONCE.get(type(one), 0) for one in players]
    share = max(1, min(most) // (config.pursuers + config.evaders)) if all(most) else count
    return ((first, min(share, count - first)) for first in range(0, count, share))


def names_of(pursuer: Player, evader: Player, names: tuple[str, str] | None) -> tuple[str, str]:
    """Returns the given names of two players in the results, or `name_of` each."""
    pair = (name_of(pursuer), name_of(evader)) if names is None else names
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    if not is_pair or not all(isinstance(name, str) for name in pair):
        raise InvalidType(
            f"names must be two strings, pursuer's and evader's, got {shown(pair)}"
        )
    return printable(pair[0]), printable(pair[1])


def named(players: Iterable[Player] | Mapping[str, Player]) -> list[tuple[str, Player]]:
    """Returns several players, each with its name: its key in a mapping, or `name_of` it."""
    if isinstance(players, Mapping):
        return [(printable(str(name)), player) for name, player in players.items()]
    return [(name_of(player), player) for player in players]


def start_games(
    config: GameConfig,
    pursuer: Player,
    evader: Player,
    seed: int,
    count: int,
    learner: Side | None = None,
    num_threads: int | None = None,
) -> tuple[Engine, tuple[Controller, Controller]]:
    """Begins a game for each of the seeds seed, seed + 1 and so on."""
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    sides = controllers_of(pursuer, evader, seed)
    threads = min(os.cpu_count() or 1, 16) if num_threads is None else num_threads
    engine = make_engine(config, sides, count, threads, learner)
    engine.seed(range(seed, seed + count))
    engine.start()
    return engine, sides


def play_to_the_end(
    engine: Engine,
    sides: tuple[Controller, Controller],
    progress: Callable[[int], Any] | None = None,
    most_steps: int = _STRIDE,
) -> Measures:
    """Plays all games to their end, and closes the engine, even if an error is raised.

    The progress is called with the number of games that are over, after `most_steps` at most.
    """
    with closing(engine):
        sources = [ActionSource(engine, player, side) for side, player in enumerate(sides)]
        are_scripts = all(isinstance(player, Script) for player in sides)
        stride = 1
        measures = make_measures(engine.num_games)
        while (running := engine.state.phase != OVER).any():
            begin = time.perf_counter()
            engine.play(measures, stride, *[source.act(running) for source in sources])
            seconds = time.perf_counter() - begin
            if are_scripts and seconds < _SECONDS:
                stride = min(2 * stride, most_steps)
            elif seconds > 2.0 * _SECONDS:
                stride = max(stride // 2, 1)
            if progress is not None:
                progress(int((engine.state.phase == OVER).sum()))
    return measures


def seeds_from(first: int, count: int) -> NDArray[np.uint64]:
    """The seeds of some starts, (count,), one after another."""
    return np.arange(count, dtype=np.uint64) + np.uint64(first)


def records_of_episodes(engine: Engine, measures: Measures) -> NDArray[np.void]:
    """Returns the records of `EPISODE` of games that are over, without their seeds."""
    game, config = engine.state, engine.config
    records = np.zeros(engine.num_games, EPISODE)
    records["caught"] = game.captured
    records["captured"] = game.captured == config.evaders
    if config.payoff in ("closest_approach", "final_distance"):
        records["captured"] = game.distance < config.capture_radius
    records["time"] = game.steps * config.dt - measures.early
    if config.payoff == "time":  # what is decided early ends before its time is up
        records["time"][~records["captured"]] = config.horizon * config.dt
    records["distance"] = game.distance
    if config.payoff == "target_distance":
        records["distance"] = -config.distances_to_target(game.position[-1])
    elif config.payoff == "breach_distance" and config.target_shape is not None:
        out = game.position - config.target_shape.center
        turned = np.abs(np.angle(out[:-1] * out[-1].conj())).min(axis=0)  # along the rim
        way = turned * config.target_shape.radius
        records["distance"] = np.where(game.active[-1], 0.0, way)
    elif config.target is not None:  # an evader that reaches it is never caught
        records["time"][game.captured < config.evaders] = config.horizon * config.dt
    records["closest"] = measures.closest
    for side in Side:
        records[f"{side.name}_path"] = measures.path[side] / engine.side_size(side)
        records[f"{side.name}_effort"] = measures.effort[side] / measures.turns[side]
    return records
