"""Self-play of teams: one network for all players of a side, in every method and every file."""

from __future__ import annotations

import pytest
from short_trainings import (
    QUIET,
    assert_identical,
    crash,
    parameters,
    short_selfplay,
)

from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.selfplay.methods import (
    SCRIPTS,
    TEAM_SCRIPTS,
    first_scripts,
)
from agents.selfplay.runs import (
    begin_selfplay,
    finish_selfplay,
    play_generations,
)
from baselines import NetworkPolicy, evaluate
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import GAMES, TEAMS

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
            assert NetworkPolicy.load(one.policy).encoder is not None  # as the preset says
