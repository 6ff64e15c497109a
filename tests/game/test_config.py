"""Configurations refuse what makes no game, and say what would."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
from engines import started

from steer_env.errors import UsageError
from steer_env.fields import ranges
from steer_env.game.config import (
    LIMITS,
    Game,
    ObservationConfig,
    RewardConfig,
    VehicleConfig,
    keywords_of,
    make_game,
)
from steer_env.game.config.observation import FeatureFunction
from steer_env.scripts.behaviors import BEHAVIORS
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.steering import METHODS

KINDS = (
    *((kind, ranges(kind)) for kind in (VehicleConfig, RewardConfig, Game)),
    (Script, ranges(Script)),
)


TIMED, NOISY = {"payoff": "time"}, {"noise": {"own.speed": 0.1}}
FEATURE = {"function": lambda me, other: 0.0}


def made(kind, /, **fields):
    return kind(**{"behavior": "evade", **fields}) if kind is Script else kind(**fields)


def test_every_number_of_a_configuration_has_bounds():
    for kind, table in KINDS:
        fields = {field.name: field.type for field in dataclasses.fields(kind)}
        counted = {name for name, of in fields.items() if of in ("int", "float", "complex")}
        assert counted <= set(table) <= set(fields), kind


@pytest.mark.parametrize(
    ("kind", "name", "span"),
    [
        (kind, name, span)
        for kind, table in KINDS
        for name, span in table.items()
        if name not in ("obstacles", "obstacle_radius", "chances", "offset", "captors_needed")
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_numbers_are_within_their_bounds(kind, name, span):
    is_count = isinstance(getattr(made(kind), name), int)
    wrong = [span.low - 1, -math.inf, math.nan]
    if span.high < math.inf:
        wrong += [span.high * 1.1 + 1, math.inf]
    if span.low > 0.0 and not is_count:
        wrong += [0.9 * span.low] if span.or_zero else [0.0]
    for value in wrong:
        with pytest.raises(UsageError, match=name):
            made(kind, **{name: value})
    for value in ("4", None, True, [4.0], 4j):
        with pytest.raises(TypeError, match=name):
            made(kind, **{name: value})
    if span.or_zero:
        assert getattr(made(kind, **{name: 0}), name) == 0.0
    if not is_count:
        middle = np.float32(max(2 * span.low, 0.5)) if span.high > 0.5 else np.float32(span.low)
        assert isinstance(getattr(made(kind, **{name: middle}), name), float)


@pytest.mark.parametrize(
    ("kind", "field", "wrong", "nearest"),
    [
        (VehicleConfig, "model", "point_mas", "point_mass"),
        (Game, "arena", "tours", "torus"),
        (Script, "behavior", "persuit", "pursuit"),
        (Script, "lookahead", "closin", "closing"),
        (Script, "predictor", "linaer", "linear"),
        (Script, "combination", "budge", "budget"),
        (Script, "sees", "observd", "observed"),
        (Script, "target", "asigned", "assigned"),
        (Game, "solid", "everyon", "everyone"),
        (Game, "payoff", "tim", "time"),
    ],
)
def test_names(kind, field, wrong, nearest):
    with pytest.raises(ValueError, match=f"Did you mean '{nearest}'"):
        made(kind, **{field: wrong})
    for other in ("qqqq", 3, None):
        with pytest.raises(ValueError, match=f"unknown {field}"):
            made(kind, **{field: other})


@pytest.mark.parametrize(
    ("kind", "error", "match", "fields"),
    [
        (Game, ValueError, "obstacles", {"obstacles": 65}),
        (Game, TypeError, "obstacles", {"obstacles": 1.5}),
        (Game, TypeError, "obstacles", {"obstacles": True}),
        (Game, ValueError, "x, y, radius", {"obstacles": ((1, 2),)}),
        (Game, ValueError, "obstacle x", {"obstacles": ((11, 0, 1),)}),
        (Game, ValueError, "obstacle y", {"obstacles": ((0, math.nan, 1),)}),
        (Game, ValueError, "obstacle radius", {"obstacles": ((0, 0, 0),)}),
        (Game, ValueError, "obstacle radius", {"obstacles": ((0, 0, 11),)}),
        (Game, ValueError, "pair", {"obstacle_radius": 1.0}),
        (Game, ValueError, "smallest, largest", {"obstacle_radius": (2.0, 1.0)}),
        (Game, ValueError, "smallest", {"obstacle_radius": (0.0, 1.0)}),
        (Game, TypeError, "pursuer", {"pursuer": 4.0}),
        (Game, TypeError, "Did you mean 'max_speed'", {"evader": {"max_sped": 4.0}}),
        (Game, ValueError, "evader: max_speed", {"evader": {"max_speed": 0}}),
        (Game, ValueError, "arena", {"arena": {"kind": "torus"}}),
        (Game, TypeError, "reward", {"reward": 1.0}),
        (Game, TypeError, "Did you mean 'capture'", {"reward": {"captur": 1}}),
        (Game, TypeError, "randomize", {"randomize": [1]}),
        (Game, ValueError, "Did you mean 'evader'", {"randomize": {"evaders": {}}}),
        (Game, TypeError, "ranges", {"randomize": {"evader": (1, 2)}}),
        (Game, ValueError, "'mass'", {"randomize": {"evader": {"mas": (1, 2)}}}),
        (Game, ValueError, "pair", {"randomize": {"evader": {"mass": 2.0}}}),
        (Game, ValueError, "pair", {"randomize": {"evader": {"mass": (1, 2, 3)}}}),
        (Game, ValueError, "largest", {"randomize": {"evader": {"mass": (2, 1)}}}),
        (Game, ValueError, "largest", {"randomize": {"evader": {"mass": (1, 1e7)}}}),
        (Game, ValueError, "limit", {"randomize": {"pursuer": {"drag": (0.0, 1.0)}}}),
        (Game, ValueError, "no room", {"pursuer": {"radius": 5}}),
        (Game, ValueError, "quarter", {"randomize": {"evader": {"radius": (0.1, 6.0)}}}),
        (Game, ValueError, "evaders=2", {"evader": [{}, {}]}),
        (Game, ValueError, "model", {"pursuers": 2, "pursuer": [{}, {"model": "car"}]}),
        (Game, ValueError, "drag", {"pursuers": 2, "pursuer": [{}, {"drag": 1.0}]}),
        (Game, ValueError, "drag", {"pursuer": {"model": "car", "drag": 1.0}}),
        (Game, ValueError, r"\[1\]", {"pursuers": 2, "pursuer": [{}, {"mass": -1}]}),
        (Game, TypeError, r"\[1\]", {"pursuers": 2, "pursuer": [{}, 3]}),
        (Game, ValueError, "one evader", {"payoff": "time", "evaders": 2}),
        (Game, ValueError, "captors_needed", {"captors_needed": 0}),
        (Game, ValueError, "captors_needed", {"captors_needed": 3, "pursuers": 2}),
        (Game, TypeError, "captors_needed", {"captors_needed": 1.5}),
        (Game, ValueError, "captors", {"captors_needed": 2, "pursuers": 2, **TIMED}),
        (ObservationConfig, ValueError, "range", {"range": -1.0}),
        (ObservationConfig, TypeError, "range", {"range": True}),
        (ObservationConfig, ValueError, "field_of_view", {"field_of_view": 3.2}),
        (ObservationConfig, TypeError, "occlusion", {"occlusion": 1}),
        (ObservationConfig, ValueError, "nearest", {"nearest": 0}),
        (ObservationConfig, TypeError, "nearest", {"nearest": 2.5}),
        (Game, TypeError, "'range'", {"observation": {"rnage": 3.0}}),
        (ObservationConfig, ValueError, "'fixed'", {"scales": "fixe"}),
        (ObservationConfig, TypeError, "scales", {"scales": 3}),
        (ObservationConfig, TypeError, "'speed'", {"scales": {"sped": 3.0}}),
        (ObservationConfig, ValueError, "speed", {"scales": {"speed": 0.0}}),
        (ObservationConfig, ValueError, "'own.speed'", {"features": ["own.sped"]}),
        (ObservationConfig, ValueError, "twice", {"features": ["own.speed", "own.speed"]}),
        (ObservationConfig, TypeError, "list", {"features": "own.speed"}),
        (ObservationConfig, TypeError, "FeatureFunction", {"features": [abs]}),
        (ObservationConfig, TypeError, "FeatureFunction", {"features": [np.ones(2)]}),
        (FeatureFunction, TypeError, "low of <lambda>", {**FEATURE, "low": [[]]}),
        (FeatureFunction, TypeError, "high of <lambda>", {**FEATURE, "high": np.ones(2)}),
        (ObservationConfig, ValueError, "'own.speed'", {"noise": {"own.sped": 0.1}}),
        (ObservationConfig, ValueError, "noise", {"features": ["obstacle"], **NOISY}),
        (ObservationConfig, ValueError, "noise", {"noise": -0.1}),
        (ObservationConfig, ValueError, "delay", {"delay": 1001}),
        (Script, TypeError, "chances", {"chances": 0.5}),
        (Script, ValueError, "'walls'", {"chances": {"wals": 0.5}}),
        (Script, ValueError, "walls", {"chances": {"walls": 1.5}}),
        (Script, ValueError, "offset", {"offset": complex("nan")}),
        (Script, TypeError, "facing_test", {"facing_test": "no"}),
        (Script, ValueError, "assigned .*block", {"target": "assigned"}),
        (Script, ValueError, "sees all", {"behavior": "voronoi", "sees": "observed"}),
        (Script, ValueError, "walls", {"behavior": "optimal_drag", "walls": 1.0}),
    ],
)
def test_what_makes_no_game_is_refused(kind, error, match, fields):
    with pytest.raises(error, match=match):
        made(kind, **fields)


def test_configurations_are_frozen_values():
    for kind, _ in KINDS:
        config = made(kind)
        name = dataclasses.fields(config)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(config, name, getattr(config, name))
        assert pickle.loads(pickle.dumps(config)) == dataclasses.replace(config) == config


def test_dicts_arrays_and_keywords_become_a_configuration():
    discs = np.array([[1, 2, 0.5], [3, 4, 1]])
    for given in (discs, list(discs), discs.tolist()):
        config = make_game(obstacles=given, arena_size=30)
        assert (config.obstacles, config.num_obstacles) == (((1, 2, 0.5), (3, 4, 1)), 2)
    assert config.region.half_size == 15.0
    config = make_game(
        evader={"mass": 2}, arena="torus", randomize={"evader": {"mass": np.array([1, 2])}}
    )
    assert config.evader == VehicleConfig(max_speed=3.6, mass=2.0)
    assert config.region.wraps
    assert config.limit_range("evader", "mass") == (1.0, 2.0)
    assert config.limit_range("pursuer", "max_speed") == (4.0, 4.0)
    assert Game(reward={"closing": 0}).reward.closing == 0.0
    given = {"evader": {"max_speed": (2.0, 4.0)}}
    config = Game(randomize=given)
    given["evader"]["max_speed"] = (1.0, 9.0)
    assert config.limit_range("evader", "max_speed") == (2.0, 4.0)


def test_keywords_make_a_game_again():
    sight = {"range": 5.0, "occlusion": True, "nearest": 2}
    config = make_game(observation=sight, obstacles=3, pursuers=2, captors_needed=2)
    assert make_game(**keywords_of(config)) == config.as_evaluated() == config
    assert config.observation.standard == Game().observation
    assert ObservationConfig(range=math.inf) == ObservationConfig()
    assert ObservationConfig().is_standard
    for some in ({"range": 1e9}, {"field_of_view": 3.0}, {"occlusion": True}, {"nearest": 64}):
        assert not ObservationConfig(**some).is_standard


def test_obstacles_of_any_form_are_counted_or_refused():
    endless = [{}]
    endless[0]["evader"] = endless
    for wrong in (endless, [(1, 2), (1, 2, 3)]):
        with pytest.raises(ValueError, match=r"an obstacle is \(x, y, radius\)"):
            make_game(obstacles=wrong)
    given = (0, [], np.array(3), np.int64(2), [(1, 2, 0.5)], np.zeros((0, 3)))
    assert [make_game(obstacles=one).num_obstacles for one in given] == [0, 0, 3, 2, 1, 0]


def test_obstacles_must_leave_room():
    # The first leaves most of the arena free, but no place for the center of a vehicle.
    for radius, vehicle in ((0.45, {"radius": 0.99}), (1.5, {})):
        with pytest.raises(ValueError, match="half of the arena"):
            make_game(arena_size=4.0, obstacles=[(0, 0, radius)], pursuer=vehicle)
    assert make_game(arena_size=4.0, obstacles=[(0, 0, 0.5)]).num_obstacles == 1
    assert make_game(arena_size=1.3).arena_size == 1.3  # whatever random obstacles would be


def test_each_vehicle_of_a_team_can_have_limits_of_its_own():
    team = [{"max_speed": 5.0}, VehicleConfig(mass=2.0), {}]
    randomize = {"pursuer": {"radius": (0.1, 0.2)}}
    engine = started(None, None, 100, pursuers=3, pursuer=team, randomize=randomize)
    config, state = engine.config, engine.state
    assert config.limit_range("pursuer", "max_speed") == (4.0, 5.0)
    assert config.limit_ranges("pursuer", "radius") == ((0.1, 0.2),) * 3
    assert config.highest("mass") == 2.0
    assert (state.max_speed == np.array([[5], [4], [4], [3.6]])).all()
    assert (state.mass == np.array([[1], [2], [1], [1]])).all()
    assert len(np.unique(state.radius[:3])) == 300
    assert set(LIMITS) <= {*state._fields}
    equal = make_game(evaders=2, evader=({"mass": 2.0}, {"mass": 2.0}))
    assert equal.evader == VehicleConfig(max_speed=3.6, mass=2.0)


def test_the_roster_names_scripts():
    assert named_script("evade") is named_script("evade/closing") is ROSTER["evade"]
    with pytest.raises(ValueError, match="Did you mean 'pursuit/intercept'"):
        named_script("pursuit/intercpt")
    with pytest.raises(TypeError):
        ROSTER["mine"] = ROSTER["seek"]  # a read-only table
    assert {script.behavior for script in ROSTER.values()} == set(BEHAVIORS)
    assert {script.combination for script in ROSTER.values()} == {*METHODS} - {"sum"}
