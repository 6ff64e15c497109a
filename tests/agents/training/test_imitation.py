"""Networks learn to act as a script does: its lessons are right, and they come near it."""

import copy
import io
import re

import numpy as np
import pytest
import torch
from rich.console import Console
from short_trainings import begun_games, brief_imitation, short_training

from steer_env.agents.training import imitation
from steer_env.agents.training.imitation import MOST_STRENGTH, _strength
from steer_env.agents.training.model import make_training_env, new_model
from steer_env.agents.training.teachers import TOP_SPEED, ScriptTeacher, firmest
from steer_env.baselines import evaluate
from steer_env.game.engine import Engine
from steer_env.players.resolver import resolve
from steer_env.scripts.roster import named_script
from steer_env.sides import Side
from steer_env.steering.vehicle import VEHICLE, Vehicle, apply_force

GAMES = 6
CASES = {
    "one": ("Pursuit-v0", "pursuit/full_force", {}),
    "evader": ("Evade-v0", "escape/full_force", {"obstacles": 3}),
    "pack": ("PackPursuit-v0", "voronoi/full_force", {}),
    "drag": ("Drag-v0", "optimal/drag", {"opponent": "optimal/drag"}),
    "simple motion": ("SimplePlane-v0", "optimal/simple", {"opponent": "optimal/simple"}),
    "car": ("Pursuit-v0", "pursuit", {"pursuer": {"model": "car"}}),
    "noise": ("Pursuit-v0", "pursuit/full_force", {"observation": {"noise": 0.1, "delay": 3}}),
    "memory": ("TeamEvade-v0", "escape/full_force", {"opponent": "pursuit/searching"}),
}


@pytest.mark.parametrize("case", CASES)
def test_actions_of_the_teacher_move_as_the_script_does(case):
    environment, script, keywords = CASES[case]
    usual = "seek" if "Evade" in environment else "evade"
    keywords = {"opponent": usual, **keywords}
    opponent = keywords["opponent"]
    games = begun_games(environment, GAMES, **keywords)
    side = Side(games.side)
    players = side.ordered(
        [resolve(script, side).script], [resolve(opponent, side.other).script]
    )
    scripted = Engine(games.config, *players, GAMES)
    scripted.seed(range(GAMES))
    scripted.start()
    teacher = ScriptTeacher(games, named_script(script))
    for _ in range(20):
        actions, is_there = teacher.actions(games.get_state())
        assert actions.dtype == np.float32
        assert (np.hypot(*np.moveaxis(actions, -1, 0)) <= 1.0 + 1e-6).all()
        assert is_there.all()
        games.step(actions.reshape(games.action_space.shape))
        scripted.step(*(scripted.no_actions(one) for one in Side), side, restart=True)
    expected = scripted.get_state()["players"]["body"]["position"]
    found = games.get_state()["players"]["body"]["position"]
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize(("case", "is_firm"), [("pack", True), ("drag", False), ("car", False)])
def test_only_point_masses_without_drag_have_firm_lessons(case, is_firm):
    environment, script, keywords = CASES[case]
    games = begun_games(environment, GAMES, **keywords)
    teacher = ScriptTeacher(games, named_script(script))
    is_different = False
    for _ in range(40):
        state = games.get_state()
        actions, there = teacher.actions(state)
        lesson, also_there = teacher.lesson(state)
        assert (there == also_there).all()
        is_different |= bool(np.abs(lesson - actions).max() > 0.1)
        games.step(actions.reshape(games.action_space.shape))
    assert is_different == is_firm


def _velocities(bodies, actions, dt):
    """The velocities after each push alone, by the textbook's function."""
    found = []
    for body, (forward, left) in zip(bodies, actions):
        me = Vehicle(*body.tolist())
        force = complex(forward, left) * me.heading * me.max_force
        found.append(apply_force(me, force, dt)[0])
    return np.array(found)


def test_a_lesson_is_the_longest_push_that_moves_alike():
    generator, count, dt = np.random.default_rng(0), 500, 0.1
    bodies = np.zeros(count, VEHICLE)
    angles = generator.uniform(-np.pi, np.pi, (2, count))
    bodies["heading"] = np.exp(1j * angles[0])
    bodies["max_speed"], bodies["max_force"], bodies["mass"] = 4.0, 12.0, 1.5
    bodies["velocity"] = bodies["heading"] * generator.choice([4.0, 3.9, 2.0, 0.0], count)
    lengths = generator.uniform(0.0, 1.0, count)
    actions = np.stack([lengths * np.cos(angles[1]), lengths * np.sin(angles[1])], axis=1)
    firm = firmest(bodies, actions.astype(np.float32), dt)
    before, after = (_velocities(bodies, given, dt) for given in (actions, firm))
    is_fast = np.abs(before) >= TOP_SPEED * 4.0
    assert 50 < is_fast.sum() < 450
    np.testing.assert_array_equal(firm[~is_fast], actions[~is_fast].astype(np.float32))
    np.testing.assert_allclose(np.hypot(*firm[is_fast].T), 1.0, atol=1e-6)
    # Alike: the same direction, and a speed that differs by the least share at most.
    np.testing.assert_allclose(
        (after / np.abs(after))[is_fast], (before / np.abs(before))[is_fast], atol=1e-5
    )
    assert (np.abs(after) >= np.abs(before) - 1e-5)[is_fast].all()


def test_a_network_comes_near_its_teacher_and_the_critic_learns_alone(monkeypatch, tmp_path):
    params = "n_steps=64", "batch_size=512", "learning_rate=3e-4", "n_epochs=10"
    training = short_training(num_envs=16, params=(*params, "imitate=pursuit/full_force"))
    venv = make_training_env(training)
    model, untrained = (new_model(training, venv) for _ in range(2))
    critic = copy.deepcopy(model.policy.value_net.state_dict())
    console, actors = Console(file=io.StringIO(), width=200), []
    actor_of_round = imitation._actor

    def noted(*given):
        actors.append(copy.deepcopy(model.policy.action_net.state_dict()))
        return actor_of_round(*given)

    monkeypatch.setattr(imitation, "_actor", noted)
    with brief_imitation(GAMES=16, ROUNDS=3, STEPS=60, BATCHES=120, BATCH_SIZE=512):
        seconds = imitation.imitate(model, training, console)
    assert seconds > 0.0
    assert model.num_timesteps == 0
    assert len(actors) == 3
    kept = model.policy.action_net.state_dict()
    factors = torch.cat([(kept[name] / actors[-1][name]).ravel() for name in kept])
    assert 1.0 <= factors[0] <= MOST_STRENGTH
    torch.testing.assert_close(factors, factors[0].expand_as(factors))
    learned = model.policy.value_net.state_dict()
    assert not any(torch.equal(critic[name], learned[name]) for name in learned)
    assert all(parameter.requires_grad for parameter in model.policy.parameters())
    said = console.file.getvalue()
    errors = re.findall(r"imitated pursuit/full_force in .*round . of 3: .*error (\S+)", said)
    assert len(errors) == 3
    assert float(errors[-1]) < 0.1  # .5 is that of pushing nowhere
    rates = [
        float(evaluate(one, "evade", {"horizon": 400}, 100, 0)["captured"].mean())
        for one in (model, untrained)
    ]
    assert rates[0] > rates[1] + 0.3
    venv.close()


@pytest.mark.parametrize(
    ("share", "expected"), [(0.5, 2.0), (0.8, 1.25), (1.0, 1.0), (1.3, 1.0), (0.1, 3.0)]
)
def test_actions_get_the_strength_of_the_script(share, expected):
    angles = np.linspace(0.0, 6.0, 100)
    answers = 0.6 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert _strength(share * answers, answers) == pytest.approx(expected, abs=1e-4)
