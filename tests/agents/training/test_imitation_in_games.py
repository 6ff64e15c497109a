"""Imitation in games of teams: the lessons, and the players that take them."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
import torch
from short_trainings import QUIET, brief_imitation, short_training, trained
from test_imitation import CASES, GAMES, make_games

from steer_env.agents.training.imitation import ScriptTeacher, _strength
from steer_env.agents.training.learning_model import LearningModel, make_training_env, new_model

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize(("name", "is_firm"), [("pack", True), ("drag", False), ("car", False)])
def test_only_point_masses_without_drag_have_firm_lessons(name, is_firm):
    environment, script, keywords = CASES[name]
    games = make_games(environment, **keywords)
    games.reset(seed=range(GAMES))
    teacher = ScriptTeacher(games, script)
    is_different = False
    for _ in range(40):
        state = games.get_state()
        actions, there = teacher.actions(state)
        lesson, also_there = teacher.lesson(state)
        assert (there == also_there).all()
        is_different |= bool(np.abs(lesson - actions).max() > 0.1)
        games.step(actions.reshape(games.action_space.shape))
    assert is_different == is_firm


def test_nobody_is_taught_who_is_out_of_play():
    games = make_games("HerdEvade-v0", opponent="encircle/full_force")
    games.reset(seed=range(GAMES))
    teacher = ScriptTeacher(games, "escape/full_force")
    is_there = np.ones((GAMES, 8), bool)
    for _ in range(250):
        if not is_there.all():
            return
        actions, is_there = teacher.actions(games.get_state())
        assert is_there.shape == (GAMES, 8)
        games.step(actions)
    raise AssertionError


def test_teaching_changes_no_game():
    games, others = (make_games("PackPursuit-v0") for _ in range(2))
    for one in (games, others):
        one.reset(seed=range(GAMES))
    teacher = ScriptTeacher(games, "encircle")
    for step in range(30):
        actions, _ = teacher.actions(games.get_state())
        again, _ = teacher.actions(games.get_state())
        assert (actions == again).all()
        for one in (games, others):
            one.step(np.full((GAMES, 3, 2), 0.03 * step - 0.5, np.float32))
    assert (games.get_state() == others.get_state()).all()


def test_no_action_counts_as_more_than_full_force():
    answers = np.tile(np.float32([1.0, 0.0]), (100, 1))
    actions = answers * np.linspace(0.5, 0.9, 100, dtype=np.float32)[:, None]
    found = _strength(actions, answers)
    assert np.minimum(found * actions[:, 0], 1.0).mean() == pytest.approx(1.0, abs=1e-3)
    assert found == pytest.approx(2.0, abs=0.01)


TEAM = {
    "task": "PackPursuit-v0",
    "params": (
        *("imitate=encircle/full_force", "block_width=8", "batch_size=768"),
        "policy_kwargs={'net_arch': [8], 'share_features_extractor': False}",
    ),
}


def test_an_encoder_of_the_critic_alone_learns_too(tmp_path):
    training = short_training(**TEAM)
    venv = make_training_env(training)
    before = new_model(training, venv).policy.vf_features_extractor.state_dict()
    venv.close()
    with brief_imitation(CRITIC_ROLLOUTS=2), closing(LearningModel(training)) as learning:
        learning.begin(QUIET, tmp_path)
        after = learning.model.policy.vf_features_extractor.state_dict()
    assert not any(torch.equal(before[name], after[name]) for name in after)


def test_a_run_that_imitates_is_repeatable(tmp_path):
    training = short_training(**TEAM, steps=256, validations=1)
    with brief_imitation():
        networks = [
            trained(training, tmp_path / name).last_policy.read_bytes()
            for name in ("one", "again")
        ]
    assert networks[0] == networks[1]
