"""A user's game: its name, parameters and files, and what is said of its faults."""

from __future__ import annotations

import json
import math

import gymnasium as gym
import numpy as np
import pytest
from own_games import AHEAD, Mud, River, SafeZone, TwoCaptors, faulty

import steer_env
from steer_env import Scenario, feature
from steer_env.baselines import Episodes, evaluate
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue
from steer_env.game.config import keywords_of, make_game
from steer_env.game.config.keywords import keywords_of, plain
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled


def test_members_that_would_do_nothing_are_refused():
    with pytest.raises(InvalidValue, match=r"unknown method of a scenario 'limit'.*limits"):
        faulty(limit=lambda self, me: (1.0, 1.0))
    with pytest.raises(InvalidType, match=r"@feature\(low, high\), with the bounds"):
        feature(lambda self, me: 1.0)
    with pytest.raises(InvalidValue, match=r"keywords .* must have no annotation"):

        class Annotated(Scenario):
            keywords: dict = {"horizon": 5}

    with pytest.raises(InvalidValue, match="must not be called 'scenario'"):

        class Named(Scenario):
            scenario: float = 1.0

    with pytest.raises(InvalidType, match="must be names such as 'evade'"):
        faulty(opponents={"pursuer": ROSTER["flee"]})
    with pytest.raises(InvalidType, match=r"@feature\(low, high\), with the bounds"):
        feature("a", 0)


def begins(place, heading=1 + 0j):
    """A formula of starts: all at one place."""
    return lambda self, me, is_pursuer, number, chance: (place, heading, 0.0)


HEADING = {"start": {"evader": {"heading": 0.0}}}
DISC = {"obstacles": [[0.0, 0.0, 2.0]]}
BODIES = {"solid": "everyone", "capture_radius": 1.0}


@pytest.mark.parametrize(
    ("members", "keywords", "message"),
    [
        ({"keywords": {"arenasize": 3}}, {}, "of the scenario faulty 'arenasize'.*arena_size"),
        ({"drag": lambda self, me: 1.0}, {"evader": {"model": "car"}}, "slows masses down"),
        ({"start": begins(0j)}, HEADING, "not both"),
        ({"start": begins(0j)}, {"obstacles": 2}, "without random obstacles"),
        ({"capture": lambda self: True}, {"payoff": "time"}, "about distances"),
    ],
)
def test_what_does_not_fit_together_is_refused(members, keywords, message):
    with pytest.raises(InvalidValue, match=message):
        make_game(game=faulty(**members), **keywords)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"limits": lambda self, me: (math.nan, 1.0)}, "own limits"),
        ({"limits": lambda self, me: (1.0, 0.0)}, "not above 0"),
        ({"limits": lambda self, me: (5.0, 1.0)}, "above the vehicle's own"),
        ({"limits": lambda self, me: (1.0, 13.0)}, "above the vehicle's own"),
        ({"drag": lambda self, me: -1.0}, "less than 0"),
        ({"capture": lambda self, evader, pursuers, distances: math.nan}, "evader = Vehicle"),
        ({"reward": lambda self, step: math.inf}, "Transition"),
        ({"start": begins(99 + 0j)}, "outside the arena"),
        ({"start": begins(0j, 0j)}, "random start"),
        ({"start": begins(0.5 + 0j), "keywords": DISC}, "in an obstacle"),
        ({"start": begins(0.5 + 0j), "keywords": BODIES}, "in a solid body"),
    ],
)
def test_an_answer_that_is_not_sound_is_named(method, message):
    def play():
        env.reset(seed=0)
        env.step(AHEAD)

    env = gym.make("Pursuit-v0", game=faulty(**method)).unwrapped
    with pytest.raises(FaultyBehavior, match=f"method of the scenario faulty .*{message}"):
        play()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", [2, -3, 1_000_000])
def test_a_capture_that_reads_outside_its_arrays_is_named(number):
    def read_distance(self, evader, pursuers, distances):
        return distances[number] < 0.5

    def read_pursuer(self, evader, pursuers, distances):
        return pursuers[number].radius > 9.0

    for method in (read_distance, read_pursuer):
        env = gym.make("Pursuit-v0", game=faulty(capture=method), pursuers=2).unwrapped
        env.reset(seed=0)
        with pytest.raises(FaultyBehavior, match=f"{method.__name__} raised an error"):
            env.step(np.tile(AHEAD, (2, 1)))


def test_what_a_capture_gets_is_read_only():
    def write_distance(self, evader, pursuers, distances):
        distances[0] = 0.0
        return False

    def write_pursuer(self, evader, pursuers, distances):
        pursuers[0] = pursuers[1]
        return False

    def set_place(self, evader, pursuers, distances):
        pursuers[0].position = evader.position
        return False

    for method in (write_distance, write_pursuer, set_place):
        with pytest.raises(InvalidType, match=r"cannot be compiled: it .* read-only"):
            gym.make("Pursuit-v0", game=faulty(capture=method), pursuers=2)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"limits": lambda self, me: me.max_speed}, "returns .max_speed, max_force"),
        ({"drag": lambda self, me: "slow"}, "must return a real number"),
        ({"drag": lambda self, me: self.width}, "width"),
        ({"capture": lambda self, evader: evader}, "its arguments are of me, .*distances"),
        ({"limits": lambda self, world: (world.wall, 1.0)}, "'wall'.*World"),
    ],
)
def test_a_method_that_cannot_be_compiled_is_refused(method, message):
    with pytest.raises(InvalidType, match=f"cannot be compiled: .*{message}"):
        gym.make("Pursuit-v0", game=faulty(**method))


def test_games_that_know_no_such_rules_refuse_them():
    with pytest.raises(InvalidValue, match="payoff='capture'"):
        make_game(game=SafeZone, payoff="closest_approach")
    with pytest.raises(InvalidValue, match="rules of a scenario"):
        gym.make("Pursuit-v0", game=River, opponent="optimal/simple")


# ---- Names, parameters and keywords --------------------------------------------------------


def test_a_registered_scenario_has_environments_of_its_own(forgotten):
    @steer_env.register
    class Brook(River):
        width: float = 1.0

    env = gym.make("BrookPursuit-v0").unwrapped
    assert env.config.scenario == Brook(width=1.0) == GAMES["brook"]
    assert gym.make("Evade-v0", game="brook").unwrapped.config.scenario == Brook()
    assert steer_env.register(Brook) is Brook  # again, as when a cell of a notebook is run
    for name in ("Obstacles", "Walls"):
        impostor = type(name, (Scenario,), {"keywords": {"arena_size": 40.0}})
        with pytest.raises(InvalidValue, match="another name"):
            steer_env.register(impostor)
    with pytest.raises(InvalidType, match="class of Scenario"):
        steer_env.register(River())


def test_keywords_make_the_game_again():
    config = make_game(game=River(width=2.0), horizon=50, capture_radius=0.7)
    keywords = keywords_of(config)
    assert keywords == {"game": River(width=2.0), "horizon": 50, "capture_radius": 0.7}
    assert make_game(**keywords) == config
    assert keywords_of(make_game(game="obstacles")) == {"obstacles": 8}
    assert suite_game({"scenario": "obstacles"}) == GAMES["obstacles"]


@pytest.fixture
def brook(forgotten):
    class Brook(River):
        width = 1.0  # another default

    return steer_env.register(Brook)


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"obstacles": 2},
        {"observation": {"nearest": 1}},
        {"observation": {"noise": {"water": 0.1}}},
    ],
)
def test_registered_scenarios_are_written_and_read(brook, keywords, tmp_path):
    game = {"game": brook(share=0.3), **keywords}
    config = make_game(**game)
    assert make_game(**json.loads(json.dumps(plain(keywords_of(config))))) == config
    found = evaluate("pursuit", "evade", game, episodes=8, seed=0)
    found.save(tmp_path / "found.npz")
    assert Episodes.load(tmp_path / "found.npz").config == found.config


def test_scenarios_that_cannot_be_read_again_are_not_written(brook, tmp_path):
    class Tag(Mud):
        """Its name is that of another game."""

    for game in (River, Tag, type("Brook", (River,), {})):
        found = evaluate("pursuit", "evade", {"game": game}, episodes=4, seed=0)
        with pytest.raises(InvalidType, match="is not registered"):
            found.save(tmp_path / "found.npz")
    with pytest.raises(InvalidValue, match=r"unknown parameter of the scenario brook 'widht'"):
        suite_game({"scenario": "brook", "widht": 2.0})


def test_parameters_are_plain_numbers_and_may_have_another_default(brook):
    assert brook().width == 1.0
    for one, kind in ((np.float32(3), float), (np.int64(3), int), (True, bool)):
        assert type(brook(width=one).width) is kind
    with pytest.raises(InvalidType, match="finite number"):
        brook(width=math.inf)


def test_equal_parameters_of_other_kinds_are_compiled_apart():
    class Signed(Scenario):
        water: float = 0.0

        @feature(-1.0, 1.0)
        def sign(self, me):
            return math.copysign(1.0, self.water)

    seen = [
        gym.make("Pursuit-v0", game=Signed(water=zero)).reset(seed=0)[0][10]
        for zero in (0.0, -0.0, 0)
    ]
    assert seen == [1.0, -1.0, 1.0]


def test_names_come_from_the_class():
    assert TwoCaptors.name == "two_captors"
    assert type("RiverWithACurrent", (Scenario,), {}).name == "river_with_a_current"
    assert River().hooks == ("limits",)
    assert SafeZone().hooks == ("start", "capture", "reward")
    with pytest.raises(InvalidValue, match="small letters"):

        class Named(Scenario):
            name = "Two Words"


def test_solid_bodies_may_be_caught_by_another_rule_than_the_radius():
    game = faulty(capture=lambda self, evader, pursuers, distances: min(distances) < 0.7)
    assert make_game(game=game, solid="everyone").capture_radius == 0.6


def test_opponents_are_named_by_the_learners_side():
    named = faulty(opponents={"pursuer": "flee"})
    assert named.opponents == {PURSUER: "flee", EVADER: "pursuit"}
    assert gym.make("Pursuit-v0", game=named).unwrapped.opponent == ("flee",)
