"""The whole of a game as numbers, for critics that see everything (centralized training).

A global state is a float32 vector in the arena's frame: the time left, a block for every
player, pursuers first, and one for every obstacle. It contains all that players observe.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.game.config.features import Feature
from steer_env.game.rules import RULES, region_of, scaled
from steer_env.game.state import Numbers, State, Vectors

_PLAYER = (
    Feature("player", "presence", 0, 1, "1 while it plays; all its features are 0 after"),
    Feature("player", "position_x", -1, 1, "place in the arena", "position"),
    Feature("player", "position_y", -1, 1, "place in the arena", "position"),
    Feature("player", "velocity_x", -1, 1, "velocity", "speed"),
    Feature("player", "velocity_y", -1, 1, "velocity", "speed"),
    Feature("player", "heading_x", -1, 1, "cosine of the heading"),
    Feature("player", "heading_y", -1, 1, "sine of the heading"),
    Feature("player", "max_speed", 0, 1, "top speed", "speed"),
    Feature("player", "max_force", 0, 1, "force limit", "force"),
    Feature("player", "mass", 0, 1, "mass", "mass"),
    Feature("player", "radius", 0, 1, "radius", "radius"),
)
_OBSTACLE = (
    Feature("obstacle", "presence", 0, 1, "1 if there is one; all its features are 0 if not"),
    Feature("obstacle", "center_x", -1, 1, "place in the arena", "position"),
    Feature("obstacle", "center_y", -1, 1, "place in the arena", "position"),
    Feature("obstacle", "radius", 0, 1, "radius", "obstacle"),
)
_TIME = (Feature("game", "time_left", 0, 1, "share of the horizon that is left"),)


def state_features(config: Game) -> tuple[Feature, ...]:
    """The features of a global state, one for each of its numbers, with their bounds."""
    players = config.pursuers + config.evaders
    layout = (*_TIME, *_PLAYER * players, *_OBSTACLE * config.num_obstacles)
    if not config.region.is_bounded:  # where places are offsets from the middle
        layout = tuple(
            replace(entry, quantity="offset") if entry.quantity == "position" else entry
            for entry in layout
        )
    return scaled(layout, config)


def encode_state(state: State, rules: NDArray[np.void]) -> NDArray[np.float32]:
    """The global states of N games, (N, features), by their array of one `RULES` record."""
    scales = {name: rules[name][0] for name in RULES.names or () if name.endswith("_scale")}
    is_open = not region_of(rules[0]).is_bounded
    place_scale = scales["offset_scale" if is_open else "position_scale"]
    position = _share(state.position, place_scale, is_open)
    velocity = state.velocity * scales["speed_scale"]
    players = np.stack(
        [
            np.ones(position.shape),
            position.real,
            position.imag,
            velocity.real,
            velocity.imag,
            state.heading.real,
            state.heading.imag,
            state.max_speed * scales["speed_scale"],
            state.max_force * scales["force_scale"],
            state.mass * scales["mass_scale"],
            state.radius * scales["radius_scale"],
        ],
        axis=-1,
    )
    players[~state.active] = 0.0
    center = _share(state.center, place_scale, is_open)
    is_there = state.obstacle_radius > 0.0
    radius = state.obstacle_radius * scales["obstacle_scale"]
    discs = np.stack([is_there, center.real, center.imag, radius], axis=-1)
    discs[~is_there] = 0.0
    time_left = np.maximum(0.0, 1.0 - state.steps * scales["time_scale"])
    games = len(time_left)
    blocks = [np.moveaxis(block, 0, 1).reshape(games, -1) for block in (players, discs)]
    return np.concatenate([time_left[:, None], *blocks], axis=1).astype(np.float32)


def _share(places: Vectors, scale: float, is_open: bool) -> Vectors:
    """Places as a share of the largest, or within the unit disc for an open plane."""
    shares: Vectors = places * scale
    if not is_open:
        return shares
    x, y = shares.real, shares.imag
    lengths: Numbers = np.sqrt(x * x + y * y)
    return shares / (1.0 + lengths)
