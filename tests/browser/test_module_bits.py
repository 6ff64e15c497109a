"""The module for browsers plays what the loop of this machine plays, to the bit."""

import itertools

import numpy as np
import pytest
from recorded import annotations_of

from steer_env import Map
from steer_env.actions import DIRECTIONS
from steer_env.browser.entrances import LAYER, NETWORK
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.game.rules import scales_of_features
from steer_env.game.run.memory import BLOCK, IDLE, RESTART
from steer_env.game.state import RUNNING
from steer_env.players import pretrained
from steer_env.players.layers import ACTIVATIONS, HEADS, Dense
from steer_env.players.network import NetworkPolicy
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.table import EXPLANATION
from steer_env.sides import EVADER, PURSUER
from tests.browser.machine import Copy, assert_same_bits

ORDINARY = [name for name in ROSTER if not name.startswith("optimal/")]


def engine_of(first, second, games, seed=0, **game):
    sides = [
        [None if name is None else named_script(name) for name in names]
        for names in (first, second)
    ]
    engine = Engine(make_game(**game), *sides, games, num_threads=1)
    engine.seed(range(seed, seed + games))
    return engine


GAMES = {
    "walls": {},
    "torus": {"arena": "torus"},
    "open": {"arena": "open", "horizon": 150},
    "obstacles": {"obstacles": 5},
    "solid": {"solid": "everyone", "capture_radius": 0.8, "obstacles": 2, "evaders": 2},
    "3 v 2 on a torus": {"pursuers": 3, "evaders": 2, "arena": "torus", "obstacles": 3},
    "limits of sight": {
        "obstacles": 4,
        "observation": {"range": 6.0, "field_of_view": 1.5, "occlusion": True, "nearest": 2},
    },
    "drag, speeds and ranges": {
        "pursuer": {"drag": 0.5},
        "start_speed": 0.5,
        "randomize": {"evader": {"max_speed": (2.0, 4.0)}},
    },
    "maps": {"map": [*Map.rooms(2), *Map.pillars(2)]},
    "limits of sight among walls": {
        **{"map": Map.maze(3), "obstacles": 1, "obstacle_radius": (0.1, 0.2)},
        "observation": {"range": 8.0, "field_of_view": 2.0, "occlusion": True},
    },
    "cars": {"pursuer": {"model": "car"}, "evader": {"model": "simple_motion"}},
}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_mixtures_of_all_scripts_play_to_the_bit(machine, game):
    copy = Copy(machine, engine_of(ORDINARY, ORDINARY, 2 * len(ORDINARY), **game), EVADER)
    for steps in (0, 1, 2, 197):
        copy.play_alike(steps, RESTART)


def test_more_games_than_a_block_play_to_the_bit(machine):
    copy = Copy(machine, engine_of(["pursuit", "seek"], ["evade"], 2 * BLOCK + 1))
    for steps in (0, 100):
        copy.play_alike(steps, RESTART)


def test_actions_from_outside_play_to_the_bit(machine):
    copy = Copy(machine, engine_of([None], [None], 50))
    copy.play_alike(0, RESTART)
    actions = np.random.default_rng(0).uniform(-1, 1, (60, 2, 50, 1, 2)).astype(np.float32)
    for given in actions:
        copy.play_alike(1, RESTART, tuple(given))


def test_seeds_give_the_keys_of_python(machine):
    engine = engine_of(["pursuit"], ["evade"], 4)
    copy = Copy(machine, engine)
    seeds = np.array([0, 7, 2**53 + 1, 2**64 - 1], np.uint64)
    machine.call("seed", copy.address, machine.put(seeds))
    engine.seed(seeds.tolist())
    assert_same_bits(engine.state, copy.state())


@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_fitted_rules_are_those_of_python(machine, kind):
    random = np.random.default_rng(0)
    for _ in range(20):
        game = {
            "arena": kind,
            "arena_size": random.uniform(8.0, 40.0),
            "capture_radius": random.uniform(0.2, 1.5),
            "start_distance": random.uniform(0.0, 0.6),
            "pursuers": int(random.integers(1, 4)),
            "evaders": int(random.integers(1, 4)),
            "pursuer": {"max_speed": random.uniform(1, 8), "max_force": random.uniform(2, 40)},
            "evader": {"max_speed": random.uniform(1, 8), "radius": random.uniform(0.1, 0.6)},
        }
        wanted = engine_of(["pursuit"], ["evade"], 1, **game)
        counts = {side: game[side] for side in ("pursuers", "evaders")}
        default = engine_of(["pursuit"], ["evade"], 1, arena=kind, **counts)
        default.limits.lowest[...] = wanted.limits.lowest
        default.limits.highest[...] = wanted.limits.highest
        copy = Copy(machine, default)
        unit = scales_of_features(wanted.config)["acceleration"]
        half, radius = game["arena_size"] / 2, game["capture_radius"]
        numbers = half, radius, game["start_distance"], unit
        machine.call("fit_rules", copy.address, *numbers)
        fitted = machine.read(copy.rules, wanted.rules)
        unfitted = ("closing_reward",)  # a page has no rewards
        for name in fitted.dtype.names:
            if name not in unfitted:
                assert fitted[name].tobytes() == wanted.rules[name].tobytes(), name


def put_network(machine, policy, count):
    """The address of a network, laid out as a page does it."""
    dense = [Dense(*layer) for layer in zip(policy.weights, policy.biases)]
    layers = np.zeros(len(dense), LAYER)
    for record, layer in zip(layers, dense):
        record["inputs"], record["width"] = layer.weights.shape
        record["outputs"] = layer.outputs
        record["weights"] = machine.put(layer.weights)
        record["biases"] = machine.put(layer.biases)
    widest = max(max(layers["width"]), max(layers["inputs"]))
    network = np.zeros(1, NETWORK)
    network["num_layers"], network["layers"] = len(layers), machine.put(layers)
    network["activation"] = ACTIVATIONS.index(policy.activation)
    network["head"] = HEADS.index(policy.head)
    if policy.observation_mean is not None:
        network["means"] = machine.put(policy.observation_mean)
        network["deviations"] = machine.put(policy._scale)
        network["bound"] = policy.observation_clip
    network["sums"] = machine.room(int(4 * 2 * widest))
    for name in ("values", "next_values"):
        network[name] = machine.room(int(4 * count * widest))
    return machine.put(network)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("normalized", [False, True])
def test_networks_act_alike(machine, head, activation, normalized):
    random = np.random.default_rng(3)
    sizes = [21, 33, 8, 2 if head in ("box", "squashed") else 9]
    weights = [random.normal(size=(b, a)) for a, b in itertools.pairwise(sizes)]
    biases = [random.normal(size=b) for b in sizes[1:]]
    statistics = {}
    if normalized:
        statistics["observation_mean"] = random.normal(size=21)
        statistics["observation_variance"] = random.uniform(0.1, 2.0, 21)
        statistics["observation_clip"] = 1.5
    policy = NetworkPolicy(weights, biases, activation=activation, head=head, **statistics)
    observations = random.uniform(-1, 1, (7, 21)).astype(np.float32)
    wanted, _ = policy.predict(observations, deterministic=True)
    wanted = DIRECTIONS[wanted] if wanted.ndim == 1 else wanted
    into = machine.put(np.zeros((7, 2), np.float32))
    machine.call("act", put_network(machine, policy, 7), machine.put(observations), into, 7)
    found = machine.read(into, wanted)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["pretrained/pursuit/ppo", "pretrained/evade/selfplay"])
def test_pretrained_networks_play_to_the_bit(machine, name):
    policy = NetworkPolicy.load(pretrained.path_of(name))
    side = PURSUER if "pursuit" in name else EVADER
    sides = [["pursuit"], ["evade"]]
    sides[side] = [None]
    copy = Copy(machine, engine_of(*sides, 60), side)
    network = put_network(machine, policy, 60)
    copy.play_alike(0, RESTART)
    into = machine.put(np.zeros((60, 1, 2), np.float32))
    actions = [np.zeros((0, 1, 2), np.float32), np.zeros((0, 1, 2), np.float32)]
    for _ in range(100):
        chosen, _ = policy.predict(copy.native.observations[:, 0], deterministic=True)
        actions[side] = np.ascontiguousarray(chosen[:, None])
        machine.call("act", network, copy.outcome["observations"], into, 60)
        assert machine.read(into, actions[side]).tobytes() == actions[side].tobytes()
        copy.play_alike(1, RESTART, actions)


def explained_copy(machine, engine):
    """Returns a copy whose scripts explain their forces, and the explanations' address."""
    copy = Copy(machine, engine)
    size = EXPLANATION.itemsize * engine.num_games * engine.num_players
    place = machine.room(size)
    copy.set_memory("explanations", place)
    copy.explain_vectorized_scripts()
    return copy, place


@pytest.mark.parametrize("game", [{}, {"pursuers": 3, "evaders": 2, "obstacles": 3}])
@pytest.mark.parametrize("every", [20, pytest.param(2, marks=pytest.mark.weekly)])
def test_explanations_are_what_is_drawn_and_what_is_done(machine, game, every):
    names = [name for name in ORDINARY if named_script(name).combination != "chaotic"]
    wanders = {name for name in names if "wander" in named_script(name).parts}
    for name in names[::every]:
        engine = engine_of([name], [name], 4, **game)
        copy, place = explained_copy(machine, engine)
        copy.play_alike(0, RESTART)
        config, scripts = engine.config, engine.mixtures.scripts
        for _ in range(4):
            copy.play_alike(20, IDLE)
            machine.call("explain", copy.address)
            copy.write_state(engine.state)  # deciding turns wanderers
            shape = engine.num_players, engine.num_games
            found = machine.view(place, EXPLANATION, shape[0] * shape[1]).reshape(shape)
            found = found.copy()
            assert_circles(machine, copy, engine)
            for game_number, record in enumerate(engine.get_state()):
                drawn = annotations_of(record, config, ([scripts[0]], [scripts[1]]))
                for number, wanted in enumerate(drawn):
                    one = found[number, game_number]
                    is_playing = engine.state.phase[game_number] == RUNNING
                    if not (is_playing and engine.state.active[number, game_number]):
                        continue
                    assert ("aim" in wanted) == one["has_aim"], name
                    if "aim" in wanted and name not in wanders:
                        assert wanted["aim"] == (one["aim"], one["opponent"]), name
                    for mark in wanted.keys() & {"feelers", "corridor"}:
                        assert wanted[mark] == tuple(one[mark].tolist())


def assert_circles(machine, copy, engine):
    """Compares the Apollonius circles of the first game with those that are drawn."""
    scripts = [[script] for script in engine.mixtures.scripts]
    drawn = annotations_of(engine.record(0), engine.config, scripts)
    into = machine.put(np.zeros(3))
    for number in range(engine.config.pursuers):
        place = copy.address, number, into
        is_there = machine.call("apollonius", *place)
        assert is_there == ("apollonius" in drawn[number])
        if is_there:
            center, radius = drawn[number]["apollonius"]
            found = machine.view(into, np.float64, 3).tolist()
            assert found == [center.real, center.imag, radius]


def test_forces_are_those_of_the_step(machine):
    engine = engine_of(["pursuit/full_force"], ["evade"], 1)
    copy = Copy(machine, engine)
    copy.play_alike(0, RESTART)
    into = machine.room(16 * 2)
    for _ in range(30):
        copy.play_alike(1, IDLE)
        machine.call("read_forces", copy.address, into)
        found = machine.view(into, np.complex128, 2)
        assert found.tobytes() == engine.forces().tobytes()
