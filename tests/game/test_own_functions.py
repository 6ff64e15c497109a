"""User-defined functions, sensors and rules in the loop and out of it."""

from __future__ import annotations

import copy
import functools
import math
import pickle
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, started
from envs import test_laws as laws
from gymnasium.utils.env_checker import check_env

from steer_env import Scenario, feature, features, steering
from steer_env.baselines.policies import ScriptedPolicy
from steer_env.errors import FaultyBehavior
from steer_env.game.config.observation import FeatureFunction
from steer_env.rendering.annotations import Annotator
from steer_env.scripts.roster import ROSTER, name_of_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Blend, Vehicle, compiled, evade, intercept, linear

pytestmark = pytest.mark.compiled


@compiled
def evade_by_intercept(me, menace):
    return evade(me, menace, intercept, linear, math.inf)


def shared_speed(me, other):
    """The closing law, written by a user."""
    return abs(other.position - me.position) / (me.max_speed + abs(other.velocity))


def straight_on(other, time):
    return other.position + other.velocity * time


def half_a_second(me, other):
    return 0.5


OWN = {"lookahead": shared_speed, "predictor": straight_on, "facing_test": True}
QUARTER = {"lookahead": "constant", "lookahead_seconds": 0.25}


def play(pursuer, evader="evade", games=30, steps=60, **keywords):
    """An engine after some steps; a pursuer may be the fields of one that pursues."""
    if isinstance(pursuer, dict):
        pursuer = Script(behavior="pursuit", **pursuer)
    engine = started(pursuer, evader, games, **keywords)
    for _ in range(steps):
        coast(engine)
    return engine


CAREFUL = {"wander": 0.3, "walls": 8.0}


@pytest.mark.parametrize("arena", ["walls", "torus"])
@pytest.mark.parametrize(
    ("own", "built_in", "name"),
    [
        (
            Script(behavior=evade_by_intercept, **CAREFUL),
            Script(behavior="evade", lookahead="intercept", **CAREFUL),
            "Script(evade_by_intercept, wander=0.3, walls=8)",
        ),
        (
            Script(behavior="pursuit", **OWN),
            ROSTER["pursuit"],
            "Script(pursuit, lookahead=shared_speed, pred",
        ),
    ],
    ids=["behavior", "predictor"],
)
def test_the_same_written_by_a_user_plays_the_same_games(own, built_in, name, arena):
    """In the loop, and as policies."""
    own = pickle.loads(pickle.dumps(own))
    assert name_of_script(own).startswith(name)
    places, acted = [], []
    observations = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 21)).astype(np.float32)
    observations[:, 6:11] = 0.9
    for script in (own, built_in):
        sides = (script, "evade") if built_in.chases else ("seek", script)
        places.append(play(*sides, steps=100, arena=arena).state.position)
        policy = ScriptedPolicy(script, side="pursuer" if built_in.chases else "evader")
        acted.append(pickle.loads(pickle.dumps(policy)).predict(observations)[0])
    np.testing.assert_allclose(*places, atol=1e-9)
    np.testing.assert_allclose(*acted, atol=1e-6)


@pytest.mark.parametrize(
    ("own", "named"),
    [
        ({"lookahead": steering.intercept}, {"lookahead": "intercept"}),
        ({"lookahead": steering.closing}, {}),  # keeps the facing test
        ({"predictor": steering.turning}, {"predictor": "turning"}),
        ({"lookahead": half_a_second, "lookahead_cap": 0.25}, QUARTER),
    ],
)
def test_steering_functions_will_do_and_the_cap_holds_for_all(own, named):
    found, expected = (play(fields, "wander").state.position for fields in (own, named))
    np.testing.assert_array_equal(found, expected)


def test_the_crosshair_is_at_the_point_of_a_users_predictor():
    engine = play(OWN, games=1, steps=10)
    state, (mine, theirs) = engine.get_state(), engine.mixtures.scripts
    drawn = Annotator(engine.config, ([mine], [theirs])).annotations(state[0])[PURSUER]
    me, other = (Vehicle(*body) for body in state["players"]["body"][0].tolist())
    assert drawn["aim"][0] == pytest.approx(straight_on(other, shared_speed(me, other)))


# ---- Functions at fault -------------------------------------------------------------------


def return_nan_when_near(me, other):
    return complex(math.nan, 0.0) if abs(other.position - me.position) < 8.0 else 0j


def return_very_much(me, other):
    return complex(1e200, 0.0)


def return_infinity(me, other):
    return complex(0.0, math.inf)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_force_that_is_no_number_is_reported_and_leaves_the_game_sound(threads):
    engine = play("seek", Script(behavior=return_nan_when_near), 300, 0, num_threads=threads)
    with pytest.raises(FloatingPointError, match=r"return_nan_when_near.*Vehicle"):
        coast(engine)
    engine.check_state(engine.get_state())


@pytest.mark.parametrize("behavior", [return_infinity, return_very_much])
def test_a_force_that_is_too_large_is_reported_by_environments_and_policies(behavior):
    env = gym.make("Pursuit-v0", opponent=Script(behavior=behavior, response_time=1e-6))
    env.reset(seed=0)
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        env.step(np.float32([1.0, 0.0]))
    policy = ScriptedPolicy(Script(behavior=behavior), side="evader")
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        policy.predict(np.full((2, 21), 0.9, np.float32))


def raise_on_the_right(me, other):
    if me.position.real > 0:
        raise ValueError("boo")
    return 12 + 0j


def forget_to_return(me, other):
    if me.position.real <= 0:
        return 12 + 0j


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("behavior", [raise_on_the_right, forget_to_return])
def test_a_behavior_that_fails_in_some_games_is_reported_and_steers_none(behavior):
    engine = play("idle", Script(behavior=behavior), 50, 0, arena="open")
    before = engine.get_state()["players"]["body"][:, EVADER].copy()
    with pytest.raises(FloatingPointError, match=behavior.__name__):
        coast(engine)
    after = engine.state.velocity[EVADER]
    failed = before["position"].real > 0
    assert 5 < failed.sum() < 45
    np.testing.assert_allclose(after[~failed], before["velocity"][~failed] + 0.4)
    np.testing.assert_array_equal(after[failed], before["velocity"][failed])


def lose_it(other, time):
    if other.position.real > 0:
        raise ValueError("boo")
    return other.position


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("field", "function"),
    [
        ("predictor", lose_it),
        ("predictor", lambda other, time: complex(math.nan, 0.0)),
        ("predictor", lambda other, time: 1e200 + 0j),
        ("lookahead", lambda me, other: -1.0),
        ("lookahead", lambda me, other: math.inf),
    ],
)
def test_a_function_at_fault_is_named_and_the_quarry_pursued_where_it_is(field, function):
    faulty = play({field: function, "facing_test": False}, "wander", 50, steps=0)
    with pytest.raises(FaultyBehavior, match=f"{function.__name__} raised.*other = Vehicle"):
        coast(faulty)
    now = {"lookahead": "constant", "lookahead_seconds": 0.0}
    expected = play(now, "wander", 50, steps=1).state.position
    np.testing.assert_array_equal(faulty.state.position, expected)


@pytest.mark.parametrize(
    ("field", "function", "match"),
    [
        ("behavior", lambda me: 0j, "cannot be compiled"),
        ("behavior", abs, "must be a function of"),
        ("behavior", functools.partial(evade), "must be a function of"),
        ("behavior", Blend("sum", []), "must be a function of"),
        ("behavior", Script, "must be a function of"),
        ("predictor", lambda other: 0j, "predictor"),
        ("lookahead", lambda me, other: 1j, "lookahead"),
        ("lookahead", functools.partial(half_a_second), "lookahead"),
    ],
)
def test_what_cannot_be_compiled_is_refused_at_once(field, function, match):
    with pytest.raises(TypeError, match=match):
        play(Script(**{"behavior": "pursuit", field: function}), steps=0)


# ---- The laws of all games ------------------------------------------------------------------

LIMITS = {
    "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.1, 0.4)},
    "evader": {"mass": (0.5, 2.0), "max_force": (4.0, 20.0)},
}
FEATURES = ["own", "other.distance", "other.line_of_sight_rate", "other", "obstacle"]


@compiled
def own_behavior(me, menace):
    return evade(me, menace, intercept, linear, 6.0)


@compiled
def own_law(me, menace):
    return 0.25 * abs(menace.velocity)


@compiled
def beside(menace, seconds):
    return menace.position + 1j * menace.velocity * seconds


@compiled
def nearness(me, other):
    return 1.0 / (1.0 + abs(other.position - me.position))


def near(transition):
    return 1.0 if transition.distance < 6.0 else -0.1 * abs(transition.action)


class Ford(Scenario):
    """Vehicles are slower in a river, where no evader is caught."""

    width: float = 4.0

    def limits(self, is_pursuer, me, time):
        is_dry = abs(me.position.real) > self.width / 2 or (is_pursuer and time > 0.3)
        return (1.0 if is_dry else 0.5) * me.max_speed, 9.0

    def drag(self, other, me, world):
        return 0.3 if world.is_free(me.position, other.position) else 0.0

    def start(self, me, is_pursuer, number, chance):
        return complex(6.0 if is_pursuer else -6.0, 8.0 * chance[0]), 1j, 0.5

    def capture(self, evader, pursuers, distances):
        return abs(evader.position.real) > 2.0 and min(distances) < 6.0

    def reward(self, step):
        return 0.01 * abs(step.other.position.real)

    @feature(0.0, 1.0)
    def water(self, me):
        return 1.0 if abs(me.position.real) < self.width / 2 else 0.0


class Sledges(Scenario):
    """Sledges of their own motion, with a number that a policy sees among others."""

    own = {"heat": 0.0, "turned": 0.0}  # noqa: RUF012

    def limits(self, me):
        return (0.5 if me.position.imag > 0.0 else 1.0) * me.max_speed, me.max_force

    def motion(self, me, push, other):
        velocity = me.max_speed * push * me.heading
        return velocity, other.position - me.position, (me.own.heat + abs(push), push.imag)

    def after(self, me, other, dt):
        return me.own.heat - dt * other.own.heat, me.own.turned

    @features(3, -99.0, 99.0)
    def state(self, me, other):
        return me.own.heat, me.own.turned, other.own.heat


NEARNESS = FeatureFunction(nearness, 0.0, 1.0)
GAMES = {
    "teams": {
        "id": "Pursuit-v0",
        "opponent": ["evade/dithered", "evade/herd"],
        "pursuers": 2,
        "evaders": 3,
        "obstacles": 1,
        "randomize": LIMITS,
        "solid": "teammates",
        "capture_radius": 3.0,
    },
    "drag": {"id": "Drag-v0", "horizon": 20},
    "own behavior": {
        "id": "Pursuit-v0",
        "opponent": ["flee", Script(behavior=own_behavior, wander=0.3)],
    },
    "own predictor": {
        "id": "Pursuit-v0",
        "opponent": ["evade", Script(behavior="evade", lookahead=own_law, predictor=beside)],
    },
    "own rewards": {"id": "Evade-v0", "reward": {"terms": [near, (near, -0.5)]}, "evaders": 2},
    "sensors": {
        "id": "Evade-v0",
        "observation": {"features": [*FEATURES, NEARNESS], "noise": 0.05, "delay": 3},
        "action": {"noise": 0.1, "delay": 2},
        "obstacles": 1,
    },
    "partial view": {
        "id": "Pursuit-v0",
        "observation": {
            "features": [*FEATURES, NEARNESS],
            "noise": 0.05,
            "delay": 1,
            "range": 9.0,
            "field_of_view": 1.5,
            "occlusion": True,
            "nearest": 1,
        },
        "pursuers": 3,
        "evaders": 2,
        "obstacles": 2,
    },
    "scenario": {
        **{"id": "Pursuit-v0", "game": Ford(width=3.0), "evaders": 2, "horizon": 20},
        "obstacles": ((0.0, 4.0, 2.0),),
    },
    "own motion": {
        "id": "Pursuit-v0",
        "game": Sledges,
        "opponent": Script(behavior="evade", limits="known", wander=0.5),
        "pursuers": 2,
        "solid": "everyone",
        "capture_radius": 1.0,
    },
    "searching": {
        "id": "Evade-v0",
        "opponent": "pursuit/searching",
        "observation": {"range": 6.0},
        "obstacles": 2,
    },
}


class Row(NamedTuple):
    """A game, as `envs/test_laws.py` makes them."""

    name: str

    def single(self):
        return gym.make(max_episode_steps=25, **GAMES[self.name])

    def vector(self, count, mode="NextStep", **others):
        made = {"max_episode_steps": 25, "autoreset_mode": mode, **others}
        return gym.make_vec(num_envs=count, **GAMES[self.name], **made)


@pytest.mark.parametrize(
    "law",
    [
        lambda row: check_env(row.single().unwrapped, skip_render_check=True),
        lambda row: laws.test_a_copy_goes_on_bit_for_bit(row, copy.deepcopy),
        laws.test_vector_games_are_single_ones_in_every_mode,
        laws.test_a_state_restarts_a_game_bit_for_bit,
        laws.test_a_game_depends_on_nothing_beside_it,
    ],
    ids=["checker", "copies", "vector", "states", "threads"],
)
@pytest.mark.parametrize("name", GAMES)
def test_the_laws_hold(name, law):
    law(Row(name))
