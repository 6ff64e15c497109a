"""Scripted players do in the loop what the textbook functions say."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from steer_env import steering
from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.scripts.script import BEHAVIORS, LOOKAHEADS, PREDICTORS, Script
from steer_env.scripts.table import EXTERNAL, PARTS, SCRIPT, script_table
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import Vehicle

DT = 1 / 30
GAMES = 24
SIDES = (PURSUER, EVADER)
LIMITS = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}


def random_state(engine, seed=0):
    """Puts bodies at random, moving or not, with random limits and accelerations."""
    generator = np.random.default_rng(seed)
    state = engine.get_state()
    body = state["players"]["body"]

    def vectors(longest):
        length = generator.uniform(0, longest, body.shape)
        return length * np.exp(1j * generator.uniform(-math.pi, math.pi, body.shape))

    for limit, span in LIMITS.items():
        body[limit] = generator.uniform(*span, body.shape)
    body["position"] = vectors(9.0)
    body["heading"] = vectors(1.0)
    body["heading"] /= abs(body["heading"])
    share = generator.choice([0.0, 0.3, 1.0], body.shape)
    body["velocity"] = share * body["max_speed"] * body["heading"]
    body["acceleration"] = vectors(8.0)
    # Some come straight at each other, which the facing test is about.
    toward = body["position"][::4, 1] - body["position"][::4, 0]
    body["heading"][::4, 0] = toward / abs(toward)
    body["heading"][::4, 1] = -toward / abs(toward)
    body["velocity"][::4] = 0.7 * body["max_speed"][::4] * body["heading"][::4]
    engine.set_state(state)
    return state


def vehicle(body):
    return Vehicle(*(body[name].item() for name in Vehicle._fields))


def seen(config, me, other):
    """The other at the image that is nearest to me."""
    if config.arena.kind != "torus":
        return other
    offset, size = other.position - me.position, config.arena.size
    x, y = (size * round(part / size) for part in (offset.real, offset.imag))
    return other._replace(position=me.position + offset - complex(x, y))


def textbook_force(config, script, me, other):
    """The force of a script without wander."""
    half_size = config.arena.half_size - me.radius if config.arena.kind == "walls" else math.inf
    laws = {name: getattr(steering, name) for name in LOOKAHEADS}
    if script.lookahead == "constant":

        def law(me, other):
            return min(steering.constant(me, other, script.lookahead_seconds), cap)

    elif script.lookahead == "none":
        law = laws["none"]
    else:

        def law(me, other):
            return laws[script.lookahead](me, other, cap)

    cap = script.lookahead_cap
    predict = getattr(steering, script.predictor)
    if script.predictor == "contained":

        def predict(other, time):
            return steering.contained(other, time, half_size)

    force = {
        "rest": lambda: 0j,
        "wander": lambda: 0j,
        "seek": lambda: steering.seek(me, other.position),
        "flee": lambda: steering.flee(me, other.position, script.threat_range),
        "pursuit": lambda: steering.seek(
            me, steering.pursuit_aim(me, other, law, predict, script.tests_facing)
        ),
        "evade": lambda: steering.evade(me, other, law, predict, script.threat_range),
    }[script.behavior]()
    if script.walls > 0:
        pace = abs(me.velocity) / me.max_speed
        nearer = max(half_size - script.feeler_length * (1 - pace) / 3, 0.0)
        force += script.walls * steering.avoid_walls(me, nearer, script.feeler_length * pace)
    return force


def truncated(vector, limit):
    return vector if abs(vector) <= limit else vector / abs(vector) * limit


def next_velocity(me, force):
    velocity = me.velocity + truncated(force, me.max_force) / me.mass * DT
    return truncated(velocity, me.max_speed)


def engine_with(script, side, kind="open", copies=1, games=GAMES, **keywords):
    """Games in which one side plays a script, and the other stands still."""
    sides = [[None], [None]]
    sides[side] = [script] * copies
    randomize = {"pursuer": LIMITS, "evader": LIMITS}
    engine = Engine(game_config(arena=kind, randomize=randomize, **keywords), *sides, games)
    engine.seed(range(games))
    engine.start()
    return engine


def step(engine):
    actions = [np.zeros((engine.num_games, engine.side_size(side), 2), "f4") for side in SIDES]
    engine.step(*actions, PURSUER, False)
    return engine.get_state()["players"]


def check(script, side, kind="open", copies=1):
    engine = engine_with(script, side, kind, copies)
    before = random_state(engine)["players"]["body"]
    after = step(engine)["body"]["velocity"][:, side]
    expected = []
    for game in range(GAMES):
        me, other = vehicle(before[game, side]), vehicle(before[game, 1 - side])
        other = seen(engine.config, me, other)
        expected.append(next_velocity(me, textbook_force(engine.config, script, me, other)))
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("side", SIDES, ids=["pursuer", "evader"])
@pytest.mark.parametrize("predictor", PREDICTORS)
@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize("behavior", ["pursuit", "evade"])
def test_forces_are_the_textbooks(behavior, lookahead, predictor, side):
    check(Script(behavior=behavior, lookahead=lookahead, predictor=predictor), side)


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize(
    "script",
    [
        Script(behavior="rest"),
        Script(behavior="seek"),
        Script(behavior="flee"),
        Script(behavior="flee", threat_range=6.0),
        Script(behavior="evade", threat_range=6.0),
        Script(behavior="pursuit", facing_test=False),
        Script(behavior="pursuit", predictor="contained", lookahead_cap=2.0),
        Script(behavior="pursuit", lookahead="constant", lookahead_seconds=0.4),
        Script(behavior="pursuit", lookahead="constant", lookahead_cap=0.1),
        Script(behavior="evade", lookahead="reynolds", lookahead_cap=0.5),
        Script(behavior="rest", walls=8.0),
        Script(behavior="evade", walls=3.0, feeler_length=5.0),
    ],
    ids=lambda script: "-".join(
        str(value)
        for name, value in dataclasses.asdict(script).items()
        if value != getattr(Script(behavior=script.behavior), name) or name == "behavior"
    ),
)
def test_forces_in_every_arena(script, kind):
    # Two copies make a mixture, for which the loop looks from game to game.
    for side in SIDES:
        for copies in (1, 2):
            check(script, side, kind, copies)


def test_the_facing_test_makes_a_difference():
    # Nearly opposite headings: the quarry's sideways speed is led, or not.
    me = Vehicle(velocity=1 + 0j, max_speed=2.0)
    quarry = Vehicle(5 + 0j, -0.96 + 0.28j, -0.96 + 0.28j)
    assert steering.pursuit_aim(me, quarry) == quarry.position
    assert steering.pursuit_aim(me, quarry, facing_test=False).imag > 0.3


@pytest.mark.parametrize("behavior", ["wander", "seek", "rest"])
@pytest.mark.parametrize("copies", [1, 2])
def test_wander_adds_its_weight(behavior, copies):
    weight = 1.0 if behavior == "wander" else 0.4
    script = Script(behavior=behavior, wander=0.4)
    engine = engine_with(script, EVADER, copies=copies)
    before = random_state(engine)["players"]["body"]
    players = step(engine)
    for game in range(GAMES):
        me, other = vehicle(before[game, EVADER]), vehicle(before[game, PURSUER])
        force = textbook_force(engine.config, script, me, other)
        point = players["wander_point"][game, EVADER].item()
        force += weight * steering.wander(me, point)
        velocity = players["body"]["velocity"][game, EVADER]
        assert abs(velocity - next_velocity(me, force)) < 1e-12


@pytest.mark.compiled
def test_the_wander_angle_spreads_by_its_rate():
    # A random walk: after a second, the spread is the rate, whatever the step.
    for dt, steps in ((1 / 30, 30), (1 / 10, 10)):
        script = Script(behavior="wander", wander_rate=0.5)
        engine = engine_with(script, EVADER, games=1000, dt=dt)
        start = engine.get_state()["players"]["wander_point"].copy()
        assert np.abs(start[:, EVADER].mean()) < 0.1
        for _ in range(steps):
            step(engine)
        point = engine.get_state()["players"]["wander_point"]
        np.testing.assert_array_equal(point[:, PURSUER], start[:, PURSUER])
        np.testing.assert_allclose(np.abs(point), 1.0, atol=1e-6)
        turned = np.angle(point[:, EVADER] / start[:, EVADER])
        assert turned.mean() == pytest.approx(0.0, abs=0.06)
        assert turned.std() == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    ("rate", "dt"), [(2.0, 1 / 30), (2.0, 0.2), (2.0, 1.0), (20.0, 1 / 30)]
)
def test_wander_points_stay_on_their_circle(rate, dt):
    script = Script(behavior="wander", wander_rate=rate)
    engine = engine_with(script, EVADER, dt=dt, arena_size=1e4, capture_radius=0.01)
    for _ in range(100):
        step(engine)
    assert np.isfinite(engine.get_state()["players"]["body"]["position"]).all()
    np.testing.assert_allclose(
        abs(engine.get_state()["players"]["wander_point"]), 1.0, atol=1e-3
    )


def test_who_does_not_wander_draws_no_chance():
    engine = engine_with(Script(behavior="evade"), EVADER)
    draws = engine.get_state()["game"]["draws"].copy()
    step(engine)
    np.testing.assert_array_equal(engine.get_state()["game"]["draws"], draws)


@pytest.mark.parametrize("side", SIDES, ids=["pursuers", "evaders"])
@pytest.mark.parametrize("kind", ARENAS)
def test_teams_look_at_the_nearest_free_opponent(kind, side):
    behavior = "seek" if side == PURSUER else "flee"
    engine = engine_with(Script(behavior=behavior), side, kind, pursuers=2, evaders=3)
    state = random_state(engine)
    state["players"]["active"][::2, 3] = False
    state["game"]["captured"][::2] = 1
    engine.set_state(state)
    players = step(engine)
    mine, theirs = (range(2), range(2, 5)) if side == PURSUER else (range(2, 5), range(2))
    for game, number in np.ndindex(GAMES, len(mine)):
        record = state[game]["players"]
        me = vehicle(record["body"][mine[number]])
        if not record["active"][mine[number]]:
            assert players["body"][game, mine[number]] == record["body"][mine[number]]
            continue
        others = [
            seen(engine.config, me, vehicle(record["body"][other]))
            for other in theirs
            if record["active"][other]
        ]
        nearest = min(others, key=lambda other: abs(other.position - me.position))
        force = getattr(steering, behavior)(me, nearest.position)
        velocity = players["body"]["velocity"][game, mine[number]]
        assert abs(velocity - next_velocity(me, force)) < 1e-12


def test_a_mixture_plays_each_its_own_script():
    scripts = [ROSTER["rest"], None, Script(behavior="flee")]
    randomize = {"pursuer": LIMITS, "evader": LIMITS}
    engine = Engine(game_config(arena="open", randomize=randomize), [None], scripts, 60)
    engine.seed(range(60))
    engine.start()
    before = random_state(engine)["players"]["body"]
    actions = np.zeros((2, 60, 1, 2), np.float32)
    actions[1, :, 0] = (0.6, -0.3)
    engine.step(*actions, PURSUER, False)
    assert set(engine.get_state()["game"]["evader_script"]) == {0, 1, 2}
    for game, record in enumerate(engine.get_state()):
        me, other = vehicle(before[game, EVADER]), vehicle(before[game, PURSUER])
        chosen = scripts[record["game"]["evader_script"]]
        if chosen is None:
            force = complex(*actions[1, game, 0].astype(float)) * me.max_force * me.heading
        else:
            force = textbook_force(engine.config, chosen, me, other)
        velocity = record["players"]["body"]["velocity"][EVADER]
        assert abs(velocity - next_velocity(me, force)) < 1e-12


def test_the_table_of_scripts():
    scripts = [None, *ROSTER.values(), Script(behavior="evade", threat_range=5.0)]
    table = script_table(scripts, DT)
    assert table.dtype == SCRIPT
    assert table["behavior"][0] == EXTERNAL
    for row, script in zip(table[1:], scripts[1:], strict=True):
        assert BEHAVIORS[row["behavior"]] == script.behavior
        assert LOOKAHEADS[row["lookahead"]] == script.lookahead
        assert PREDICTORS[row["predictor"]] == script.predictor
        assert row["wander_step"] == script.wander_rate * math.sqrt(DT)
        assert row["facing_test"] == script.tests_facing
        for name in ("threat_range", "lookahead_cap", "offset"):
            assert row[name] == getattr(script, name)
        used = row["num_parts"]
        names = [PARTS[number] for number in row["parts"][:used]]
        assert dict(zip(names, row["weights"][:used])) == script.parts


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in SHORTER_NAMES if name != "rest"])
def test_scripts_behave_as_they_are_called(name):
    """Chasers get nearer to a quarry at rest, and the chased get away from a slow menace."""
    script = ROSTER[name]
    side = PURSUER if script.chases else EVADER
    engine = engine_with(script, side, games=100)
    start = engine.get_state()["game"]["distance"].copy()
    origin = engine.state.position[EVADER].copy()
    for _ in range(45):
        step(engine)
        if (engine.get_state()["game"]["captured"] > 0).any():
            break
    if script.behavior == "wander":
        assert (abs(engine.state.position[EVADER] - origin) > 0.5).mean() > 0.9
    elif side == PURSUER:
        assert (engine.get_state()["game"]["distance"] < start).all()
    else:
        near = start < script.threat_range
        assert near.any()
        assert (engine.get_state()["game"]["distance"] > start)[near].all()


@pytest.mark.compiled
def test_the_response_time_is_that_of_the_velocity():
    """Within it the gap to the desired velocity shrinks to 1 / e, whatever the law."""
    for seconds in (0.2, 0.5, 1.0):
        script = Script(behavior="seek", response_time=seconds)
        limits = {"max_speed": 4.0, "max_force": 1e6}
        config = game_config(
            arena="open",
            dt=1e-3,
            pursuer=limits,
            evader={"max_speed": 1e-6},
            capture_radius=1e-9,
            horizon=2000,
        )
        engine = Engine(config, [script], [ROSTER["rest"]], 1)
        engine.seed([0])
        engine.start()
        engine.state.velocity[:, 0] = 0
        nobody = np.zeros((0, 1, 2), np.float32)
        for _ in range(round(seconds * 1000)):
            engine.step(nobody, nobody, PURSUER, True)
        speed = abs(engine.state.velocity[PURSUER, 0])
        assert speed == pytest.approx(4.0 * (1.0 - math.exp(-1.0)), rel=2e-3)


# ---- To the letter of the sources ---------------------------------------------------------


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize("facing_test", [None, True, False])
def test_a_script_and_the_textbook_agree_on_a_quarry_that_comes_straight_on(
    lookahead, facing_test
):
    """With their defaults: the facing test is the closing law's alone."""
    script = Script(behavior="pursuit", lookahead=lookahead, facing_test=facing_test)
    engine = engine_with(script, PURSUER, games=40)
    state, generator = engine.get_state(), np.random.default_rng(1)
    body = state["players"]["body"]
    body["position"] = [-4, 4]
    turn = np.exp(1j * generator.uniform(-0.5, 0.5, (40, 2)))
    body["heading"] = turn * [1, -1]
    body["velocity"] = (
        body["heading"] * generator.uniform(0.1, 1.0, (40, 2)) * body["max_speed"]
    )
    engine.set_state(state)
    players = step(engine)
    tested = 0
    for game in range(40):
        me, other = vehicle(body[game, PURSUER]), vehicle(body[game, EVADER])
        tested += steering.comes_at_me(me, other)
        law = getattr(steering, lookahead)
        force = steering.pursuit(me, other, law, facing_test=facing_test)
        velocity = players["body"]["velocity"][game, PURSUER]
        assert abs(velocity - next_velocity(me, force)) < 1e-12
    assert 5 < tested < 35


@pytest.mark.compiled
def test_chaos_never_idles():
    # No opponent within the threat range: what is drawn for it goes to the others.
    script = Script(
        behavior="evade",
        threat_range=0.1,
        wander=0.3,
        walls=8.0,
        combination="chaotic",
        chances={"behavior": 0.8, "walls": 0.1, "wander": 0.1},
    )
    engine = engine_with(script, EVADER, games=50)
    for _ in range(30):
        step(engine)
        for game in range(50):
            force, limit = engine.forces(game)[EVADER], engine.state.max_force[EVADER, game]
            assert abs(force) == pytest.approx(limit)


AROUND_ROCKS = Script(behavior="pursuit", predictor="contained", lookahead="target_speed")


def velocity_toward_a_rock(script, obstacles, x=0.0, **keywords):
    """A pursuer's velocity after a step from rest, 7 m below a quarry that runs right."""
    config = game_config(obstacles=obstacles, **keywords)
    engine = Engine(config, [script], [ROSTER["rest"]], 1)
    engine.seed([0])
    engine.start()
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"] = [[x - 4j, x + 3j]]
    body["velocity"] = [[0j, 1.8 + 0j]]
    body["heading"] = 1.0
    engine.set_state(state)
    nobody = np.zeros((0, 1, 2), np.float32)
    engine.step(nobody, nobody, PURSUER, False)
    return engine.get_state()["players"]["body"]["velocity"][0, PURSUER]


@pytest.mark.compiled
def test_contained_pursuit_aims_beside_an_obstacle():
    # After 7 / 3.6 s the quarry would be at (3.5, 3): its body has room 2.3 m from the center.
    rock, elsewhere = [(4.0, 3.0, 2.0)], [(-6.0, -6.0, 2.0)]
    me = Vehicle(-4j, max_speed=4.0, max_force=12.0, radius=0.3)
    beside, linear = (next_velocity(me, steering.seek(me, aim)) for aim in (1.7 + 3j, 3.5 + 3j))
    assert velocity_toward_a_rock(AROUND_ROCKS, rock) == pytest.approx(beside)
    budget = dataclasses.replace(AROUND_ROCKS, combination="budget")
    assert velocity_toward_a_rock(budget, rock) == pytest.approx(beside)
    for obstacles in (0, elsewhere):
        assert velocity_toward_a_rock(AROUND_ROCKS, obstacles) == pytest.approx(linear)
    # Across the edge of a torus, too: 9.9 + 4 is -6.1.
    torus = {"x": 9.9, "arena": "torus"}
    found = velocity_toward_a_rock(AROUND_ROCKS, [(-6.1, 3.0, 2.0)], **torus)
    assert found == pytest.approx(beside)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ARENAS)
def test_contained_without_obstacles_is_a_plain_script_with_the_same_bits(kind):
    # Separation from nobody has the loop look at one vehicle at a time, and adds nothing.
    plain, places = Script(behavior="pursuit", predictor="contained", walls=2.0), []
    assert script_table([plain], DT)["is_plain"][0]
    assert not script_table([plain], DT)["is_plain_among_obstacles"][0]
    for script in (plain, dataclasses.replace(plain, separation=1.0)):
        engine = Engine(game_config(arena=kind), [script], [ROSTER["evade"]], 20)
        engine.seed(range(20))
        engine.start()
        nobody = np.zeros((0, 1, 2), np.float32)
        for _ in range(60):
            engine.step(nobody, nobody, PURSUER, True)
        places.append(engine.get_state()["players"]["body"]["position"])
    np.testing.assert_array_equal(*places)
