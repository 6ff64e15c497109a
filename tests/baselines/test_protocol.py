"""The protocol agrees with its page, never changes, and measures something."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import frozen
import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import (
    TASKS,
    RandomPolicy,
    Task,
    benchmark,
    compare,
    evaluate,
    mean_with_interval,
    paired_difference,
    tasks,
)
from steer_env.baselines.measures import DISTANCE, fields_of_game
from steer_env.players import pretrained
from steer_env.players.pretrained import environments, is_pretrained
from steer_env.scripts.behaviors import PRIORITIES
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

PAGE = Path(tasks.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| `(pursuer|evader)/", line)
]
FROZEN = json.loads(frozen.FILE.read_text(encoding="utf-8"))["protocol"]
EVERY = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))


def test_the_page_has_the_tasks_of_the_code():
    def names(cell):
        return tuple(re.findall(r"`([^`]+)`", cell))

    on_page = {names(row[0])[0]: (names(row[1]), names(row[2])) for row in ROWS}
    in_code = {name: (found.opponents, found.held_out) for name, found in TASKS.items()}
    assert on_page == in_code
    assert list(on_page) == list(in_code)


def test_the_page_has_the_numbers_of_the_code():
    assert PAGE.startswith(f"# Benchmark protocol {tasks.VERSION}\n")
    flat, first = " ".join(PAGE.split()), tasks.held_out_seed()
    for sentence in (
        f"Measure with {tasks.EPISODES:,} episodes against each opponent",
        f"the seeds {first:,} to {first + tasks.EPISODES - 1:,} in {tasks.__version__}",
        f"seed below {tasks.HELD_OUT_SEED:,}",
        f"Train at least {tasks.RUNS} runs",
        f"{tasks.EPISODES:,} episodes find a true difference",
        f"The task and `{tasks.VERSION}`",
    ):
        assert sentence in flat, sentence
    assert set(re.findall(r"\bv\d+\b", PAGE)) == {"v0", "v1"}
    for task in TASKS.values():
        assert task.config.horizon == 600
        assert task.config.horizon * task.config.dt == pytest.approx(20.0)
    assert "An episode ends after 600 steps, 20 s" in flat


def test_each_version_has_held_out_starts_of_its_own():
    firsts = sorted(tasks.held_out_seed(f"0.{minor}.0") for minor in range(40))
    assert np.diff([tasks.HELD_OUT_SEED, *firsts]).min() >= tasks.EPISODES


def digest(described):
    text = json.dumps(described, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def test_scenarios_never_change():
    """Other tasks belong into v2: numbers of one version must stay comparable.

    A default of the game that changes is a change too. Only for a new field whose default
    leaves the game as it was may the digest be replaced.
    """
    names = "environment", "side", "keywords", "opponents", "held_out", "references"
    described = {
        name: [*(getattr(found, one) for one in names), fields_of_game(found.config)]
        for name, found in TASKS.items()
    }
    numbers = [tasks.VERSION, tasks.EPISODES, tasks.HELD_OUT_SEED, tasks.RUNS]
    assert digest([numbers, described]) == FROZEN["scenarios"]


LATER_FIELDS = ("target", "spread", "sees", "memory_seconds", "paths", "limits")
"""Fields of scripts that did not exist when their digest was made."""


def fields_of(script):
    """All fields but the description, and later ones that do nothing."""
    described = asdict(replace(script, description=""))
    idle = [name for name in LATER_FIELDS if name not in script.changes]
    described["priorities"] = PRIORITIES  # a field once
    return {name: value for name, value in described.items() if name not in idle}


def test_opponents_and_references_never_change():
    names = {
        name
        for found in TASKS.values()
        for name in (*found.opponents, *found.held_out, *found.references)
    }
    scripts = {
        name: fields_of(ROSTER[name])
        if name in ROSTER
        else hashlib.sha256(pretrained.path_of(name).read_bytes()).hexdigest()
        for name in names
    }
    assert digest(scripts) == FROZEN["scripts"]


@EVERY
def test_opponents_and_references_are_of_the_right_side(task):
    def made_for(name):
        if is_pretrained(name):
            return environments()[name].side
        return PURSUER if ROSTER[name].chases else EVADER

    side, opponents = Side.named(task.side), (*task.opponents, *task.held_out)
    assert len(set(opponents)) == len(opponents) >= 5
    assert {made_for(name) for name in opponents} == {side.other}
    assert {made_for(name) for name in task.references} == {side}
    assert all(name in ROSTER for name in (*task.opponents, *task.references))
    assert len(set(task.references)) == len(task.references)


@EVERY
def test_its_environment_is_its_game(task):
    for env in (
        gym.make(task.environment, **task.make_keywords),
        gym.make_vec(task.environment, num_envs=3, **task.make_keywords),
    ):
        assert env.unwrapped.config == task.config
        env.reset(seed=0)
        env.step(env.action_space.sample())
        env.close()


@pytest.mark.weekly
@EVERY
def test_there_is_something_to_measure(task):
    """Some evaders are caught, and some are not."""
    found = task.evaluate(task.references[0], task.opponents[0], episodes=500)
    assert 0.02 < found.capture_rate.estimate < 0.98


# Measuring.


def test_one_policy_is_measured_beside_the_references():
    task, calls = TASKS["pursuer/walls"], []
    policy = task.references[1]
    found = benchmark(policy, task.name, episodes=20, progress=lambda *n: calls.append(n))
    opponents = (*task.opponents, *task.held_out)
    assert (found.name, *found.played.evaders) == (policy, *opponents)
    total = len(opponents) * (1 + len(task.references))
    assert calls == [(count, total) for count in range(1, total + 1)]
    for opponent in opponents:
        mine, same = found.against(opponent), found.reference(policy, opponent)
        alone = task.evaluate(policy, opponent, episodes=20)
        assert mine.episodes.tobytes() == alone.episodes.tobytes() == same.episodes.tobytes()
        assert (mine["seed"][0], mine.config) == (tasks.held_out_seed(), task.config)
        pair = mine, found.reference(task.references[0], opponent)
        paired = compare(*pair, task.side).difference
        assert found.difference(task.references[0], opponent) == paired
    assert found.references.pursuers == task.references
    for group, names in (("held_out", task.held_out), ("trained", task.opponents)):
        times = [found.against(opponent)["time"] for opponent in names]
        assert found.means[group] == mean_with_interval(np.mean(times, axis=0), limit=20.0)


def test_intervals_are_over_the_training_runs_too():
    runs = [RandomPolicy(seed=seed) for seed in range(3)]
    found = benchmark(runs, "evader/walls", episodes=8)
    task = found.task
    times = [found.against(name).array("time", "run") for name in task.opponents]
    assert found.means["trained"] == mean_with_interval(np.mean(times, axis=0)).clipped(
        0.0, 20.0
    )
    for name in (task.references[0], *task.references[-1:]):
        pair = found.against(task.held_out[0]), found.reference(name, task.held_out[0])
        assert found.difference(name, task.held_out[0]) == compare(*pair).difference
    assert found.name == "RandomPolicy"
    assert "3 training runs" in str(found)
    numbers = found.to_dict()
    assert (numbers["runs"], numbers["policies"]) == (3, ["RandomPolicy"] * 3)
    for opponent, about in numbers["opponents"].items():
        means = [run["mean_capture_time"] for run in about["of_runs"]]
        runs = found.against(opponent).by("run").values()
        assert means == [run["time"].mean() for run in runs]
        assert about["mean_capture_time"] == pytest.approx(np.mean(means))


def test_its_table_has_a_row_for_each_opponent():
    found = benchmark("seek", "pursuer/walls", episodes=6)
    table = found.table()
    assert [row[:2] for row in table.rows] == [
        *((name, "trained") for name in found.task.opponents),
        *((name, "held out") for name in found.task.held_out),
    ]
    assert {len(row) for row in table.rows} == {len(table.header)}
    for row in table.rows:
        opponent, best = row[0], row[-1]
        references = found.references.where(evader=opponent).by("pursuer")
        means = {name: run["time"].mean() for name, run in references.items()}
        assert means[best] == min(means.values())
        first = found.task.references[0]
        assert row[-3] == f"{found.difference(first, opponent):+.2f}"
        assert row[-2] == f"{found.difference(best, opponent):+.2f}"


def test_the_digest_tells_any_difference_of_an_outcome():
    one, again, other = (
        benchmark(name, "pursuer/walls", episodes=6) for name in ("seek", "seek", "arrive")
    )
    assert one.to_dict()["episodes_sha256"] == one.digest == again.digest != other.digest
    assert re.fullmatch("[0-9a-f]{64}", one.digest)
    assert one.digest[:16] in " ".join(str(one).split())
    found = hashlib.sha256()
    for name in (*one.task.opponents, *one.task.held_out):
        run = one.against(name)
        found.update(run["seed"].tobytes() + run["captured"].tobytes() + run["time"].tobytes())
    assert one.digest == found.hexdigest()
    times = again.played.episodes["time"]
    times[-3] = np.nextafter(times[-3], 0.0)
    del again.__dict__["digest"]
    assert again.digest != one.digest


def test_departures_from_the_protocol_are_listed():
    found = benchmark([RandomPolicy(seed=seed) for seed in range(2)], "evader/walls", 8, 7)
    assert found.departures == [
        "8 episodes instead of 2,500",
        f"starts from seed 7, not {tasks.held_out_seed()}",
        "2 training runs instead of 5 or more",
    ]
    other = replace(TASKS["evader/walls"], opponents=("seek",))
    assert benchmark("flee", other, 20).departures == [
        "20 episodes instead of 2,500",
        "other opponents, references or keywords than the task's",
    ]
    assert "not by the protocol: 8 episodes" in " ".join(str(found).split())
    assert benchmark("seek", "pursuer/tag").departures == []  # its episodes are short


def test_a_failed_run_is_noted():
    runs = {f"run{number}": "seek" for number in range(4)}
    found = benchmark({**runs, "failed": "idle"}, "pursuer/walls", episodes=20)
    groups = [note.split(",")[0] for note in found.notes]
    assert groups == ["against training opponents", "against held-out opponents"]
    assert all(f"Note: {note}." in found.table().caption for note in found.notes)
    assert found.to_dict()["notes"] == found.notes
    assert "the references are fixed policies" in found.table().caption


@pytest.mark.parametrize("policies", ["navigation", {"one": "navigation", "two": "seek"}])
def test_differences_are_those_of_the_means_over_the_opponents(policies):
    found = benchmark(policies, "pursuer/walls", episodes=100)
    names, changes = found.task.references, []
    assert list(found.differences) == list(names)
    for place, name in enumerate(names):
        for held_out, opponents in enumerate((found.task.opponents, found.task.held_out)):
            ours = np.mean(found.against(*opponents)["time"])
            theirs = np.mean(found.reference(name, *opponents)["time"])
            interval = found.difference(name, ("trained", "held_out")[held_out])
            assert interval.estimate == pytest.approx(ours - theirs)
            assert interval.low < interval.estimate < interval.high
            shown = found.tables()[1].rows[place]
            assert (shown[0], shown[1 + held_out]) == (f"minus {name}'s", f"{interval:+.2f}")
            changes.append(ours - theirs)
    # Generalization is the change that is not the first reference's.
    assert found.generalization.estimate == pytest.approx(changes[1] - changes[0])
    assert found.generalization.low < changes[1] - changes[0] < found.generalization.high
    for wrong in (("seek",), (names[0], "seek")):
        with pytest.raises(ValueError, match=r"unknown .* 'seek'"):
            found.difference(*wrong)
    if policies == "navigation":
        first = benchmark("pursuit", "pursuer/walls", episodes=8)
        assert first.generalization == (0.0, 0.0, 0.0)  # it is the reference


# In games about a distance capture times mean nothing.

EPISODES = 40
SCENARIO = Task(
    name="pursuer/drag",
    environment="Drag-v0",
    side="pursuer",
    opponents=("optimal/drag",),
    held_out=("idle",),
    references=("idle", "optimal/drag"),
)
"""All episodes of drag last equally long: by the time, the first reference is best."""


@pytest.fixture(scope="module")
def result():
    return benchmark("wander", SCENARIO, EPISODES)


def distances(result, opponent):
    return result.against(opponent)["distance"]


def reference_distances(result, opponent):
    names = result.task.references
    return [result.reference(name, opponent)["distance"] for name in names]


def test_a_result_measures_the_distance(result):
    assert result.payoff is DISTANCE
    ours = distances(result, "optimal/drag")
    theirs = reference_distances(result, "optimal/drag")
    assert result.means["trained"] == mean_with_interval(ours)
    for name, values in zip(("idle", "optimal/drag"), theirs):
        assert result.difference(name) == paired_difference(ours, values)
    held_out, first = distances(result, "idle"), reference_distances(result, "idle")[0]
    assert result.generalization.estimate == pytest.approx(
        (held_out.mean() - ours.mean()) - (first.mean() - theirs[0].mean())
    )
    several = benchmark({"one": "wander", "two": "seek"}, SCENARIO, EPISODES)
    matrix = several.against("optimal/drag").array("distance", "run")
    assert several.difference("idle") == paired_difference(matrix, theirs[:1])
    assert several.means["trained"].low >= 0.0
    numbers = json.loads(json.dumps(result.to_dict()))
    assert "captur" not in json.dumps(numbers)
    assert numbers["mean_distance"]["trained"] == result.means["trained"]._asdict()
    for opponent, about in numbers["opponents"].items():
        ours, theirs = distances(result, opponent), reference_distances(result, opponent)
        assert about["mean_distance"] == pytest.approx(ours.mean())
        assert about["of_runs"] == [{"mean_distance": pytest.approx(ours.mean())}]
        assert list(about["references"].values()) == [values.mean() for values in theirs]
        best = paired_difference(ours, min(theirs, key=np.mean))
        assert about["difference_from_best"] == best._asdict()


def test_a_comparison_is_of_the_distance(result):
    optimal, rest = (
        evaluate(name, "flee", "drag", EPISODES) for name in ("optimal/drag", "idle")
    )
    np.testing.assert_array_equal(optimal["time"], rest["time"])
    for found in (compare(optimal, rest), compare([optimal, optimal], rest)):
        assert found.payoff is DISTANCE
        mean = optimal["distance"].mean() - rest["distance"].mean()
        assert found.difference.estimate == pytest.approx(mean)
        assert found.improvement.estimate > 0.5
        verdict = found.verdict.replace(" (one fixed policy)", "")
        assert "optimal/drag is better than idle" in verdict
        assert f"the distance is {-mean:.2f} m smaller" in found.verdict
        assert "captur" not in json.dumps(found.to_dict()) + str(found)
        assert found.to_dict()["distance"] == found.distance._asdict()
        assert ("mean distance, m", f"{found.distance:+.2f}") in found.table().rows
    as_evaders = compare(
        *(evaluate("seek", name, "drag", EPISODES) for name in ("optimal/drag", "idle"))
    )
    assert "optimal/drag is better than idle: the distance is" in as_evaders.verdict
    assert "m larger" in as_evaders.verdict


def test_an_evaluation_of_distances_speaks_of_no_capture_times():
    found = evaluate("optimal/drag", "flee", "drag", EPISODES)
    assert found.metrics()["mean_distance"] == mean_with_interval(found["distance"])
    numbers = json.loads(json.dumps(found.to_dict()))
    assert numbers["mean_distance"] == found.mean_distance._asdict()
    assert "capture_time" not in json.dumps(numbers)
    assert f"{found.mean_distance:.2f} m" in str(found)
    assert "capture time" not in str(found)
    for distance, share in zip(found.survival.times, found.survival.share):
        assert share == pytest.approx((found["distance"] > distance).mean())
