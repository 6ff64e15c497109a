"""Names, parameters and keywords of a user's game, also once it is registered and saved."""

from __future__ import annotations

import json
import math

import gymnasium as gym
import numpy as np
import pytest
from own_games import Mud, River, SafeZone, TwoCaptors, faulty

import steer_env
from steer_env import Scenario, feature
from steer_env.baselines import Evaluation, evaluate
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import game_config, keywords_of
from steer_env.game.config.keywords import json_keywords
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled


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
    config = game_config(game=River(width=2.0), horizon=50, capture_radius=0.7)
    keywords = keywords_of(config)
    assert keywords == {"game": River(width=2.0), "horizon": 50, "capture_radius": 0.7}
    assert game_config(**keywords) == config
    assert keywords_of(game_config(game="obstacles")) == {"obstacles": 8}
    assert suite_game({"scenario": "obstacles"}) == GAMES["obstacles"]


@pytest.fixture
def brook(forgotten):
    class Brook(River):
        width = 1.0  # another default

    return steer_env.register(Brook)


@pytest.mark.parametrize(
    "keywords",
    [{}, {"obstacles": 2}, {"observe_nearest": 1}, {"observation": {"noise": {"water": 0.1}}}],
)
def test_registered_scenarios_are_written_and_read(brook, keywords, tmp_path):
    game = {"game": brook(share=0.3), **keywords}
    config = game_config(**game)
    assert game_config(**json.loads(json.dumps(json_keywords(config)))) == config
    found = evaluate("pursuit", "evade", game, episodes=8, seed=0)
    found.save(tmp_path / "found.npz")
    assert Evaluation.load(tmp_path / "found.npz").config == found.config


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
    assert River().hooks == ("limits",)
    assert SafeZone().hooks == ("start", "capture", "reward")
    with pytest.raises(InvalidValue, match="small letters"):

        class Named(Scenario):
            name = "Two Words"


def test_solid_bodies_may_be_caught_by_another_rule_than_the_radius():
    game = faulty(capture=lambda self, evader, pursuers, distances: min(distances) < 0.7)
    assert game_config(game=game, solid="everyone").capture_radius == 0.5


def test_opponents_are_named_by_the_learners_side():
    named = faulty(opponents={"pursuer": "flee"})
    assert named.opponents == {PURSUER: "flee", EVADER: "pursuit"}
    assert gym.make("Pursuit-v0", game=named).unwrapped.opponent == ("flee",)
