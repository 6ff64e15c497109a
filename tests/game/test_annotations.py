"""Annotations show a player's decision, and agree with the textbook."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
import pytest
from engines import coast, started
from recorded import annotations_of

from steer_env.game.config import make_game
from steer_env.game.region import ARENAS
from steer_env.game.state import make_records
from steer_env.rendering.annotations import LARGEST_RADIUS
from steer_env.scripts.behaviors import GENERAL_BEHAVIORS
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.steering import (
    OBSTACLE,
    VEHICLE,
    Vehicle,
    apollonius_circle,
    arrive,
    compiled,
    flee,
    seek,
    truncate,
)

ME = Vehicle(1 + 2j, 3 + 1j, cmath.exp(0.4j), 4.0, 12.0, 1.0, 0.3)
OTHER = Vehicle(6 - 1j, -1 + 2j, cmath.exp(2j), 3.0, 12.0, 1.0, 0.3, 2 + 1j)
IDLE = Script(behavior="idle")


@compiled
def own_behavior(me: Vehicle, other: Vehicle) -> complex:
    return other.position - me.position


def record_of(bodies, pursuers=1, obstacles=(), point=1 + 0j, caught=()):
    """One game's record with such bodies, (center, radius) of obstacles, and wander points."""
    record = make_records(1, len(bodies), len(obstacles))[0]
    players = record["players"]
    players["body"] = np.array([tuple(body) for body in bodies], VEHICLE)
    players["wander_point"] = point
    players["active"] = True
    players["active"][list(caught)] = False
    if obstacles:
        record["obstacles"] = np.array(obstacles, OBSTACLE)
    return record


def annotations(script, me=ME, other=OTHER, obstacles=(), point=1 + 0j, **keywords):
    """Those of a pursuer with one quarry."""
    record = record_of([me, other], obstacles=obstacles, point=point)
    return annotations_of(record, make_game(**keywords), ([script], [IDLE]))[0]


def annotations_of_evader(script, **keywords):
    record = record_of([OTHER, ME])
    return annotations_of(record, make_game(**keywords), ([IDLE], [script]))[1]


# ---- Whole episodes -----------------------------------------------------------------------


def decisions(pursuer, evader, **keywords):
    """(script, body, annotations, force) of every player at every moment of an episode."""
    engine = started(pursuer, evader, seed=8, horizon=90, **keywords)
    is_over, count = False, engine.config.pursuers
    while not is_over:
        before = engine.record()
        outcome = coast(engine, restart=False)
        # The wander point takes its turn before it is used.
        before["players"]["wander_point"] = engine.record()["players"]["wander_point"]
        marked = annotations_of(before, engine.config, ([pursuer], [evader]))
        free, forces = engine.record()["players"]["active"], engine.forces()
        for number in np.flatnonzero(free):
            me = Vehicle(*before["players"]["body"][number].item())
            script = pursuer if number < count else evader
            yield script, me, marked[number], forces[number]
        is_over = bool(outcome.terminated[0] or outcome.truncated[0])


PAIRS = {
    "default": ({}, {}),
    "exact": (
        {"lookahead": "intercept", "predictor": "turning", "lookahead_cap": 2.0},
        {"lookahead": "reynolds", "predictor": "accelerating", "lookahead_cap": 1.0},
    ),
    "contained": ({"predictor": "contained", "lookahead": "own_speed"}, {"threat_range": 7.0}),
    "constant": ({"lookahead": "constant", "predictor": "braking"}, {"lookahead": "none"}),
}
GAMES = {
    "walls": {},
    "torus": {"arena": "torus"},
    "teams": {"arena": "torus", "pursuers": 2, "evaders": 3},
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_drawn_is_what_is_decided(pair, game):
    pursuer, evader = PAIRS[pair]
    scripts = Script(behavior="pursuit", **pursuer), Script(behavior="evade", **evader)
    count = 0
    for script, me, found, force in decisions(*scripts, **GAMES[game]):
        if "aim" not in found:
            assert script.threat_range < math.inf
            assert force == 0j
        else:
            assert force == {"pursuit": seek, "evade": flee}[script.behavior](
                me, found["aim"][0]
            )
            count += 1
    assert count > 60


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "encircle", "flank", "voronoi", "voronoi/now", "guard"]
)
def test_so_it_is_for_teams(name, arena):
    """For the main behavior alone, without what keeps off teammates and walls."""
    named = ROSTER[name]
    fields = {"behavior": named.behavior, "target": named.target, "lookahead": named.lookahead}
    team = Script(**fields, response_time=0.1)
    sides = (team, IDLE) if team.chases else (IDLE, team)
    for script, me, found, force in decisions(*sides, arena=arena, pursuers=3, evaders=3):
        if script is team and "aim" in found:
            (aim, _), chases = found["aim"], team.chases
            way = seek(me, aim) if chases else arrive(me, aim, 0.6)
            assert force == pytest.approx(truncate(10.0 * way, me.max_force))


# ---- By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "behavior",
    [name for name in GENERAL_BEHAVIORS if "navigation" in name]
    + ["constant_bearing", "deviated_pursuit", "wander", "idle", own_behavior],
)
def test_who_does_not_aim_at_a_point_has_no_aim(behavior):
    found = annotations(Script(behavior=behavior, wander=1.0))
    assert "aim" not in found


def test_a_menace_out_of_range_has_no_aim_but_the_range_is_there():
    distance = abs(OTHER.position - ME.position)
    near = annotations_of_evader(Script(behavior="evade", threat_range=distance - 1e-9))
    assert near == {"threat": (distance - 1e-9,)}
    far = annotations_of_evader(Script(behavior="evade", threat_range=distance + 1e-9))
    assert far["threat"] == (distance + 1e-9,)
    assert "aim" in far
    assert "threat" not in annotations_of_evader(Script(behavior="evade"))
    # Nobody asks who is in the range of a wanderer, or of one that does nothing.
    for idle in ("wander", "idle"):
        found = annotations_of_evader(Script(behavior=idle, threat_range=1.0))
        assert "threat" not in found


def test_feelers_are_for_walls_and_corridors_for_obstacles():
    careful = Script(behavior="idle", walls=2.0, obstacles=1.0)
    found = annotations(careful, obstacles=[(5j, 1.0)])
    assert (len(found["feelers"]), len(found["corridor"])) == (3, 2)
    assert "corridor" not in annotations(careful, obstacles=[(5j, 0.0)])  # not there
    for script, arena in ((careful, "torus"), (careful, "open"), (IDLE, "walls")):
        assert "feelers" not in annotations(script, arena=arena)
    assert "corridor" not in annotations(IDLE, obstacles=[(5j, 1.0)])


@pytest.mark.parametrize("part", ["separation", "alignment", "cohesion"])
def test_teammates_are_looked_at_within_the_field_of_view(part):
    script = Script(behavior="idle", neighbor_distance=4.0, field_of_view=1.2, **{part: 1.0})
    config = make_game(pursuers=2, evaders=2)
    for caught, expected in (((), (4.0, 1.2)), ((3,), None)):
        record = record_of([ME] * 4, 2, caught=caught)
        found = annotations_of(record, config, ([IDLE], [script]))
        assert found[2].get("view") == expected
        assert "view" not in found[0]
    assert "view" not in annotations(script)  # it has no teammates
    for other in (IDLE, Script(behavior="idle", collisions=1.0)):  # who looks all around
        found = annotations_of(record_of([ME] * 4, 2), config, ([other], [other]))
        assert not any("view" in one for one in found)


def test_the_apollonius_circle_is_with_the_nearest_free_quarry():
    far, near = OTHER, OTHER._replace(position=2 + 2j)
    config = make_game(pursuers=2, evaders=2)
    for outside in (None, IDLE, ROSTER["pursuit"]):
        scripts = [outside], [IDLE]
        found = annotations_of(record_of([ME, ME, far, near], 2), config, scripts)
        assert [one["apollonius"] for one in found[:2]] == [apollonius_circle(ME, near)] * 2
        assert not any("apollonius" in one for one in found[2:])
        found = annotations_of(record_of([ME, ME, far, near], 2, caught=[3]), config, scripts)
        assert found[0]["apollonius"] == apollonius_circle(ME, far)


def test_a_circle_that_is_nearly_a_line_is_left_out():
    for share, is_drawn in ((1.0, False), (1 - 1e-6, False), (0.99, True), (0.0, True)):
        quarry = OTHER._replace(velocity=share * ME.max_speed * OTHER.heading)
        circle = annotations(IDLE, other=quarry).get("apollonius")
        assert (circle is not None) is is_drawn
        assert circle is None or circle[1] <= LARGEST_RADIUS


def test_the_record_says_which_of_a_mixture_plays():
    scripts = [Script(behavior="seek"), None], [IDLE, Script(behavior="flee"), None]
    record = record_of([ME, OTHER])
    for pursuer, evader in itertools.product(range(2), range(3)):
        record["game"]["pursuer_script"], record["game"]["evader_script"] = pursuer, evader
        one, other = annotations_of(record, make_game(), scripts)
        assert one.get("aim", [None])[0] == (OTHER.position if pursuer == 0 else None)
        assert other.get("aim", [None])[0] == (ME.position if evader == 1 else None)
        assert "apollonius" in one
    assert [*one] == ["apollonius"]  # both are steered from outside now
    assert other == {}


def test_the_caught_have_no_annotations_and_nobody_aims_at_them():
    scripts = [Script(behavior="seek", wander=1.0)], [Script(behavior="flee")]
    far, near = OTHER, OTHER._replace(position=2 + 2j)
    config = make_game(evaders=2)
    found = annotations_of(record_of([ME, far, near]), config, scripts)
    assert [one["aim"][0] for one in found] == [near.position, ME.position, ME.position]
    found = annotations_of(record_of([ME, far, near], caught=[2]), config, scripts)
    assert found[0]["aim"][0] == far.position
    assert found[2] == {}
    found = annotations_of(record_of([ME, far, near], caught=[1, 2]), config, scripts)
    assert [[*one] for one in found] == [["wander"], [], []]
