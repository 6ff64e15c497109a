"""Scripts that look at their team: who hunts whom, what is drawn, and what it is good for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pack_claims import PACKS, masses, measured, share_surrounded, simple_motion

from steer_env import steering
from steer_env.errors import InvalidValue
from steer_env.game.annotations import annotations_of
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import CHASING, TEAM_BEHAVIORS, TEAM_CHASING, Script
from steer_env.scripts.table import script_table
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle

NOBODY = np.zeros((0, 3, 2), np.float32)


def engine_of(chaser, other, games=1, **keywords):
    engine = Engine(game_config(**keywords), [chaser], [other], games)
    engine.seed(range(games))
    engine.start()
    return engine


def placed(engine, places, velocities=None):
    """The engine with its players at some places, in all its games; returns the state."""
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"], body["velocity"] = places, 0j if velocities is None else velocities
    engine.set_state(state)
    return state


def step(engine):
    nobody = [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)]
    engine.step(*nobody, PURSUER, False)


def directions(engine):
    """Where each player has begun to move, from rest."""
    velocity = engine.get_state()["players"]["body"]["velocity"][0]
    return velocity / np.maximum(abs(velocity), 1e-9)


# ---- The fields of a Script ---------------------------------------------------------------


@pytest.mark.parametrize("behavior", ["evade", "wander", "guard", "rest", "escape"])
def test_only_chasing_behaviors_are_assigned_a_target(behavior):
    with pytest.raises(ValueError, match="assigned"):
        Script(behavior=behavior, target="assigned")


@pytest.mark.parametrize("behavior", [*CHASING, *TEAM_CHASING])
def test_chasing_behaviors_are(behavior):
    assert Script(behavior=behavior, target="assigned").looks_at_team
    assert Script(behavior=behavior).looks_at_team == (behavior in TEAM_CHASING)


def test_a_target_has_a_name():
    with pytest.raises(ValueError, match="Did you mean 'assigned'"):
        Script(behavior="seek", target="asigned")
    with pytest.raises(ValueError, match="target"):
        Script(behavior="seek", target=lambda me, others: 0)


def test_only_scripts_that_look_at_their_team_are_marked_in_the_table():
    scripts = list(ROSTER.values())
    for row, script in zip(script_table(scripts, 0.1), scripts, strict=True):
        assert row["looks_at_team"] == script.looks_at_team
        assert not (row["looks_at_team"] and row["is_plain"])
    named = {name for name, script in ROSTER.items() if script.looks_at_team}
    short = {name for name in named if not name.endswith("/full_force")}
    assert short == {
        *("pursuit/pack", "navigation/pack", "encircle", "flank", "voronoi", "voronoi/now"),
        "guard",
    }


@pytest.mark.parametrize("behavior", TEAM_BEHAVIORS)
def test_sides(behavior):
    script = Script(behavior=behavior)
    assert script.chases != script.runs_away == (behavior == "guard")


# ---- Who hunts whom -----------------------------------------------------------------------


@pytest.mark.compiled
def test_assigned_hunters_share_their_quarries_out():
    for target in ("nearest", "assigned"):
        script = Script(behavior="seek", target=target)
        engine = engine_of(script, ROSTER["rest"], pursuers=2, evaders=2, arena="open")
        placed(engine, [0j, 2 + 0j, 3 + 4j, 9 + 0j])
        step(engine)
        ways = directions(engine)[:2]
        first = (3 + 4j) / 5
        second = (1 + 4j) / abs(1 + 4j) if target == "nearest" else 1 + 0j
        assert ways == pytest.approx([first, second])


@pytest.mark.compiled
def test_who_is_caught_is_no_target_and_no_partner():
    script = Script(behavior="seek", target="assigned")
    engine = engine_of(script, ROSTER["rest"], pursuers=2, evaders=2, arena="open")
    state = placed(engine, [0j, 2 + 0j, 3 + 4j, 9 + 0j])
    state["players"]["active"][:, 2] = False
    state["game"]["captured"] = 1
    engine.set_state(state)
    step(engine)
    assert directions(engine)[:2] == pytest.approx([1, 1])


@pytest.mark.compiled
def test_partners_are_those_after_the_same_quarry():
    """Two that are after one stand opposite each other; the third has a quarry of its own."""
    script = Script(behavior="encircle", target="assigned", spread=0.5)
    engine = engine_of(script, ROSTER["rest"], pursuers=3, evaders=2, arena="open")
    places = [-6 + 1j, -6 - 1j, 7 + 3j, 0j, 7 + 9j]
    placed(engine, places)
    step(engine)
    quarry, other = Vehicle(places[3]), Vehicle(places[4])
    hunters = [Vehicle(place, max_speed=4.0) for place in places[:3]]
    expected = [
        steering.encirclement(hunters[0], hunters[1:2], quarry, 0.5),
        steering.encirclement(hunters[1], hunters[:1], quarry, 0.5),
        steering.encirclement(hunters[2], [], other, 0.5),
    ]
    assert directions(engine)[:3] == pytest.approx([force / abs(force) for force in expected])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["pursuit/pack", "encircle", "voronoi", "guard"])
def test_games_do_not_depend_on_their_number_nor_on_threads(name):
    sides = (ROSTER["pursuit"], ROSTER[name]) if name == "guard" else (ROSTER[name], None)
    states = []
    for games, threads in ((3, 1), (300, 2)):
        config = game_config(pursuers=3, evaders=3, obstacles=2)
        pursuer, evader = sides[0], sides[1] or ROSTER["evade/herd"]
        engine = Engine(config, [pursuer], [evader], games, num_threads=threads)
        engine.seed(range(games))
        engine.start()
        for _ in range(60):
            engine.step(NOBODY, NOBODY, PURSUER, True)
        states.append(engine.get_state()[:3])
    np.testing.assert_array_equal(*states)


@pytest.mark.compiled
def test_the_largest_teams_have_room_to_think():
    engine = engine_of(ROSTER["encircle"], ROSTER["guard"], 2, pursuers=64, evaders=64)
    for _ in range(2):
        step(engine)
    engine.check_state(engine.get_state())


# ---- What is drawn ------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "encircle", "flank", "voronoi", "voronoi/now", "guard"]
)
def test_what_is_drawn_is_what_is_done(name, arena):
    script = Script(**{**ROSTER[name].changes, "behavior": ROSTER[name].behavior})
    script = Script(behavior=script.behavior, target=script.target, response_time=0.1)
    chases = script.chases
    sides = (script, ROSTER["rest"]) if chases else (ROSTER["rest"], script)
    engine = engine_of(*sides, 8, pursuers=3, evaders=3, arena=arena)
    numbers = range(3) if chases else range(3, 6)
    for game in range(8):
        scripts = ([sides[0]], [sides[1]])
        found = annotations_of(engine.get_state()[game], engine.config, scripts)
        bodies = engine.get_state()["players"]["body"][game]
        for number in numbers:
            assert found[number].aim is not None
            if script.behavior != "pursuit":  # whose facing test looks at the present
                looks_ahead = script.behavior in ("encircle", "voronoi")
                assert (found[number].lookahead is not None) == looks_ahead
            me = Vehicle(*bodies[number].item())
            steer = steering.seek if chases else steering.arrive
            force = 10.0 * steer(me, found[number].aim)
            expected = steering.apply_force(me, force, engine.config.dt)[0]
            after = engine_after(engine)[game]["players"]["body"]["velocity"][number]
            place = bodies[number]["position"]
            is_far_from_walls = max(abs(place.real), abs(place.imag)) < 9.0
            if is_far_from_walls or arena != "walls":
                assert abs(after - expected) < 1e-9


def engine_after(engine):
    """The state one step later; the engine stays where it is."""
    before = engine.get_state()
    step(engine)
    after = engine.get_state()
    engine.set_state(before)
    return after


# ---- The blind side -----------------------------------------------------------------------


def share_unseen(script, view, seconds=10.0):
    """The share of the time in which a car that turns slowly has it out of its sight."""
    engine = engine_of(
        ROSTER["seek"],
        script,
        60,
        arena="open",
        pursuer={"model": "car", "max_speed": 1.0, "max_force": 0.2},
        evader={"max_speed": 4.0},
        capture_radius=0.1,
        horizon=900,
    )
    unseen = []
    for _ in range(round(30 * seconds)):
        engine.step(NOBODY[:, :1], NOBODY[:, :1], PURSUER, True)
        me, other = engine.get_state()["players"]["body"].T
        ahead = (other["position"] - me["position"]) * me["heading"].conj()
        unseen.append(abs(np.angle(ahead)) >= view - 1e-9)
    return np.mean(unseen[60:])


@pytest.mark.compiled
def test_hiding_in_the_blind_side():
    view = math.radians(75)
    hides = Script(behavior="hide", view_angle=view, response_time=0.1)
    flees = Script(behavior="hide", response_time=0.1)
    assert hides.looks_at_team
    assert not flees.looks_at_team
    assert share_unseen(hides, view) > share_unseen(flees, view) + 0.3


@pytest.mark.compiled
def test_an_obstacle_that_is_nearer_than_the_blind_side_hides_as_well():
    script = Script(behavior="hide", view_angle=math.radians(120), response_time=0.1)
    rocks = [(3.0, 0.0, 1.0)]
    engine = engine_of(ROSTER["rest"], script, arena="open", obstacles=rocks)
    for place, expected in ((5 + 0.5j, -0.5j), (-4 + 1j, None)):
        state = placed(engine, [0j, place])
        state["players"]["body"]["heading"] = 1 + 0j
        engine.set_state(state)
        step(engine)
        aim = expected and 5 + 0j
        if expected is None:  # so far behind that it stays
            assert abs(engine.get_state()["players"]["body"]["velocity"][0, 1]) < 1e-12
        else:
            assert directions(engine)[1] == pytest.approx((aim - place) / abs(aim - place))


# ---- What packs are good for: `tests/by_hand/pack_claims.py` has all of it ------------------


@pytest.mark.compiled
@pytest.mark.parametrize("game", PACKS)
@pytest.mark.parametrize("evader", ["evade/herd", "evade"])
def test_packs_are_better_than_their_members(game, evader):
    names = ("pursuit", "navigation", "pursuit/pack", "navigation/pack", "encircle", "voronoi")
    team = {name: ROSTER[name] for name in names}
    rows = measured(game, PACKS[game], (evader, ROSTER[evader]), team, 400)
    found = {claim.pursuer: claim for claim in rows}
    alone = found["pursuit"]
    for name in names[2:]:
        if name != "navigation/pack":
            assert found[name].captured > alone.captured + 0.05, name
            assert found[name].time < alone.time, name
    better, worse = found["navigation/pack"], found["navigation"]
    assert better.captured >= worse.captured - 0.01
    assert better.time < worse.time + 0.1
    assert found["voronoi"].captured > 0.98


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["3 v 2", "3 v 3", "5 v 3"])
def test_packs_at_full_force_are_sooner_than_their_members(game):
    names = ("pursuit", "navigation", "pursuit/pack", "navigation/pack", "voronoi", "encircle")
    team = {name: ROSTER[f"{name}/full_force"] for name in names}
    evader = "evade/full_force"
    rows = measured(game, PACKS[game], (evader, ROSTER[evader]), team, 400)
    times = {claim.pursuer: claim.time for claim in rows}
    best_member = min(times["pursuit"], times["navigation"])
    assert all(times[name] < 0.93 * best_member for name in names[2:])


def by_game(claims):
    found = {}
    for claim in claims:
        found.setdefault((claim.game, claim.evader), {})[claim.pursuer] = claim.captured
    return found


@pytest.mark.compiled
def test_three_capture_by_voronoi_pursuit_what_one_never_catches():
    """In a bounded arena, with equal speeds and velocities that are taken up at once."""
    found = by_game(simple_motion(150))
    for evader in ("evade", "escape"):
        for arena in ("torus", "open"):
            alone = found[f"1 in {arena}, evader 1 times as fast", evader]
            assert alone["pursuit"] == 0.0
        walls, torus, plane = (
            found[f"3 in {arena}, evader 1 times as fast", evader]
            for arena in ("walls", "torus", "open")
        )
        assert walls["voronoi/now"] == torus["voronoi/now"] == 1.0
        assert torus["voronoi/now"] > torus["encircle"] + 0.02
        assert torus["encircle"] > torus["pursuit"] + 0.3
        assert share_surrounded(150) - 0.02 <= plane["voronoi/now"] < 0.2


@pytest.mark.compiled
def test_masses_capture_by_the_cell_of_a_moment_later():
    found = by_game(masses(150))
    for share in ("1", "1.5"):
        alone, team = (
            found[f"{count} in torus, evader {share} times as fast", "escape/full_force"]
            for count in (1, 3)
        )
        assert alone["pursuit/full_force"] == 0.0
        assert team["voronoi/full_force"] >= team["voronoi/now/full_force"]
        assert team["voronoi/now/full_force"] > team["pursuit/full_force"] + 0.2
        assert team["voronoi/full_force"] > 0.85


@pytest.mark.compiled
def test_a_herd_that_escapes_runs_more_than_one_that_evades():
    speeds = {}
    for name in ("evade/herd", "escape/herd"):
        engine = engine_of(ROSTER["pursuit"], ROSTER[name], 100, pursuers=3, evaders=3)
        found = []
        for _ in range(300):
            engine.step(NOBODY, NOBODY, PURSUER, True)
            players = engine.get_state()["players"][:, 3:]
            found.append(abs(players["body"]["velocity"])[players["active"]].mean())
        speeds[name] = np.mean(found)
    assert speeds["escape/herd"] > 1.25 * speeds["evade/herd"]


@pytest.mark.compiled
def test_guards_go_between_the_others_and_their_menace():
    places = [-8 + 0j, 4 + 0j, 2 + 5j]  # a menace and two guards, each the other's ward
    engine = engine_of(ROSTER["rest"], Script(behavior="guard"), evaders=2, arena="open")
    placed(engine, places)
    step(engine)
    menace, one, other = (Vehicle(place, max_speed=3.6) for place in places)
    ways = [
        steering.interpose_aim(one, other, menace) - one.position,
        steering.interpose_aim(other, one, menace) - other.position,
    ]
    assert directions(engine)[1:] == pytest.approx([way / abs(way) for way in ways])


@pytest.mark.parametrize(
    "fields", [{"behavior": "voronoi"}, {"behavior": "seek", "target": "assigned"}]
)
def test_scripts_that_look_at_the_whole_team_see_all(fields):
    with pytest.raises(InvalidValue, match="sees='observed' is not possible"):
        Script(**fields, sees="observed")


@pytest.mark.parametrize("name", ["pursuit/pack", "encircle", "voronoi"])
def test_crowds_play_team_scripts(name):
    """More vehicles than a block has games, and than quarries are assigned among."""
    engine = Engine(game_config(pursuers=90, evaders=70), [ROSTER[name]], [ROSTER["evade"]], 2)
    engine.seed([0, 1])
    engine.start()
    for _ in range(3):
        engine.step(engine.no_actions(0), engine.no_actions(1), PURSUER, True)
    assert np.isfinite(engine.state.position).all()
    limits = engine.state.max_force[:, 0]
    assert (np.abs(engine.forces(0)) <= limits * (1 + 1e-12)).all()
