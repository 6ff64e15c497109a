"""Files of a class play beside each other, and those at fault end nothing but themselves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from steer_env.baselines import evaluate
from steer_env.baselines.hand_ins import Fault, apart
from steer_env.cli import main
from steer_env.errors import InvalidValue
from steer_env.options import SideOptions, players_in, short_names
from steer_env.players.resolver import object_in_file

ROOT = Path(__file__).parents[2]
FILES = {
    "anna.py": (ROOT / "examples/classroom/students/anna.py").read_text(encoding="utf-8"),
    "bob.py": "print('Bob')\ndef chase(me, other):\n    return other.position - me.position\n",
    "carl.py": "def chase(me, other)\n    return 0j\n",
    "dora.py": "def run(me, other):\n    return 0j\n",
    "emil.py": "def chase(me, other):\n    return other.speed + 0j\n",
    "fay.py": "def chase(me, other):\n    return other.position / (me.mass - 1.0)\n",
    "hal.py": "import os\nos._exit(3)\n",
    "ida.py": "\nimport nothing_of_this_name\n",
    "jon.py": "import sys\nsys.exit()\n",
}
FAULTS = {
    "carl": "class/carl.py, line 1: SyntaxError: ",
    "dora": "unknown name in ",
    "emil": "does not compile: unknown field of a Vehicle 'speed'",
    "fay": "raises ZeroDivisionError: ",
    "hal": "its process ended with 3",
    "ida": "class/ida.py, line 2: ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "jon": "class/jon.py, line 2: SystemExit",
}
LOOP = """
import pathlib, time
while True:
    pathlib.Path(__file__).with_suffix(".alive").write_text(str(time.time()))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a class, in the working directory, and beside it a quarry."""
    monkeypatch.chdir(tmp_path)
    Path("class").mkdir()
    for name, text in FILES.items():
        Path("class", name).write_text(text, encoding="utf-8")
    Path("quarry.py").write_text(
        "from steer_env import Script\nquarry = Script(behavior='evade')\n"
    )
    return Path("class")


@pytest.mark.weekly
@pytest.mark.compiled
def test_a_class_gets_a_table_whatever_is_handed_in(folder, say, tmp_path):
    line = "crossplay --pursuer class/*.py:chase seek --evader quarry.py: --episodes 20"
    found = json.loads(say(f"{line} --json"))
    assert sorted(found["pursuers"]) == ["anna", "bob", "seek"]
    assert found["evaders"] == ["quarry"]
    for name in ("anna", "bob", "seek"):
        player = name if name == "seek" else object_in_file(f"class/{name}.py:chase")
        alone = evaluate(player, object_in_file("quarry.py:quarry"), episodes=20)
        assert found["capture_rate"][name]["quarry"] == alone.to_dict()["capture_rate"]
    assert found["left_out"].keys() == FAULTS.keys()
    for name, reason in FAULTS.items():
        assert reason in found["left_out"][name], name
        assert "\n" not in found["left_out"][name]


@pytest.mark.compiled
def test_faults_are_lines_below_the_table_and_in_files(folder, say, tmp_path):
    for name in FILES.keys() - {"anna.py", "carl.py", "dora.py"}:
        (folder / name).unlink()
    path = tmp_path / "table.md"
    printed = say("crossplay --evader class --pursuer seek --episodes 9 --out table.md")
    rows = printed.partition("left out\n")[2].splitlines()[1:]
    assert rows[0] == "carl: class/carl.py, line 1: SyntaxError: expected ':'"
    assert "\n| `carl`: class/carl.py, line 1: " in path.read_text()
    assert "\n| `dora` |" in path.read_text()  # of its only function


def test_a_side_without_a_sound_player_is_an_error(folder, fail):
    said = fail("crossplay --pursuer class/carl.py:chase class/ida.py --evader flee")
    assert said.startswith("no pursuer can play: carl: class/carl.py, line 1")
    assert "; ida: class/ida.py, line 2" in said
    assert "'pursuit'" in fail("crossplay --pursuer class pursut --evader flee")
    assert "horizon" in fail("crossplay --pursuer class --evader flee --horizon 0")
    assert "--limit" in fail("crossplay --pursuer class --evader flee --limit 0")


def test_what_takes_too_long_is_ended(folder):
    calls = [partial(time.sleep, 600.0), partial(int, "7")]
    assert apart(calls, 1.0)[:1] == [Fault("takes longer than 1 s")]


def test_ctrl_c_ends_the_processes_of_all_players(folder):
    (folder / "loop.py").write_text(LOOP)
    program = subprocess.Popen(
        [sys.executable, "-m", "steer_env", "crossplay", "--pursuer", "class/loop.py:chase"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    alive = folder / "loop.alive"
    while not alive.exists() and program.poll() is None:
        time.sleep(0.05)
    os.killpg(program.pid, signal.SIGINT)
    printed, _ = program.communicate(timeout=60)
    assert (program.returncode, printed) == (130, b"")
    before = alive.read_text()
    time.sleep(0.5)
    assert alive.read_text() == before


@pytest.mark.compiled
def test_check_says_how_it_plays(folder, say):
    found = json.loads(say("check class/anna.py --episodes 20 --json --side evader"))
    anna = evaluate("pursuit", object_in_file("class/anna.py:chase"), episodes=20).to_dict()
    assert (found["pursuer"], found["evader"]) == ("pursuit", "anna")
    assert found["capture_rate"] == anna["capture_rate"]


@pytest.mark.compiled
def test_files_play_in_the_game_of_a_file(forgotten, folder, say):
    rules = "    def drag(self, me):\n        return 2.0 if me.position.real > 0.0 else 0.0\n"
    text = f"import steer_env\n\n\nclass Mud(steer_env.Scenario):\n{rules}"
    Path("mud.py").write_text(text, encoding="utf-8")
    given = "class/anna.py --episodes 10 --json --game mud.py:Mud"
    found = json.loads(say(f"check {given} --side evader"))
    table = json.loads(say(f"crossplay --pursuer pursuit seek --evader {given}"))
    plain = json.loads(say("check class/anna.py --episodes 10 --json --side evader"))
    assert (found["pursuer"], found["evader"]) == ("pursuit", "anna")
    assert found["mean_pursuer_path"] != plain["mean_pursuer_path"]
    assert "left_out" not in table


@pytest.mark.compiled
def test_check_ends_with_status_1_for_a_fault(folder, capsys):
    with pytest.raises(SystemExit, match="1"):
        main(["check", "class/emil.py:chase", "--episodes", "4"])
    assert capsys.readouterr().out.startswith(f"class/emil.py:chase: {FAULTS['emil']}")


def test_a_folder_or_a_pattern_stands_for_its_players(folder):
    (folder / "_shared.py").write_text("")
    (folder / "net.npz").write_text("")
    files = sorted([*(f"class/{name}:" for name in FILES), "class/net.npz"])
    assert players_in("class") == players_in("class/") == files
    assert players_in("class/[ab]*.py:chase") == ["class/anna.py:chase", "class/bob.py:chase"]
    assert players_in("class/anna.py") == ["class/anna.py:"]
    Path("pursuit").mkdir()  # the name of a script goes before
    for name in ("pursuit", "quarry.py:quarry", "class/net.npz", "pretrained/pursuit/ppo", ""):
        assert players_in(name) == [name]
    Path("empty").mkdir()
    for name in ("empty", "class/z*.py:chase", "nothing.py"):
        with pytest.raises(InvalidValue, match=r"no player's file.*(empty|z\*|nothing)"):
            players_in(name)


def test_tables_have_the_names_of_files():
    names = ["a/anna.py:chase", "a/ben.py:chase", "b/ben.py:chase", "seek", "seek.py:chase"]
    found = ["anna", "a/ben.py", "b/ben.py", "seek", "seek.py"]
    assert list(short_names(names).values()) == found
    same = ["a/ben.py:chase", "a/ben.py:run", "runs/x/policy.npz", "runs/y/policy.npz"]
    assert list(short_names(same).values()) == [*same[:2], "x/policy", "y/policy"]


def test_a_file_with_several_players_needs_a_name(folder):
    Path("two.py").write_text("def one(me, other): ...\ndef two(me, other): ...\n")
    Path("none.py").write_text("from steer_env.steering import seek\ndef f(x): ...\n")
    for name, found in {"two": "2: one, two", "none": "none"}.items():
        with pytest.raises(InvalidValue, match=f"one player .*, and defines {found}"):
            object_in_file(f"{name}.py:")


def test_normalizations_follow_their_models():
    files = ("PPO:one.zip", "PPO:two.zip", "seek"), ("SAC:three.zip",)
    options = SideOptions(*files, True, ("1.pkl", "none", "3.pkl"))
    assert options.among(["PPO:two.zip"], ["SAC:three.zip"]).normalization == ("none", "3.pkl")
    assert options.among(["seek"], ["SAC:three.zip"]).normalization == ("3.pkl",)
