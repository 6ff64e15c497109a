"""Every code block of the README and of the site runs.

Daily are the README's, what takes less than 3 s, and the options of each command line.
"""

import json
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import yaml
from badges import badges
from test_help import parsed
from weekly import weekly_but

import steer_env
from steer_env.agents.training.run import VALIDATION_SEED, Training
from steer_env.baselines import TASKS, gap
from steer_env.baselines.tasks import EPISODES, HELD_OUT_SEED
from steer_env.cli import commands, main
from steer_env.game.engine import Engine
from steer_env.information import overview, report
from steer_env.scripts.roster import AT_FULL_FORCE, ROSTER, SHORTER_NAMES

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *(path for path in (ROOT / "docs").rglob("*.md") if "generated" not in path.parts),
]
README, NOTEBOOK = PAGES[0], ROOT / "examples" / "start.ipynb"
LONG = re.compile(r"\.learn\(|best_response\(|record\(|subplots\(")
"""What takes seconds in a block of Python."""

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    """The code of a page in a language, by the number of its first line."""
    text = page.read_text(encoding="utf-8")
    if page == NOTEBOOK:  # in one piece, with a shorter training
        cells = [c["source"] for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
        lines = [line.rstrip() for cell in cells for line in cell if not line.startswith("%")]
        return {1: "\n".join(lines).replace("300_000", "1_000")}
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

SHORT_TRAINING = (
    "--steps 1000 --num-envs 16 --episodes 10 --validations 1 --validation-episodes 2"
)
SHORTER = {
    **{f"steer-env {name}": "--episodes 50" for name in ("evaluate", "compare", "crossplay")},
    "steer-env benchmark": "--episodes 50",
    "steer-env gap": "--starts 5",
    "steer-env exploit": "--starts 2 --budget 128",
    "steer-env train --resume": "",
    # Imitation takes minutes, whatever the steps.
    "steer-env train --task pursuer/pack_obstacles": f"{SHORT_TRAINING} --params imitate=",
    "steer-env train --method search": f"{SHORT_TRAINING} --params search=0",
    "steer-env train": SHORT_TRAINING,
    "steer-env selfplay": "--generations 1 --steps 2000 --num-envs 16 --episodes 10",
    "steer-env bench": "--quick --games 64",
    "steer-env watch": "--episodes 1 --horizon 20",
    "steer-env": "",
}
"""What is added to a line that begins so, for it to show in seconds that it works."""


def test_the_pages_have_blocks_of_languages_that_are_run_and_no_other():
    languages = {found[1] for page in PAGES for found in BLOCK.finditer(page.read_text())}
    assert languages == {"python", "bash", "bibtex"}
    assert len(SHELL_LINES) > 20
    assert blocks(ROOT / "README.md", "python")


def test_every_command_program_and_test_that_a_document_names_is_there():
    known = commands().keys()
    kinds, programs, tests = ("*.md", "*.ipynb", "*.yml", "*.yaml", "Makefile"), set(), set()
    for path in [path for kind in kinds for path in ROOT.rglob(kind)]:
        if {".venv", "build", "runs"} & {*path.relative_to(ROOT).parts}:
            continue
        text = path.read_text(encoding="utf-8")
        named = {*re.findall(r"\b(?:steer-env|-m steer_env) ([a-z][\w-]*)", text)}
        assert named <= known, path
        assert not re.search(r"^\t.* -m (agents|baselines) ", text, re.MULTILINE), path
        if path.name != "CHANGELOG.md":  # whose old versions had others
            programs |= {*re.findall(r"\b(?:tests|examples|tools)/[a-z\d_/]+\.py\b", text)}
            tests |= {*re.findall(r"`((?:\w+/)*test_\w+\.py)(?:::(test_\w+))?`", text)}
    assert len(programs) > 40
    assert len(tests) > 30
    assert not [name for name in programs if not (ROOT / name).is_file()]
    for path, test in tests:
        files = (ROOT / "tests").rglob(Path(path).name)
        (found,) = (file for file in files if file.as_posix().endswith(f"/{path}"))
        assert not test or f"def {test}(" in found.read_text(encoding="utf-8"), test


def test_the_readme_names_speeds_of_the_tables_with_their_processors():
    found = {page: (ROOT / page).read_text("utf-8") for page in ("README.md", "docs/index.md")}
    tables = (ROOT / "docs/benchmarks.md").read_text("utf-8")
    for level in ("v3", "v4"):
        row = rf"\(`{level}`\).*?^\| Pursuit-v0 \| 1024 \|.*? ([\d.]+) \| ([\d.]+) \|$"
        (speed, ratio) = re.search(row, tables, re.DOTALL | re.MULTILINE).groups()
        claim = rf"(\d+) million[^;(]* \(`{level}`\)"
        for text in found.values():
            assert re.search(claim, text)[1] == f"{float(speed):.0f}"
        ratios = re.search(rf"{claim}, ([\d.]+) times", found["README.md"])
        assert ratios[2] == f"{float(ratio):.1f}"


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


def test_both_pages_cite_as_the_citation_file_does():
    entry = re.compile(r"```bibtex\n(.*?)```", re.DOTALL)
    pages = [ROOT / name for name in ("README.md", "docs/index.md")]
    (first, second) = (entry.search(page.read_text(encoding="utf-8"))[1] for page in pages)
    assert first == second
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for name in ("title", "version"):
        assert f"{name} = {{{citation[name]}}}," in first


def test_a_class_that_the_page_about_extending_names_is_public_and_shown_in_code():
    page = ROOT / "docs" / "extend.md"
    names = set(re.findall(r"`([A-Z][a-z]\w+)`", page.read_text(encoding="utf-8")))
    ours = {name for name in names if not hasattr(gym.wrappers, name)}
    assert {"FeatureFunction", "Scenario", "Script", "Transition"} <= ours
    code = "".join(blocks(page, "python").values())
    for name in ours:
        assert name in steer_env.__all__
        assert getattr(steer_env, name).__doc__
        assert re.search(rf"^from steer_env import .*\b{name}\b", code, re.MULTILINE), name


def test_pages_and_info_count_the_same_opponents():
    text = {page.relative_to(ROOT).as_posix(): page.read_text("utf-8") for page in PAGES}
    text["steer-env info"] = overview(report())
    counted = {
        "README.md": [r"any of (\d+)\s+scripted opponents", r"There are (\d+) named"],
        "docs/index.md": [r"(\d+) scripts"],
        "docs/opponents.md": [r"There are (\d+) named scripts"],
        "steer-env info": [r"info opponents +(\d+) "],
    }
    for page, claims in counted.items():
        for claim in claims:
            assert re.findall(claim, text[page]) == [str(len(ROSTER))], (page, claim)
    kinds = (
        len(SHORTER_NAMES),
        sum(name.endswith(AT_FULL_FORCE) for name in ROSTER),
        sum(name.startswith("tuned/") for name in ROSTER),
        sum(name.startswith("optimal/") for name in ROSTER),
    )
    assert sum(kinds) == len(ROSTER)
    claim = r": (\d+) hand.*? of (\d+) of\s+them, (\d+) tuned.*? (\d+) that play"
    (found,) = re.findall(claim, text["docs/opponents.md"], re.DOTALL)
    assert tuple(map(int, found)) == kinds


@pytest.mark.parametrize(
    ("player", "rows"),
    [
        ("pursuit", {"README.md": r"\[textbook pursuit\]"}),
        ("pretrained/pursuit/search", {"README.md": "learned", "docs/train.md": "learned"}),
        ("tuned/walls/pursuer", {"README.md": r"\[best.*\]\S* tuned against five"}),
        ("tuned/walls/pursuer/evade", {"README.md": r"\[best.*\]\S* tuned against this"}),
        *((name, {"docs/train.md": f"`{name}`"}) for name in TASKS["pursuer/walls"].references),
    ],
)
def test_measured_tables_have_what_players_reach_now(player, rows):
    for page, shown in rows.items():
        starts = 20_000 if page == "README.md" and player in ROSTER else EPISODES
        found = TASKS["pursuer/walls"].evaluate(player, "evade", starts)
        rate, time = found.capture_rate, found.mean_capture_time
        percents = [f"{100.0 * share:.1f}" for share in (rate.estimate, rate.low, rate.high)]
        row = f"{percents[0]}% [{percents[1]}, {percents[2]}] | {time:.2f} |"
        text = (ROOT / page).read_text(encoding="utf-8")
        assert re.search(rf"^\| {shown}.* \| {re.escape(row)}$", text, re.MULTILINE), page


def test_the_badges_are_true():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, badge in badges(project).items():
        path = ROOT / "docs" / "badges" / f"{name}.svg"
        assert path.read_text(encoding="utf-8") == badge
        assert f"docs/badges/{name}.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def seeds(monkeypatch):
    """The seeds of the games that are played for training, and of those to measure."""
    found = {"trained": set(), "measured": set()}
    give = Engine.seed

    def noted(engine, seeds):
        kind = "measured" if engine.learner is None else "trained"
        found[kind] |= {*seeds} - {None}
        give(engine, seeds)

    monkeypatch.setattr(Engine, "seed", noted)
    return found


def python_blocks():
    for page in (*PAGES, NOTEBOOK):
        for start, code in blocks(page, "python").items():
            name = f"{page.relative_to(ROOT).as_posix()}:{start}"
            marks = pytest.mark.weekly if LONG.search(code) and page != README else ()
            yield pytest.param(page, start, code, id=name, marks=marks)


@pytest.mark.parametrize(("page", "start", "code"), [*python_blocks()])
def test_python_block_runs(page, start, code, tmp_path, monkeypatch, seeds):
    """Each stands alone, trains and measures on different starts, and measures on new ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    exec(compile("\n" * (start - 1) + code, str(page), "exec"), {"__name__": "__main__"})
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    trains, is_learned = ".learn(" in code, "pretrained/" in code
    if seeds["measured"] and (trains or is_learned):
        assert not seeds["trained"] & seeds["measured"]
        assert bool(seeds["trained"]) or not trains
        assert min(seeds["measured"]) >= VALIDATION_SEED
        assert max(seeds["measured"]) >= HELD_OUT_SEED


@pytest.mark.parametrize("line", SHELL_LINES)
def test_shell_line_fits_its_command(line, monkeypatch):
    words = shlex.split(line.removeprefix(".venv/bin/"), comments=True)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if words[0] == "make":
        subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True)
    elif words[:2] == ["pip", "install"]:  # a clone: no index has it
        extras = re.fullmatch(r"\.(?:\[(.*)\])?", words[-1])[1] or ""
        known = re.findall(r"^(\w+) = \[", project, re.MULTILINE)
        assert {*filter(None, extras.split(","))} <= {*known}
    else:
        assert words[0] == "steer-env"
        assert parsed(words[1:], monkeypatch)


def begun_run(path):
    """The folder of a training run that has not got anywhere yet."""
    from steer_env.agents.training.train import begin_run

    short = {"steps": 2000, "num_envs": 16, "validations": 1, "validation_episodes": 2}
    training = Training(**short, params=("batch_size=256",))
    return begin_run(training, path, episodes=10).path


COMMAND_LINES = [line for line in SHELL_LINES if not line.startswith(("make ", "pip "))]


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("forgotten")  # files may register games
@pytest.mark.parametrize("line", weekly_but(README.read_text(), COMMAND_LINES))
def test_shell_line_runs(line, tmp_path, monkeypatch):
    line = line.removeprefix(".venv/bin/")  # where `make` installs it
    _, *words = shlex.split(line, comments=True)
    words += next(more for begin, more in SHORTER.items() if line.startswith(begin)).split()
    if "--resume" in words:
        words[words.index("--resume") + 1] = str(begun_run(tmp_path))
    if "--out" in words:
        place = words.index("--out") + 1
        words[place] = str(tmp_path / words[place])
    if words[0] in ("train", "selfplay") and "--resume" not in words:
        words += [] if "--out" in words else ["--out", str(tmp_path)]
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("steer_env.agents.training.run_report.gap", partial(gap, starts=5))
    main(words)
    for picture in (ROOT / "docs" / "drawn").glob("*.svg"):
        if (tmp_path / picture.name).exists():  # the page has it above the command
            assert (tmp_path / picture.name).read_bytes() == picture.read_bytes()


# ---- Claims of the page about games --------------------------------------------------------

GAME = (ROOT / "docs" / "game" / "index.md").read_text("utf-8")
OFFSET = np.array([0.4, 0.8])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Pursuit-v0", (False, True, 0, True)),
        ("Evade-v0", (True, False, 1, False)),
        ("SimplePlane-v0", (True, False, 0, False)),  # out of reach
        ("SimplePlaneEvade-v0", (True, False, 1, False)),
        ("TwoCars-v0", (True, False, 0, False)),
        ("Drag-v0", (True, False, 0, True)),
        ("DragEvade-v0", (True, False, 0, True)),
    ],
)
def test_terminated_is_a_capture_or_a_payoff_that_is_decided(name, expected):
    env = gym.make(name)
    env.reset(seed=0)
    steps, over = 0, False
    while not over:
        _, _, terminated, truncated, info = env.step(np.zeros(2))
        steps, over = steps + 1, terminated or truncated
    is_horizon = steps == env.unwrapped.config.horizon
    assert (terminated, truncated, info["captured"], is_horizon) == expected


def observed_offset(**keywords):
    """The features of an evader 0.4 m ahead and 0.8 m to the left."""
    places = {"pursuer": (0.0, 0.0), "evader": tuple(OFFSET)}
    start = {side: {"position": place, "heading": 0.0} for side, place in places.items()}
    observation, _ = gym.make("Pursuit-v0", start=start, **keywords).reset(seed=0)
    return observation[11:13]


def test_offsets_are_linear_between_walls_and_on_a_torus_as_the_page_says():
    (found,) = re.findall(r"([\d.]+) m between walls and ([\d.]+) m on a torus", GAME)
    for arena, scale in zip(("walls", "torus"), map(float, found)):
        np.testing.assert_allclose(observed_offset(arena=arena), OFFSET / scale, rtol=1e-3)


def test_offsets_are_squashed_in_the_open_plane_as_the_page_says():
    (text,) = re.findall(r"There \$s\$ is (.*?)\. The page", GAME, re.DOTALL)
    scales = re.findall(r"([\d.]+) m\s+(?:by|in) (\w+)(?: and (\w+),)?", text)
    found = {game: float(scale) for scale, *games in scales for game in games if game}
    games = {"simple_plane", "homicidal_chauffeur", "two_cars", "drag"}
    assert found.keys() == {"default", *games}
    for game, scale in found.items():
        chosen = {"game": game} if game in games else {"arena": "open"}
        expected = OFFSET / (np.hypot(*OFFSET) + scale)
        np.testing.assert_allclose(observed_offset(**chosen), expected, rtol=1e-5)
    own = observed_offset(arena="open", observation={"scales": {"length": 4.0}})
    np.testing.assert_allclose(own, OFFSET / (np.hypot(*OFFSET) + 4.0), rtol=1e-5)
