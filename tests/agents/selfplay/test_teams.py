"""Self-play of teams: one network for all players of a side, in every method and every file."""

from __future__ import annotations

import json

import pytest
from short_trainings import (
    PARAMS,
    QUIET,
    assert_identical,
    crash,
    parameters,
    short_selfplay,
    short_training,
    trained,
)

from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import (
    METHODS,
    SCRIPTS,
    TEAM_SCRIPTS,
    Population,
    first_scripts,
)
from agents.selfplay.results import about_teams
from agents.selfplay.runs import (
    begin_selfplay,
    finish_selfplay,
    play_generations,
    write_policies,
)
from agents.training.start import make_training_env
from baselines import NetworkPolicy, evaluate
from baselines.__main__ import main as baselines
from steer_env.__main__ import main as programs
from steer_env.errors import InvalidValue
from steer_env.files import read_json
from steer_env.game.config import game_config
from steer_env.players import named_players
from steer_env.policies.mixture import MixturePolicy
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import GAMES, TEAMS
from steer_env.watch.screening import Screening

NAMES = ("pack", *TEAMS)


def make_plan(game="team", **changes):
    given = {"generations": 2, "steps": 512, "exploiter_steps": 0, "num_envs": 4}
    given |= {"exploiters": 2, "most_exploiter_steps": 256, "tolerance": 20.0}
    return SelfPlay(game=game, **{**given, **changes})


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay(), pytest.MonkeyPatch.context() as patch:
        # An episode is 50 steps: for each, a network of a team takes its time.
        patch.setitem(GAMES["team"].keywords, "horizon", 50)
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations of 3 v 2 with exploiters; a crash interrupted the second one."""
    path = tmp_path_factory.mktemp("selfplay") / "run"
    folder = begin_selfplay(make_plan(exploiter_steps=256), path, episodes=4)
    play_generations(make_plan(generations=1), folder, QUIET)
    with crash(at_step=500):  # in the second of two rollouts
        finish_selfplay(folder, QUIET)
    assert not folder.generation(2, PURSUER).is_trained
    finish_selfplay(folder, QUIET)
    return folder


def settings_of(run):
    return run.read_config()["training"]


# the plan


def test_the_sides_of_every_game_of_teams_train_in_its_environments():
    found = {
        name: [SelfPlay(game=name).environment(side) for side in Side]
        for name in (*NAMES, "walls")
    }
    assert found == {
        "pack": ["PackPursuit-v0", "PackEvade-v0"],
        "team": ["TeamPursuit-v0", "TeamEvade-v0"],
        "pack_obstacles": ["PackObstaclesPursuit-v0", "PackObstaclesEvade-v0"],
        "herd": ["Herd-v0", "HerdEvade-v0"],
        "tag": ["Tag-v0", "TagEvade-v0"],
        "walls": ["Pursuit-v0", "Evade-v0"],
    }


def test_later_generations_imitate_nobody():
    with pytest.raises(InvalidValue, match="leave imitate out"):
        make_plan("team", params=("imitate=pursuit",))


@pytest.mark.parametrize("game", NAMES)
def test_self_play_of_every_game_of_teams_can_begin(game, tmp_path):
    folder = begin_selfplay(make_plan(game, exploiter_steps=256), tmp_path / "run", episodes=4)
    assert folder.settings.game == game


def test_a_row_of_a_training_is_a_player_with_the_reward_of_the_preset():
    plan = make_plan("team")
    for side, players, credit in ((PURSUER, 3, "team"), (EVADER, 2, "own")):
        training = plan.training(side, first_scripts("team", side.other))
        venv = make_training_env(training)
        assert venv.num_envs == 4 * players
        assert set(venv.get_attr("credit")) == {credit}
        venv.close()
    alone = make_plan("pack").training(EVADER, first_scripts("pack", PURSUER))
    venv = make_training_env(alone)
    assert venv.num_envs == 4
    venv.close()


# the population


def test_the_first_scripts_challenge_teams():
    for game in GAMES:
        is_team = game in NAMES
        for side in Side:
            found = first_scripts(game, side)
            assert set(found) <= set((TEAM_SCRIPTS if is_team else SCRIPTS)[side])
            assert (
                len({repr(ROSTER[name]) for name in found})
                == len(found)
                == 5 - (is_team and side is EVADER and game not in ("team", "herd"))
            )
    # The scripts of one on one hardly catch a pack's evader, those of teams do.
    captured = {
        name: evaluate(name, "escape/full_force", "pack", 50, 0)["captured"].mean()
        for name in (*SCRIPTS[PURSUER], *first_scripts("pack", PURSUER))
    }
    assert max(captured[name] for name in SCRIPTS[PURSUER]) < 0.6
    assert max(captured.values()) > 0.75


@pytest.mark.parametrize("method", METHODS)
def test_each_method_trains_a_team_against_its_own_opponents(method, tmp_path):
    plan = make_plan("pack", method=method, generations=1, steps=256)
    folder = SelfPlayFolder(tmp_path)
    population = play_generations(plan, folder, QUIET)
    first, second = (folder.generation(1, side) for side in Side)
    learned = str(first.last_policy)
    assert population.networks[PURSUER] == [learned]
    evaders, pursuers = (first_scripts("pack", side) for side in (EVADER, PURSUER))
    everybody = {*pursuers, learned}
    found = set(settings_of(second)["opponent"])
    if method == "psro":
        assert found <= everybody
        assert set(settings_of(first)["opponent"]) <= set(evaders)
        assert sum(settings_of(second)["opponent_weights"]) == pytest.approx(1.0)
    else:
        assert found == ({learned} if method == "independent" else everybody)
        assert settings_of(first)["opponent"] == list(evaders)
    assert settings_of(second)["hardness"] == (method == "prioritized")
    assert NetworkPolicy.load(first.last_policy).encoder is not None  # as the preset says


def test_hard_opponents_are_drawn_more_often_by_teams():
    training = make_plan("team").training(PURSUER, ("flee", "rest"), hardness=1.0)
    venv = make_training_env(training)
    venv.set_attr("opponent_weights", (0.0, 1.0))
    venv.seed(0)
    venv.reset()
    assert set(venv.get_attr("opponent_index")) == {1}
    venv.close()


def test_the_equilibrium_of_a_game_of_teams_is_of_its_capture_times():
    population = Population("herd")
    population.networks[PURSUER] = ["encircle/full_force", "rest"]
    assert population.equilibrium_of_networks(PURSUER) == {"encircle/full_force": 1.0}


# the run


def test_a_crash_changes_no_policy_of_a_team(run, tmp_path):
    undisturbed = SelfPlayFolder(tmp_path)
    play_generations(make_plan(), undisturbed, QUIET)
    for side in Side:
        for number in (1, 2):
            one, other = (each.generation(number, side) for each in (undisturbed, run))
            paths = [str(undisturbed.path), str(run.path)]
            pools = [settings_of(each)["opponent"] for each in (one, other)]
            assert [name.replace(*paths) for name in pools[0]] == pools[1]
            assert_identical(*(parameters(each.last_model, "ppo") for each in (one, other)))
            assert one.policy.read_bytes() == other.policy.read_bytes()


def test_the_files_of_a_team_play_wherever_files_do(run, tmp_path, capsys):
    config = game_config(game="team", horizon=60)
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
        watched = Screening(config, *map(named_players, pair, Side), 1, 3)
        watched.go_to_end()
        while watched.percent_to_goal is not None:
            watched.update(0.0)
    gif = tmp_path / "a.gif"
    players = "--pursuer", str(run.policy("mixture", PURSUER)), "--evader", "flee"
    programs(["record", *players, "--game", "team", "--seconds", "0.3", "--gif", str(gif)])
    assert gif.read_bytes()[:3] == b"GIF"


def test_exploiters_answer_the_file_of_a_team(run):
    for target in TARGETS:
        for side in Side:
            fresh, warm = (
                settings_of(run.exploiter(target, side, number, 0)) for number in (0, 1)
            )
            for one in (fresh, warm):
                assert one["env"] == GAMES["team"].environment(side.other)
                assert one["opponent"] == [str(run.policy(target, side))]
            models = [run.generation(number, side.other).last_model for number in (1, 2)]
            assert (fresh["start_from"], warm["start_from"] in map(str, models)) == (None, True)


def test_exploitability_is_that_of_the_game_of_teams(run):
    results = read_json(run.results)
    assert results["steps"] == {"of_each_side": 1024, "of_all_exploiters": 4 * 256}
    pursuers, evaders = (first_scripts("team", side) for side in Side)
    generations = ["generation 1", "generation 2"]
    assert results["population"]["pursuer"] == [*generations, *pursuers]
    played = results["crossplay"]["mean_capture_time"][pursuers[0]][evaders[0]]["estimate"]
    found = evaluate(pursuers[0], evaders[0], "team", 4, 1_000_000)
    assert played == pytest.approx(found["time"].mean())
    caught = results["mean_caught"]
    assert caught[pursuers[0]][evaders[0]] == pytest.approx(found["caught"].mean())
    rows = [
        line for line in run.readme.read_text().splitlines() if line.startswith("| pursuers of")
    ]
    assert rows == ["| pursuers of | evaders of generation 1 | evaders of generation 2 |"]
    measured = results["exploitability"]
    for one in (*measured["generations"], *measured["targets"].values()):
        times = [one[side.name]["capture_time"]["estimate"] for side in Side]
        assert one["nash_conv"]["estimate"] == pytest.approx(times[0] - times[1])
    for side in Side:
        (exploiter, _) = measured["exploiters"][f"mixture {side.name}"]["exploiters"]
        answer = run.exploiter("mixture", side, 0, 0).policy
        pair = side.ordered(run.policy("mixture", side), answer)
        found = evaluate(*pair, "team", 4, 1_000_000)["time"].mean()
        assert exploiter["capture_time"] == pytest.approx(found, rel=1e-3)


def test_the_page_says_what_steps_and_capture_times_of_teams_are(run):
    page = " ".join(run.readme.read_text().split())
    assert "3 pursuers and 2 evaders learned for 512 steps" in page
    steps = "512 steps of training are 170 game steps of the pursuers and 256 game steps of the"
    assert f"{steps} evaders" in page
    assert "An episode ends when the last evader is caught" in page
    assert "game steps" in about_teams(SelfPlay(game="pack"))
    assert "last evader" not in about_teams(SelfPlay(game="pack"))
    assert about_teams(SelfPlay()) == ""


def test_a_mixture_of_two_generations_plays_one_of_them_for_the_whole_team(run, tmp_path):
    population = Population("team")
    for side in Side:
        population.networks[side] = [
            str(run.generation(number, side).last_policy) for number in (1, 2)
        ]
    population.equilibrium_of_networks = lambda side: dict.fromkeys(
        population.networks[side], 0.5
    )
    folder = SelfPlayFolder(tmp_path)
    plan = run.settings
    for number in (1, 2):
        for side in Side:
            copy = folder.generation(number, side)
            copy.path.mkdir(parents=True)
            copy.last_policy.write_bytes(run.generation(number, side).last_policy.read_bytes())
    mixtures = write_policies(plan, folder, population)
    assert mixtures[EVADER] == {"generation 1": 0.5, "generation 2": 0.5}
    mixture = MixturePolicy.load(folder.policy("mixture", EVADER))

    def paths(evader):
        return evaluate("voronoi/full_force", evader, "team", 60, 0)["evader_path"]

    mixed = paths(mixture)
    as_one, as_other = (mixed == paths(member) for member in mixture.members)
    assert (as_one | as_other).all()
    assert 10 < (as_one & ~as_other).sum() < 50


def test_other_algorithms_train_teams(tmp_path):
    """Noise, and discrete actions: a network of each of them plays for its team."""
    for algo, game in (("td3", "team"), ("dqn", "pack")):
        changes = {"params": PARAMS[algo], "steps": 240}
        plan = make_plan(game, algo=algo)
        training = plan.training(PURSUER, first_scripts(game, EVADER))
        assert training.env == plan.environment(PURSUER)
        assert training.algo == algo
        found = trained(short_training(algo, env=training.env, **changes), tmp_path / algo)
        assert evaluate(found.last_policy, "flee", game, 4)["pursuer_effort"].mean() > 0.0
