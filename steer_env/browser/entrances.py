"""Functions of the compiled loop that a page calls, built for WebAssembly only."""

from __future__ import annotations

import numpy as np

from steer_env.actions import DIRECTIONS
from steer_env.game.config import LIMITS
from steer_env.game.look.visibility import nearest_opponent
from steer_env.game.random import key_of_seed
from steer_env.game.run import loop
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.memory import CALL, DECIDE
from steer_env.game.run.start import is_room_on_map, mean_distance
from steer_env.machine_code.addresses import column, matrix_at, record_at, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.machine_code.routines import routine
from steer_env.players.layers import ACTIVATIONS, HEADS, fill_tanh, multiply
from steer_env.rendering.annotations import LARGEST_RADIUS
from steer_env.steering.compilation import compiled
from steer_env.steering.guidance import apollonius_circle
from steer_env.steering.vectors import truncate

LISTED = (
    "fill_vectorized_forces",
    "fill_general_forces",
    "fill_tracking_forces",
    "fill_team_forces",
    "move_among_obstacles",
    "observe_obstacles",
    "part_overlapping",
    "decide_reach",
    *("move_among_walls", "approach_in_line", "push_off_walls"),
    *("fill_path_forces", "follow_ways"),
)
"""The routines in `engine.wasm`, in its table's order, without perfect players."""

LAYER = record_dtype(
    [(name, np.int64) for name in ("inputs", "outputs", "width", "weights", "biases")]
)
"""A layer of a network for `players.layers.multiply`. The last two are addresses."""

NETWORK = record_dtype(
    [
        *[(name, np.int64) for name in ("num_layers", "layers")],  # the address of `LAYER`s
        *[(name, np.int64) for name in ("activation", "head")],  # indices of their names
        *[(name, np.int64) for name in ("means", "deviations")],  # addresses; 0 for neither
        ("bound", np.float64),
        # Addresses of room for (2, width), and twice for (games, width), of the widest layer:
        *[(name, np.int64) for name in ("sums", "values", "next_values")],
    ]
)
"""A network that acts on whole observations, as `NetworkPolicy` without an encoder."""

_TANH = ACTIVATIONS.index("tanh")
_BOX, _SQUASHED = HEADS.index("box"), HEADS.index("squashed")
_FORWARD = tuple(np.float32(forward) for forward, _ in DIRECTIONS)
_LEFT = tuple(np.float32(left) for _, left in DIRECTIONS)


@compiled
def _all_games(call_at: int) -> Block:
    call = record_at(call_at, CALL)
    return block_at(call_at, call.first, call.last)


@routine
def seed(call_at: int, seeds: int) -> None:
    """Seeds every game's random stream with (N,) integers of 64 bits at an address."""
    block = _all_games(call_at)
    keys, given = block.games.key, column(seeds, 0, 1, np.uint64)
    for k in range(block.size):
        keys[k] = key_of_seed(given[k])


@routine
def fit_rules(
    call_at: int,
    half_size: float,
    capture_radius: float,
    start_share: float,
    acceleration_unit: float,
) -> None:
    """Writes the rules of another size of a game, and what follows from its limits.

    It is `rules.game_rules` for what a person can change on a page, once the engine's limits
    are set. Lengths are in meters, the start's share is `Game.start_distance`, and a
    feature shows the acceleration unit, in m/s^2, as 1.
    """
    block = _all_games(call_at)
    rules, memory = block.rules, block.memory
    numbers = memory.players * len(LIMITS)
    lowest = column(memory.lowest, 0, numbers, np.float64)
    highest = column(memory.highest, 0, numbers, np.float64)
    fastest_pursuer = fastest_evader = largest = widest = 0.0
    for number in range(memory.players):
        first = number * len(LIMITS)
        if number < rules.pursuers:
            fastest_pursuer = max(fastest_pursuer, highest[first])
        else:
            fastest_evader = max(fastest_evader, highest[first])
        largest = max(largest, highest[first + 1] / lowest[first + 2])
        widest = max(widest, highest[first + 3])
    rules.half_size = half_size
    rules.capture_radius = rules.capture_distance = capture_radius
    rules.closing_speed = fastest_pursuer + fastest_evader
    rules.start_distance = start_share * (2.0 * half_size)
    rules.widest_radius = widest
    rules.acceleration_limit = largest / acceleration_unit


@routine
def measure_distances(call_at: int) -> None:
    """Writes the distances of all games, after vehicles have been put elsewhere."""
    block = _all_games(call_at)
    distances = block.games.distance
    for k in range(block.size):
        distances[k] = mean_distance(block, k)


@routine
def has_room(call_at: int, radius: float, x: float, y: float) -> int:
    """Returns 1 if walls of the first game's map leave a body room at a place, else 0."""
    return 1 if is_room_on_map(_all_games(call_at), 0, radius, complex(x, y)) else 0


@routine
def explain(call_at: int) -> None:
    """Explains decisions in at most `BLOCK` games, and changes their state."""
    block = _all_games(call_at)
    block.call.when_over = DECIDE
    loop.begin_step(block)
    loop.decide(block)


@routine
def apollonius(call_at: int, number: int, circle: int) -> int:
    """Writes a pursuer's `apollonius_circle` with its nearest quarry, in the first game.

    Center and radius are in meters. Returns 0 without a quarry, or for one equally fast.
    """
    block, found = _all_games(call_at), column(circle, 0, 3, np.float64)
    me = block.body(number, 0)
    nearest = nearest_opponent(block, number, 0)
    if nearest < 0:
        return 0
    quarry = block.seen_from(me.position, nearest, 0)
    center, radius = apollonius_circle(me, quarry)
    found[0], found[1], found[2] = center.real, center.imag, radius
    return 1 if radius <= LARGEST_RADIUS else 0


@routine
def read_forces(call_at: int, forces: int) -> None:
    """Writes `Engine.forces` of the first game, (players,) vectors, to an address."""
    block = _all_games(call_at)
    found = column(forces, 0, block.memory.players, np.complex128)
    for number in range(block.memory.players):
        player = block.player(number, 0)
        force = truncate(block.force(number)[0], player.max_force[0])
        found[number] = force if player.active[0] != 0 else 0j


@compiled
def _normalize(network: np.record, given: np.ndarray, values: np.ndarray) -> None:
    """Writes what the first layer takes, as `NetworkPolicy.outputs` makes it."""
    rows, features = given.shape
    mean = column(network.means, 0, features, np.float64)
    deviation = column(network.deviations, 0, features, np.float64)
    for row in range(rows):
        for feature in range(features):
            value = (np.float64(given[row, feature]) - mean[feature]) / deviation[feature]
            values[row, feature] = np.float32(min(max(value, -network.bound), network.bound))


@compiled
def _choose(network: np.record, outputs: np.ndarray, actions: np.ndarray) -> None:
    """Writes the most likely actions, (forward, left), of the last layer's outputs."""
    low, high = np.float32(-1.0), np.float32(1.0)
    for row in range(len(outputs)):
        if network.head in (_BOX, _SQUASHED):
            for axis in range(2):
                actions[row, axis] = min(max(outputs[row, axis], low), high)
        else:
            best = 0
            for number in range(1, outputs.shape[1]):
                best = number if outputs[row, number] > outputs[row, best] else best
            actions[row, 0], actions[row, 1] = _FORWARD[best], _LEFT[best]


@routine
def act(address: int, observations: int, actions: int, count: int) -> None:
    """Writes a `NETWORK`'s most likely actions, (count, 2), of (count, features) in float32."""
    network = record_at(address, NETWORK)
    layers = records_at(network.layers, network.num_layers, LAYER)
    values = matrix_at(observations, count, layers[0].inputs, np.float32)
    if network.means != 0:
        normal = matrix_at(network.next_values, count, layers[0].inputs, np.float32)
        _normalize(network, values, normal)
        values = normal
    for number in range(network.num_layers):
        layer = layers[number]
        weights = matrix_at(layer.weights, layer.inputs, layer.width, np.float32)
        biases = records_at(layer.biases, layer.width, np.float32)
        into = network.values if number % 2 == 0 else network.next_values
        result = matrix_at(into, count, layer.outputs, np.float32)
        sums = matrix_at(network.sums, 2, layer.width, np.float32)
        multiply(values, weights, biases, sums, result)
        is_last = number == network.num_layers - 1
        if network.head == _SQUASHED if is_last else network.activation == _TANH:
            fill_tanh(result, result)
        elif not is_last:
            for row in range(count):
                for output in range(layer.outputs):
                    result[row, output] = max(result[row, output], np.float32(0.0))
        values = result
    _choose(network, values, matrix_at(actions, count, 2, np.float32))
