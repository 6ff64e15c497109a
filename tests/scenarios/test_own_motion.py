"""Vehicles of a scenario's own: how they move, what is refused, and what their numbers are."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, random_actions, started
from own_games import AHEAD, faulty

from steer_env import Scenario
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue
from steer_env.game.config import make_game
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import apply_force, direction, norm, truncate

pytestmark = pytest.mark.compiled


class Unicycle(Scenario):
    """It turns on the spot, and drives ahead only."""

    turn: float = 3.0

    def motion(self, push, me, dt):
        heading = me.heading * direction(self.turn * push.imag * dt)
        return max(push.real, 0.0) * me.max_speed * heading, heading


class Bicycle(Scenario):
    """Its front wheel turns slowly, and a car's length is 1 m."""

    length: float = 1.0
    own = {"steering": 0.0, "path": 0.0}
    keywords = {"horizon": 60}

    def motion(self, me, push, dt):
        speed = min(max(norm(me.velocity) + 6.0 * push.real * dt, 0.0), me.max_speed)
        steering = min(max(me.own.steering + 2.0 * push.imag * dt, -0.6), 0.6)
        wheel = direction(steering)
        turn = speed * dt * wheel.imag / (wheel.real * self.length)
        heading = me.heading * direction(turn)
        return speed * heading, heading, (steering, me.own.path + speed * dt)


class Boat(Scenario):
    """A current carries it to the east."""

    current: float = 1.0

    def motion(self, me, push):
        own = 2.0 * push * me.heading
        return own + self.current, own if norm(own) > 0.1 else me.heading


class Point(Scenario):
    """The point mass once more."""

    def motion(self, me, push, dt):
        return apply_force(me, push * me.heading * me.max_force, dt)


def test_a_unicycle_turns_and_drives_as_its_formula_says():
    engine = started(None, None, game=Unicycle)
    engine.state.position[:, 0], engine.state.heading[:, 0] = (1.0 + 1j, -5.0), (1j, 1.0)
    actions = np.float32([[[0.5, 0.25]]]), np.float32([[[-1.0, 0.0]]])
    engine.step(*actions, PURSUER, restart=False)
    heading = 1j * np.exp(0.025j)
    expected = 1.0 + 1j + 2.0 * heading / 30
    assert engine.state.heading[:, 0] == pytest.approx([heading, 1.0])
    assert engine.state.position[:, 0] == pytest.approx([expected, -5.0])
    assert engine.state.velocity[:, 0] == pytest.approx([2.0 * heading, 0.0])
    assert engine.state.acceleration[0, 0] == pytest.approx(60.0 * heading)


def test_a_bicycle_keeps_its_own_numbers():
    engine = started(None, None, 3, game=Bicycle, evaders=2, arena="open")
    actions = [np.zeros((3, 1, 2), np.float32) + 0.5, np.zeros((3, 2, 2), np.float32)]
    speed = steering = path = 0.0
    heading, position = engine.state.heading[0].copy(), engine.state.position[0].copy()
    for _ in range(40):
        engine.step(*actions, PURSUER, restart=False)
        speed, steering = min(speed + 3.0 / 30, 4.0), min(steering + 1.0 / 30, 0.6)
        heading = heading * np.exp(1j * speed / 30 * math.tan(steering))
        position, path = position + heading * speed / 30, path + speed / 30
    assert engine.state.position[0] == pytest.approx(position)
    assert engine.state.own[:, 1] == pytest.approx([steering, path, 0, 0, 0, 0])
    record = engine.get_state()
    for _ in range(19):
        engine.step(*actions, PURSUER, restart=False)
    engine.set_state(record)
    assert (engine.get_state()["own"] == record["own"]).all()
    engine.start(np.array([True, False, False]))
    assert (engine.state.own[:, 0] == 0.0).all()
    assert (engine.state.own[:, 1:] == record["own"].T[:, 1:]).all()
    record["own"][1, 0] = math.nan
    with pytest.raises(InvalidValue, match="damaged: own of game 1 must be finite"):
        engine.set_state(record)


def test_a_boat_is_carried_and_its_heading_is_its_own():
    engine = started(None, None, game=Boat, arena="open")
    engine.state.heading[0, 0], before = 1j, engine.state.position[0, 0]
    for _ in range(30):
        engine.step(np.float32([[[0.5, 0]]]), np.float32([[[0, 0]]]), PURSUER, restart=False)
    assert engine.state.position[0, 0] == pytest.approx(before + 1.0 + 1j)
    assert engine.state.heading[0, 0] == pytest.approx(1j)


@pytest.mark.parametrize("obstacles", [0, ((9.3, 0.0, 0.5),)])
def test_at_a_wall_a_vehicle_stops_and_faces_where_it_says(obstacles):
    engine = started(None, None, game=Boat(current=2.0), obstacles=obstacles)
    engine.state.position[0, 0], engine.state.heading[0, 0] = 6.0, 1j
    for _ in range(90):
        coast(engine, restart=False)
    room = engine.config.region.half_size - engine.state.radius[0, 0]
    ends = 8.8 - engine.state.radius[0, 0] if obstacles else room
    assert engine.state.position[0, 0] == pytest.approx(ends, abs=1e-6)
    assert abs(engine.state.velocity[0, 0]) < 1e-6
    assert engine.state.heading[0, 0] == 1j


def test_the_point_mass_in_ten_lines_is_that_of_the_library():
    games = [started("pursuit", "evade", 32, game=game) for game in (Point, "walls")]
    for _ in range(60):
        for engine in games:
            coast(engine)
    own, built_in = games
    assert own.state.position == pytest.approx(built_in.state.position, abs=1e-9)


class Noted(Scenario):
    """It notes what it does."""

    own = {"forward": 0.0, "left": 0.0, "after": 0.0}

    def motion(self, me, push, dt):
        velocity, heading = apply_force(me, push * me.heading * me.max_force, dt)
        return velocity, heading, (push.real, push.imag, me.own.after)

    def after(self, push, me):
        return me.own.forward, me.own.left, norm(push - complex(me.own.forward, me.own.left))

    def reward(self, step, me):
        return norm(step.action - complex(me.own.forward, me.own.left))


def test_what_scripts_do_is_what_a_learner_copies():
    rewards = {"capture": 0.0, "time": 0.0, "closing": 0.0}
    engine = started("pursuit", "evade", 8, game=Noted, reward=rewards, randomize=MASSES)
    for _ in range(5):
        written = engine.decisions(PURSUER)
        outcome = coast(engine)
        assert engine.state.own[:2] == pytest.approx(written[:, 0].T, abs=1e-6)
        assert (np.hypot(*engine.state.own[:2]) > 0.1).all()
        assert (engine.state.own[[2, 5]] == 0.0).all()
        assert (outcome.rewards == 0.0).all()
    engine = started(None, None, 8, game=Noted, randomize=MASSES)
    actions = random_actions(engine, np.random.default_rng(0))
    engine.step(*actions, PURSUER, restart=False)
    size = np.maximum(1.0, np.hypot(*actions[PURSUER][:, 0].T))
    assert engine.state.own[:2] == pytest.approx(actions[PURSUER][:, 0].T / size)


MASSES = {"pursuer": {"mass": (0.5, 3.0), "max_force": (3.0, 12.0)}}


class Mire(Scenario):
    """Half the speed for pursuers, and each sees the other where it was."""

    own = {"gap": 0.0}

    def limits(self, me, is_pursuer):
        return (0.5 if is_pursuer else 1.0) * me.max_speed, me.max_force

    def motion(self, me, push, other):
        velocity = me.max_speed * push * me.heading
        return velocity, me.heading, norm(other.position - me.position)


def test_limits_are_those_of_the_motion_and_the_other_is_where_it_was():
    engine = started(None, None, 4, game=Mire)
    for _ in range(5):
        before = engine.state.position.copy()
        engine.step(*[np.float32([[AHEAD]] * 4)] * 2, PURSUER, restart=False)
        assert abs(engine.state.velocity[0]) == pytest.approx(np.full(4, 2.0))
        assert abs(engine.state.velocity[1]) == pytest.approx(np.full(4, 3.6))
        gap = abs(before[0] - before[1])
        assert engine.state.own == pytest.approx(np.stack([gap, gap]))


TOO_FAST = lambda self, me: (1.001 * me.max_speed * me.heading, me.heading)  # noqa: E731
FIVE = {"own": {"energy": 5.0}}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"motion": TOO_FAST}, "a velocity beyond me.max_speed"),
        ({"motion": lambda self, me: (0j, 0j)}, "a heading of 0"),
        ({"motion": lambda self, me: (complex(math.nan, 0.0), 1j)}, "heading and own numbers"),
        ({**FIVE, "motion": lambda self: (0j, 1j, math.inf)}, "or numbers beyond"),
        ({**FIVE, "after": lambda self, me: math.nan}, "numbers before"),
        ({**FIVE, "after": lambda self, me: 1e200}, "it was called with|It was called with"),
    ],
)
@pytest.mark.parametrize("games", [1, 3])
def test_a_motion_that_is_not_sound_is_named(members, message, games):
    engine = started(None, None, games, game=faulty(**members))
    before = engine.state.position.copy()
    with pytest.raises(FaultyBehavior, match=f"method of the scenario faulty .*{message}"):
        coast(engine)
    assert (engine.state.position == before).all()  # the velocity before, which was 0
    assert (engine.state.own == 5.0).all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_within_a_motion_is_named():
    def motion(self, me):
        return me.heading / (1 if me.radius > 9.0 else []), me.heading

    def pick(self, me, number):
        return (1.0, 2.0)[number - 3] * me.heading, me.heading

    with pytest.raises(InvalidType, match="cannot be compiled"):
        started(None, None, game=faulty(motion=motion))
    engine = started(None, None, game=faulty(motion=pick))
    with pytest.raises(FaultyBehavior, match=r"pick raised an error.*me = Vehicle"):
        coast(engine)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"motion": lambda self, me: me.velocity}, r"must return \(velocity, heading"),
        ({"motion": lambda self: (0j, 1j, 0.0)}, r"must return \(velocity, heading"),
        ({"motion": lambda self: (0.0, "north")}, "must return a complex number"),
        ({**FIVE, "motion": lambda self: (0j, 1j, (1.0, 2.0))}, r"numbers for \(energy\)"),
        ({**FIVE, "after": lambda self: (1.0, 2.0)}, r"numbers for \(energy\)"),
        ({**FIVE, "after": lambda self, me: me.own.enery}, "enery.* of me.own: energy"),
        ({**FIVE, "after": lambda self, me: me.mas}, "unknown field of a Vehicle 'mas'"),
    ],
)
def test_a_motion_of_another_form_is_refused(members, message):
    with pytest.raises(InvalidType, match=f"cannot be compiled: .*{message}"):
        gym.make("Pursuit-v0", game=faulty(**members))


CAR = {"evader": {"model": "car"}}


@pytest.mark.parametrize(
    ("members", "keywords", "message"),
    [
        ({}, CAR, "leave out their model and drag"),
        ({}, {"pursuer": {"drag": 0.5}}, "leave out their model and drag"),
        ({"drag": lambda self: 1.0}, {}, "either motion or drag"),
    ],
)
def test_a_motion_takes_the_place_of_model_and_drag(members, keywords, message):
    with pytest.raises(InvalidValue, match=message):
        make_game(game=faulty(motion=lambda self: (0j, 1j), **members), **keywords)


@pytest.mark.parametrize("opponent", ["evade", "evade/dithered"])
def test_threads_and_single_games_give_the_same_bits(opponent):
    many = started(None, opponent, 300, game=Bicycle, num_threads=3, obstacles=2)
    alone = [started(None, opponent, game=Bicycle, obstacles=2, seed=seed) for seed in (7, 290)]
    for step in range(80):
        push = np.float32([[[math.cos(step), 0.5]]])
        many.step(np.repeat(push, 300, 0), many.no_actions(EVADER), PURSUER, restart=True)
        for seed, one in zip((7, 290), alone):
            one.step(push, one.no_actions(EVADER), PURSUER, restart=True)
            assert one.get_state()[0].tobytes() == many.get_state()[seed].tobytes()


def test_own_speeds_are_cut_in_the_own_function():
    game = faulty(
        motion=lambda self, me: (truncate(9.0 * me.heading, me.max_speed), me.heading)
    )
    engine = started(None, None, 64, game=game, randomize={"pursuer": {"max_speed": (1, 4)}})
    coast(engine)
    assert abs(engine.state.velocity) == pytest.approx(engine.state.max_speed)
