"""Files of a class play beside each other, and those at fault end nothing but themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steer_env.baselines import evaluate
from steer_env.errors import InvalidValue
from steer_env.options import players_in, short_names
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
    "emil": "cannot be compiled: unknown field of a Vehicle 'speed'",
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
def test_a_class_gets_a_table_whatever_is_handed_in(folder, say):
    (folder / "loop.py").write_text(LOOP)
    options = ["--evader", "quarry.py:", "--episodes", "20", "--out", "table.json"]
    program = [sys.executable, str(ROOT / "examples/classroom/tournament.py"), "class"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = [*program, "--limit", "30", *options]
    printed = subprocess.run(line, env=environment, capture_output=True, text=True).stdout
    found = json.loads(Path("table.json").read_text())
    assert sorted(found["pursuers"]) == ["anna", "bob", "dora"]
    for name in ("anna", "bob"):
        player = object_in_file(f"class/{name}.py:chase")
        alone = evaluate(player, object_in_file("quarry.py:quarry"), episodes=20)
        assert found["capture_rate"][name]["quarry"] == alone.to_dict()["capture_rate"]
    faults = {name: FAULTS[name] for name in ("carl", "emil", "ida")}
    faults |= {"loop": "takes longer than 30 s"}
    listed = printed.partition("left out\n")[2].splitlines()
    assert [one.partition(":")[0] for one in listed] == [
        *("carl", "emil", "fay", "hal", "ida", "jon", "loop"),
    ]
    for name, reason in faults.items():
        assert any(one.startswith(f"{name}: ") and reason in one for one in listed), name


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "reason"), FAULTS.items())
def test_a_fault_is_said_in_one_line(folder, fail, name, reason):
    assert reason in fail(f"evaluate --pursuer class/{name}.py:chase --episodes 4")


@pytest.mark.compiled
def test_files_play_in_the_game_of_a_file(forgotten, folder, say):
    rules = "    def drag(self, me):\n        return 2.0 if me.position.real > 0.0 else 0.0\n"
    text = f"import steer_env\n\n\nclass Mud(steer_env.Scenario):\n{rules}"
    Path("mud.py").write_text(text, encoding="utf-8")
    given = "--evader class/anna.py: --episodes 10 --json"
    found = json.loads(say(f"evaluate {given} --game mud.py:Mud"))
    table = json.loads(say(f"crossplay --pursuer pursuit seek {given} --game mud.py:Mud"))
    plain = json.loads(say(f"evaluate {given}"))
    assert (found["pursuer"], found["evader"]) == ("pursuit", "anna")
    assert found["mean_pursuer_path"] != plain["mean_pursuer_path"]
    assert table["evaders"] == ["anna"]


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
