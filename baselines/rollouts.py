"""Plays many episodes at once, to measure players.

An episode of scripts and of networks depends on its seed alone, so parts of an evaluation can
be played anywhere, in any order: put together, they are the whole to the last bit. One with any
other policy is never cut.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import EPISODE
from steer_env.errors import InvalidValue, check_integer, printable
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.run.memory import Measures, make_measures
from steer_env.game.state import OVER
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.player import AnyPlayer, Player, make_engine
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import name_of, resolve_pair
from steer_env.sides import Side

MOST_EPISODES = 7 * 10**6  # of a call: what a file can hold
_STRIDE = 50  # the most steps that scripts play between two reports of progress
_SECONDS = 0.1  # that they should take, since Ctrl-C waits for the compiled loop
_STATEFUL = (RandomPolicy, MixturePolicy)
_SCRIPTS_AT_ONCE, _NETWORKS_AT_ONCE = 2**17, 2**14  # players in games


def evaluate(
    pursuer: AnyPlayer,
    evader: AnyPlayer,
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
        config: the game, a dict of its keywords such as {"obstacles": 3}, see `make_game`, or
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
    game = given_game(config, "config", "episodes")
    count = check_integer("episodes", episodes, 1, MOST_EPISODES)
    seed = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
    game = replace(game, reward=game.as_evaluated().reward)
    side = None if learner is None else Side.named(learner)
    players = resolve_pair(pursuer, evader, seed, names)
    if side is not None and players[side].script is not None:
        raise InvalidValue(
            f"the learner must be a policy, and {players[side].name} is a script, which "
            "sees the game as it is; load(script, env) makes a policy of it"
        )
    parts, before = list[NDArray[np.void]](), 0
    report = None if progress is None else lambda done: progress(before + done)
    for before, size in shares(game, players, count):
        engine = start_games(game, players, seed + before, size, side, num_threads)
        parts.append(records_of_episodes(engine, play_to_the_end(engine, players, report)))
    records = np.concatenate(parts)
    records["seed"] = seeds_from(seed, count)
    played = engine.config.as_evaluated(with_disturbances=side is not None)
    return Episodes((players[0].name,), (players[1].name,), played, records)


def shares(config: Game, players: Sequence[Player], count: int) -> Iterator[tuple[int, int]]:
    """Yields first games and numbers of parts: Ctrl-C waits for the compiled loop."""
    share = count
    # Policies that may draw or remember get all games at once.
    if all(one.script is not None or type(one.policy) is NetworkPolicy for one in players):
        are_scripts = all(one.script is not None for one in players)
        most = _SCRIPTS_AT_ONCE if are_scripts else _NETWORKS_AT_ONCE
        share = max(1, most // (config.pursuers + config.evaders))
    return parts_of(count, share)


def parts_of(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yields the first and the number of each part of that size at most."""
    return ((first, min(size, count - first)) for first in range(0, count, size))


def named(
    players: Iterable[AnyPlayer] | Mapping[str, AnyPlayer],
) -> list[tuple[str, AnyPlayer]]:
    """Returns several players, each with its name: its key in a mapping, or `name_of` it."""
    if isinstance(players, Mapping):
        return [(printable(str(name)), player) for name, player in players.items()]
    return [(name_of(player), player) for player in players]


def start_games(
    config: Game,
    players: tuple[Player, Player],
    seed: int,
    count: int,
    learner: Side | None = None,
    num_threads: int | None = None,
) -> Engine:
    """Begins a game for each of the seeds seed, seed + 1 and so on."""
    threads = min(os.cpu_count() or 1, 16) if num_threads is None else num_threads
    engine = make_engine(config, players, count, threads, learner)
    engine.seed(range(seed, seed + count))
    engine.start()
    return engine


def play_to_the_end(
    engine: Engine, players: tuple[Player, Player], progress: Callable[[int], Any] | None = None
) -> Measures:
    """Plays all games to their end, and closes the engine, even if an error is raised.

    The progress is called now and then with the number of games that are over.
    """
    with closing(engine):
        joined = [player.join(engine, side) for side, player in enumerate(players)]
        are_scripts = all(player.script is not None for player in players)
        stride = 1
        measures = make_measures(engine.num_games)
        while (running := engine.state.phase != OVER).any():
            begin = time.perf_counter()
            engine.play(measures, stride, *[player.act(running) for player in joined])
            seconds = time.perf_counter() - begin
            if are_scripts and seconds < _SECONDS:
                stride = min(2 * stride, _STRIDE)
            elif seconds > 2.0 * _SECONDS:
                stride = max(stride // 2, 1)
            if progress is not None:
                progress(int((engine.state.phase == OVER).sum()))
    return measures


def seeds_from(first: int, count: int) -> NDArray[np.uint64]:
    """The seeds of some starts, (count,), one after another."""
    return np.arange(count, dtype=np.uint64) + np.uint64(first)


def records_of_episodes(engine: Engine, measures: Measures) -> NDArray[np.void]:
    """Returns the records, of `EPISODE`, of games that are over, without their seeds."""
    game, config = engine.state, engine.config
    records = np.zeros(engine.num_games, EPISODE)
    records["caught"], records["outcome"] = game.captured, game.outcome
    records["captured"] = game.captured == config.evaders
    if config.payoff in ("closest_approach", "final_distance"):
        records["captured"] = game.distance < config.capture_radius
    records["time"] = game.steps * config.dt - measures.early
    if config.payoff == "time":  # what is decided early ends before its time is up
        records["time"][~records["captured"]] = config.horizon * config.dt
    records["distance"] = game.distance
    if config.payoff == "target_distance":
        records["distance"] = -config.distances_to_target(game.position[-1])
    elif config.payoff == "breach_distance":
        (shape,) = config.shapes
        out = game.position - shape.center
        turned = np.abs(np.angle(out[:-1] * out[-1].conj())).min(axis=0)  # along the rim
        way = turned * shape.radius
        records["distance"] = np.where(game.active[-1], 0.0, way)
    elif config.targets or config.has_rule("ends"):  # who has escaped is never caught
        records["time"][game.captured < config.evaders] = config.horizon * config.dt
    if config.map:
        records["map"] = game.map[0]
    records["closest"] = measures.closest
    for side in Side:
        records[f"{side.name}_path"] = measures.path[side] / engine.side_size(side)
        records[f"{side.name}_effort"] = measures.effort[side] / measures.turns[side]
    return records


def play_all(
    pairs: Sequence[tuple[AnyPlayer, AnyPlayer]],
    config: AnyGame,
    episodes: int,
    seed: int,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Episodes]:
    """Plays pairs from the same starts, with copies of players that remember."""
    game, found = given_game(config, "config", "episodes"), list[Episodes]()
    for pair in pairs:
        pursuer, evader = (
            copy.deepcopy(one) if isinstance(getattr(one, "policy", one), _STATEFUL) else one
            for one in pair
        )
        names = name_of(pair[0]), name_of(pair[1])
        found.append(evaluate(pursuer, evader, game, episodes, seed, names=names))
        if progress is not None:
            progress(len(found), len(pairs))
    return found
