"""A model of stable-baselines3 plays through the VecNormalize that it was trained with."""

from __future__ import annotations

import copy
import json
import pickle

import gymnasium as gym
import numpy as np
import pytest

from baselines import FunctionPolicy, evaluate, load
from baselines.__main__ import main as measure
from steer_env.__main__ import main as run
from steer_env.options import NO_FILE, PlayerOptions
from steer_env.players import controller_of, name_of
from steer_env.policies.normalization import NormalizedModel

stable_baselines3 = pytest.importorskip("stable_baselines3")
from stable_baselines3.common.vec_env import VecNormalize  # noqa: E402

from steer_env.envs.sb3 import make_vec_env  # noqa: E402

FEATURES = 21


def make_model(algorithm="PPO", normalize=None, num_envs=8):
    """A briefly trained model; without normalize, without a VecNormalize."""
    venv = make_vec_env("Pursuit-v0", num_envs, seed=0)
    if normalize is not None:
        venv = VecNormalize(venv, **normalize)
    settings = {
        "PPO": {"n_steps": 16, "batch_size": 64, "n_epochs": 1},
        "SAC": {"buffer_size": 200, "learning_starts": 1000},
    }
    make = getattr(stable_baselines3, algorithm)
    keywords = {**settings[algorithm], "policy_kwargs": {"net_arch": [8]}}
    return make("MlpPolicy", venv, seed=0, device="cpu", **keywords).learn(128)


@pytest.fixture(scope="module")
def model():
    """A model with statistics that matter."""
    model = make_model(normalize={})
    statistics = model.get_vec_normalize_env().obs_rms
    statistics.mean = np.linspace(-0.5, 0.5, FEATURES)
    statistics.var = np.linspace(0.1, 0.01, FEATURES)
    return model


@pytest.fixture
def saved(model, tmp_path):
    """The files of the model and of its VecNormalize."""
    paths = tmp_path / "trained" / "model.zip", tmp_path / "statistics.pkl"
    paths[0].parent.mkdir()
    model.save(paths[0])
    model.get_vec_normalize_env().save(str(paths[1]))
    return paths


def by_hand(model):
    """The model, normalized here."""
    normalization = model.get_vec_normalize_env()

    def act(observations):
        normalized = normalization.normalize_obs(observations)
        return model.predict(normalized, deterministic=True)[0]

    return FunctionPolicy(act)


def episodes(player):
    return evaluate(player, "evade", {"horizon": 60}, 20).episodes


def test_a_model_in_training_is_measured_through_its_statistics(model):
    normalization = model.get_vec_normalize_env()
    before = copy.deepcopy(normalization.obs_rms.__dict__)
    measured = evaluate(model, "evade", {"horizon": 60}, 20)
    np.testing.assert_array_equal(measured.episodes, episodes(by_hand(model)))
    raw = FunctionPolicy(lambda rows: model.predict(rows, deterministic=True)[0])
    assert (measured.episodes != episodes(raw)).any()
    assert measured.pursuer == "PPO"
    assert normalization.obs_rms.__dict__.keys() == before.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(normalization.obs_rms, name), value)


def test_statistics_are_those_at_the_time_of_the_call(model):
    player = controller_of(model, 0)
    rows = np.full((1, FEATURES), 0.3, np.float32)
    before, _ = player.predict(rows, deterministic=True)
    statistics = model.get_vec_normalize_env().obs_rms
    try:
        statistics.mean = statistics.mean + 0.2
        after, _ = player.predict(rows, deterministic=True)
        expected, _ = by_hand(model).predict(rows)
    finally:
        statistics.mean = statistics.mean - 0.2
    np.testing.assert_array_equal(after, expected)
    assert (before != after).any()


def test_an_opponent_plays_through_its_statistics_and_copies_go_on_as_it(model):
    env = gym.make("Evade-v0", opponent=model)
    env.reset(seed=3)
    copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    other = gym.make("Evade-v0", opponent=by_hand(model))
    other.reset(seed=3)
    for _ in range(20):
        steps = [each.step(np.float32([1, 0])) for each in (env, copied, pickled, other)]
        for step in steps[1:]:
            np.testing.assert_array_equal(steps[0][0], step[0])


def test_copies_of_an_opponent_from_files_go_on_as_it(saved):
    path, statistics = saved
    env = gym.make("Evade-v0", opponent=load(path, trust=True, normalization=statistics))
    env.reset(seed=3)
    copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    again = copy.deepcopy(pickled)
    for _ in range(20):
        steps = [each.step(np.float32([1, 0])) for each in (env, copied, pickled, again)]
        for step in steps[1:]:
            np.testing.assert_array_equal(steps[0][0], step[0])


def test_without_scaled_observations_the_model_plays_as_it_is():
    model = make_model(normalize={"norm_obs": False})
    rows = np.random.default_rng(0).uniform(-1, 1, (9, FEATURES)).astype(np.float32)
    expected, _ = model.predict(rows, deterministic=True)
    played, _ = controller_of(model, 0).predict(rows, deterministic=True)
    np.testing.assert_array_equal(played, expected)


def test_a_model_in_a_file_plays_with_the_file_of_its_statistics(model, saved):
    path, statistics = saved
    loaded = load(path, trust=True, normalization=statistics)
    np.testing.assert_array_equal(episodes(loaded), episodes(model))
    found = evaluate(loaded, "evade", {"horizon": 60}, 4)
    assert found.pursuer == "trained/model"
    bare = stable_baselines3.PPO.load(path, device="cpu")
    for normalization in (str(statistics), model.get_vec_normalize_env()):
        again = load(bare, trust=True, normalization=normalization)
        np.testing.assert_array_equal(episodes(again), episodes(model))


@pytest.mark.parametrize("algorithm", ["PPO", "SAC"])
def test_a_model_without_its_statistics_is_refused(algorithm, tmp_path):
    model = make_model(algorithm, {})
    path = tmp_path / "model.zip"
    model.save(path)
    message = "trained with a VecNormalize, which is missing.*normalization=FILE"
    with pytest.raises(ValueError, match=rf"model\.zip: .*{message}"):
        load(path, trust=True)
    bare = getattr(stable_baselines3, algorithm).load(path, device="cpu")
    with pytest.raises(ValueError, match=message):
        evaluate(bare, "evade", episodes=4)
    with pytest.raises(ValueError, match=message):
        gym.make("Evade-v0", opponent=bare)
    bare.set_env(VecNormalize(make_vec_env("Pursuit-v0", 8)))
    assert isinstance(controller_of(bare, 0), NormalizedModel)


def test_a_model_in_another_environment_is_refused(tmp_path):
    path = tmp_path / "model.zip"
    make_model(normalize={}).save(path)
    moved = stable_baselines3.PPO.load(path, make_vec_env("Pursuit-v0", 2), device="cpu")
    with pytest.raises(ValueError, match="trained with a VecNormalize"):
        evaluate(moved, "evade", episodes=4)


@pytest.mark.parametrize(
    "place", ["vecnormalize.pkl", "vec_normalize.pkl", "model/vecnormalize.pkl"]
)
def test_the_statistics_beside_a_file_are_named(place, tmp_path):
    """As `agents`, scripts after the documentation, and rl-zoo3 write them."""
    model = make_model(normalize={})
    path = tmp_path / "model.zip"
    model.save(path)
    (tmp_path / place).parent.mkdir(exist_ok=True)
    model.get_vec_normalize_env().save(str(tmp_path / place))
    with pytest.raises(ValueError, match=rf"{place} looks like it"):
        load(path, trust=True)


def test_statistics_beside_another_model_do_not_matter(tmp_path):
    """Its last observation shows that it was trained without."""
    (tmp_path / "vecnormalize.pkl").write_bytes(b"")
    make_model().save(tmp_path / "model.zip")
    assert type(load(tmp_path / "model.zip", trust=True)).__name__ == "PPO"


@pytest.mark.parametrize("algorithm", ["PPO", "SAC"])
def test_a_model_that_was_trained_without_stays_itself(algorithm):
    model = make_model(algorithm)
    assert controller_of(model, 0) is model


def test_wrong_normalizations_are_refused(model, saved, tmp_path):
    path, statistics = saved
    with pytest.raises(ValueError, match=r"is a pickle, which runs code .*trust=True"):
        load(model, normalization=statistics)
    with pytest.raises(FileNotFoundError):
        load(path, trust=True, normalization=tmp_path / "none.pkl")
    wrong = tmp_path / "wrong.pkl"
    wrong.write_bytes(b"no pickle")
    with pytest.raises(ValueError, match=r"not a file that VecNormalize\.save wrote"):
        load(path, trust=True, normalization=wrong)
    wrong.write_bytes(pickle.dumps([1]))
    with pytest.raises(TypeError, match=r"holds no VecNormalize, got \[1\] \(list\)"):
        load(path, trust=True, normalization=wrong)
    with pytest.raises(TypeError, match="is for models of stable-baselines3, got 'pursuit'"):
        load("pursuit", normalization=statistics, trust=True)
    team = VecNormalize(make_vec_env("Pursuit-v0", 2, pursuers=2))
    with pytest.raises(ValueError, match="does it belong to another model"):
        load(path, trust=True, normalization=team)


# ---- On the command line -------------------------------------------------------------------


def loading(trust, normalization, pursuer, evader):
    return PlayerOptions(
        pursuer=pursuer, evader=evader, trust=trust, normalization=normalization
    )


def test_every_model_of_a_command_line_takes_its_own_statistics(model, saved):
    path, statistics = str(saved[0]), str(saved[1])
    options = loading(True, (statistics,), (path, "pursuit"), ("evade",))
    pursuers, evaders = options.sides()
    assert [name_of(player) for player in pursuers] == ["trained/model", "pursuit"]
    assert evaders == ["evade"]
    np.testing.assert_array_equal(episodes(pursuers[0]), episodes(model))
    plain = loading(True, (NO_FILE, statistics), (path, "other.zip"), ("evade",))
    with pytest.raises(FileNotFoundError, match=r"other\.zip"):  # the first one stays a name
        plain.sides()


@pytest.mark.parametrize("files", [("a.pkl",), ("a.pkl", "b.pkl", "c.pkl")])
def test_another_number_of_statistics_than_models_is_refused(files):
    options = loading(True, files, ("a.zip", "seek"), ("b.zip", "a.zip"))
    with pytest.raises(ValueError, match=f"file for each .zip file.*got {len(files)} for 2"):
        options.sides()


def test_commands_measure_and_record_a_normalized_model(model, saved, tmp_path, capsys):
    path, statistics = map(str, saved)
    given = ["--trust", "--normalization", statistics]
    measure(
        ["evaluate", "--pursuer", path, *given, "--episodes", "20", "--horizon", "60", "--json"]
    )
    found = json.loads(capsys.readouterr().out)
    assert found["mean_closest_distance"]["estimate"] == episodes(model)["closest"].mean()
    picture = tmp_path / "game.svg"
    run(["record", "--pursuer", path, *given, "--horizon", "30", "--svg", str(picture)])
    assert "trained/model v evade" in picture.read_text()
    with pytest.raises(SystemExit):
        run(["record", "--pursuer", path, "--trust", "--svg", str(picture)])
    assert "--trust --normalization FILE" in capsys.readouterr().err
