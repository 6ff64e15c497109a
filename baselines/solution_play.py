"""Episodes from given places of a solved game.

`solution_maps` explains places and the frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.rollouts import records_of_episodes
from baselines.solution_maps import (
    PSI,
    Places,
    SolutionMap,
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


class Episode(NamedTuple):
    """An episode of T steps from a place.

    Attributes:
        start: the place.
        region: of the start.
        value: V of the start.
        payoff: J.
        captured: whether the evader was caught, or came within the capture radius.
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
    pursuer: Player, evader: Player, config: GameConfig, places: list[complex], psi: float = PSI
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

    Args:
        game: as `gap` takes it; its horizon grows likewise.
        policy: a player, as `evaluate` takes it.
        side: the policy's, "pursuer" or "evader".
        psi: see `SolutionMap`.
        cells: along each side of the map.
        name: of the policy in the picture; None for `name_of` it.

    Raises:
        TypeError, ValueError: as `gap`; and for a game in which capture cannot be forced from
            anywhere outside the capture circle.
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
