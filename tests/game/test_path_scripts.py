"""Scripts that follow the ways on maps, and features of ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from engines import coast, started

from steer_env import Map
from steer_env.errors import InvalidValue
from steer_env.maps.cells import make_walls
from steer_env.maps.turning import ways_on
from steer_env.scripts.behaviors import FULL_FORCE, PATH_BEHAVIORS
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.walls import sees
from steer_env.steering.ways import shortest_way

SQUARE = [(-8, -8), (8, -8), (8, 8), (-8, 8)]
WALL = Map(SQUARE, walls=[[(0, -8), (0, 5)]])
PILLAR = Map(SQUARE, solids=[[(-2, -2), (2, -2), (2, 2), (-2, 2)]])
IDLE = Script(behavior="idle")


def scene(chaser, other, places, world=WALL, **keywords):
    """An engine with one game on a map, and bodies at rest at places."""
    counts = {"pursuers": keywords.get("pursuers", 1)}
    counts["evaders"] = len(places) - counts["pursuers"]
    engine = started(chaser, other, 1, **{"map": world, "horizon": 900, **counts, **keywords})
    for number, place in enumerate(places):
        engine.state.position[number, 0] = place
        engine.state.velocity[number, 0] = 0
    return engine


def seconds_until_over(engine, most=900):
    for step in range(most):
        if coast(engine, restart=False).terminated[0]:
            return (step + 1) / 30
    return math.inf


def aims(engine):
    """The points that both players steer for."""
    before = engine.get_state()
    found = engine.explain()
    engine.restore(before)
    return [complex(one["aim"]) for one in found[:, 0]]


# ---- Pursuers -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["seek", "pursuit", "arrive", "offset_pursuit"])
def test_a_chaser_goes_around_a_wall_by_ways_alone(name):
    places = [-4 - 4j, 4 - 4j]
    length, _, _ = shortest_way(make_walls(WALL, 0.4), ways_on(WALL, 0.3), *places)
    found = seconds_until_over(scene(Script(behavior=name, paths=True), IDLE, places))
    assert length / 4 - 0.5 < found < length / 4 + 4  # at 4 m/s
    assert seconds_until_over(scene(Script(behavior=name), IDLE, places), 450) == math.inf


def test_a_chaser_aims_at_the_next_corner_until_it_sees_its_quarry():
    engine = scene("seek/paths", IDLE, [-4 - 4j, 4 - 4j])
    ways, walls = ways_on(WALL, 0.3), make_walls(WALL, 0.4)
    seen, late = [], 0
    for step in range(150):
        aim, place = aims(engine)[0], complex(engine.state.position[0, 0])
        _, expected, _ = shortest_way(walls, ways, place, complex(engine.state.position[1, 0]))
        late = 0 if aim == expected else late + 1
        assert late < 6  # it looks for its way five times a second
        assert step > 0 or late == 0
        if not seen or aim != seen[-1]:
            seen.append(aim)
        coast(engine, restart=False)
    assert seen == pytest.approx([-0.3 + 5.3j, 0.3 + 5.3j, 4 - 4j])


def test_a_prediction_ends_at_walls():
    engine = scene("pursuit/paths", IDLE, [-4 + 6.5j, 4 - 4j])
    engine.state.velocity[1, 0] = -3.0  # toward the wall
    engine.state.heading[1, 0] = -1.0
    assert aims(engine)[0].real > 0.2


@pytest.mark.parametrize("name", ["seek/paths", "pursuit/paths", "pursuit/paths/full_force"])
def test_columns_and_single_vehicles_are_steered_alike(name):
    keywords = {"map": Map.rooms(2), "pursuers": 2, "horizon": 300}
    columns, single = (started(name, "evade", 5, **keywords) for _ in range(2))
    before = single.get_state()
    single.explain()  # from then on each vehicle is looked at alone
    single.restore(before)
    for _ in range(60):
        coast(columns), coast(single)
    assert (columns.get_state() == single.get_state()).all()


def test_elsewhere_paths_change_nothing():
    for behavior in PATH_BEHAVIORS:
        one, other = (
            started(Script(behavior=behavior, paths=paths), "flee", 3)
            for paths in (False, True)
        )
        for _ in range(20):
            coast(one), coast(other)
        assert (one.get_state() == other.get_state()).all()


# ---- Pursuers with limited sight ----------------------------------------------------------

SEARCHING = Script(behavior="pursuit", paths=True, sees="observed", response_time=FULL_FORCE)


def test_one_that_lost_sight_goes_where_it_saw_the_other_last():
    engine = scene(SEARCHING, IDLE, [-6 + 6.5j, 6 + 6.5j], observation={"range": 100.0})
    coast(engine)  # sees it
    engine.state.position[1, 0] = 6 - 6j  # then it is hidden
    walls = make_walls(WALL, 0.4)
    assert not sees(walls, -6 + 6.5j, 12 - 12.5j)
    for _ in range(30):
        assert aims(engine)[0] == pytest.approx(6 + 6.5j, abs=0.2)
        coast(engine)
    assert aims(engine)[0] == pytest.approx(6 + 6.5j, abs=0.2)
    for _ in range(80):
        coast(engine)
        if sees(
            make_walls(WALL, 0.4),
            engine.state.position[0, 0],
            6 - 6j - engine.state.position[0, 0],
        ):
            break
    for _ in range(6):
        coast(engine)
    assert aims(engine)[0] == pytest.approx(6 - 6j)


def test_one_that_sees_nobody_patrols_from_corner_to_corner():
    world = Map.maze(1, seed=3)[0]
    keywords = {"observation": {"range": 0.1}, "capture_radius": 0.6, "horizon": 600}
    engine = started(SEARCHING, IDLE, 4, map=world, **keywords)
    turns = ways_on(world, 0.3).turns
    goals, places = [[] for _ in range(4)], [[] for _ in range(4)]
    for _ in range(599):
        coast(engine)
        for game in np.nonzero(engine.state.sightings[1] > 0)[0]:
            goal = complex(*engine.state.sightings[2:4, game])
            if engine.state.sightings[1, game] == 1:  # the first of an episode
                goals[game], places[game] = [goal], []
            elif goals[game][-1] != goal:
                goals[game].append(goal)
            places[game].append(complex(engine.state.position[0, game]))
    assert max(len({*seen}) for seen in goals) > 2
    assert len({seen[0] for seen in goals}) > 1  # by each game's own chance
    for seen, went in zip(goals, places):
        assert all(np.abs(turns - goal).min() == 0 for goal in seen)
        for goal in seen[:-1]:  # each is reached before the next
            assert np.abs(np.array(went) - goal).min() <= 0.61


def test_patrols_do_not_depend_on_other_games():
    worlds = Map.rooms(3)
    keywords = {"map": worlds, "observation": {"range": 2.0}, "horizon": 500}
    many = started(SEARCHING, "evade/paths", 6, **keywords)
    alone = started(SEARCHING, "evade/paths", 1, seed=4, **keywords)
    for _ in range(60):
        coast(many), coast(alone)
    assert many.get_state()[4] == alone.get_state()[0]


# ---- Evaders ------------------------------------------------------------------------------


def test_an_evader_runs_for_a_corner_that_it_comes_to_first():
    engine = scene(IDLE, "evade/paths", [-5 + 0j, -3 + 0j], PILLAR)
    ways, walls, late = ways_on(PILLAR, 0.3), make_walls(PILLAR, 0.4), 0
    for _ in range(100):
        aim = aims(engine)[1]
        chaser, me = map(complex, engine.state.position[:, 0])
        speeds = engine.state.max_speed[:, 0]
        theirs, mine = (
            np.array([shortest_way(walls, ways, place, turn)[0] for turn in ways.turns])
            for place in (chaser, me)
        )
        sooner = mine / speeds[1] < (theirs - engine.config.capture_radius) / speeds[0]
        best = ways.turns[sooner][np.argmax(theirs[sooner])]
        late = 0 if aim == shortest_way(walls, ways, me, best)[1] else late + 1
        assert late < 6
        coast(engine, restart=False)
    assert engine.state.active[1, 0]
    assert complex(engine.state.position[1, 0]).real > 0  # beyond the pillar's middle


def test_an_evader_without_a_safe_corner_flees():
    box = Map(SQUARE)
    one = scene(IDLE, Script(behavior="evade", paths=True), [0j, 2 + 1j], box)
    other = scene(IDLE, Script(behavior="evade"), [0j, 2 + 1j], box)
    coast(one), coast(other)
    assert one.state.velocity[1, 0] == other.state.velocity[1, 0] != 0


@pytest.mark.parametrize("name", ["hide"])
def test_one_hides_behind_walls(name):
    engine = scene(IDLE, name, [-6 + 0j, -3 + 4j], PILLAR)
    walls = make_walls(PILLAR, 0.4)
    for _ in range(120):
        coast(engine, restart=False)
    chaser, me = map(complex, engine.state.position[:, 0])
    assert not sees(walls, chaser, me - chaser)


def test_one_takes_the_shortest_way_to_a_target():
    target = {"position": [4, -4], "radius": 1.0}
    engine = scene(IDLE, "reach/paths", [-7 + 7j, -4 - 4j], WALL, target=target)
    assert seconds_until_over(engine) < 10
    plain = scene(IDLE, "reach", [-7 + 7j, -4 - 4j], WALL, target=target)
    assert not any(coast(plain, restart=False).terminated[0] for _ in range(300))


# ---- Scripts that cannot ------------------------------------------------------------------


@pytest.mark.parametrize("behavior", ["idle", "wander", "escape", "encircle"])
def test_other_behaviors_follow_no_paths(behavior):
    with pytest.raises(InvalidValue, match="paths are followed by the behaviors seek, arrive"):
        Script(behavior=behavior, paths=True)


def test_teams_follow_no_paths():
    with pytest.raises(InvalidValue, match="looks at its whole team"):
        Script(behavior="pursuit", paths=True, target="assigned")


# ---- Features -----------------------------------------------------------------------------


def test_features_of_ways():
    keywords = {"observation": {"features": ["path", "own.speed"]}, "learner": PURSUER}
    engine = scene(None, IDLE, [-4 - 4j, 4 - 4j], **keywords)
    engine.state.heading[0, 0] = 1j
    length, aim, _ = shortest_way(make_walls(WALL, 0.4), ways_on(WALL, 0.3), -4 - 4j, 4 - 4j)
    toward = (aim + 4 + 4j) / abs(aim + 4 + 4j) * -1j
    expected = [length / (length + 20), toward.real, toward.imag, 0]
    assert engine.observe(PURSUER)[0, 0] == pytest.approx(expected, abs=1e-6)
    engine.state.position[1, 0] = -4 + 6j  # straight ahead
    assert engine.observe(PURSUER)[0, 0] == pytest.approx([10 / 30, 1, 0, 0], abs=1e-6)
    engine.state.active[1, 0] = False
    assert engine.observe(PURSUER)[0, 0].tolist() == [0, 0, 0, 0]


def test_features_of_ways_to_a_target():
    names = [f"own.target_path_{name}" for name in ("length", "forward", "left")]
    target = {"position": [4, -4], "radius": 1.0}
    keywords = {"observation": {"features": names}, "learner": EVADER, "target": target}
    engine = scene(IDLE, None, [-7 + 7j, 4 + 0j], **keywords)
    engine.state.heading[1, 0] = 1
    assert engine.observe(EVADER)[0, 0] == pytest.approx([3 / 23, 0, -1], abs=1e-6)
    engine.state.position[1, 0] = -4 - 4j
    length, _, left = engine.observe(EVADER)[0, 0]
    assert 20 * length / (1 - length) > 18
    assert left > 0.9


def test_features_of_ways_need_a_map_and_a_target():
    with pytest.raises(InvalidValue, match="path_length' needs a game with a map"):
        started(None, IDLE, learner=PURSUER, observation={"features": ["path"]})
    observation = {"features": ["own.target_path_left"]}
    with pytest.raises(InvalidValue, match="target need a game with one"):
        started(None, IDLE, learner=PURSUER, map=WALL, observation=observation)
