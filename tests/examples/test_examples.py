"""Every example says what it needs and has been run; those that need nothing else run here."""

import ast
import json
import os
import re
import subprocess
import sys

import clients
import evolution
import numpy as np
import pytest
import result
from test_sources import imported
from tune_script import SEARCH_SEED

from steer_env import baselines
from steer_env.baselines.tasks import HELD_OUT_SEED

EXAMPLES = clients.examples()
RESULT = r"captured \d+% \[\d+, \d+\], mean [\d.]+ s \[[\d.]+, [\d.]+\] \(pursuit: .+\)"


def test_only_parts_of_examples_lack_metadata():
    without = {p.stem for p in clients.EXAMPLES.glob("*.py") if clients.metadata(p) is None}
    assert without == {"check_vector_env", "episodes", "result", "rllib_batches", "torchrl_env"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_says_what_it_is_and_needs(example):
    tree = ast.parse(example.path.read_text())
    assert f"python examples/{example.name}.py" in ast.get_docstring(tree)
    needs = {re.match(r"[\w-]+", need)[0] for need in example.dependencies}
    (own,) = [need for need in example.dependencies if need.startswith("steer-env")]
    assert own in ("steer-env[baselines]", "steer-env[baselines,multi]")
    assert example.runs in ("single", "native vector")
    ours = {"steer_env", "baselines", "agents", "gymnasium", "numpy"}
    ours |= {path.stem for path in clients.EXAMPLES.glob("*.py")}
    distributions = {"sbx": "sbx-rl", "sb3_contrib": "sb3-contrib"}
    distributions["stable_baselines3"] = "stable-baselines3"
    foreign = (
        {origin.partition(".")[0] for _, origin in imported(tree)}
        - ours
        - set(sys.stdlib_module_names)
    )
    assert {distributions.get(name, name) for name in foreign} <= needs | {*example.versions}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_policies_are_measured_from_starts_that_they_are_not_trained_on(example):
    first = f"FIRST_SEED = {HELD_OUT_SEED:_} "
    assert first in (clients.EXAMPLES / "result.py").read_text()
    text = example.path.read_text()
    seeds = re.findall(r"(evaluate\((?!\*).*)?\bseed=([\d_]+)", text)
    assert all((int(seed) >= SEARCH_SEED) == bool(measures) for measures, seed in seeds)
    is_held_out = "print_result(" in text or str(HELD_OUT_SEED) in text.replace("_", "")
    assert is_held_out or example.name == "one_file"


def test_the_table_has_a_figure_for_every_example():
    rows = clients.read_rows()
    assert list(rows) == [example.name for example in EXAMPLES]
    for example in EXAMPLES:
        cells = [cell.strip() for cell in rows[example.name].strip("|").split("|")]
        assert cells[1] == example.tool
        assert [version.split()[0] for version in cells[2].split(", ")] == [*example.versions]
        assert cells[3] == example.runs
        assert re.fullmatch(RESULT, cells[5])


def test_the_result_is_that_of_the_evaluation():
    found = baselines.evaluate("pursuit/full_force", "evade", episodes=100, seed=5)
    analytic = baselines.evaluate("pursuit", "evade", episodes=100, seed=5)
    line = result.result(found, analytic)
    assert re.fullmatch(RESULT, line)
    assert f"captured {found['captured'].mean():.0%} " in line
    assert f"mean {found['time'].mean():.1f} s" in line
    assert f"{analytic['captured'].mean():.0%}, {analytic['time'].mean():.1f} s)" in line


@pytest.mark.weekly
def test_evolution_improves():
    evolved = evolution.evolve(generations=15)
    distances = [
        baselines.evaluate(evolution.policy(parameters), "evade", episodes=300, seed=10**6)[
            "closest"
        ].mean()
        for parameters in (evolved, np.zeros(evolution.PARAMETERS))
    ]
    assert distances[0] < 0.5 * distances[1]


def test_the_notebook_has_its_outputs():
    text = (clients.EXAMPLES / "start.ipynb").read_text()
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, 6)]
    shown = [len(cell["outputs"]) for cell in cells]
    assert shown == [0, 1, 0, 1, 1]
    assert "learned minus pursuit" in "".join(cells[3]["outputs"][0]["text"])
    assert "data:image/gif" in "".join(cells[4]["outputs"][0]["data"]["text/html"])
    assert len(text) < 300_000
    assert not re.search(r"/(home|tmp|root|work|Users)/", text)


RUNS = {
    "rllib_ppo": ("ray", "--iterations 1 --num-env-runners 0"),
    "rllib_ppo with 2 learners": ("ray", "--iterations 1 --num-env-runners 1 --num-learners 2"),
    "rllib_both_sides": ("ray", "--iterations 1 --num-env-runners 0"),
    "rllib_both_sides with a script": (
        "ray",
        "--iterations 1 --num-env-runners 0 --opponent evade",
    ),
    "ray_tune_search": ("ray", "--samples 2 --steps 70000"),
    "optuna_search": ("optuna", "2 10000"),
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", RUNS)
def test_a_short_training_prints_its_result(name, tmp_path):
    package, words = RUNS[name]
    pytest.importorskip(package)
    # A process each, as users have: Ray does not always start twice in one.
    command = [sys.executable, str(clients.EXAMPLES / f"{name.split()[0]}.py"), *words.split()]
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(clients.ROOT)}
    found = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert "result: captured" in found.stdout, found.stderr
