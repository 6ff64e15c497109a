"""Configurations refuse what makes no game, and say what would."""

from __future__ import annotations

import dataclasses
import math
import pickle
import re

import numpy as np
import pytest

from steer_env.bounds import Bounds
from steer_env.errors import check_choice, check_integer, check_number, coerce, unknown
from steer_env.game.config import (
    LIMITS,
    ArenaConfig,
    GameConfig,
    RewardConfig,
    VehicleConfig,
    check_range,
    game_config,
)
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES, named_script
from steer_env.scripts.script import (
    BEHAVIORS,
    FULL_FORCE,
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    OPTIMAL_BEHAVIORS,
    PREDICTORS,
    PRIORITIES,
    Script,
)
from steer_env.scripts.tuned import TUNED
from steer_env.steering import METHODS

EVERY_CONFIG = (
    VehicleConfig(),
    ArenaConfig(),
    RewardConfig(),
    Script(behavior="seek"),
    GameConfig(),
)


def refused(error, message, make, **fields):
    with pytest.raises(error, match=re.escape(message)):
        make(**fields)


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_of_vehicles(limit):
    assert getattr(VehicleConfig(**{limit: 7}), limit) == 7.0
    assert isinstance(getattr(VehicleConfig(**{limit: np.float32(2)}), limit), float)
    message = f"{limit} must be finite and at least 1e-06 and at most 1e+06"
    message += ", or 0" if limit == "radius" else ""
    wrong = [-1.0, 1.1e6, math.nan, math.inf, -math.inf, 5e-324, 9e-7]
    for value in wrong if limit == "radius" else [*wrong, 0.0]:
        refused(ValueError, f"{message}, got {value!r}", VehicleConfig, **{limit: value})
    for value in ("4", None, True, [4.0], 4j):
        refused(TypeError, f"{limit} must be a number", VehicleConfig, **{limit: value})


def test_a_body_may_be_a_point():
    assert VehicleConfig(radius=0).radius == 0.0


@pytest.mark.parametrize(
    ("make", "field", "wrong", "nearest"),
    [
        (VehicleConfig, "model", "point_mas", "point_mass"),
        (ArenaConfig, "kind", "tours", "torus"),
        (Script, "behavior", "persuit", "pursuit"),
        (Script, "lookahead", "closin", "closing"),
        (Script, "predictor", "linaer", "linear"),
    ],
)
def test_names(make, field, wrong, nearest):
    other = {"behavior": "seek"} if make is Script else {}
    refused(
        ValueError, f"{wrong!r}. Did you mean {nearest!r}?", make, **{**other, field: wrong}
    )
    with pytest.raises(ValueError, match=r"'qqqq'\. (Valid:|Some of \d+ valid names:) '"):
        make(**{**other, field: "qqqq"})
    refused(ValueError, "unknown", make, **{**other, field: 3})
    refused(ValueError, "unknown", make, **{**other, field: None})
    assert getattr(make(**{**other, field: nearest}), field) == nearest


def test_a_message_without_a_near_match_makes_no_guess():
    assert unknown("fruit", "qqqq", ["apple"]) == "unknown fruit 'qqqq'. Valid: 'apple'."


@pytest.mark.parametrize(
    ("error", "message", "fields"),
    [
        (ValueError, "arena_size must be finite and at least 1 and at most 10000", {"size": 0}),
        (ValueError, "arena_size must be finite", {"size": math.nan}),
        (ValueError, "arena_size must be finite", {"size": 1.1e4}),
        (TypeError, "arena_size must be a number", {"size": "big"}),
        (ValueError, "obstacles must be from 0 to 64, got -1", {"obstacles": -1}),
        (ValueError, "obstacles must be from 0 to 64, got 65", {"obstacles": 65}),
        (TypeError, "obstacles must be an integer", {"obstacles": 1.5}),
        (TypeError, "obstacles must be an integer", {"obstacles": "3"}),
        (TypeError, "obstacles must be an integer", {"obstacles": True}),
        (ValueError, "an obstacle is (x, y, radius), got (1, 2)", {"obstacles": ((1, 2),)}),
        (ValueError, "an obstacle is (x, y, radius), got 5", {"obstacles": (5,)}),
        (ValueError, "obstacle x must be finite", {"obstacles": ((11, 0, 1),)}),
        (ValueError, "obstacle y must be finite", {"obstacles": ((0, math.nan, 1),)}),
        (ValueError, "obstacle radius must be finite", {"obstacles": ((0, 0, 0),)}),
        (ValueError, "at least 0.01 and at most 10, got 11", {"obstacles": ((0, 0, 11),)}),
        (ValueError, "must be a pair (smallest, largest)", {"obstacle_radius": 1.0}),
        (ValueError, "must be (smallest, largest)", {"obstacle_radius": (2.0, 1.0)}),
        (ValueError, "obstacle_radius (smallest) must be", {"obstacle_radius": (0.0, 1.0)}),
        (ValueError, "obstacle_radius (largest) must be", {"obstacle_radius": (0.5, 21.0)}),
    ],
)
def test_arenas(error, message, fields):
    refused(error, message, ArenaConfig, **fields)


def test_an_arena_counts_its_obstacles():
    assert ArenaConfig(size=30).half_size == 15.0
    assert ArenaConfig(obstacles=3).num_obstacles == 3
    placed = ArenaConfig(obstacles=[[1, 2, 0.5], (3, 4, 1)])
    assert placed.obstacles == ((1.0, 2.0, 0.5), (3.0, 4.0, 1.0))
    assert placed.num_obstacles == 2
    assert ArenaConfig(obstacles=()).num_obstacles == 0


@pytest.mark.parametrize("term", ["capture", "time", "closing"])
def test_weights_of_rewards(term):
    message = f"reward {term} must be finite and at least 0 and at most 1e+06"
    for value in (-0.1, math.nan, math.inf):
        refused(ValueError, message, RewardConfig, **{term: value})
    refused(TypeError, f"reward {term} must be a number", RewardConfig, **{term: "1"})
    assert getattr(RewardConfig(**{term: 0}), term) == 0.0


def test_the_discount_is_a_share():
    for value in (-0.1, 1.1, math.nan):
        refused(ValueError, "reward discount must be", RewardConfig, discount=value)
    assert RewardConfig(discount=0.99).discount == 0.99


@pytest.mark.parametrize(
    "field", ["lookahead_seconds", "wander", "wander_rate", "walls", "feeler_length"]
)
def test_numbers_of_scripts(field):
    message = f"{field} must be finite and at least 0 and at most 1e+06"
    for value in (-1, math.nan, math.inf, 2e6):
        refused(ValueError, message, Script, behavior="seek", **{field: value})
    refused(TypeError, f"{field} must be a number", Script, behavior="seek", **{field: None})


def test_the_lookahead_cap_is_finite_and_the_threat_range_need_not_be():
    message = "lookahead_cap must be finite and at least 0 and at most 1e+09"
    for value in (math.inf, math.nan, -1, 2e9):
        refused(ValueError, message, Script, behavior="pursuit", lookahead_cap=value)
    assert Script(behavior="evade", threat_range=math.inf).threat_range == math.inf
    assert Script(behavior="evade", threat_range=3).threat_range == 3.0
    for value in (math.nan, -math.inf, -1):
        refused(ValueError, "threat_range", Script, behavior="evade", threat_range=value)


def test_a_script_needs_a_behavior():
    with pytest.raises(TypeError, match="behavior"):
        Script()
    for behavior in GENERAL_BEHAVIORS:
        for lookahead in LOOKAHEADS:
            for predictor in PREDICTORS:
                Script(behavior=behavior, lookahead=lookahead, predictor=predictor)


@pytest.mark.parametrize(
    ("error", "message", "fields"),
    [
        (ValueError, "pursuers must be from 1 to 1024, got 0", {"pursuers": 0}),
        (ValueError, "evaders must be from 1 to 1024, got 1025", {"evaders": 1025}),
        (TypeError, "evaders must be an integer, got 1.0 (float)", {"evaders": 1.0}),
        (TypeError, "pursuers must be an integer", {"pursuers": True}),
        (TypeError, "pursuer must be a VehicleConfig or a dict, got 4.0", {"pursuer": 4.0}),
        (
            TypeError,
            "unknown field of evader 'max_sped'. Did you mean 'max_speed'?",
            {"evader": {"max_sped": 4.0}},
        ),
        (ValueError, "max_speed must be finite", {"evader": {"max_speed": 0}}),
        (
            TypeError,
            "arena must be an ArenaConfig or a dict, got",
            {"arena": "torus"},
        ),
        (TypeError, "unknown field of arena 'sise'", {"arena": {"sise": 3}}),
        (TypeError, "reward must be a RewardConfig or a dict", {"reward": 1.0}),
        (
            TypeError,
            "unknown field of reward 'captur'. Did you mean 'capture'?",
            {"reward": {"captur": 1}},
        ),
        (ValueError, "capture_radius must be finite and at least 1e-09", {"capture_radius": 0}),
        (ValueError, "dt must be finite and at least 1e-06 and at most 1, got 0", {"dt": 0}),
        (ValueError, "dt must be finite", {"dt": 1.5}),
        (ValueError, "dt must be finite", {"dt": math.nan}),
        (ValueError, "horizon must be from 1 to 1000000000, got 0", {"horizon": 0}),
        (TypeError, "horizon must be an integer", {"horizon": 600.0}),
        (ValueError, "start_distance must be finite and at least 0", {"start_distance": 0.7}),
        (TypeError, "randomize must be a dict such as", {"randomize": [1]}),
        (ValueError, "unknown side in randomize 'prey'", {"randomize": {"prey": {}}}),
        (
            ValueError,
            "unknown side in randomize 'evaders'. Did you mean 'evader'?",
            {"randomize": {"evaders": {}}},
        ),
        (TypeError, "must be a dict of ranges", {"randomize": {"evader": (1, 2)}}),
        (
            ValueError,
            "'max_sped'. Did you mean 'max_speed'?",
            {"randomize": {"evader": {"max_sped": (1, 2)}}},
        ),
        (ValueError, "must be a pair", {"randomize": {"evader": {"mass": 2.0}}}),
        (ValueError, "must be a pair", {"randomize": {"evader": {"mass": (1, 2, 3)}}}),
        (ValueError, "must be a pair", {"randomize": {"evader": {"mass": "12"}}}),
        (
            ValueError,
            "randomize['evader']['mass'] must be (smallest, largest), got (2, 1)",
            {"randomize": {"evader": {"mass": (2, 1)}}},
        ),
        (ValueError, "(smallest) must be", {"randomize": {"evader": {"mass": (0, 1)}}}),
        (ValueError, "(largest) must be", {"randomize": {"evader": {"mass": (1, 1e7)}}}),
        (ValueError, "a pursuer of radius 5 m has no room", {"pursuer": {"radius": 5}}),
        (
            ValueError,
            "the radius must be below a quarter of it",
            {"randomize": {"evader": {"radius": (0.1, 6.0)}}},
        ),
    ],
)
def test_games(error, message, fields):
    refused(error, message, GameConfig, **fields)


@pytest.mark.parametrize("config", EVERY_CONFIG, ids=lambda c: type(c).__name__)
def test_configurations_are_frozen(config):
    name = dataclasses.fields(config)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(config, name, getattr(config, name))
    with pytest.raises(TypeError):
        type(config)(1)  # keywords only


@pytest.mark.parametrize("config", EVERY_CONFIG, ids=lambda c: type(c).__name__)
def test_configurations_are_values(config):
    assert pickle.loads(pickle.dumps(config)) == config
    assert dataclasses.replace(config) == config


def test_dicts_become_configurations():
    config = GameConfig(
        pursuer={"max_speed": 5}, arena={"kind": "torus"}, reward={"closing": 0}
    )
    assert config.pursuer == VehicleConfig(max_speed=5.0)
    assert config.arena == ArenaConfig(kind="torus")
    assert config.reward == RewardConfig(closing=0.0)
    evader = VehicleConfig(mass=3.0)
    assert coerce(VehicleConfig, "evader", evader) is evader


def test_ranges_of_limits():
    config = GameConfig(randomize={"evader": {"max_speed": (2, 4), "radius": (0, 0.5)}})
    assert config.limit_range("evader", "max_speed") == (2.0, 4.0)
    assert config.limit_range("evader", "radius") == (0.0, 0.5)
    assert config.limit_range("evader", "mass") == (1.0, 1.0)
    assert config.limit_range("pursuer", "max_speed") == (4.0, 4.0)
    assert check_range("x", [1, 1], Bounds(0.0, 2.0)) == (1.0, 1.0)


def test_randomize_is_copied():
    given = {"evader": {"max_speed": (2.0, 4.0)}}
    config = GameConfig(randomize=given)
    given["evader"]["max_speed"] = (1.0, 9.0)
    assert config.limit_range("evader", "max_speed") == (2.0, 4.0)


def test_keywords_become_a_configuration():
    config = game_config(
        evader={"mass": 2}, arena="torus", arena_size=30, obstacles=[[1, 2, 1]], horizon=90
    )
    assert config.evader == VehicleConfig(max_speed=3.6, mass=2.0)
    assert config.arena == ArenaConfig(kind="torus", size=30, obstacles=((1.0, 2.0, 1.0),))
    assert config.horizon == 90
    assert game_config().pursuer == VehicleConfig(max_speed=4.0)


def test_checks():
    assert check_number("x", 3, 0.0) == 3.0
    assert check_integer("n", np.int64(3), 1) == 3
    assert type(check_integer("n", np.int64(3), 1)) is int
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        check_integer("n", 0, 1)
    with pytest.raises(ValueError, match="Did you mean 'apple'"):
        check_choice("fruit", "aple", ["apple", "pear"])


def test_the_roster_names_scripts():
    assert named_script("evade") is ROSTER["evade"]
    with pytest.raises(ValueError, match="Did you mean 'pursuit/intercept'"):
        named_script("pursuit/intercpt")
    with pytest.raises(TypeError):
        ROSTER["mine"] = ROSTER["seek"]  # a read-only table
    for family in ("pursuit", "evade"):
        members = [ROSTER[name] for name in ROSTER if name.split("/")[0] == family]
        assert len(members) >= 7
        assert {script.behavior for script in members} == {family}
    assert {script.behavior for script in ROSTER.values()} == set(BEHAVIORS)
    assert {script.combination for script in ROSTER.values()} == {*METHODS} - {"sum"}


def test_every_script_has_a_form_at_full_force():
    both = {name for name in SHORTER_NAMES if f"{name}/full_force" in ROSTER}
    assert both == {*SHORTER_NAMES} - {"rest", "evade/chaotic"}
    others = len(TUNED) + len(OPTIMAL_BEHAVIORS)
    assert len(ROSTER) == 2 * len(SHORTER_NAMES) - 2 + others
    for name in both:
        plain, strong = ROSTER[name], ROSTER[f"{name}/full_force"]
        differences = {**strong.changes, "response_time": plain.response_time}
        differences["description"] = plain.description
        assert Script(behavior=plain.behavior, **differences) == plain
        assert strong.response_time == FULL_FORCE < plain.response_time


def test_arrays_are_lists():
    discs = np.array([[1, 2, 0.5], [3, 4, 1]])
    for given in (discs, list(discs), discs.tolist()):
        assert game_config(obstacles=given).arena.obstacles == ((1, 2, 0.5), (3, 4, 1))
    assert game_config(obstacles=np.array(3)).arena.obstacles == 3
    config = game_config(randomize={"evader": {"mass": np.array([1, 2])}})
    assert config.limit_range("evader", "mass") == (1.0, 2.0)


def test_obstacles_must_leave_room():
    with pytest.raises(ValueError, match="at least half of the arena"):
        # They leave most of the arena free, but no place for the center of a vehicle.
        game_config(arena_size=4.0, obstacles=[(0, 0, 0.45)], pursuer={"radius": 0.99})
    with pytest.raises(ValueError, match="at least half of the arena"):
        game_config(arena_size=4.0, obstacles=[(0, 0, 1.5)])
    assert game_config(arena_size=4.0, obstacles=[(0, 0, 0.5)]).arena.num_obstacles == 1
    assert game_config(arena_size=1.3).arena.size == 1.3  # whatever random obstacles would be


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"priorities": ("walls",)}, ValueError, "priorities must name each of"),
        ({"priorities": 5}, TypeError, "priorities must be a tuple"),
        ({"priorities": ("wals", *PRIORITIES[1:])}, ValueError, "Did you mean 'walls'"),
        ({"chances": 0.5}, TypeError, "chances must be a dict"),
        ({"chances": {"wals": 0.5}}, ValueError, "Did you mean 'walls'"),
        ({"chances": {"walls": 1.5}}, ValueError, "chance of walls must be"),
        ({"offset": complex("nan")}, ValueError, "offset must be finite"),
        ({"combination": "budge"}, ValueError, "Did you mean 'budget'"),
        ({"response_time": 0.0}, ValueError, "response_time must be"),
        ({"lead_angle": 4.0}, ValueError, "lead_angle must be"),
    ],
)
def test_scripts_refuse_what_makes_no_sense(fields, error, message):
    with pytest.raises(error, match=message):
        Script(behavior="evade", **fields)


def test_each_vehicle_of_a_team_can_have_limits_of_its_own():
    config = game_config(
        pursuers=3,
        pursuer=[{"max_speed": 5.0}, VehicleConfig(mass=2.0), {}],
        randomize={"pursuer": {"radius": (0.1, 0.2)}},
    )
    assert [v.max_speed for v in config.vehicles("pursuer")] == [5.0, 4.0, 4.0]
    assert [v.mass for v in config.vehicles("pursuer")] == [1.0, 2.0, 1.0]
    assert config.limit_range("pursuer", "max_speed") == (4.0, 5.0)
    assert config.limit_ranges("pursuer", "radius") == ((0.1, 0.2),) * 3
    assert config.highest("mass") == 2.0
    engine = Engine(config, [None], [None], 100)
    engine.seed(range(100))
    engine.start()
    assert (engine.state.max_speed == np.array([[5], [4], [4], [3.6]])).all()
    assert (engine.state.mass == np.array([[1], [2], [1], [1]])).all()
    assert len(np.unique(engine.state.radius[:3])) == 300
    engine.set_state(engine.get_state())


def test_equal_limits_of_all_vehicles_are_the_limits_of_the_side():
    config = game_config(evaders=2, evader=({"mass": 2.0}, {"mass": 2.0}))
    assert config.evader == VehicleConfig(max_speed=3.6, mass=2.0)


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"evader": [{}, {}]}, "got 2: is evaders=2 missing"),
        ({"pursuers": 2, "pursuer": [{}, {"model": "car"}]}, "one model"),
        ({"pursuers": 2, "pursuer": [{}, {"drag": 1.0}]}, "one drag"),
        ({"pursuer": {"model": "car", "drag": 1.0}}, "drag must be 0, got 1"),
        ({"pursuer": {"drag": -1.0}}, "drag must be"),
        ({"randomize": {"pursuer": {"drag": (0.0, 1.0)}}}, "limit in randomize"),
        ({"pursuers": 2, "pursuer": [{}, {"max_speed": -1}]}, r"pursuer\[1\]: max_speed"),
        ({"pursuers": 2, "pursuer": [{}, 3]}, r"pursuer\[1\] must be a VehicleConfig"),
    ],
)
def test_wrong_limits_of_single_vehicles_are_named(keywords, words):
    with pytest.raises((TypeError, ValueError), match=words):
        game_config(**keywords)


def test_start_distance_and_obstacle_radius_are_keywords():
    config = game_config(obstacles=4, obstacle_radius=(0.2, 0.3), start_distance=0.6)
    engine = Engine(config, [None], [None], 200)
    engine.seed(range(200))
    engine.start()
    assert engine.state.obstacle_radius.min() >= 0.2
    assert engine.state.obstacle_radius.max() <= 0.3
    assert engine.state.distance.min() > 0.6 * 20
