"""Teams trained by other algorithms, and the files of a team wherever files play."""

from __future__ import annotations

import json
from functools import partial

import pytest
from short_trainings import (
    PARAMS,
    finished_selfplay,
    short_plan,
    short_selfplay,
    short_training,
    trained,
)

from steer_env.__main__ import main as programs
from steer_env.agents.selfplay.methods import Population, first_scripts
from steer_env.agents.selfplay.selfplay import begin_selfplay
from steer_env.agents.training.learning_model import make_training_env
from steer_env.baselines import evaluate
from steer_env.cli import main as baselines
from steer_env.errors import InvalidValue
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly

make_plan = partial(short_plan, generations=1, num_envs=4)


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A generation of 3 v 2."""
    return finished_selfplay(make_plan("team"), tmp_path_factory)


def test_the_files_of_a_team_play_wherever_files_do(run, tmp_path, capsys):
    for pair in (
        [run.policy(target, side) for side in Side] for target in ("last", "sampled", "mixture")
    ):
        found = evaluate(*pair, "team", 8, 3)
        assert found.config.pursuers == 3
        assert found["pursuer_effort"].min() > 0.0
        files = [str(path) for path in pair]
        few = "--game", "team", "--episodes", "4", "--json"
        baselines(["evaluate", "--pursuer", files[0], "--evader", files[1], *few])
        assert json.loads(capsys.readouterr().out)["config"]["evaders"] == 2
    gif = tmp_path / "a.gif"
    players = "--pursuer", str(run.policy("mixture", PURSUER)), "--evader", "flee"
    programs(["record", *players, "--game", "team", "--seconds", "0.3", "--gif", str(gif)])
    assert gif.read_bytes()[:3] == b"GIF"


def test_other_algorithms_train_teams(tmp_path):
    """Noise, and discrete actions: a network of each of them plays for its team."""
    for algo, game in (("td3", "team"), ("dqn", "pack")):
        changes = {"params": PARAMS[algo], "steps": 240}
        plan = make_plan(game, algo=algo)
        training = plan.training(PURSUER, first_scripts(game, EVADER))
        assert training.task == plan.environment(PURSUER)
        assert training.algo == algo
        found = trained(short_training(algo, task=training.task, **changes), tmp_path / algo)
        assert evaluate(found.last_policy, "flee", game, 4)["pursuer_effort"].mean() > 0.0


def test_later_generations_imitate_nobody():
    with pytest.raises(InvalidValue, match="leave imitate out"):
        make_plan("team", params=("imitate=pursuit",))


@pytest.mark.parametrize(
    ("game", "environments"),
    {
        "pack": ["PackPursuit-v0", "PackEvade-v0"],
        "team": ["TeamPursuit-v0", "TeamEvade-v0"],
        "pack_obstacles": ["PackObstaclesPursuit-v0", "PackObstaclesEvade-v0"],
        "herd": ["Herd-v0", "HerdEvade-v0"],
        "tag": ["Tag-v0", "TagEvade-v0"],
    }.items(),
)
def test_self_play_of_every_game_of_teams_can_begin(game, environments, tmp_path):
    folder = begin_selfplay(make_plan(game), tmp_path / "run", episodes=4)
    assert folder.settings.game == game
    assert [folder.settings.environment(side) for side in Side] == environments


def test_a_row_of_a_training_is_a_player_with_the_reward_of_the_preset():
    for game, side, players, credit in (
        ("team", PURSUER, 3, "team"),
        ("team", EVADER, 2, "own"),
        ("pack", EVADER, 1, None),
    ):
        training = make_plan(game).training(side, first_scripts(game, side.other))
        venv = make_training_env(training)
        assert venv.num_envs == 4 * players
        if credit is not None:
            assert set(venv.get_attr("credit")) == {credit}
        venv.close()


def test_hard_opponents_are_drawn_more_often_by_teams():
    training = make_plan("team").training(PURSUER, ("flee", "idle"), hardness=1.0)
    venv = make_training_env(training)
    venv.set_attr("opponent_weights", (0.0, 1.0))
    venv.seed(0)
    venv.reset()
    assert set(venv.get_attr("opponent_index")) == {1}
    venv.close()


def test_the_equilibrium_of_a_game_of_teams_is_of_its_capture_times():
    population = Population("herd")
    population.networks[PURSUER] = ["encircle/full_force", "idle"]
    assert population.equilibrium(PURSUER, population.networks[PURSUER]) == {
        "encircle/full_force": 1.0
    }
