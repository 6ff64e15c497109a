"""No accepted game produces nan, infinity, or an observation outside its space.

Games are made of numbers at and near their bounds, in all fields jointly, and states are
changed; what is refused raises a UsageError.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.errors import UsageError
from steer_env.fields import Bounds, ranges
from steer_env.game.config import (
    LIMITS,
    PAYOFFS,
    SOLID,
    Game,
    ObservationConfig,
    RewardConfig,
    VehicleConfig,
)
from steer_env.game.config.parts import RANDOM_OBSTACLES
from steer_env.game.dynamics import FORCED, MODELS
from steer_env.game.engine import Engine
from steer_env.game.region import ARENAS
from steer_env.game.rules import observed_features
from steer_env.scripts.behaviors import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    PREDICTORS,
    PRIORITIES,
    TEAM_BEHAVIORS,
)
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import METHODS

pytestmark = pytest.mark.compiled

GAMES, STEPS = 3, 6
NO_NUMBERS = (math.nan, math.inf, -math.inf, -1.0, 5e-324, 1e-310, 1e308, 10**400, 2**63)
CORNERS = (0.0, 1.0, -1.0, 1e-45, -1e-45, 3e38, -3e38, 0.5)
ODD = (0.0, -1.0, math.nan, math.inf, 5e-324, 1e308, 1e-160, 1e16, 1.0, 2.0)
FACTORS = (-1.0, 1.0 + 1e-10, 1.0 - 1e-7, 1.0 + 1e-7, 0.5, 2.0, 1e-12, 1j)


class Dice(random.Random):
    """Draws the fields of a case; one of four cases has values that are not valid."""

    def __init__(self, seed):
        super().__init__(seed)
        self.spoils = seed % 4 == 0

    def one_in(self, count):
        return self.randrange(count) == 0

    def number(self, low, high, or_zero=False):
        """At a bound, just inside, or between; now and then what is not valid."""
        if self.spoils and self.one_in(40):
            return self.choice((*NO_NUMBERS, float(np.nextafter(low, -9e9))))
        high = min(high, 1e300)
        kind = self.randrange(8 if or_zero else 7)
        if kind < 4:
            near = (low, high, np.nextafter(low, high), np.nextafter(high, low))
            return float(near[kind])
        if kind == 4 or low < 0.0:
            return low + self.random() * (high - low)
        floor = max(low, 1e-12 * high)
        return 0.0 if kind == 7 else min(high, floor * (high / floor) ** self.random())

    def integer(self, span, most):
        if self.spoils and self.one_in(40):
            return self.choice((-1, 0, 2**63, 10**400, 1.5))
        return self.randint(int(span.low), int(min(span.high, most)))

    def numbers(self, kind):
        """A number for each field of a configuration that has bounds."""
        return {name: self.number(*span) for name, span in ranges(kind).items()}

    def pair(self, *span):
        return sorted(self.number(*span) for _ in range(2))


def drawn_vehicle(dice, size):
    """The fields of a vehicle, and ranges of some of its limits."""
    spans = {**ranges(VehicleConfig), "radius": Bounds(1e-6, size / 4 * 0.999, or_zero=True)}
    fields = {name: dice.number(*span) for name, span in spans.items()}
    fields["model"] = dice.choice(MODELS)
    if fields["model"] not in FORCED or dice.one_in(2):
        fields["drag"] = 0.0
    return fields, {name: dice.pair(*spans[name]) for name in LIMITS if dice.one_in(6)}


def drawn_obstacles(dice, size):
    if not dice.one_in(3):
        return 0
    if dice.one_in(2):
        return dice.integer(RANDOM_OBSTACLES, 8)
    half = size / 2
    return [
        (dice.number(-half, half), dice.number(-half, half), dice.number(0.01, size / 9))
        for _ in range(dice.randint(1, 4))
    ]


def drawn_view(dice):
    """The limits of sight of a learner; most see all."""
    if not dice.one_in(3):
        return {}
    spans = ranges(ObservationConfig)
    view = {name: dice.number(*spans[name]) for name in ("range", "field_of_view")}
    view["nearest"] = dice.integer(spans["nearest"], 3) if dice.one_in(2) else None
    return {**view, "occlusion": dice.one_in(2)}


def drawn_game(dice):
    """The fields of a whole game."""
    spans = ranges(Game)
    size = dice.number(*spans["arena_size"])
    side = size if 1.0 <= size <= 1e4 else 20.0
    vehicles = {name: drawn_vehicle(dice, side) for name in ("pursuer", "evader")}
    game = {
        "arena": dice.choice(ARENAS),
        "arena_size": size,
        "obstacles": drawn_obstacles(dice, side),
        "obstacle_radius": dice.pair(0.01, max(side / 8, 0.02)),
        "reward": dice.numbers(RewardConfig),
        "solid": dice.choice((*SOLID[:2], *SOLID)),
        "observation": drawn_view(dice),
        "randomize": {name: spans for name, (_, spans) in vehicles.items()},
        "horizon": dice.choice((1, 2, 9, 10**9)),
        "capture_radius": 1e-9 if dice.one_in(2) else dice.number(*spans["capture_radius"]),
        **{name: fields for name, (fields, _) in vehicles.items()},
        **{name: dice.number(*spans[name]) for name in ("dt", "start_distance", "start_speed")},
        **{name: dice.integer(spans[name], 3) for name in ("pursuers", "evaders")},
    }
    if game["evaders"] == 1:
        game["payoff"] = dice.choice((*[PAYOFFS[0]] * 6, *PAYOFFS))
    if game.get("payoff") == PAYOFFS[0] and game["pursuers"] in (2, 3):
        game["captors_needed"] = dice.integer(spans["captors_needed"], game["pursuers"])
    return game


def drawn_script(dice):
    """The fields of a script."""
    fields = dice.numbers(Script)
    for name in PRIORITIES:
        if name != "behavior" and dice.one_in(2):
            fields[name] = 0.0
    chance = ranges(Script)["chances"]
    return {
        **fields,
        "behavior": dice.choice((*GENERAL_BEHAVIORS, *TEAM_BEHAVIORS)),
        "lookahead": dice.choice(LOOKAHEADS),
        "predictor": dice.choice(PREDICTORS),
        "combination": dice.choice(METHODS),
        "facing_test": dice.one_in(2),
        "threat_range": math.inf if dice.one_in(2) else fields["threat_range"],
        "offset": complex(dice.random() * 1e6, dice.choice((-1e6, 1e6, 0.0, 1e-9))),
        "chances": {part: dice.number(*chance) for part in PRIORITIES if dice.one_in(2)},
    }


def drawn_actions(dice, engine):
    shapes = [(GAMES, engine.side_size(side), 2) for side in (PURSUER, EVADER)]
    return [np.resize(np.float32(dice.choices(CORNERS, k=8)), shape) for shape in shapes]


def changed(dice, state):
    """The state with a few numbers of it changed; may be one that no game has."""
    players = state["players"]
    parts = state["game"], players["body"], players, state["obstacles"]
    leaves = [(part, name) for part in parts for name in part.dtype.names if name != "body"]
    for _ in range(dice.randint(1, 2)):
        records, name = dice.choice(leaves)
        if records.size == 0:
            continue
        place = np.unravel_index(dice.randrange(records.size), records.shape)
        kind, value = records.dtype[name].kind, records[name][place]
        if kind in "iu":
            new = dice.choice((0, 1, 2, 3, 2**31 - 1, int(value) + 1))
        elif kind == "b":
            new = not value
        else:
            new = dice.choice(ODD) if dice.one_in(2) else value * dice.choice(FACTORS)
            if kind == "c" and dice.one_in(2):
                new = complex(dice.choice(ODD), dice.choice((0.0, 1.0, -1.0)))
        records[name][place] = new.real if kind == "f" else new
    return state


def check(engine):
    """Holds that observations and speeds are what they may be."""
    features = observed_features(engine.config)
    low, high = np.array([(one.low, one.high) for one in features], np.float32).T
    for side in (PURSUER, EVADER):
        seen = engine.observe(side)
        outside = np.argwhere(~((low <= seen) & (seen <= high)))
        assert not len(outside), [(features[at[-1]].name, seen[tuple(at)]) for at in outside]
    speed = np.abs(engine.state.velocity)
    assert (speed <= engine.state.max_speed * (1 + 1e-9)).all(), (speed, engine.state.max_speed)


def check_state(engine):
    """Holds that all of a state is what it may be, and that it is never refused itself."""
    state, region = engine.state, engine.config.region
    for name, column in state._asdict().items():
        assert np.isfinite(column).all(), name
    if region.is_bounded:
        reach = np.maximum(np.abs(state.position.real), np.abs(state.position.imag))
        room = region.half_size * (1.0 + 2e-9) - (state.radius if region.has_walls else 0.0)
        assert (reach <= room).all(), (reach, room)
    assert (state.obstacle_radius > 0.0).all()  # all have found room
    for game in range(GAMES):
        force = np.abs(engine.forces(game))
        assert (force <= state.max_force[:, game] * (1 + 1e-9)).all(), force
    engine.check_state(engine.get_state())


def play_case(seed, steps=STEPS):
    """One case; returns what became of its game and of its changed state."""
    dice = Dice(seed)
    fields, scripts = drawn_game(dice), [drawn_script(dice) for _ in range(2)]
    try:
        config = Game(**fields)
        made = [Script(**script) for script in scripts]
    except UsageError:
        return "game refused"
    sides = [dice.choice(([None], [script], [None, script])) for script in made]
    engine, twin = (Engine(config, *sides, GAMES, num_threads=1) for _ in range(2))
    seeds = [dice.randrange(1000) for _ in range(GAMES)]
    for one in (engine, twin):
        one.seed(seeds)
        one.start()
    check(engine)
    for _ in range(steps):
        actions = drawn_actions(dice, engine)
        outcome = engine.step(*actions, PURSUER, True)
        assert np.isfinite(outcome.rewards).all(), outcome.rewards
        assert (twin.step(*actions, EVADER, True).rewards == -outcome.rewards).all()
        check(engine)
    check_state(engine)
    try:
        engine.set_state(changed(dice, engine.get_state()))
    except UsageError:
        return "state refused"
    for _ in range(STEPS):  # from a state that no game may have: but the process lives on
        engine.step(*drawn_actions(dice, engine), PURSUER, True)
    return "played"


@given(st.integers(0, 2**32))
def test_accepted_games_stay_within_bounds(seed):
    play_case(seed)


def test_games_are_played_and_refused():
    found = [play_case(seed) for seed in range(40)]
    assert set(found) == {"played", "state refused", "game refused"}
    assert found.count("played") > 3


@pytest.mark.weekly
@pytest.mark.parametrize("seed", range(200))
def test_games_stay_within_bounds_for_long(seed):
    play_case(seed, steps=400)
