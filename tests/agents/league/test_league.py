"""A league: its matches, its pools, what a crash leaves, and what is measured in the end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from short_trainings import QUIET, CrashError, short_selfplay

pytest.importorskip("ray.rllib")

from agents.__main__ import main
from agents.league import training as league_training
from agents.league.configuration import (
    AGAINST_POOL,
    EXPLOITERS,
    EXPLOITING,
    MAIN,
    SELF_PLAY,
    Games,
    games_of,
    league_configuration,
    learning_rate,
    matchups,
)
from agents.league.matchmaking import (
    MOST_TIME,
    SELF_PLAY_SHARE,
    WINDOW,
    Exploiter,
    League,
    Pool,
)
from agents.league.training import LeagueTraining, train_league
from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import SCRIPTS
from agents.selfplay.runs import begin_selfplay, finish_selfplay
from agents.training.validation import LEAST, priorities
from steer_env.policies.loading import load_network
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.filterwarnings("default")  # RLlib's own

GENERATIONS = 2
PRESETS_TRAINING = SelfPlay.training  # before it is made short
STEPS = 512  # of each side in each generation: two rollouts


def make_plan(**changes):
    given = {"method": "league", "generations": GENERATIONS, "steps": STEPS, "num_envs": 8}
    given |= {"exploiter_steps": 0, "exploiters": 2, "most_exploiter_steps": 256}
    return SelfPlay(**{**given, **changes})


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(autouse=True)
def _checkpoints_after_every_update(monkeypatch):
    monkeypatch.setattr(league_training, "CHECKPOINT_SECONDS", -1.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations with exploiters of their last one, which nothing disturbed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(league_training, "CHECKPOINT_SECONDS", -1.0)
        path = tmp_path_factory.mktemp("league") / "run"
        folder = begin_selfplay(make_plan(exploiter_steps=256), path, episodes=4)
        finish_selfplay(folder, QUIET)
        return folder


def policies_of(folder):
    """All that the league has frozen, by their paths in the folder."""
    paths = [*folder.path.glob("generation_*/*/last_policy.npz")]
    paths += [*folder.path.glob("league/*.npz")]
    return {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in paths}


# matchmaking


def test_an_exploiter_meets_the_main_agent_alone():
    pools = {side: SCRIPTS[side] for side in Side}
    found = matchups(Games(10, 4, 1), pools)
    for side in Side:
        exploiting = found[EXPLOITING[side]]
        expected = {side.name: EXPLOITERS[side], side.other.name: MAIN[side.other]}
        assert exploiting.modules == expected
        assert exploiting.learning == (side.name,)
        assert exploiting.opponents == ()
        against = found[AGAINST_POOL[side]]
        assert against.modules == {side.name: MAIN[side]}
        assert against.opponents == SCRIPTS[side.other]
    assert found[SELF_PLAY].modules == {side.name: MAIN[side] for side in Side}


@pytest.mark.parametrize(("num_envs", "env_runners"), [(256, 0), (256, 2), (8, 0), (8, 4)])
def test_every_agent_learns_from_equally_many_games(num_envs, env_runners):
    games = games_of(make_plan(num_envs=num_envs, env_runners=env_runners))
    pools = {side: SCRIPTS[side] for side in Side}
    counts = dict.fromkeys((*MAIN.values(), *EXPLOITERS.values()), 0)
    for matchup in matchups(games, pools):
        assert matchup.games > 0
        for side in matchup.learning:
            if side in matchup.modules:
                counts[matchup.modules[side]] += matchup.games * games.runners
    assert set(counts.values()) == {num_envs}
    if num_envs == 256:
        assert games.self_play / games.of_module == pytest.approx(SELF_PLAY_SHARE, abs=0.01)


def test_opponents_have_the_chances_of_prioritized_fictitious_self_play():
    league = League(SCRIPTS)
    shares = np.array([0.1, 0.5, 1.0, 0.2, 0.4])
    for side in Side:
        pool = league.pools[side.other]
        pool.record(np.zeros(WINDOW, np.int64), np.ones(WINDOW))  # these are forgotten
        for number, share in enumerate(shares):
            pool.record(np.full(WINDOW, number), np.full(WINDOW, share))
        for hardness in (0.0, 1.0, 2.0):
            expected = priorities(shares, side, hardness)
            assert league.weights(side, hardness) == pytest.approx(expected)
        pool.add("new.npz")  # is taken for as hard as the hardest
        weights = league.weights(side, 2.0)
        assert weights[-1] == max(weights)
        assert min(weights) >= LEAST * max(weights) * (1 - 1e-9)


def test_without_results_all_opponents_have_equal_chances():
    assert Pool(("flee", "rest")).weights(PURSUER, 2.0) == (0.5, 0.5)


def test_an_exploiter_joins_when_it_wins_or_has_had_its_time():
    for side, won in ((PURSUER, 0.2), (EVADER, 0.8)):
        exploiter = Exploiter(side)
        assert not exploiter.is_done(1000)
        exploiter.recent.extend([won] * WINDOW)
        assert exploiter.won == pytest.approx(0.8)
        assert not exploiter.is_done(1000)
        exploiter.steps = 500
        assert exploiter.is_done(1000)
        exploiter.recent.extend([0.5] * WINDOW)
        assert not exploiter.is_done(1000)
        exploiter.steps = 1000
        assert exploiter.is_done(1000)
        exploiter.start_again()
        assert (exploiter.steps, exploiter.joined, exploiter.won) == (0, 1, 0.0)


def test_each_generation_begins_with_the_learning_rate_of_the_other_methods(monkeypatch):
    monkeypatch.setattr(SelfPlay, "training", PRESETS_TRAINING)
    plan = make_plan(num_envs=8)
    points = learning_rate(plan, PURSUER)
    ratio = games_of(make_plan(num_envs=8)).total / 8
    generation = round(STEPS * ratio)
    assert [step for step, _ in points] == [
        *(0, generation - 1),
        *(generation, 2 * generation - 1),
    ]
    assert [rate for _, rate in points] == [1e-3, 0.0, 5e-4, 0.0]
    assert plan.later(2)["params"] == ("learning_rate=lin_5e-4",)


# a run


def test_the_pool_grows_by_both_sides_of_every_generation_and_by_exploiters(run):
    matches = json.loads((run.path / "league/matches.json").read_text())
    assert matches["steps"] == GENERATIONS * STEPS
    assert MOST_TIME == 1.0  # so an exploiter joins with every generation, if it does not win
    for side in Side:
        members = [one["name"] for one in matches[f"opponents_of_{side.name}"]]
        other = side.other
        assert tuple(members[:5]) == SCRIPTS[other]
        generations = [f"generation_{n:02}/{other.name}/last_policy.npz" for n in (1, 2)]
        assert [one for one in members if one in generations] == generations
        joined = matches[f"{other.name}_exploiter"]["joined"]
        exploiters = [f"league/{other.name}_exploiter_{n + 1:02}.npz" for n in range(joined)]
        assert GENERATIONS <= joined <= 2 * GENERATIONS
        assert sorted(members[5:]) == sorted([*generations, *exploiters])
        assert members.index(generations[0]) < members.index(generations[1])
        chances = [one["chance"] for one in matches[f"opponents_of_{side.name}"]]
        assert sum(chances) == pytest.approx(1.0)


def test_frozen_members_are_different_networks_of_the_right_side(run):
    found = policies_of(run)
    assert len(set(found.values())) == len(found)
    for name in found:
        side = PURSUER if "pursuer" in name else EVADER
        load_network(run.path / name, side=side)


def test_models_of_generations_act_as_their_policies(run):
    from stable_baselines3 import PPO

    observations = np.random.default_rng(0).uniform(-1.0, 1.0, (100, 21)).astype(np.float32)
    for side in Side:
        generation = run.generation(GENERATIONS, side)
        actions, _ = PPO.load(generation.last_model, device="cpu").predict(
            observations, deterministic=True
        )
        policy = load_network(generation.last_policy)
        expected, _ = policy.predict(observations, deterministic=True)
        np.testing.assert_allclose(actions, expected, atol=1e-5)


def test_the_results_are_those_of_every_method(run):
    results = json.loads(run.results.read_text())
    assert results["plan"]["method"] == "league"
    assert results["population"]["pursuer"][:2] == ["generation 1", "generation 2"]
    assert results["steps"]["of_each_side"] == GENERATIONS * STEPS
    measured = results["exploitability"]
    assert list(measured["targets"]) == list(TARGETS)
    for found in (*measured["generations"], *measured["targets"].values()):
        times = [found[side.name]["capture_time"]["estimate"] for side in Side]
        assert found["nash_conv"]["estimate"] == pytest.approx(times[0] - times[1])
    starts = [one["start"] for one in measured["exploiters"]["mixture pursuer"]["exploiters"]]
    assert starts[0] == "a new network"
    assert starts[1].startswith("generation")
    assert "NashConv" in run.readme.read_text()


def test_a_league_that_was_killed_goes_on_bit_for_bit(run, tmp_path, monkeypatch):
    folder = begin_selfplay(make_plan(), tmp_path / "killed", episodes=4)
    record, updates = LeagueTraining._record, []

    def crash(training):
        updates.append(1)
        if len(updates) in (2, 5):  # in the first generation, and in the second
            raise CrashError
        record(training)

    monkeypatch.setattr(LeagueTraining, "_record", crash)
    for _ in range(2):
        with pytest.raises(CrashError):
            train_league(folder.settings, folder, QUIET)
    train_league(folder.settings, folder, QUIET)
    assert policies_of(folder) == policies_of(run)
    # Nothing is trained twice.
    monkeypatch.setattr(league_training, "LeagueTraining", None)
    train_league(folder.settings, folder, QUIET)


def test_processes_of_their_own_can_play(tmp_path):
    plan = make_plan(generations=1, steps=256, env_runners=2)
    folder = begin_selfplay(plan, tmp_path / "run", episodes=4)
    train_league(plan, folder, QUIET)
    assert len(policies_of(folder)) == 4
    matches = json.loads((folder.path / "league/matches.json").read_text())
    assert matches["steps"] == 256


def test_what_is_frozen_does_not_change(run, tmp_path):
    """A longer league leaves the files and the members of a shorter one as they are."""
    longer = SelfPlayFolder(tmp_path / "longer")
    shutil.copytree(run.path, longer.path)
    before = policies_of(longer)
    train_league(make_plan(generations=3), longer, QUIET)
    after = policies_of(longer)
    assert len(after) > len(before)
    assert {name: after[name] for name in before} == before


def test_workers_of_a_cluster_need_nothing_of_this_package(tmp_path):
    """They get `steer_env` and `baselines` alone, and everything else by value."""
    from ray import cloudpickle

    pools = {side: SCRIPTS[side] for side in Side}
    config = league_configuration(make_plan(), pools, lambda **_: None)
    path = tmp_path / "config.bin"
    path.write_bytes(cloudpickle.dumps(config))
    program = (
        "import sys; sys.modules['agents'] = None; from ray import cloudpickle; "
        f"config = cloudpickle.loads(open({str(path)!r}, 'rb').read()); "
        "from steer_env.envs.rllib_multi_runner import BatchedMultiAgentEnvRunner; "
        "print(config.build_learner_connector(None, None))"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    assert "LearnerConnectorPipeline" in found.stdout


# what is refused


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "pack"}, "pack has teams"),
        ({"game": "drag"}, "drag is about a distance"),
        ({"game": "homicidal_chauffeur"}, "has presets for discrete actions"),
        ({"algo": "sac"}, "trains with ppo, got algo='sac'"),
        ({"env_runners": 3}, "8 games cannot be divided among 3 env runners"),
        ({"seed": 200_000}, "largest possible seed"),
        ({"method": "prioritized", "env_runners": 2}, "give method=league, too"),
        ({"method": "leage"}, "Did you mean 'league'"),
    ],
)
def test_a_league_that_cannot_be_trained_does_not_begin(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        begin_selfplay(make_plan(**changes), tmp_path / "run", 4)
    assert not (tmp_path / "run").exists()


def test_an_address_is_for_a_league(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["selfplay", "--address", "auto", "--out", str(tmp_path / "run")])
    assert "give --method league, too" in capsys.readouterr().err
    folder = begin_selfplay(make_plan(method="psro"), tmp_path / "run", 4)
    with pytest.raises(ValueError, match="psro does not use Ray"):
        finish_selfplay(folder, QUIET, "auto")
