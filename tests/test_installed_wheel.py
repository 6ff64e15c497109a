"""The wheel in an empty environment: each extra brings what its commands need."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from compat_wheels import ROOT, TORCH, Environment, build, copy_tree
from test_pages import PAGES, SHELL_LINES, SHORT_TRAINING, SHORTER, blocks

from steer_env.cli import commands
from steer_env.errors import EXTRAS, to_install

pytestmark = pytest.mark.weekly

COMMANDS = {  # in this order: some read what others have written
    "info": "",
    "bench": "--quick --games 64",
    "play": "--out page.html",
    "watch": "--episodes 1 --horizon 20",
    "record": "--out film.gif --seconds 0.5",
    "evaluate": "--episodes 50 --out evaluation.npz survival.png",
    "compare": "--pursuer pursuit seek --evader evade --episodes 50",
    "crossplay": "--pursuer seek --evader evade flee --episodes 20",
    "exploit": "--pursuer pursuit --starts 2 --budget 128",
    "gap": "--pursuer pursuit --game simple_plane --starts 5",
    "solution": "--out solution.png",
    "benchmark": "pursuit --episodes 20",
    "table": "evaluation.npz",
    "train": f"{SHORT_TRAINING} --out run",
    "export": "pretrained/pursuit/ppo --to onnx --out policy.onnx",
    "selfplay": f"{SHORTER['steer-env selfplay']} --out selfplay",
}
WITHOUT = ("info", "bench", "play")
MEASURING = tuple(name for name in COMMANDS if name not in WITHOUT[:3])[:-3]
WORKING = {
    "": WITHOUT,
    "own": WITHOUT,
    "render": (*WITHOUT, "watch", "record"),
    "baselines": tuple(name for name in (*WITHOUT[:3], *MEASURING) if name != "record"),
    "multi": WITHOUT,
    "agents": tuple(COMMANDS),
    "ray": tuple(COMMANDS),
}
"""By extra, the commands that work with it; the others name the extra that they need."""

FURTHER = {
    "own": "from steer_env.steering import seek; import gymnasium as gym, steer_env; "
    "gym.make('Pursuit-v0', opponent=lambda me, other: seek(me, other.position)).reset()",
    "multi": "import steer_env; steer_env.parallel_env(pursuers=3, evaders=2).reset()",
    "ray": "import ray.rllib, ray.tune",
}
"""By extra, code that needs it, where no command does."""

NOTEBOOK = """
import sys, nbclient, nbformat

notebook = nbformat.read(sys.argv[1], 4)
*_, film = [cell for cell in notebook.cells if cell.cell_type == "code"]
for cell in notebook.cells:
    cell.source = cell.source.replace("steps = 300_000", "steps = 10_000")
nbclient.NotebookClient(notebook, timeout=300).execute()
(shown,) = film.outputs
assert "data:image/gif;base64," in shown.data["text/html"]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def place(tmp_path):
    """An environment in which no window and no browser opens."""
    place = Environment(tmp_path / "place")
    place.variables |= {"SDL_VIDEODRIVER": "dummy", "BROWSER": "true"}
    return place


def output_of(place, *command):
    """The output of a command that succeeds."""
    done = place.run(*command)
    assert not done.returncode, (command, done.stderr)
    return done.stdout


def test_each_command_is_tried():
    assert commands().keys() == COMMANDS.keys()


@pytest.mark.parametrize("extra", WORKING)
def test_each_command_runs_or_says_what_to_install(extra, wheel, place):
    with_torch = extra in ("agents", "ray")
    asked = [
        f"{wheel}[{extra}]" if extra else wheel,
        *(["nbclient", "ipykernel"] if with_torch else []),
    ]
    assert place.install(sys.executable, asked, torch=with_torch), place.log.read_text()
    program, works = place.python.with_name("steer-env"), []
    for name, options in COMMANDS.items():
        done = place.run(program, name, *options.split())
        if done.returncode == 0:
            works.append(name)
        else:
            (needed,) = re.findall(r"steer-env\[(\w+)\]", done.stderr) or [done.stderr]
            assert needed in EXTRAS, (name, needed)
            assert done.stderr.endswith(f"{to_install(needed)}\n"), (name, done.stderr)
            assert name in WORKING[needed], (name, done.stderr)
    assert set(works) == set(WORKING[extra])
    if not extra:  # what the message says adds to what is installed, though no index has it
        hint = shlex.split(re.search("run: (pip install .*) \\(", to_install("render"))[1])
        output_of(place, place.python, "-m", *hint)
        output_of(place, program, "record", *COMMANDS["record"].split())
    if extra in FURTHER:
        output_of(place, place.python, "-c", FURTHER[extra])
    if extra == "agents":
        shutil.copy(wheel, place.folder)  # which the notebook installs
        output_of(place, place.python, "-c", NOTEBOOK, ROOT / "examples/start.ipynb")
    where = "import steer_env.agents as found; print(found.__file__)"
    found = Path(output_of(place, place.python, "-c", where).strip())
    assert found.is_relative_to(place.folder)


def test_the_lines_of_the_pages_install_a_clone_as_they_stand(place):
    clone = copy_tree(place.folder / "clone")
    place.variables["PATH"] = f"{place.python.parent}{os.pathsep}{os.environ['PATH']}"

    def run(command, folder=clone):
        return output_of(place, "bash", "-c", f"cd {shlex.quote(str(folder))} && {command}")

    output_of(place, sys.executable, "-m", "venv", place.python.parents[1])
    lines = sorted((line for line in SHELL_LINES if line.startswith("pip install")), key=len)
    assert lines[0] == "pip install ."
    run(lines[0])
    code = "\n".join(blocks(ROOT / "README.md", "python").values())
    (place.folder / "first.py").write_text(code)
    run("python first.py", place.folder)
    found = run("python -c 'import steer_env as s; print(s.__file__)'", place.folder)
    assert found.startswith(str(place.python.parents[1]))
    run(f"pip install {TORCH}")  # as small as this machine needs
    for line in lines[1:]:
        run(line)
    run("steer-env info", place.folder)
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    programs = {*re.findall(r"python ((?:tests|tools|examples)/[\w/]+\.py)", text)}
    assert len(programs) > 7
    for program in sorted(programs):  # with a clone's packages
        run(f"python {program} --help")


FROZEN = """
import sys

import gymnasium as gym
import steer_env
from steer_env.baselines import evaluate

env = gym.make("Pursuit-v0", opponent=sys.argv[1])
env.reset(seed=0)
envs = gym.make_vec("Evade-v0", num_envs=3)
envs.reset(seed=0)
envs.step(envs.action_space.sample())
print(evaluate("pursuit", sys.argv[1], episodes=8).mean_capture_time)
print(env.step([1.0, 0.0])[0].tolist())
print(steer_env.__file__)
"""


@pytest.mark.compiled
def test_a_program_that_pyinstaller_has_frozen_plays(wheel, place):
    """It plays with the machine code in it."""
    program, opponents = place.folder / "chase.py", ("evade", "pretrained/evade/ppo")
    program.write_text(FROZEN)
    needs = ["pyinstaller", f"{wheel}[baselines]"]
    assert place.install(sys.executable, needs), place.log.read_text()
    options = ("--log-level", "ERROR", "--collect-all", "steer_env")
    output_of(place, place.python, "-m", "PyInstaller", *options, program)
    expected = [output_of(place, place.python, program, one).splitlines() for one in opponents]
    place.python.parents[1].rename(place.folder / "no longer there")
    for opponent, (*played, _) in zip(opponents, expected):
        frozen = place.run(place.folder / "dist" / "chase" / "chase", opponent)
        assert frozen.returncode == 0
        assert frozen.stderr == ""  # no library was missed, and nothing compiled
        *found, where = frozen.stdout.splitlines()
        assert where.startswith(str(place.folder / "dist"))
        assert found == played
