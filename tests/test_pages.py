"""Every code block of the README and of the site runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from badges import badges

from agents.training.runs import begin_run
from agents.training.training import Training
from baselines import SCENARIOS
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, SHORTER_NAMES

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *(path for path in (ROOT / "docs").rglob("*.md") if "generated" not in path.parts),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    """The code of a page in a language, by the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return {
        text.count("\n", 0, found.start(2)) + 1: found[2]
        for found in BLOCK.finditer(text)
        if found[1] == language
    }


SHELL_LINES = dict.fromkeys(  # each once, though several pages have it
    line
    for page in PAGES
    for code in blocks(page, "bash").values()
    for line in code.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
)

SHORT_TRAINING = [
    *("--steps", "5000", "--num-envs", "16", "--episodes", "20"),
    *("--validations", "1", "--validation-episodes", "2"),
]

# What is added to a command so that it shows in seconds that it works.
SHORTER = {
    "python -m baselines list": [],
    "python -m baselines evaluate": ["--episodes", "50"],
    "python -m baselines compare": ["--episodes", "50"],
    "python -m baselines crossplay": ["--episodes", "50"],
    "python -m baselines collect": ["--episodes", "20"],
    "python -m baselines gap": ["--starts", "5"],
    "python -m baselines optimality": ["--starts", "2"],
    "python -m baselines solution": [],
    "python -m baselines benchmark": ["--episodes", "50"],
    "python -m baselines tune": [
        *("--trials", "20", "--generations", "1", "--children", "8", "--episodes", "20"),
        *("--choice-episodes", "64"),
    ],
    "python -m baselines suite": ["--games", "obstacles", "--episodes", "10"],
    "python -m agents train --resume": [],
    "python -m agents train --scenario pursuer/pack_obstacles": [
        *SHORT_TRAINING,
        *("--params", "imitate="),  # it takes minutes, whatever the steps
    ],
    "python -m agents train": [*SHORT_TRAINING],
    "python -m agents selfplay": [
        *("--generations", "1", "--steps", "5000", "--exploiter-steps", "0"),
        *("--num-envs", "16", "--episodes", "20"),
    ],
    "python -m agents export": [],
    "python -m steer_env bench": ["--quick", "--games", "64"],
    "python -m steer_env info": [],
    "python -m steer_env watch": ["--episodes", "1", "--horizon", "20"],
    "python -m steer_env play --html": [],
    "python -m steer_env play": [],
    "python -m steer_env record": [],
}

FILES = ("--out", "--html", "--gif", "--mp4", "--png", "--svg")


def test_the_pages_have_blocks_of_languages_that_are_run_and_no_other():
    languages = {found[1] for page in PAGES for found in BLOCK.finditer(page.read_text())}
    assert languages == {"python", "bash"}
    assert len(SHELL_LINES) > 20
    assert blocks(ROOT / "README.md", "python")


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


def test_every_test_and_file_that_the_page_of_sources_names_is_there():
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    names = re.findall(r"`(?:tests/)?(?:(\w+)/)?(test_\w+\.py)(?:::(test_\w+))?`", page)
    assert len(names) > 20
    for folder, file, test in names:
        places = [ROOT / "tests" / (folder or "steering") / file, ROOT / "tests" / file]
        found = [place for place in places if place.exists()]
        assert found, file
        assert not test or f"def {test}(" in found[0].read_text(encoding="utf-8"), test
    for path in re.findall(r"`(game/\w+\.py)`", page):
        assert (ROOT / "steer_env" / path).exists(), path


@pytest.mark.parametrize("page", ["README.md", "docs/opponents.md"])
def test_pages_count_the_opponents(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    forceful = sum(f"{name}{AT_FULL_FORCE}" in ROSTER for name in SHORTER_NAMES)
    claim = rf"There are {len(SHORTER_NAMES)} named .*?, {forceful} of\s+them\s+also"
    assert re.search(claim, text, re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/train.md"])
@pytest.mark.parametrize("script", SCENARIOS["pursuer/walls"].references)
def test_measured_tables_have_what_the_scripts_reach_now(page, script):
    found = SCENARIOS["pursuer/walls"].evaluate(script, "evade")
    rate, time = found.capture_rate, found.mean_capture_time
    percents = [f"{100.0 * share:.1f}" for share in (rate.estimate, rate.low, rate.high)]
    row = f"{percents[0]} % [{percents[1]}, {percents[2]}] | {time:.2f} |"
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(rf"^\| `{script}`.* \| {re.escape(row)}$", text, re.MULTILINE)


def test_the_badges_are_true():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, badge in badges(project).items():
        path = ROOT / "docs" / "badges" / f"{name}.svg"
        assert path.read_text(encoding="utf-8") == badge
        assert f"docs/badges/{name}.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


# Each block stands alone; one process runs those of a page, since imports take seconds.
RUN_ALONE = """
import pathlib, re, sys
page = pathlib.Path(sys.argv[1])
for start in map(int, sys.argv[2:]):
    code = page.read_text(encoding="utf-8").split("\\n", start - 1)[-1]
    code = code[: re.search(r"^```$", code, re.MULTILINE).start()]
    exec(compile("\\n" * (start - 1) + code, str(page), "exec"), {"__name__": "__main__"})
"""


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page, "python")],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_python_blocks_run(page, tmp_path):
    starts = blocks(page, "python")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_ALONE, page, *map(str, starts)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def begun_run(path):
    """The folder of a training run that has not got anywhere yet."""
    short = {"steps": 5000, "num_envs": 16, "validations": 1, "validation_episodes": 2}
    training = Training(**short, params=("batch_size=256",))
    return begin_run(training, path, episodes=20).path


@pytest.mark.parametrize("line", SHELL_LINES)
def test_shell_line_runs(line, tmp_path):
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        command = ["make", "--dry-run", *words[1:]]
    elif words[:2] == ["pip", "install"]:
        extras = re.fullmatch(r"\.\[(.*)\]", words[-1])
        assert extras, f"not an installation of this checkout: {line}"
        known = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
        assert set(extras[1].split(",")) <= set(known)
        return
    else:
        shorter = next(SHORTER[key] for key in SHORTER if line.startswith(key))
        command = [sys.executable, *words[1:], *shorter]
        if "--resume" in words:
            command[command.index("--resume") + 1] = str(begun_run(tmp_path))
        elif any(option in words for option in FILES):
            for option in FILES:
                if option in words:
                    place = command.index(option) + 1
                    command[place] = str(tmp_path / command[place])
        elif words[2:4] in (["agents", "train"], ["agents", "selfplay"]):
            command += ["--out", str(tmp_path)]
    run = subprocess.run(
        command,
        cwd=ROOT,
        env={
            **os.environ,
            **{"SDL_VIDEODRIVER": "dummy", "BROWSER": "true", "XDG_CACHE_HOME": str(tmp_path)},
        },
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
