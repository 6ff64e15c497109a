"""Observations hold what the table of features says, in its bounds, and can be read back."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from engines import random_actions, started

from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.game.config.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.game.config.observation import SCALES
from steer_env.game.look.encoding import decode
from steer_env.game.look.global_state import state_features
from steer_env.game.region import ARENAS
from steer_env.sides import EVADER, PURSUER

RANDOM_LIMITS = {
    "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.0, 0.4), "mass": (0.2, 3.0)},
    "evader": {"max_force": (1.0, 40.0), "mass": (0.5, 8.0), "max_speed": (1.0, 7.0)},
}


def play(engine, steps, side=PURSUER):
    """Random play; yields the observations of a side after each step."""
    generator = np.random.default_rng(0)
    for _ in range(steps):
        yield engine.step(*random_actions(engine, generator), side, True).observations


class Expected:
    """The observations of a game by the words of the table, written down once more."""

    def __init__(self, config):
        self.config, self.kind, self.offset = config, config.arena, config.region.offset
        for limit in ("max_speed", "max_force", "mass", "radius"):
            ranges = [config.limit_range(side, limit) for side in ("pursuer", "evader")]
            setattr(self, limit, max(high for _, high in ranges))
        largest = max(self._acceleration(side) for side in ("pursuer", "evader"))
        self.acceleration, self.unit = largest, config.region.half_size
        if config.observation.scales == "fixed":
            self.unit = 10.0
            self.max_speed, self.max_force, self.mass, self.radius = 4.0, 12.0, 1.0, 0.3
            models = {config.pursuer.model, config.evader.model}
            self.acceleration = 240.0 if "simple_motion" in models else 12.0
        self.cut = largest / self.acceleration

    def _acceleration(self, side):
        if getattr(self.config, side).model == "simple_motion":
            return 2 * self.config.limit_range(side, "max_speed")[1] / self.config.dt
        mass = self.config.limit_range(side, "mass")[0]
        return self.config.limit_range(side, "max_force")[1] / mass

    def share(self, vector, largest):
        if self.kind == "open":
            return vector / (abs(vector) + 2 * self.unit)
        return vector / largest

    def row(self, record, me):
        """The observation of player number `me` in one game's record."""
        players = record["players"]
        own = players[me]["body"]
        pursuers = range(self.config.pursuers)
        evaders = range(self.config.pursuers, len(players))
        mine, theirs = (pursuers, evaders) if me in pursuers else (evaders, pursuers)
        row = self.own(own, record["game"]["steps"])
        for other in [*theirs, *(mate for mate in mine if mate != me)]:
            row += self.other(own, players[other])
        present = [o for o in record["obstacles"] if o["radius"] > 0]
        present.sort(key=lambda o: abs(self.offset(own["position"], o["center"])))
        for obstacle in present:
            row += self.obstacle(own, obstacle)
        row += [0.0] * (OBSTACLE_SIZE * (len(record["obstacles"]) - len(present)))
        return row

    def own(self, own, steps):
        place = 0j if self.kind == "open" else self.share(own["position"], self.unit)
        heading = own["heading"]
        return [
            abs(own["velocity"]) / self.max_speed,
            *(place.real, place.imag, heading.real, heading.imag),
            max(0.0, 1 - steps / self.config.horizon),
            *(own[limit] / getattr(self, limit) for limit in ("max_speed", "max_force")),
            own["mass"] / self.mass,
            own["radius"] / self.radius if self.radius else 0.0,
        ]

    def other(self, own, player):
        if not player["active"]:
            return [0.0] * OTHER_SIZE
        body, frame = player["body"], own["heading"].conjugate()
        largest = math.sqrt(2) * self.unit * (2 if self.kind == "walls" else 1)
        offset = self.share(self.offset(own["position"], body["position"]), largest)
        offset *= frame
        velocity = (body["velocity"] - own["velocity"]) * frame / (2 * self.max_speed)
        heading = body["heading"] * frame
        acceleration = body["acceleration"] * frame / self.acceleration
        return [
            *(1.0, offset.real, offset.imag, velocity.real, velocity.imag),
            *(heading.real, heading.imag),
            *np.clip([acceleration.real, acceleration.imag], -self.cut, self.cut),
            body["max_speed"] / self.max_speed,
            body["radius"] / self.radius if self.radius else 0.0,
        ]

    def obstacle(self, own, obstacle):
        largest = math.sqrt(2) * self.unit * (2 if self.kind == "walls" else 1)
        offset = self.share(self.offset(own["position"], obstacle["center"]), largest)
        offset *= own["heading"].conjugate()
        return [1.0, offset.real, offset.imag, obstacle["radius"] / self.unit]


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize(("pursuers", "evaders"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("side", [PURSUER, EVADER], ids=["pursuers", "evaders"])
@pytest.mark.parametrize("scales", SCALES)
def test_every_number_is_what_the_table_says(kind, pursuers, evaders, side, scales):
    game = {"arena": kind, "arena_size": 30, "pursuers": pursuers, "evaders": evaders}
    game |= {"obstacles": 3, "horizon": 60, "capture_radius": 1.5, "randomize": RANDOM_LIMITS}
    engine = started(None, None, 3, observation={"scales": scales}, **game)
    expected = Expected(engine.config)
    first = 0 if side == PURSUER else pursuers
    for step, observations in enumerate(play(engine, 80, side)):
        assert observations.dtype == np.float32
        if step % 8 == 0:
            rows = [
                [expected.row(record, first + me) for me in range(engine.side_size(side))]
                for record in engine.get_state()
            ]
            np.testing.assert_allclose(observations, rows, rtol=0, atol=1e-6)
            np.testing.assert_array_equal(engine.observe(side), observations)


def discs_in(observations, count):
    """The blocks of obstacles that each game's first pursuer observes."""
    return observations[:, 0, OWN_SIZE + OTHER_SIZE :].reshape(-1, count, OBSTACLE_SIZE)


@pytest.mark.parametrize("count", [5, 40])
def test_obstacles_come_nearest_first_and_the_missing_last(count):
    engine = started(None, None, 8, obstacles=count, arena_size=40)
    for place in (1, 3, count - 1):  # as an observation that does not show them
        engine.state.obstacle_radius[place, :5] = 0.0
    for observations in play(engine, 20):
        blocks = discs_in(observations, count)
        distance = np.hypot(blocks[..., 1], blocks[..., 2])
        present = blocks[..., 0] == 1
        assert (np.diff(present.astype(int), axis=1) <= 0).all()
        assert (present.sum(1) == (engine.state.obstacle_radius > 0).sum(0)).all()
        assert not blocks[~present].any()
        assert (np.diff(np.where(present, distance, 9.0), axis=1) >= 0).all()


@pytest.mark.parametrize("count", [129, pytest.param(513, marks=pytest.mark.weekly)])
def test_more_obstacles_than_games_in_a_block_appear(count):
    places = np.linspace(-9.7, 9.7, 23).tolist()
    discs = tuple((x, y, 0.02) for x in places for y in places)[:count]
    engine = started(None, None, 2, obstacles=discs)
    for blocks, me in zip(discs_in(engine.observe(PURSUER), count), engine.state.position[0]):
        expected = np.sort([abs(complex(x, y) - me) for x, y, _ in discs])
        found = np.hypot(blocks[:, 1], blocks[:, 2]) * 20 * np.sqrt(2)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        assert (blocks[:, 0] == 1).all()
        np.testing.assert_allclose(blocks[:, 3], 0.002, rtol=1e-6)


@pytest.mark.parametrize("times", [1, 5])
def test_obstacles_at_equal_distance_appear_in_the_order_of_their_places(times):
    discs = ((3, 0, 1), (-3, 0, 0.5), (0, 3, 0.75), (0, -3, 0.25)) * times
    engine = started(obstacles=discs)
    engine.state.position[0] = 0j
    radii = discs_in(engine.observe(PURSUER), 4 * times)[0, :, 3].tolist()
    assert radii == pytest.approx([0.1, 0.05, 0.075, 0.025] * times)


TEAMS = {
    "duel": {},
    "teams": {"pursuers": 2, "evaders": 3, "capture_radius": 1.5},
    "obstacles": {"pursuers": 2, "obstacles": 5},
}


@pytest.mark.parametrize("kind", ARENAS)
@pytest.mark.parametrize("side", [PURSUER, EVADER], ids=["pursuer", "evader"])
@pytest.mark.parametrize("keywords", TEAMS.values(), ids=TEAMS)
def test_decoding_undoes_encoding(kind, side, keywords):
    """A state that is read back from observations has the same observations."""
    game = {"arena": kind, "randomize": RANDOM_LIMITS, **keywords}
    engine, again = (started(None, None, 6, **game) for _ in range(2))
    me = engine.config.pursuers * side
    for step, observations in enumerate(play(engine, 60, side)):
        if step % 6 == 0:
            seen = observations[:, 0]
            decode(seen, again.rules[0], side, again.state)
            np.testing.assert_allclose(again.observe(side)[:, 0], seen, rtol=0, atol=1e-6)
            np.testing.assert_array_equal(again.state.steps, engine.state.steps)
            for column in (again.state.max_force, again.state.mass):  # others' are unknown
                assert (column == column[me]).all()


def test_only_masked_games_are_written():
    engine = started(None, None, 4)
    mask = np.array([True, False, True, False])
    into = np.full((4, 1, engine.num_features), 7, np.float32)
    assert engine.observe(EVADER, mask, into) is into
    np.testing.assert_array_equal(into[mask], engine.observe(EVADER)[mask])
    assert (into[~mask] == 7).all()


def test_decoding_rounds_the_same_on_every_processor():
    """The product of complex arrays in numpy itself is fused where the processor can."""
    engine = started(None, None, 500, pursuer={"max_speed": 4.3})
    observations = engine.observe(PURSUER)
    drifts = np.random.default_rng(0).uniform(-1, 1, (500, 2)).astype(np.float32)
    observations[:, 0, 0], observations[:, 0, 13:15] = 0.0, drifts
    scale = 2.0 / engine.rules[0].speed_scale
    decode(observations[:, 0], engine.rules[0], PURSUER, engine.state)
    for velocity, row in zip(engine.state.velocity[1].tolist(), observations[:, 0].tolist()):
        x, y = row[13] * scale, row[14] * scale
        assert velocity.real == x * row[3] - y * row[4]
        assert velocity.imag == x * row[4] + y * row[3]


# ---- Scales -------------------------------------------------------------------------------


def observed(steps=0, **keywords):
    engine = started(None, None, 3, **keywords)
    push = np.full((3, 1, 2), 0.6, np.float32)
    for _ in range(steps):
        engine.step(push, push, PURSUER, False)
    return engine.observe(PURSUER)


def test_one_state_has_one_observation_in_every_game():
    """The own max_force is 12 N in both games: 1.0 with fixed scales, a third in the strong."""
    strong = {"evader": {"mass": 3.0, "max_force": 36.0}}
    np.testing.assert_array_equal(observed(), observed(**strong))
    game = {"observation": {"scales": "game"}}
    differing = np.flatnonzero((observed(**game) != observed(**game, **strong))[0, 0])
    assert differing.tolist() == [7, 8]  # own max_force and mass


def test_scales_of_your_own():
    seen = observed(4, observation={"scales": {"speed": 8.0, "length": 40.0}})
    fixed = observed(4)
    fixed[..., [0, 1, 2, 6, 11, 12, 13, 14, 19]] /= 2  # speeds and lengths; not the radius
    np.testing.assert_allclose(seen, fixed, rtol=1e-6)


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("scales", ["fixed", "game", {"speed": 2.0, "acceleration": 3.0}])
def test_the_space_has_the_bounds_of_the_game(arena, scales):
    game = {
        "arena_size": 50,
        "pursuer": {"max_speed": 9.0, "max_force": 50.0, "radius": 0.7, "mass": 2.0},
        "randomize": {"evader": {"mass": (0.1, 3.0), "max_speed": (1.0, 7.0)}},
        "obstacles": 3,
        "observation": {"scales": scales},
    }
    high = gym.make("Pursuit-v0", arena=arena, **game).observation_space.high
    if scales == "game":
        np.testing.assert_array_equal(high, 1.0)
    elif scales == "fixed":
        own = [9 / 4, 9 / 4, 50 / 12, 3, 7 / 3]
        assert high[[0, 6, 7, 8, 9]].tolist() == pytest.approx(own)
        assert high[1] == (1 if arena == "open" else 2.5)
        assert high[17] == pytest.approx(12 / 0.1 / 12)
    else:
        assert high[[0, 13, 17]].tolist() == pytest.approx([4.5, 4.5, 40])


# ---- The global state shows everything, within its bounds --------------------------------


def played(steps, **keywords):
    """Vector environments at each moment of random play."""
    envs = ParallelVectorEnv(8, autoreset_mode="SameStep", **keywords)
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        yield envs
        shapes = {side: (8, envs.config.count(side), 2) for side in ("pursuer", "evader")}
        envs.step({side: rng.uniform(-1, 1, shape) for side, shape in shapes.items()})


def test_its_numbers_are_those_of_the_state():
    *_, envs = played(steps=120, pursuers=2, evaders=2, capture_radius=3.0, obstacles=1)
    record, row = envs.get_state()[5], envs.state()[5].astype(float)
    names = [feature.name for feature in state_features(envs.config)]
    assert len(names) == len(row)
    steps, horizon = record["game"]["steps"], envs.config.horizon
    assert row[0] == pytest.approx(1.0 - steps / horizon, abs=1e-6)
    for number, player in enumerate(record["players"]):
        block = dict(zip(names[1:12], row[1 + 11 * number : 12 + 11 * number]))
        if not player["active"]:
            assert not any(block.values())
            continue
        body = player["body"]
        place = complex(block["position_x"], block["position_y"]) * 10.0
        velocity = complex(block["velocity_x"], block["velocity_y"]) * 4.0
        heading = complex(block["heading_x"], block["heading_y"])
        assert block["presence"] == 1.0
        assert place == pytest.approx(complex(body["position"]), abs=1e-5)
        assert velocity == pytest.approx(complex(body["velocity"]), abs=1e-5)
        assert heading == pytest.approx(complex(body["heading"]), abs=1e-6)
        assert block["max_speed"] == pytest.approx(body["max_speed"] / 4.0)
        assert block["radius"] == pytest.approx(body["radius"] / 0.3)
    presence, x, y, radius = row[-4:]
    disc = record["obstacles"][0]
    assert presence == 1.0
    assert complex(x, y) * 10.0 == pytest.approx(complex(disc["center"]), abs=1e-5)
    assert radius * 10.0 == pytest.approx(float(disc["radius"]), abs=1e-5)


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_it_stays_within_its_bounds(arena):
    randomize = {"pursuer": {"max_speed": (2.0, 6.0), "mass": (0.5, 3.0)}}
    game = {"pursuers": 3, "evaders": 2, "arena": arena, "randomize": randomize}
    for envs in played(100, capture_radius=2.0, obstacles=2, **game):
        assert envs.state().dtype == np.float32
        assert all(envs.state_space.contains(row) for row in envs.state())
