"""Self-play of teams and in games about a distance, and the files of a team in play."""

from functools import partial

import pytest
from short_trainings import (
    PARAMS,
    QUIET,
    crash,
    short_plan,
    short_selfplay,
    short_training,
    trained,
)

from steer_env.agents.selfplay.selfplay import (
    begin_selfplay,
    finish_selfplay,
    first_scripts,
    play_generations,
)
from steer_env.agents.training.model import make_training_env
from steer_env.baselines import evaluate
from steer_env.cli import main
from steer_env.files import read_json
from steer_env.scenarios.registry import GAMES
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly

make_plan = partial(short_plan, num_envs=4)


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay(), pytest.MonkeyPatch.context() as patch:
        # An episode is 50 steps: for each, a network of a team takes its time.
        patch.setitem(GAMES["team"].keywords, "horizon", 50)
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations of 3 v 2; a crash interrupted the second one."""
    path = tmp_path_factory.mktemp("selfplay") / "run"
    folder = begin_selfplay(make_plan("team", steps=512), path, episodes=4)
    play_generations(make_plan("team", steps=512, generations=1), folder, QUIET)
    models = [folder.generation(1, side).last_model for side in Side]
    first = [model.read_bytes() for model in models]
    with crash(at_step=500):  # in the second of two rollouts
        finish_selfplay(folder, QUIET)
    assert not folder.generation(2, PURSUER).is_trained
    finish_selfplay(folder, QUIET)
    assert first == [model.read_bytes() for model in models]
    return folder


def test_pairs_play_the_game_of_teams(run):
    results = read_json(run.results)
    pursuers, evaders = (first_scripts("team", side) for side in Side)
    assert results["population"]["pursuer"] == ["generation 1", "generation 2", *pursuers]
    played = results["crossplay"]["mean_capture_time"][pursuers[0]][evaders[0]]["estimate"]
    found = evaluate(pursuers[0], evaders[0], "team", 4, 1_000_000)
    assert played == pytest.approx(found["time"].mean())
    assert "3 pursuers and 2 evaders learned" in " ".join(run.readme.read_text().split())


def test_the_files_of_a_team_play_wherever_files_do(run, tmp_path):
    for kind in (run.policy, run.mixture):
        found = evaluate(*map(kind, Side), "team", 8, 3)
        assert found.config.pursuers == 3
        assert found["pursuer_effort"].min() > 0.0
    gif, few = tmp_path / "a.gif", ("--game", "team", "--seconds", "0.3")
    main(["record", "--pursuer", str(run.mixture(PURSUER)), "--out", str(gif), *few])
    assert gif.read_bytes()[:3] == b"GIF"


@pytest.mark.parametrize(("algo", "game"), [("td3", "team"), ("dqn", "pack")])
def test_other_algorithms_train_teams(algo, game, tmp_path):
    """Noise, and discrete actions: a network of each of them plays for its team."""
    task = make_plan(game, algo=algo).training(PURSUER, ("flee",)).task
    found = trained(short_training(algo, task=task, steps=240), tmp_path / algo)
    assert evaluate(found.last_policy, "flee", game, 4)["pursuer_effort"].mean() > 0.0


@pytest.mark.parametrize(
    ("game", "side", "players", "credit"),
    [("team", PURSUER, 3, "team"), ("team", EVADER, 2, "own"), ("pack", EVADER, 1, None)],
)
def test_a_row_is_a_player_with_the_reward_of_its_preset(game, side, players, credit):
    training = make_plan(game).training(
        side, ("idle", first_scripts(game, side.other)[0]), params=PARAMS["ppo"]
    )
    venv = make_training_env(training)
    assert venv.num_envs == 4 * players
    if credit is not None:
        assert set(venv.get_attr("credit")) == {credit}
    # Hard opponents are drawn more often.
    venv.set_attr("opponent_weights", (0.0, 1.0))
    venv.seed(0)
    venv.reset()
    assert set(venv.get_attr("opponent_index")) == {1}
    venv.close()
