"""No accepted game produces nan, infinity, or an observation outside its space.

Games are made of numbers at and near their bounds, in all fields jointly, and states are
changed; what is refused raises a UsageError. BOUNDS_CASES=100000 plays so many cases.
"""

from __future__ import annotations

import collections
import math
import os
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.errors import UsageError
from steer_env.fields import Bounds, ranges
from steer_env.game.arena import ARENAS
from steer_env.game.config import (
    LIMITS,
    PAYOFFS,
    SOLID,
    ArenaConfig,
    GameConfig,
    ObservationConfig,
    RewardConfig,
    VehicleConfig,
)
from steer_env.game.config.parts import RANDOM_OBSTACLES
from steer_env.game.dynamics import FORCED, MODELS
from steer_env.game.engine import Engine
from steer_env.game.rules import observed_features
from steer_env.scripts.script import (
    GENERAL_BEHAVIORS,
    LOOKAHEADS,
    PREDICTORS,
    PRIORITIES,
    TEAM_BEHAVIORS,
    Script,
)
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import METHODS

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

CASES = int(os.environ.get("BOUNDS_CASES", "0"))
GAMES, STEPS = 3, 6
NO_NUMBERS = (math.nan, math.inf, -math.inf, -1.0, 5e-324, 1e-310, 1e308, 10**400, 2**63)
CORNERS = (0.0, 1.0, -1.0, 1e-45, -1e-45, 3e38, -3e38, 0.5)


class Dice:
    """Makes cases of choices; a choice is what Hypothesis or a `random.Random` picks."""

    def __init__(self, pick, spoils):
        self.pick, self.spoils = pick, spoils

    def choice(self, options):
        return options[self.pick(len(options))]

    def share(self):
        return self.pick(10_001) / 10_000

    def number(self, low, high, or_zero=False):
        """At a bound, just inside, or between; now and then what is not valid."""
        if self.spoils and self.pick(40) == 0:
            return self.choice((*NO_NUMBERS, float(np.nextafter(low, -9e9))))
        high = min(high, 1e300)
        kind = self.pick(8 if or_zero else 7)
        if kind < 4:
            near = (low, high, np.nextafter(low, high), np.nextafter(high, low))
            return float(near[kind])
        if kind == 4 or low < 0.0:
            return low + self.share() * (high - low)
        floor = max(low, 1e-12 * high)
        return 0.0 if kind == 7 else min(high, floor * (high / floor) ** self.share())

    def usual(self, value, span):
        """A number that is the default half of the time."""
        return value if self.pick(2) else self.number(*span)

    def integer(self, span, most):
        if self.spoils and self.pick(40) == 0:
            return self.choice((-1, 0, 2**63, 10**400, 1.5))
        return int(span.low) + self.pick(int(min(span.high, most)) - int(span.low) + 1)


def drawn_vehicle(dice, size):
    spans = {**ranges(VehicleConfig), "radius": Bounds(1e-6, size / 4 * 0.999, or_zero=True)}
    fields = {name: dice.number(*span) for name, span in spans.items()}
    model = dice.choice(MODELS)
    if model not in FORCED or dice.pick(2):
        fields["drag"] = 0.0
    return {**fields, "model": model}


def drawn_ranges(dice, size):
    drawn = {}
    for side in ("pursuer", "evader"):
        spans = {
            **ranges(VehicleConfig),
            "radius": Bounds(1e-6, size / 4 * 0.999, or_zero=True),
        }
        chosen = [name for name in LIMITS if dice.pick(6) == 0]
        drawn[side] = {
            name: sorted(dice.number(*spans[name]) for _ in range(2)) for name in chosen
        }
    return drawn


def drawn_obstacles(dice, size):
    if dice.pick(3):
        return 0
    if dice.pick(2):
        return dice.integer(RANDOM_OBSTACLES, 8)
    half = size / 2
    return [
        (dice.number(-half, half), dice.number(-half, half), dice.number(0.01, size / 9))
        for _ in range(1 + dice.pick(4))
    ]


def drawn_view(dice):
    """The limits of sight of a learner; most see all."""
    if dice.pick(3):
        return {}
    view = {
        name: dice.number(*ranges(ObservationConfig)[name])
        for name in ("range", "field_of_view")
    }
    view["nearest"] = (
        dice.integer(ranges(ObservationConfig)["nearest"], 3) if dice.pick(2) else None
    )
    return {**view, "occlusion": bool(dice.pick(2))}


def drawn_game(dice):
    """The fields of a whole game."""
    size = dice.number(*ranges(ArenaConfig)["size"])
    side = size if 1.0 <= size <= 1e4 else 20.0
    radius = 0.01, max(side / 8, 0.02)
    game = {
        "arena": {
            "kind": dice.choice(ARENAS),
            "size": size,
            "obstacles": drawn_obstacles(dice, side),
            "obstacle_radius": sorted(dice.number(*radius) for _ in range(2)),
        },
        "reward": {name: dice.number(*span) for name, span in ranges(RewardConfig).items()},
        "pursuer": drawn_vehicle(dice, side),
        "evader": drawn_vehicle(dice, side),
        "solid": dice.choice((*SOLID[:2], *SOLID[:2], SOLID[2])),
        "observation": drawn_view(dice),
        "randomize": drawn_ranges(dice, side),
        "horizon": dice.choice((1, 2, 9, 10**9)),
        "capture_radius": dice.usual(1e-9, ranges(GameConfig)["capture_radius"]),
    }
    for name in ("dt", "start_distance", "start_speed"):
        game[name] = dice.number(*ranges(GameConfig)[name])
    for name in ("pursuers", "evaders"):
        game[name] = dice.integer(ranges(GameConfig)[name], 3)
    if game["evaders"] == 1:
        game["payoff"] = dice.choice((*[PAYOFFS[0]] * 6, *PAYOFFS))
    if game.get("payoff") == PAYOFFS[0] and game["pursuers"] in (2, 3):
        game["captors_needed"] = dice.integer(
            ranges(GameConfig)["captors_needed"], game["pursuers"]
        )
    return game


def drawn_script(dice):
    """The fields of a script."""
    fields = {name: dice.number(*span) for name, span in ranges(Script).items()}
    for name in PRIORITIES:
        if name != "behavior" and dice.pick(2):
            fields[name] = 0.0
    span = Bounds(-1e6, 1e6)
    order = list(PRIORITIES)
    for place in range(len(order) - 1, 0, -1):
        other = dice.pick(place + 1)
        order[place], order[other] = order[other], order[place]
    return {
        **fields,
        "behavior": dice.choice((*GENERAL_BEHAVIORS, *TEAM_BEHAVIORS)),
        "lookahead": dice.choice(LOOKAHEADS),
        "predictor": dice.choice(PREDICTORS),
        "combination": dice.choice(METHODS),
        "facing_test": bool(dice.pick(2)),
        "threat_range": math.inf if dice.pick(2) else fields["threat_range"],
        "offset": complex(dice.share() * span.high, dice.choice((*span[:2], 0.0, 1e-9))),
        "priorities": tuple(order),
        "chances": {
            part: dice.number(*ranges(Script)["chances"]) for part in PRIORITIES if dice.pick(2)
        },
    }


def drawn_actions(dice, engine):
    corners = [dice.choice(CORNERS) for _ in range(8)]
    shapes = [(GAMES, engine.side_size(side), 2) for side in (PURSUER, EVADER)]
    return [
        np.resize(np.array(corners[i:], np.float32), shape) for i, shape in enumerate(shapes)
    ]


def layout_of(engine):
    """The features of an observation, their smallest and their largest values."""
    features = observed_features(engine.config)
    bounds_of = [[getattr(f, name) for f in features] for name in ("low", "high")]
    return features, *np.array(bounds_of, np.float32)


def check(engine, layout):
    """Holds that observations and speeds are what they may be."""
    features, low, high = layout
    for side in (PURSUER, EVADER):
        seen = engine.observe(side)
        outside = np.argwhere(~((low <= seen) & (seen <= high)))
        assert not len(outside), [(features[at[-1]].name, seen[tuple(at)]) for at in outside]
    state = engine.state
    speed = np.abs(state.velocity)
    assert (speed <= state.max_speed * (1 + 1e-9)).all(), (speed, state.max_speed)


def check_state(engine):
    """Holds that all of a state is what it may be, and that it is never refused itself."""
    state, arena = engine.state, engine.config.arena
    for name, column in state._asdict().items():
        assert np.isfinite(column).all(), name
    reach = np.maximum(np.abs(state.position.real), np.abs(state.position.imag))
    room = {"walls": arena.half_size - state.radius, "torus": arena.half_size}
    room = room.get(arena.kind, math.inf)
    assert (reach <= room + 1e-9 * arena.size).all(), (reach, room)
    assert (state.obstacle_radius > 0.0).all()  # all have found room
    for game in range(GAMES):
        force = np.abs(engine.forces(game))
        assert (force <= state.max_force[:, game] * (1 + 1e-9)).all(), force
    engine.check_state(engine.get_state())


def play(dice, engine, twin, layout):
    """Plays on; the twin has the same games from the other side."""
    for _ in range(STEPS):
        actions = drawn_actions(dice, engine)
        outcome = engine.step(*actions, PURSUER, True)
        assert np.isfinite(outcome.rewards).all(), outcome.rewards
        assert (twin.step(*actions, EVADER, True).rewards == -outcome.rewards).all()
        check(engine, layout)
    check_state(engine)


ODD = (0.0, -1.0, math.nan, math.inf, 5e-324, 1e308, 1e-160, 1e16, 1.0, 2.0)
FACTORS = (-1.0, 1.0 + 1e-10, 1.0 - 1e-7, 1.0 + 1e-7, 0.5, 2.0, 1e-12, 1j)


def changed(dice, state):
    """The state with a few numbers of it changed; may be one that no game has."""
    leaves = [
        *((state["game"], name) for name in state["game"].dtype.names),
        *((state["players"]["body"], name) for name in state["players"]["body"].dtype.names),
        *((state["players"], name) for name in state["players"].dtype.names if name != "body"),
        *((state["obstacles"], name) for name in state["obstacles"].dtype.names),
    ]
    for _ in range(1 + dice.pick(2)):
        records, name = dice.choice(leaves)
        if records.size == 0:
            continue
        place = np.unravel_index(dice.pick(records.size), records.shape)
        kind, value = records.dtype[name].kind, records[name][place]
        if kind in "iu":
            new = dice.choice((0, 1, 2, 3, 2**31 - 1, int(value) + 1))
        elif kind == "b":
            new = not value
        else:
            new = dice.choice(ODD) if dice.pick(2) else value * dice.choice(FACTORS)
            if kind == "c" and dice.pick(2):
                new = complex(dice.choice(ODD), dice.choice((0.0, 1.0, -1.0)))
        records[name][place] = new.real if kind == "f" else new
    return state


def play_case(dice):
    """One case; returns what became of its game and of its changed state."""
    fields = drawn_game(dice)
    scripts = [drawn_script(dice) for _ in range(2)]
    seats = [dice.pick(3) for _ in range(2)]
    try:
        config = GameConfig(**fields)
        made = [Script(**script) for script in scripts]
    except UsageError:
        return "game refused"
    sides = [([None], [script], [None, script])[seat] for seat, script in zip(seats, made)]
    engines = [Engine(config, *sides, GAMES, num_threads=1) for _ in range(2)]
    seeds = [dice.pick(1000) for _ in range(GAMES)]
    for engine in engines:
        engine.seed(seeds)
        engine.start()
    layout = layout_of(engine)
    check(engine, layout)
    play(dice, *engines, layout)
    state = changed(dice, engines[0].get_state())
    try:
        engines[0].set_state(state)
    except UsageError:
        return "state refused"
    for _ in range(STEPS):  # from a state that no game may have: but the process lives on
        engines[0].step(*drawn_actions(dice, engines[0]), PURSUER, True)
    return "played"


@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_accepted_games_stay_within_bounds(data):
    def pick(count):
        return data.draw(st.integers(0, count - 1))

    play_case(Dice(pick, spoils=pick(4) == 0))


def test_accepted_games_stay_within_bounds_also_at_random():
    found = collections.Counter()
    for number in range(CASES or 200):
        generator = random.Random(number)
        spoils = number % 4 == 0
        try:
            found[play_case(Dice(generator.randrange, spoils))] += 1
        except Exception as error:
            error.args = (f"case {number}: {error}",)
            raise
    print(dict(found))
    assert set(found) == {"played", "state refused", "game refused"}
    assert found["played"] > 0.1 * (CASES or 200)


@pytest.mark.parametrize("action_type", ["continuous", "discrete"])
@pytest.mark.parametrize("kind", [PursuitVectorEnv, EvadeVectorEnv])
def test_observations_are_in_the_space_whatever_the_actions(kind, action_type):
    limits = {
        name: (ranges(VehicleConfig)[name].low, ranges(VehicleConfig)[name].high)
        for name in LIMITS
    }
    limits["radius"] = (0.0, 0.2)
    game = {"pursuers": 2, "evaders": 2, "arena_size": 2.0, "randomize": {"evader": limits}}
    envs = kind(GAMES, opponent=["wander", "random"], action_type=action_type, dt=1.0, **game)
    observations, _ = envs.reset(seed=0)
    for step in range(40):
        assert observations in envs.observation_space
        actions = envs.action_space.sample()
        if action_type == "continuous":
            actions[...] = np.resize(np.roll(CORNERS, step), actions.shape)
        observations, rewards, *_ = envs.step(actions)
        assert np.isfinite(rewards).all()
