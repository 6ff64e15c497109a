"""Pursuit games of other libraries, and ours with as many players, all played at random.

A game step is one step of one game, in which all its agents act once. All agents that are
steered from outside act at random and observe, and all rewards are worked out. Actions are
drawn beforehand; the same come again after some steps.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.envs.parallel_vector import ParallelVectorEnv

_MOMENTS = 25
"""How many steps have actions of their own; then the same actions come again."""

Play = Callable[[], int]
"""Plays some games on for a while, and returns how many game steps that were."""


class Peer(NamedTuple):
    """A game of another library.

    Attributes:
        name: of the library and its game.
        players: of `SETTINGS`, that ours have beside it.
        packages: whose versions matter.
        install: how to install it, for people.
        note: what is counted, in one sentence.
        start: makes so many games at once, or one if they cannot be stepped together; returns
            how many they are and what plays them. An ImportError says that it is missing.
    """

    name: str
    players: str
    packages: tuple[str, ...]
    install: str
    note: str
    start: Callable[[int], tuple[int, Play]]


# ---- Ours ------------------------------------------------------------------------------------


SETTINGS: dict[str, dict[str, Any]] = {
    "3 v 1, 2 obstacles": {"pursuers": 3, "obstacles": 2, "horizon": 25},
    "8 v 30 that wander": {"pursuers": 8, "evaders": 30, "horizon": 500, "opponent": "wander"},
    "5 v 5": {"pursuers": 5, "evaders": 5, "horizon": 500},
}
"""Keywords of `steer_env.parallel_vec_env`: players and horizons of the peers' games."""


def start_ours(keywords: Mapping[str, Any], games: int, threads: int) -> Play:
    """Returns what plays games of ours.

    The step in which a game begins anew after its end moves nothing, so it is not counted.

    Args:
        keywords: of `steer_env.parallel_vec_env`.
        games: how many at once.
        threads: at most so many.
    """
    envs = ParallelVectorEnv(games, num_threads=threads, **keywords)
    envs.reset(seed=0)
    random = np.random.default_rng(0)

    def draw(side: str) -> NDArray[np.float32]:
        shape = games, envs.config.count(side), 2
        return random.uniform(-1.0, 1.0, shape).astype(np.float32)

    actions = cycle([{side: draw(side) for side in envs.sides} for _ in range(_MOMENTS)])
    over = np.zeros(games, np.bool_)

    def play() -> int:
        nonlocal over
        moving = games - np.count_nonzero(over)
        _, _, terminations, truncations, _ = envs.step(next(actions))
        # A pursuer's episode ends with its game.
        over = terminations["pursuer"][:, 0] | truncations["pursuer"][:, 0]
        return int(moving)

    return play


# ---- Peers that step one game at a time ------------------------------------------------------


def _start_mpe2(games: int) -> tuple[int, Play]:
    from mpe2 import simple_tag_v3

    return 1, _one_game(simple_tag_v3.parallel_env())


def _start_sisl(games: int) -> tuple[int, Play]:
    from pettingzoo.sisl import pursuit_v5

    return 1, _one_game(pursuit_v5.parallel_env())


def _one_game(env: Any) -> Play:
    """What plays a parallel environment of PettingZoo, and resets it when it is over."""
    env.reset(seed=0)
    for agent in env.possible_agents:
        env.action_space(agent).seed(0)
    actions = cycle(
        [
            {agent: env.action_space(agent).sample() for agent in env.possible_agents}
            for _ in range(_MOMENTS)
        ]
    )

    def play() -> int:
        env.step(next(actions))
        if not env.agents:
            env.reset()
        return 1

    return play


# ---- Peers that step many games at once ------------------------------------------------------


def _start_vmas(games: int) -> tuple[int, Play]:
    import torch
    import vmas

    length = 25
    env = vmas.make_env("simple_tag", num_envs=games, device="cpu", max_steps=length, seed=0)
    actions = cycle(
        [[2.0 * torch.rand(games, 2) - 1.0 for _ in env.agents] for _ in range(_MOMENTS)]
    )
    steps = cycle(range(length))

    def play() -> int:
        env.step(next(actions))
        if next(steps) == length - 1:  # all games end together
            env.reset()
        return games

    return games, play


def _start_jaxmarl(games: int) -> tuple[int, Play]:
    import jax

    with _silence():
        import jaxmarl

        env = jaxmarl.make("MPE_simple_tag_v3")
    keys = jax.random.split(jax.random.PRNGKey(0), games)
    _, state = jax.vmap(env.reset)(keys)
    actions = {
        agent: jax.random.randint(key, (_MOMENTS, games), 0, env.action_space(agent).n)
        for agent, key in zip(env.agents, keys)
    }

    def advance(keys: Any, state: Any, moment: Any) -> tuple[Any, Any]:
        seen, state, *judged = jax.vmap(env.step)(keys, state, moment)
        return state, (seen, judged)

    return games, _scanned(advance, state, actions, games)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Drops what is printed; JaxMARL prints as it is imported, and puts sys.__stdout__ back."""
    streams: Any = sys
    kept = streams.stdout, streams.__stdout__
    streams.stdout = streams.__stdout__ = io.StringIO()
    try:
        yield
    finally:
        streams.stdout, streams.__stdout__ = kept


def _start_gigastep(games: int) -> tuple[int, Play]:
    import jax
    from gigastep import make_scenario

    # By its name it has no obstacles; without the keyword it has those of all its maps.
    env = make_scenario("identical_5_vs_5_fobs_vec_void_cont", maps="empty")
    keys = jax.random.split(jax.random.PRNGKey(0), games)
    _, state = env.v_reset(keys)
    shape = _MOMENTS, games, env.n_agents, 3
    actions = jax.random.uniform(keys[0], shape, minval=-1.0, maxval=1.0)

    def advance(keys: Any, state: Any, moment: Any) -> tuple[Any, Any]:
        seen, state, *judged = env.v_step(state, moment, keys)
        return state, (seen, judged)

    return games, _scanned(advance, state, actions, games)


def _scanned(
    advance: Callable[[Any, Any, Any], tuple[Any, Any]], state: Any, actions: Any, games: int
) -> Play:
    """What plays games of JAX, `_MOMENTS` steps in one compiled scan.

    Args:
        advance: takes a key for each game, their states and actions; returns the new states,
            and what the agents get.
        state: of all games.
        actions: with the moments as the first axis.
        games: how many.
    """
    import jax

    def step(carried: Any, moment: Any) -> tuple[Any, None]:
        key, state, _ = carried
        key, now = jax.random.split(key)
        # What the agents get is carried along, or the compiler would leave it out.
        return (key, *advance(jax.random.split(now, games), state, moment)), None

    scan = jax.jit(lambda carried, actions: jax.lax.scan(step, carried, actions)[0])
    first = jax.tree.map(lambda column: column[0], actions)
    carried, _ = jax.jit(step)((jax.random.PRNGKey(1), state, None), first)

    def play() -> int:
        nonlocal carried
        carried = jax.block_until_ready(scan(carried, actions))
        return games * _MOMENTS

    return play


PEERS = (
    Peer(
        "mpe2 simple_tag_v3",
        "3 v 1, 2 obstacles",
        ("mpe2",),
        "pip install mpe2",
        "one game in this process; several would take turns",
        _start_mpe2,
    ),
    Peer(
        "VMAS simple_tag",
        "3 v 1, 2 obstacles",
        ("vmas", "torch"),
        "pip install vmas",
        "on the CPU; all games are reset together, every 25 steps",
        _start_vmas,
    ),
    Peer(
        "JaxMARL MPE_simple_tag_v3",
        "3 v 1, 2 obstacles",
        ("jaxmarl", "jax"),
        "pip install jaxmarl",
        "vmap, jit and scan on JAX's default device, with its automatic resets",
        _start_jaxmarl,
    ),
    Peer(
        "SISL pursuit_v5",
        "8 v 30 that wander",
        ("pettingzoo",),
        'pip install "pettingzoo[sisl]>=1.27"',
        "one game in this process; its 30 evaders walk at random by themselves",
        _start_sisl,
    ),
    Peer(
        "gigastep identical_5_vs_5",
        "5 v 5",
        ("gigastep", "jax"),
        "it is on GitHub, mlech26l/gigastep; the package of this name on PyPI is empty",
        "vectors as observations; vmap, jit and scan on JAX's default device, without resets",
        _start_gigastep,
    ),
)
