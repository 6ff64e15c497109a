"""Figures and pages of self-play in games of teams."""

from __future__ import annotations

from functools import partial

import pytest
from short_trainings import QUIET, crash, short_plan, short_selfplay

from steer_env.agents.selfplay.methods import SCRIPTS, TEAM_SCRIPTS, first_scripts
from steer_env.agents.selfplay.selfplay import begin_selfplay, finish_selfplay, play_generations
from steer_env.baselines import evaluate
from steer_env.files import read_json
from steer_env.scenarios.registry import GAMES
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly

make_plan = partial(short_plan, "team", num_envs=4)


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
    folder = begin_selfplay(make_plan(), path, episodes=4)
    play_generations(make_plan(generations=1), folder, QUIET)
    with crash(at_step=500):  # in the second of two rollouts
        finish_selfplay(folder, QUIET)
    assert not folder.generation(2, PURSUER).is_trained
    finish_selfplay(folder, QUIET)
    return folder


def test_pairs_play_the_game_of_teams(run):
    results = read_json(run.results)
    pursuers, evaders = (first_scripts("team", side) for side in Side)
    generations = ["generation 1", "generation 2"]
    assert results["population"]["pursuer"] == [*generations, *pursuers]
    played = results["crossplay"]["mean_capture_time"][pursuers[0]][evaders[0]]["estimate"]
    found = evaluate(pursuers[0], evaders[0], "team", 4, 1_000_000)
    assert played == pytest.approx(found["time"].mean())
    caught = results["mean_caught"]
    assert caught[pursuers[0]][evaders[0]] == pytest.approx(found["caught"].mean())


def test_the_first_scripts_challenge_teams():
    for game in GAMES:
        is_team = any(map(GAMES[game].is_team, Side))
        for side in Side:
            found = first_scripts(game, side)
            assert set(found) <= set((TEAM_SCRIPTS if is_team else SCRIPTS)[side])
            one_evader = is_team and side is EVADER and not GAMES[game].is_team(side)
            assert len({repr(ROSTER[name]) for name in found}) == len(found) == 5 - one_evader
    # The scripts of one on one hardly catch a pack's evader, those of teams do.
    captured = {
        name: evaluate(name, "escape/full_force", "pack", 50, 0)["captured"].mean()
        for name in (*SCRIPTS[PURSUER], *first_scripts("pack", PURSUER))
    }
    assert max(captured[name] for name in SCRIPTS[PURSUER]) < 0.6
    assert max(captured.values()) > 0.75
