"""Play from given places of a solved game: the moves that players choose, and whole episodes.

`solution_maps` explains places and the frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.rollouts import records_of_episodes
from baselines.solution_maps import (
    PSI,
    Places,
    SolutionMap,
    grid_of,
    in_frame,
    seen_places,
    solution_map,
    states_at,
)
from baselines.solved_games import games_from, payoffs_of, with_horizon
from steer_env.episodes.seats import Seat
from steer_env.errors import InvalidValue
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.known_value import behavior_of_game, known_values
from steer_env.game.memory import make_measures
from steer_env.game.state import OVER
from steer_env.players import Player, name_of
from steer_env.scripts.script import Script
from steer_env.sides import Side
from steer_env.steering.trigonometry import angle_of


def chosen_moves(
    policy: Player, config: GameConfig, side: Side, places: Places, psi: float = PSI
) -> Places:
    """Returns where a policy goes in its first step from places, as unit vectors in the frame.

    A car's vector is its heading, turned by up to 90 degrees: a quarter turn to the left is its
    sharpest left turn. Else the vector points where the player moves, or pushes if it has
    inertia; it is 0 for a player that does neither. Players that turn on the spot are asked
    while both run as in perfect play; only games begin with a player at rest.

    Args:
        policy: a player, as `evaluate` takes it.
        config: a solved game.
        side: the policy's.
        places: (N,).
        psi: see `SolutionMap`.
    """
    perfect = Script(behavior=behavior_of_game(config))
    begun = states_at(config, places, psi)
    _, after = _after_step(config, (perfect, perfect), begun)
    for number, one in enumerate(Side):  # as in the middle of a game
        if config.model(one.name) == "simple_motion":
            for entry in ("velocity", "heading"):
                begun["players"]["body"][entry][:, number] = after[entry][:, number]
    before, after = _after_step(config, side.ordered(policy, perfect), begun)
    if config.model(side.name) == "car":
        heading, turned = before["heading"][:, side], after["heading"][:, side]
        angles = [angle_of(one) for one in (turned * heading.conj()).tolist()]
        vehicle = config.vehicles(side.name)[0]
        most = vehicle.max_force / (vehicle.mass * vehicle.max_speed) * config.dt
        shares = np.clip(np.array(angles) / most, -1.0, 1.0)
        return in_frame(config, before, heading * np.exp(0.5j * math.pi * shares))
    moved = after["velocity"][:, side]
    if config.model(side.name) != "simple_motion":
        moved = moved - before["velocity"][:, side]
    length = np.abs(moved)
    unit = np.divide(moved, length, out=np.zeros_like(moved), where=length > 1e-9)
    return in_frame(config, before, unit)


def _after_step(
    config: GameConfig, players: tuple[Player, Player], states: NDArray[np.void]
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Plays a step from states, and returns the bodies before and after it, (N, 2) each."""
    engine, sides = games_from(config, players, states)
    try:
        before = engine.get_state()["players"]["body"]
        running = np.ones(len(states), np.bool_)
        seats = [Seat(engine, player, number) for number, player in enumerate(sides)]
        engine.play(make_measures(len(states)), 1, *[seat.act(running) for seat in seats])
        return before, engine.get_state()["players"]["body"]
    finally:
        engine.close()


class Episode(NamedTuple):
    """An episode of T steps from a place.

    Attributes:
        start: the place.
        region: of the start.
        value: V of the start.
        payoff: J.
        captured: as in `GapMap`.
        bodies: (T + 1, 2) records, the pursuer's and the evader's.
        places: (T + 1,), where the evader is in the pursuer's frame.
    """

    start: complex
    region: str
    value: float
    payoff: float
    captured: bool
    bodies: NDArray[np.void]
    places: Places


def episodes_from(
    pursuer: Player,
    evader: Player,
    config: GameConfig,
    places: list[complex],
    psi: float = PSI,
) -> list[Episode]:
    """Plays an episode from each of several places.

    Args:
        pursuer: a player, as `evaluate` takes it.
        evader: likewise.
        config: a solved game; its horizon grows as in `gap`.
        places: to start from.
        psi: see `SolutionMap`.
    """
    states = states_at(config, np.array(places), psi)
    known = known_values(config, states)
    engine, sides = games_from(with_horizon(config, known.value), (pursuer, evader), states)
    measures = make_measures(len(places))
    moments = [engine.get_state()]
    try:
        seats = [Seat(engine, player, number) for number, player in enumerate(sides)]
        while (running := engine.state.phase != OVER).any():
            engine.play(measures, 1, *[seat.act(running) for seat in seats])
            moments.append(engine.get_state())
    finally:
        engine.close()
    records = records_of_episodes(engine, measures)
    payoffs = payoffs_of(config, records)
    bodies = np.array([moment["players"]["body"] for moment in moments])
    found = []
    for k, start in enumerate(places):
        path = bodies[: int(moments[-1]["game"]["steps"][k]) + 1, k]
        numbers = float(known.value[k]), float(payoffs[k]), bool(records["captured"][k])
        seen = seen_places(config, path)
        found.append(Episode(start, str(known.region[k]), *numbers, path, seen))
    return found


class EpisodePair(NamedTuple):
    """Perfect play from a few places, and a policy's play from the same ones."""

    solution: SolutionMap
    perfect: list[Episode]
    played: list[Episode]  # empty without a policy
    policy: str
    side: Side


def episode_pair(
    game: AnyGame,
    policy: Player | None = None,
    side: str = "pursuer",
    psi: float = PSI,
    cells: int = 301,
    name: str | None = None,
) -> EpisodePair:
    """Plays perfect episodes and, if there is a policy, its own against the perfect opponent.

    Arguments and errors are those of `gap_map`, with one more ValueError: for a game in which
    capture cannot be forced from anywhere outside the capture circle.
    """
    learner, solution = Side.named(side), solution_map(game, psi, cells)
    config, places = solution.config, solution.starts()
    if not places:
        raise InvalidValue(
            "the map of this game has no start outside the capture circle from which capture "
            "can be forced, so there are no trajectories to draw"
        )
    best = Script(behavior=behavior_of_game(config))
    perfect, played = episodes_from(best, best, config, places, psi), list[Episode]()
    if policy is not None:
        played = episodes_from(*learner.ordered(policy, best), config, places, psi)
    shown = name if name is not None else "" if policy is None else name_of(policy)
    return EpisodePair(solution, perfect, played, shown, learner)


@dataclass(frozen=True, eq=False)
class MoveMap:
    """What perfect play chooses by place, and what a policy does; see `chosen_moves`.

    Attributes:
        solution: the value, on a finer grid.
        side: that moves.
        places: (N,), of the arrows.
        perfect: (N,), the perfect player's moves.
        chosen: (N,), the policy's; None without one.
        policy: its name.
    """

    solution: SolutionMap
    side: Side
    places: Places
    perfect: Places
    chosen: Places | None
    policy: str


def move_map(
    game: AnyGame,
    policy: Player | None = None,
    side: str = "pursuer",
    psi: float = PSI,
    cells: int = 20,
    name: str | None = None,
) -> MoveMap:
    """Asks a policy, if there is one, and the perfect player for their moves by place.

    Arguments and errors are those of `gap_map`, with one more ValueError: for a capture circle
    that covers the map.
    """
    learner, solution = Side.named(side), solution_map(game, psi)
    config = solution.config
    places = grid_of(solution_map(config, psi, cells).coordinates).ravel()
    places = places[np.abs(places) > 1.1 * config.capture_radius]
    if not len(places):
        raise InvalidValue(
            "the capture circle of this game covers its map, so there are no moves to draw"
        )
    best = Script(behavior=behavior_of_game(config))
    chosen = None if policy is None else chosen_moves(policy, config, learner, places, psi)
    shown = name if name is not None else "" if policy is None else name_of(policy)
    perfect = chosen_moves(best, config, learner, places, psi)
    return MoveMap(solution, learner, places, perfect, chosen, shown)
