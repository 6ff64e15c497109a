"""A trial is a training that stops at its validations; values may change on the way."""

from dataclasses import replace

import pytest
from short_trainings import last_snapshot, short_training, trained

from agents.training.training import Training
from agents.training.validation import VALIDATION_SEED
from agents.tuning.space import MAY_CHANGE, argument_of, space_of, with_setting
from agents.tuning.trial import FRESH_SEED, TrialTraining
from baselines.scenarios import HELD_OUT_SEED, Scenario

pytestmark = pytest.mark.filterwarnings("default")

# One value for each that may change in the middle of a training.
CHANGES = {
    "ppo": {
        **{"learning_rate": 5e-3, "batch_size": 32, "n_epochs": 1, "one_minus_gamma": 0.05},
        **{"one_minus_gae_lambda": 0.2, "ent_coef": 0.01, "clip_range": 0.4},
        **{"vf_coef": 0.2, "max_grad_norm": 2.0},
    },
    "sac": {
        **{"learning_rate": 5e-4, "batch_size": 16, "one_minus_gamma": 0.05},
        **{"gradient_steps": 2, "train_freq": 4, "tau": 0.02},
    },
    "td3": {
        **{"learning_rate": 5e-4, "batch_size": 16, "one_minus_gamma": 0.05, "tau": 0.02},
        **{"gradient_steps": 2, "train_freq": 4, "policy_delay": 3},
        "target_policy_noise": 0.3,
    },
    "dqn": {
        **{"learning_rate": 5e-4, "batch_size": 16, "one_minus_gamma": 0.05},
        **{"gradient_steps": 2, "train_freq": 4, "target_update_interval": 40},
    },
}


def value_of(model, argument):
    """What a model really trains with."""
    value = getattr(model, argument)
    if argument == "learning_rate":
        return model.lr_schedule(1.0)
    if argument == "clip_range":
        return value(1.0)
    return value.frequency if argument == "train_freq" else value


@pytest.mark.parametrize("algo", CHANGES)
def test_changed_values_take_effect(algo):
    # Not by params, which are fixed.
    training = short_training(algo, validations=3)
    free = Training(algo=algo, env=training.env)
    assert CHANGES[algo].keys() == MAY_CHANGE[algo] & space_of(free).keys()
    first = TrialTraining(training)
    first.advance()
    content, steps = first.snapshot(), first.steps
    first.close()
    texts = dict(one.split("=") for one in training.params)
    kept = [f"{k}={v}" for k, v in texts.items() if k not in map(argument_of, CHANGES[algo])]
    changed = with_setting(replace(training, params=tuple(kept)), CHANGES[algo])
    trial = TrialTraining(changed, content=content)
    model = trial._learner.model
    for name, value in CHANGES[algo].items():
        expected = 1.0 - value if name.startswith("one_minus_") else value
        assert value_of(model, argument_of(name)) == pytest.approx(expected), name
    if algo == "ppo":
        assert model.rollout_buffer.gamma == pytest.approx(0.95)
        assert model.rollout_buffer.gae_lambda == pytest.approx(0.8)
    if algo == "dqn":  # returns of several steps are discounted in the buffer
        assert model.replay_buffer.gamma == pytest.approx(0.95)
    assert (trial.steps, len(trial.progress.validations)) == (steps, 1)
    trial.advance()
    optimizer = (model.actor if algo in ("sac", "td3") else model.policy).optimizer
    rate = optimizer.param_groups[0]["lr"]
    assert 0.0 < rate <= CHANGES[algo]["learning_rate"] * (1.0 + 1e-9)
    assert rate > 1e-3 if algo == "ppo" else rate < 0.6e-3  # it was 1e-3, falling in places
    trial.close()


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_trial_learns_what_a_training_learns(algo, tmp_path):
    training = short_training(algo, validations=3)
    expected = last_snapshot(trained(training, tmp_path / "run"))["progress"].validations
    trial = TrialTraining(training)
    found = [trial.advance()]
    content = trial.snapshot()
    while not trial.is_done:
        found.append(trial.advance())
    trial.close()
    # A training also measures its first network.
    assert [(v.steps, v.payoff) for v in found] == [(v.steps, v.payoff) for v in expected[1:]]
    again = TrialTraining(training, content=content)
    assert [(v.steps, v.payoff) for v in [again.advance(), again.advance()]] == [
        (v.steps, v.payoff) for v in expected[2:]
    ]
    assert again.is_done
    assert len(again.progress.validations) == 3
    again.close()


@pytest.mark.parametrize("hardness", [0.0, 2.0])
def test_a_trial_touches_nothing_that_is_held_out(hardness, monkeypatch):
    played, match = [], Scenario.match

    def noted(self, policy, opponent, episodes, seed):
        played.append((opponent, seed, episodes))
        return match(self, policy, opponent, episodes, seed)

    monkeypatch.setattr(Scenario, "match", noted)
    training = short_training(
        scenario="evader/agile_torus", env="AgileTorusEvade-v0", hardness=hardness
    )
    trial = TrialTraining(training)
    while not trial.is_done:
        trial.advance()
    payoffs = trial.measured(6)
    trial.close()
    study = training.study
    assert {opponent for opponent, *_ in played} == {*study.opponents}
    assert not {opponent for opponent, *_ in played} & {*study.held_out}
    assert {seed for _, seed, _ in played} == {VALIDATION_SEED, FRESH_SEED}
    assert VALIDATION_SEED + training.validation_episodes <= FRESH_SEED
    assert FRESH_SEED + 6 <= HELD_OUT_SEED
    assert len(payoffs) == 6
    best, policy = trial.progress.best
    assert best.payoff == max(one.payoff for one in trial.progress.validations)
    found = [study.evaluate(policy, one, 6, FRESH_SEED).payoffs for one in study.opponents]
    assert payoffs == pytest.approx(sum(found) / len(found))


def test_a_trial_that_diverges_says_so(monkeypatch):
    monkeypatch.setattr("agents.training.divergence.LARGEST_WEIGHT", 0.01)
    trial = TrialTraining(short_training())
    with pytest.raises(FloatingPointError, match="it diverged: its weights are not finite"):
        trial.advance()
    trial.close()
