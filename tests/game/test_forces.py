"""In the loop, scripts steer as a Blend of the same textbook functions does."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from engines import coast, started

from steer_env import steering
from steer_env.game.random import draw_uniform
from steer_env.game.region import ARENAS
from steer_env.game.state import make_state
from steer_env.scripts.behaviors import LOOKAHEADS, PREDICTORS, PRIORITIES, TEAM_BEHAVIORS
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.scripts.script import Script
from steer_env.scripts.table import script_table
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import METHODS, Blend, Obstacle, Vehicle

DT = 1 / 30
GAMES = 12
CAPTURE_RADIUS = 0.7
TEAM = 3

EVERYTHING = {
    "obstacles": 20.0,
    "walls": 6.0,
    "containment": 3.0,
    "collisions": 1.0,
    "separation": 2.0,
    "alignment": 1.5,
    "cohesion": 1.2,
    "wander": 0.7,
}
CHANCES = dict(zip(PRIORITIES, (0.9, 0.8, 0.4, 0.9, 0.3, 0.7, 0.5, 0.6, 1.0)))
EVADE_ALL = {"behavior": "evade", "chances": CHANCES, **EVERYTHING}

SCRIPTS = {
    **{
        f"everything-{method}": Script(combination=method, response_time=0.5, **EVADE_ALL)
        for method in METHODS
    },
    "budget": Script(
        **{"behavior": "pursuit", "combination": "budget", **EVERYTHING},
        **{"field_of_view": 1.2, "neighbor_distance": 3.0, "containment_seconds": 2.0},
        **{"obstacle_seconds": 2.5, "obstacle_margin": 0.7},
        **{"collision_seconds": 4.0, "collision_margin": 1.0},
    ),
    "parameters": Script(
        behavior="offset_pursuit", offset=-2 + 1.5j, deceleration_time=1.4, threat_range=8.0
    ),
    "gain": Script(behavior="augmented_navigation", navigation_gain=4.5),
    "lead": Script(behavior="deviated_pursuit", lead_angle=0.8, response_time=0.25),
    "margin": Script(behavior="hide", hiding_margin=2.5, deceleration_time=0.3),
    "laggard": Script(behavior="pursuit", lookahead="own_speed", lookahead_cap=1.5),
    "contained": Script(behavior="evade", predictor="contained", walls=3.0),
    **{law: Script(behavior="pursuit", lookahead=law) for law in LOOKAHEADS},
    **{
        one: Script(behavior="evade", predictor=one, combination="budget") for one in PREDICTORS
    },
    "shared": Script(behavior="deviated_pursuit", target="assigned", cohesion=2.0),
    "two-in-a-ring": Script(behavior="encircle", spread=0.7, lookahead="intercept"),
    "pincer-budget": Script(behavior="flank", combination="budget", **EVERYTHING),
    **{name: ROSTER[name] for name in SHORTER_NAMES if name != "idle"},
}

PLAIN = [
    *(
        Script(behavior=behavior, lookahead=law, predictor=predictor, lookahead_cap=cap)
        for behavior, law, predictor, cap in itertools.product(
            ("pursuit", "evade"), LOOKAHEADS, PREDICTORS, (0.5, 1e9)
        )
    ),
    *(
        Script(behavior="pursuit", lookahead=law, facing_test=test)
        for law, test in itertools.product(LOOKAHEADS, (True, False))
    ),
    Script(behavior="seek", wander=0.4),
    Script(behavior="wander", walls=8.0),
    Script(behavior="flee", threat_range=6.0),
    Script(behavior="evade", threat_range=6.0, walls=3.0, feeler_length=5.0),
    Script(behavior="pursuit", lookahead="constant", lookahead_seconds=0.4),
    Script(behavior="seek", containment=3.0, combination="sum"),
]
"""Scripts that the loop works out in columns."""


def make_engine(scripts, kind, side=EVADER, team=TEAM, **keywords):
    sides = [None, None]
    sides[side] = scripts
    game = {"pursuers": team, "evaders": team, "obstacles": 6 if team > 1 else 0}
    limits = {"pursuer": {"radius": 0.4}, "capture_radius": CAPTURE_RADIUS}
    return started(*sides, GAMES, arena=kind, **game, **limits, **keywords)


def stir(engine):
    """Moves the players anywhere, at any speed; the nearest opponent is near.

    In every fourth duel both come straight at each other, which the facing test is about.
    """
    generator, team = np.random.default_rng(5), engine.config.pursuers
    state = engine.get_state()
    body = state["players"]["body"]
    heading = np.exp(1j * generator.uniform(-math.pi, math.pi, body.shape))
    if team == 1:
        toward = body["position"][::4, 1] - body["position"][::4, 0]
        heading[::4] = np.stack([toward, -toward], axis=1) / abs(toward)[:, None]
        heading[::4] *= np.exp(1j * generator.uniform(-0.4, 0.4, (len(toward), 2)))
    body["heading"] = heading
    share = generator.choice([0.0, 0.4, 1.0], body.shape)
    body["velocity"] = share * body["max_speed"] * heading
    body["acceleration"] = generator.uniform(0, 6, body.shape) * np.roll(heading, 1)
    if team > 1:
        state["players"]["active"][::3, team] = False
        state["game"]["captured"][::3] = 1
    engine.set_state(state)
    return state


def vehicle(body):
    return Vehicle(*body.item())


def behavior_of(script, room, period):
    """The main behavior as a function of (me, other, obstacles)."""
    predict = getattr(steering, script.predictor)

    def placing(rocks):
        if predict is steering.contained:
            return lambda other, seconds: predict(other, seconds, room, rocks, period)
        return predict

    law = getattr(steering, script.lookahead)
    facing_test = law is steering.closing if script.facing_test is None else script.facing_test

    def time(me, other):
        if script.lookahead == "constant":
            return min(script.lookahead_seconds, script.lookahead_cap)
        return min(law(me, other), script.lookahead_cap)

    aim = steering.pursuit_aim
    seconds, gain = script.deceleration_time, script.navigation_gain

    def pursue(me, other, rocks):
        return steering.seek(me, aim(me, other, time, placing(rocks), facing_test))

    def evade(me, other, rocks):
        return steering.flee(me, placing(rocks)(other, time(me, other)))

    def hide(me, other, rocks):
        return steering.hide(me, other, rocks, script.hiding_margin, seconds)

    def escape(me, other, rocks):
        given = rocks, room, CAPTURE_RADIUS, time(other, me), script.agility
        return steering.seek(me, steering.escape_aim(me, other, *given))

    def plain(me, other, _):
        steer = getattr(steering, script.behavior)
        if script.behavior in ("seek", "flee"):
            return steer(me, other.position)
        given = {"deviated_pursuit": [script.lead_angle], "constant_bearing": []}
        return steer(me, other, *given.get(script.behavior, [gain]))

    return {
        "pursuit": pursue,
        "evade": evade,
        "hide": hide,
        "escape": escape,
        "arrive": lambda me, other, _: steering.arrive(me, other.position, seconds),
        # Without a target they pursue and evade.
        "block": lambda me, other, _: steering.seek(me, aim(me, other, facing_test=False)),
        "reach": lambda me, other, _: steering.flee(me, aim(me, other, facing_test=False)),
        "offset_pursuit": lambda me, other, _: steering.offset_pursuit(
            me, other, script.offset, seconds
        ),
    }.get(script.behavior, plain)


def targets_of(script, team, others, period):
    """The place in the list of the opponent that each member of a team is after."""
    if script.target == "assigned":
        return steering.assignment(team, others, period)
    return [steering.nearest_of(one, others, period) for one in team]


def force_in_team(script, room, period, me, other, mates, partners, others):
    def time(me, other):
        return min(getattr(steering, script.lookahead)(me, other), script.lookahead_cap)

    predict = getattr(steering, script.predictor)
    if script.behavior == "encircle":
        return steering.encirclement(me, partners, other, script.spread, time, predict, period)
    if script.behavior == "flank":
        return steering.flanking(me, partners, other, script.spread, period)
    if script.behavior == "voronoi":
        seconds = time(me, other)
        return steering.voronoi_pursuit(me, mates, other, room, period, seconds)
    return steering.guard(me, mates, others, script.deceleration_time, period)


def expected_force(config, script, record, number, point, dice):
    """A Blend of textbook functions, with what the player sees."""
    players, region = record["players"], config.region
    me = vehicle(players["body"][number])._replace(acceleration=0j)

    def see(index):
        other = vehicle(players["body"][index])
        return other._replace(position=region.image(me.position, other.position))

    team = config.pursuers
    mine = range(team) if number < team else range(team, 2 * team)
    mates = [see(i) for i in mine if i != number and players["active"][i]]
    others = [see(i) for i in range(2 * team) if i not in mine and players["active"][i]]
    period, room = region.period, region.room(me.radius)
    targets = targets_of(script, [me, *mates], others, period)
    other = others[targets[0]]
    partners = [mate for mate, target in zip(mates, targets[1:]) if target == targets[0]]
    rocks = [
        Obstacle(region.image(me.position, rock["center"].item()), rock["radius"].item())
        for rock in record["obstacles"]
        if rock["radius"] > 0
    ]
    pace = abs(me.velocity) / me.max_speed
    nearer = max(room - script.feeler_length * (1 - pace) / 3, 0.0)
    around = (0.0, script.neighbor_distance, math.cos(script.field_of_view) - 1e-12)

    def behave(me):
        if script.behavior == "wander":
            return steering.wander(me, point)
        if abs(other.position - me.position) > script.threat_range:
            return 0j
        if script.behavior in TEAM_BEHAVIORS:
            return force_in_team(script, room, period, me, other, mates, partners, others)
        return behavior_of(script, room, period)(me, other, rocks)

    functions = {
        "behavior": behave,
        "wander": lambda me: steering.wander(me, point),
        "walls": lambda me: steering.avoid_walls(me, nearer, script.feeler_length * pace),
        "containment": lambda me: steering.containment(me, room, script.containment_seconds),
        "obstacles": lambda me: steering.avoid_obstacles(
            me, rocks, script.obstacle_seconds, script.obstacle_margin
        ),
        "collisions": lambda me: steering.avoid_collisions(
            me, mates, script.collision_seconds, script.collision_margin
        ),
        "separation": lambda me: steering.separation(me, mates, *around),
        "alignment": lambda me: steering.alignment(me, mates, *around),
        "cohesion": lambda me: steering.cohesion(me, mates, *around),
    }
    parts = [
        (functions[part], weight, script.chances.get(part, 1.0))
        for part, weight in script.parts.items()
    ]
    blend = Blend(script.combination, parts)
    blend._random = SimpleNamespace(random=iter(dice).__next__)
    return blend(me)


def drawn_before(script, record):
    """The chance that the loop will use, drawn beforehand from a copy of the game."""
    if script.combination not in ("dithered", "chaotic"):
        return []
    game = make_state(1, 2, 0)
    wandered = script_table([script], DT)["wanders"][0]  # its walk draws one number first
    game.key[0], game.draws[0] = record["game"]["key"], record["game"]["draws"] + wandered
    return [draw_uniform(game, 0.0, 1.0) for _ in script.parts]


def check(engine, script, number):
    """Steps once, and compares a player's velocity where nothing can have stopped it."""
    before, kind = stir(engine), engine.config.arena
    coast(engine, restart=False)
    after, checked = engine.get_state(), 0
    for game, record in enumerate(before):
        if not record["players"]["active"][number] or not is_free(after[game], number, kind):
            continue
        point = after["players"]["wander_point"][game, number].item()
        dice = drawn_before(script, record)
        force = expected_force(engine.config, script, record, number, point, dice)
        velocity = after["players"]["body"]["velocity"][game, number]
        me = vehicle(record["players"]["body"][number])
        expected = steering.apply_force(me, force, DT)[0]
        assert abs(velocity - expected) < 1e-12, (game, script)
        checked += 1
    assert checked >= GAMES // 3


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_teams_steer_as_a_blend_of_the_textbook_functions(name, kind):
    script = SCRIPTS[name]
    side = PURSUER if script.chases else EVADER
    number = 0 if side == PURSUER else TEAM + 1  # evader 0 is caught in some games
    # The first player of the side draws first; the others' draws come after its own.
    number = number if script.combination not in ("dithered", "chaotic") else side * TEAM
    check(make_engine([script], kind, side), script, number)


@pytest.mark.compiled
@pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("side", [PURSUER, EVADER], ids=["pursuer", "evader"])
@pytest.mark.parametrize("kind", ARENAS)
def test_plain_duels_steer_as_a_blend_of_the_textbook_functions(kind, side, stride):
    """Each script in one of the arenas and on one side, or in all and on both."""
    limits = {"max_speed": (1.0, 6.0), "max_force": (1.0, 300.0), "mass": (0.5, 3.0)}
    randomize = {"pursuer": limits, "evader": limits}
    first = (ARENAS.index(kind) + 3 * side) % stride
    for number, script in enumerate(PLAIN[first::stride]):
        copies = 1 + number % 2  # in a mixture, the loop looks from game to game
        engine = make_engine([script] * copies, kind, side, 1, randomize=randomize)
        check(engine, script, side)


@pytest.mark.compiled
def test_a_mixture_plays_each_its_own_script():
    scripts = [ROSTER["idle"], None, Script(behavior="flee")]
    engine = make_engine(scripts, "open", EVADER, 1)
    before, actions = stir(engine), np.zeros((2, GAMES, 1, 2), np.float32)
    actions[1, :, 0] = (0.6, -0.3)
    engine.step(*actions, PURSUER, False)
    assert set(before["game"]["evader_script"]) == {0, 1, 2}
    for game, record in enumerate(before):
        me, other = (vehicle(body) for body in record["players"]["body"][::-1])
        pushed = complex(*actions[1, game, 0].astype(float)) * me.max_force * me.heading
        fled = steering.flee(me, other.position)
        force = (0j, pushed, fled)[record["game"]["evader_script"]]
        expected = steering.apply_force(me, force, DT)[0]
        assert abs(engine.state.velocity[EVADER, game] - expected) < 1e-12


def is_free(record, number, kind):
    """True if neither a wall nor an obstacle can have changed the velocity."""
    body = record["players"]["body"][number]
    place, reach = body["position"], 10.0 - body["radius"] - 0.15
    if kind == "walls" and max(abs(place.real), abs(place.imag)) > reach:
        return False
    gaps = abs(record["obstacles"]["center"] - place) - record["obstacles"]["radius"]
    return bool((gaps - body["radius"] > 0.1).all())
