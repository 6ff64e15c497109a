"""Search teaches what is better than its base policy, and a network learns to beat it."""

import json

import numpy as np
import pytest
from short_trainings import QUIET, begun_games, brief_imitation, short_training
from stable_baselines3 import PPO

from steer_env.agents.export.actor import actor_of
from steer_env.agents.training.imitation import Lessons, imitate
from steer_env.agents.training.model import make_training_env, new_model
from steer_env.agents.training.run_report import with_best_script
from steer_env.agents.training.teachers import (
    EVERY,
    SEGMENTS,
    SearchTeacher,
    best_together,
)
from steer_env.agents.training.train import begin_run, finish_run, train
from steer_env.baselines import benchmark, evaluate
from steer_env.baselines.known_players import scripts_of
from steer_env.baselines.planning import Plans, Rollouts
from steer_env.envs.sb3 import make_vec_env
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

CASES = {
    "pursuer": ("Pursuit-v0", ["evade"], "pursuit/full_force"),
    "evader": ("Evade-v0", ["pursuit/full_force", "seek/full_force"], "evade/full_force"),
    "pack": ("PackPursuit-v0", ["escape/full_force"], "pursuit/full_force"),
    "distance": ("Drag-v0", ["flee"], "pursuit/full_force"),
}
GAMES = 48


def _made(case):
    environment, opponents, base = CASES[case]
    games = begun_games(environment, GAMES, opponent=opponents)
    for _ in range(10):
        games.step(np.zeros(games.action_space.shape, np.float32))
    side = Side(games.side)
    players = [resolve(one, side.other) for one in opponents]
    return games, side, players, ROSTER[base]


@pytest.mark.parametrize("case", CASES)
def test_what_is_taught_in_place_of_the_base_policys_push_gains(case):
    games, side, opponents, base = _made(case)
    teacher = SearchTeacher(games, opponents, [base])
    state = games.get_state()
    actions, weights = teacher.lesson(state)
    count = actions.shape[1]
    assert actions.shape == (GAMES, count, 2)
    assert weights.shape == (GAMES, count)
    assert (weights >= 0.0).all()
    assert (weights > 0.0).any()
    lengths = np.hypot(actions[..., 0], actions[..., 1])[weights > 0.0]
    np.testing.assert_allclose(lengths, 1.0, atol=1e-5)
    # Each player's lesson, held for some segments, while the base policy does all else.
    held = np.array([*SEGMENTS, 0])
    rollouts = Rollouts(games.config, side, opponents, [resolve(base, side)], GAMES, len(held))
    rollouts.begin_at(state)
    alone = rollouts.decisions(1)
    gains = np.empty((GAMES, count))
    for player in range(count):
        pushes = alone.copy()
        pushes[:, :-1, player] = actions[:, None, player]

        def segment(number, pushes=pushes):
            base = np.broadcast_to(number >= held, pushes.shape[:2]).astype(int)
            return Plans(pushes, base)

        rollouts.begin_at(state)
        payoffs = rollouts.play(segment) * (1.0 if side is EVADER else -1.0)
        gains[:, player] = payoffs[:, :-1].max(axis=1) - payoffs[:, -1]
    # Where the base policy's own push is the best, it is taught for a step, not held.
    pushes = teacher.actions(state)[0]
    lengths = np.maximum(np.linalg.norm(pushes, axis=-1), 1e-9)
    is_other = (actions * pushes).sum(axis=-1) < 0.9999 * lengths
    assert gains[is_other & (weights > 0.1)].mean() > 0.0


def test_lessons_are_given_in_turn_also_if_a_network_is_the_base_policy():
    games, side, opponents, base = _made("evader")
    teacher = SearchTeacher(games, opponents, [base])
    state = games.get_state()
    taught = [(teacher.lesson(state)[1] > 0.0).any() for _ in range(2 * EVERY)]
    assert taught == [step % EVERY == 0 for step in range(2 * EVERY)]
    teacher.follow(resolve("pretrained/evade/ppo", EVADER).policy)
    first, *between, again = (teacher.lesson(state) for _ in range(EVERY + 1))
    assert (first[1] > 0.0).any()
    for one, other in zip(first, again):
        np.testing.assert_array_equal(one, other)
    # The base policy of the beginning plays between the lessons.
    rollouts = Rollouts(games.config, side, opponents, [resolve(base, side)], GAMES)
    for actions, _ in between:
        rollouts.begin_at(state)
        np.testing.assert_array_equal(actions, rollouts.decisions(1)[:, 0])


@pytest.mark.weekly
def test_a_network_beats_the_base_policy_that_it_learned_from(tmp_path):
    params = "n_steps=64", "batch_size=512", "imitate=pursuit/full_force", "search=3"
    given = {"params": (*params, "deepened=1"), "num_envs": 16}
    training = short_training(method="search", **given)
    venv = make_training_env(training)
    model = new_model(training, venv)
    with brief_imitation(SEARCHED_GAMES=64, SEARCHED_STEPS=96, BATCHES=300, BATCH_SIZE=512):
        imitate(model, training, QUIET)
    base = ROSTER["pursuit/full_force"]
    learned, known = (evaluate(p, "evade", None, 500, 900_000) for p in (actor_of(model), base))
    assert learned["time"].mean() < known["time"].mean() - 0.05
    venv.close()


def test_scaled_inputs_are_folded_into_the_first_layers():
    venv = make_vec_env("Pursuit-v0", 2)
    model = PPO("MlpPolicy", venv, device="cpu", seed=0)
    lessons = Lessons()
    random = np.random.default_rng(0)
    features = venv.observation_space.shape[0]
    seen = random.normal(2.0, 0.3, (50, 1, features)).astype(np.float32)
    seen[..., 3] = 0.25  # a feature that does not change
    weights = np.ones((50, 1), np.float32)
    weights[:5] = 0.0
    lessons.add(seen, np.zeros((50, 1, 2), np.float32), weights)
    lessons.scale()
    rows, _, _ = lessons.all()
    assert len(rows) == 45
    scaled = lessons.scaled(rows)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-4)
    before = actor_of(model).predict(scaled, deterministic=True)[0]
    lessons.fold_into(model.policy)
    after = actor_of(model).predict(rows, deterministic=True)[0]
    np.testing.assert_allclose(after, before, atol=1e-4)


def test_base_policies_are_those_that_do_best():
    first, *_ = best_together(make_game(), PURSUER, [ROSTER["evade"]])
    assert evaluate(first, "evade", None, 200)["time"].mean() < 4.1


def _run(path, finish=finish_run, **changes):
    training = short_training(
        method="search",
        params=("search=1", "deepened=1", "batch_size=64"),
        steps=256,
        **changes,
    )
    with brief_imitation(), pytest.MonkeyPatch.context() as patch:
        for name in ("_SCREENING_EPISODES", "CHOICE_EPISODES"):
            patch.setattr(f"steer_env.baselines.known_players.{name}", 4)
        patch.setattr("steer_env.agents.training.teachers.BASE_EPISODES", 4)
        folder = begin_run(training, path, 8)
        finish(folder, QUIET)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return _run(tmp_path_factory.mktemp("search") / "run")


def test_a_run_by_search_says_how_it_does_beside_every_script(run):
    sentence, page = json.loads(run.results.read_text())["verdict"], run.readme.read_text()
    assert sentence.startswith("The learned pursuer catches evade ")
    count = len(scripts_of(PURSUER))
    assert f"later than the best of {count} hand-written scripts, " in sentence
    assert "search and PPO" in page
    assert not (run.path / "learning_curve.png").exists()
    assert "learning_curve" not in page
    best = sentence.split(", ")[-1].rstrip(".")
    named = "(survival.png)", "(episode.gif)", f"| {best} |", f"| learned minus {best} |"
    for words in (sentence, *named):
        assert words in page


@pytest.mark.weekly
def test_a_run_by_search_is_repeatable(run, tmp_path):
    assert _run(tmp_path, finish=train).policy.read_bytes() == run.policy.read_bytes()


@pytest.mark.parametrize(
    ("task", "opponent"), [("Evade-v0", ("seek", "pursuit")), ("DragEvade-v0", ())]
)
def test_against_several_opponents_and_about_distances_there_is_no_sentence(task, opponent):
    study = short_training(task=task, opponent=opponent).study
    result = benchmark({"learned": ROSTER["flee"]}, study, 4)
    compared, sentence = with_best_script(result)
    assert compared is result
    assert sentence is None


def test_the_best_script_needs_no_name_of_its_own(monkeypatch):
    best = next(name for name in scripts_of(PURSUER) if name not in ROSTER)
    monkeypatch.setattr(
        "steer_env.agents.training.run_report.best_answer", lambda *_: (best, best)
    )
    result = benchmark({"learned": "pursuit"}, short_training().study, 4)
    compared, sentence = with_best_script(result)
    assert compared.task.references == (*result.task.references, best)
    assert sentence.endswith(f"hand-written scripts, {best}.")
