"""The command line: its overviews, options, messages and errors."""

from __future__ import annotations

import inspect
import io
import json
import os
import pkgutil
import re
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import gymnasium
import pytest
from gymnasium.error import DependencyNotInstalled
from rich.console import Console

import steer_env
from steer_env.cli import StatusLine, commands, main, one_line_errors, print_written
from steer_env.drawing import ANNOTATIONS, DrawingConfig, drawing_config
from steer_env.envs.single import PursuitEnv
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue, UsageError
from steer_env.game.config import make_game
from steer_env.game.config.features import FEATURES
from steer_env.information import KEYS, SECTIONS, game_facts
from steer_env.maps.map import Map
from steer_env.options import DrawingOptions, TeamGameOptions
from steer_env.scenarios.registry import ENVIRONMENTS, GAMES
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.usage import options_of

ROOT = Path(__file__).parents[1]
COMMANDS = commands()


def printed_by(line, capsys):
    """Runs a command line, and returns the lines that it prints."""
    main(line.split())
    return capsys.readouterr().out


def test_info_shows_its_sections_with_how_much_is_in_them(capsys):
    printed = printed_by("info", capsys)
    report = json.loads(printed_by("info --json", capsys))
    for name in SECTIONS:
        count = sum(len(report[key]) for key in KEYS[name])
        assert re.search(rf"^  steer-env info {name} +{count}  ", printed, re.MULTILINE)
    assert re.search(r"^Engine: (precompiled for \w+ [\w-]+|compiled here|none)", printed, re.M)
    assert list(report["opponents"]) == list(ROSTER)
    assert len(report["observation"]) == len(FEATURES)


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("environments", [name for name in ENVIRONMENTS if "Discrete" not in name]),
        ("games", GAMES),
        ("opponents", (*SHORTER_NAMES, "seek/full_force")),
        ("pretrained", ("pretrained/team/pursuit/ppo", "evader", "/0 to /4")),
        ("features", [f"{feature.block}.{feature.name}" for feature in FEATURES]),
        ("annotations", ANNOTATIONS),
        ("keywords", inspect.getfullargspec(PursuitEnv.__init__).kwonlyargs),
    ],
)
def test_info_names_everything_in_a_section_and_nothing_else(section, names, capsys):
    printed = printed_by(f"info {section}", capsys)
    assert all(re.search(rf"(?<![\w/]){re.escape(name)}(?![\w])", printed) for name in names)
    report = json.loads(printed_by("info --json", capsys))
    found = json.loads(printed_by(f"info {section} --json", capsys))
    assert found == {key: report[key] for key in KEYS[section]}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_info_explains_an_environment_as_it_is(name, capsys):
    found = json.loads(printed_by(f"info {name} --json", capsys))
    lines = printed_by(f"info steer_env:{name}", capsys)
    assert max(map(len, lines.splitlines())) <= 80
    printed = " ".join(lines.split())
    made = eval(found["make"], {"gymnasium": gymnasium})
    game, side = made.unwrapped.config, Side.named(found["learner"])
    assert (side, found["game"]) == (made.unwrapped.side, ENVIRONMENTS[name].game.name)
    assert made.unwrapped.observation_space.shape[-1] == len(found["observation"])
    assert f"Box({made.observation_space.shape}, float32)" in printed
    assert found["action"] == str(made.action_space)
    assert found["config"]["capture_radius"] == game.capture_radius
    capture = f"capture within {game.capture_radius:g} m"
    for text in (
        *(found["make"], found["action"], f"plays {made.unwrapped.opponent[0]} by default"),
        f"{game.horizon:,} steps",
        "capture never" if game.payoff == "breach_distance" else capture,
        *(f"{game.count(one.name)} {one.name}" for one in Side),
        *(f"{game.vehicles(one.name)[0].max_speed:g} m/s" for one in Side),
        *(feature["name"] for feature in found["observation"]),
    ):
        assert text in printed, text
    made.close()


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("Pursuit", [r"\+1 capture: for catching all", "-1 time: paid over a whole"]),
        ("Evade", ["-1 capture: for catching all", r"\+1 time: paid over a whole"]),
        ("Guard", ["-1 reach: reward of the evaders for reaching it"]),
        ("PerimeterDefense", ["-1 reach: .* per meter of the breach distance"]),
    ],
)
def test_info_gives_the_reward_as_the_learner_is_paid(name, terms, capsys):
    printed = " ".join(printed_by(f"info {name}-v0", capsys).split())
    assert re.search(".*".join(terms), printed)


@pytest.mark.parametrize("line", ["", "info", *(f"info {name}" for name in SECTIONS)])
def test_lines_end_at_80_columns(line, capsys):
    assert max(map(len, printed_by(line, capsys).splitlines())) <= 80


def test_the_version_is_that_of_the_package(capsys):
    assert printed_by("--version", capsys) == f"steer-env {steer_env.__version__}\n"


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("info oponents", "'opponents'"),
        ("info Persuit-v0 --json", "'Pursuit-v0'"),
        ("wach", "'watch'"),
        ("watch --game Tagg-v0", "'Tag-v0'"),
        ("bench --quik", "'--quick'"),
        ("evaluate --pursuit seek", "'--pursuer'"),
        ("train --episode=5", "'--episodes'"),
        ("evaluate pursuit", "unexpected 'pursuit'"),
    ],
)
def test_a_wrong_word_ends_with_status_2_and_the_nearest_match(line, nearest, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    assert nearest in capsys.readouterr().err


def test_steer_env_has_the_commands_of_all_packages(capsys):
    printed = printed_by("", capsys)
    for name, command in COMMANDS.items():
        start = inspect.getdoc(command).splitlines()[0].split()[:4]
        start = re.escape(" ".join(start))
        assert re.search(rf"^  {name} +{start}(?!\w)", printed, re.MULTILINE)
    first, *lists = re.split(r"\n(?=See |Measure |Train )", printed)
    named = re.findall(r"^  ([\w-]+) ", "".join(lists), re.MULTILINE)
    assert named == list(COMMANDS)
    for line in re.findall(r"^  steer-env (.*?)  ", first, re.MULTILINE):
        name, *options = line.split()
        assert {*options[::2]} <= {o.name for o in chain(*options_of(COMMANDS[name]).values())}


def test_a_wrong_option_is_refused_before_anything_heavy_is_imported():
    program = (
        "import sys\n"
        "from steer_env.cli import main\n"
        "for command in ('watch', 'evaluate', 'train'):\n"
        "    try:\n"
        "        main([command, '--nope'])\n"
        "    except SystemExit as stop:\n"
        "        assert stop.code == 2\n"
        "heavy = {'numba', 'scipy', 'torch', 'matplotlib', 'pygame', 'rich', 'ray'}\n"
        "heavy |= {'filelock'}  # which only an extra brings\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0


def test_written_files_are_named_in_one_line(capsys, monkeypatch):
    print_written("one.png", Path("other.md"))
    print_written("data.npz", about="4 episodes")
    print_written()
    print_written("beside.json", json=True)
    printed = capsys.readouterr()
    assert printed.out == "wrote one.png, other.md\nwrote data.npz: 4 episodes\n"
    assert printed.err == "wrote beside.json\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with StatusLine("drawing"):
        print_written("one.png")
        assert capsys.readouterr().err == "\rdrawing\r\r       \r"


@pytest.mark.parametrize(
    ("given", "game", "side"),
    [
        ({"game": "Tag-v0"}, {"game": GAMES["tag"]}, PURSUER),
        ({"game": "steer_env:EvadeDiscrete-v0"}, {}, EVADER),
        ({"game": "HerdEvade-v0", "horizon": 9}, {"game": GAMES["herd"], "horizon": 9}, EVADER),
        ({"game": "walls"}, {}, None),
    ],
)
def test_a_game_is_chosen_by_its_name_or_the_id_of_an_environment(given, game, side):
    options = TeamGameOptions(**given)
    assert options.keywords() == game
    assert options.config() == make_game(**game)
    assert options.side(None) == (PURSUER if side is None else side)
    for one in Side:
        if side in (None, one):
            assert options.side(one.name) == one
        else:
            with pytest.raises(InvalidValue, match=f"the {one.name} is named: name the "):
                options.side(one.name)


def test_maps_are_files_and_names(tmp_path):
    file = str(tmp_path / "pillars.json")
    Map.pillars(1)[0].save(file)
    assert TeamGameOptions(map=file).config().map == tuple(Map.pillars(1))
    assert TeamGameOptions(map="maze/0-2").config().map == tuple(Map.maze(3))
    with pytest.raises(UsageError, match="a map's name is"):
        TeamGameOptions(map="full.txt").config()


@pytest.mark.parametrize(
    ("maps", "words"),
    [
        (Map.pillars(1, number=1), r"map of \d walls, 20 x 20 m"),
        ([Map.from_text("####\n#..#\n####\n", cell=2.0)], "map of 4 walls, 4 x 2 m"),
        (Map.pillars(3), r"3 maps of \d\d to \d\d walls, 20 x 20 m"),
    ],
)
def test_facts_of_a_game_count_the_walls_of_its_maps(maps, words):
    assert re.fullmatch(words, game_facts(make_game(map=maps))["arena"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"annotations": "all"}, {"annotations": tuple(ANNOTATIONS)}),
        ({"annotations": "none"}, {"annotations": ()}),
        ({"annotations": ""}, {"annotations": ()}),
        ({"annotations": "aim,trail,"}, {"annotations": ("aim", "trail")}),
        ({"size": "300"}, {"size": (300, 300)}),
        ({"size": "800x600"}, {"size": (800, 600)}),
        ({"size": "80X60"}, {"size": (80, 60)}),
    ],
)
def test_options_of_drawings_have_the_librarys_defaults(given, expected):
    assert drawing_config(DrawingOptions(**given).config()) == DrawingConfig(**expected)
    assert TeamGameOptions().config() == make_game()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InvalidValue("no such thing"), "no such thing"),
        (InvalidType("a\nb\x1b[2J\x07\x9b"), "a\\nb\\x1b[2J\\x07\\x9b"),
        (FileNotFoundError("no such file"), "no such file"),
        (DependencyNotInstalled("no such package"), "no such package"),
        (FaultyBehavior("no such force"), "no such force"),
        (OSError(), "OSError"),
        (
            OSError(36, "File name too long", "x" * 5000),
            f"[Errno 36] File name too long: '{'x' * 968} ...",
        ),
        (
            ModuleNotFoundError("No module named 'scipy'", name="scipy.stats"),
            'scipy is not installed; run: pip install "steer-env[baselines]" '
            "(measurements and plots)",
        ),
    ],
    ids=lambda given: type(given).__name__,
)
def test_errors_of_users_are_one_line(error, message, capsys):
    with pytest.raises(SystemExit, match="2"), one_line_errors("program", "baselines"):
        raise error
    assert capsys.readouterr().err == f"program: {message}\n"


@pytest.mark.parametrize(
    "error",
    [ValueError("bug"), KeyError("bug"), ModuleNotFoundError("bug", name="steer_env.gone")],
    ids=lambda error: type(error).__name__,
)
def test_bugs_keep_their_traceback(error):
    with pytest.raises(type(error), match="bug"), one_line_errors("program", "baselines"):
        raise error


def test_ctrl_c_while_a_command_loads_ends_it_without_a_traceback(tmp_path):
    (tmp_path / "scipy.py").write_text("import signal; signal.raise_signal(signal.SIGINT)")
    program = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may ignore it
        "from steer_env.cli import main\n"
        "main(['evaluate', '--episodes', '10'])\n"
    )
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    process = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (process.returncode, process.stderr) == (130, "")


def test_ctrl_c_ends_a_loop_in_machine_code():
    program = (
        "import hashlib, os, signal, threading\n"
        "from steer_env import commands\n"
        "from steer_env.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def stuck():\n"
        "    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 2 * 10**9)\n"  # many minutes
        "commands.info = stuck\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "info"], cwd=ROOT, timeout=60)
    assert done.returncode == 130


@pytest.mark.weekly
def test_ctrl_c_ends_an_endless_function_in_several_threads(tmp_path):
    loop = "    n = 0.0\n    while n >= 0.0:\n        n += other.max_speed * 0.0\n"
    loop += "    return n + 0j\n"
    (tmp_path / "endless.py").write_text(f"def stuck(me, other):\n{loop}")
    program = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from steer_env.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "evaluate", "--pursuer"]
    process = subprocess.Popen([*command, str(tmp_path / "endless.py:stuck")], cwd=ROOT)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(15)  # by then it is compiled, and plays
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 130
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("encoding", "plain"),
    [("ascii", "???"), ("cp437", "±µ?"), ("cp1252", "±µ?"), ("utf-8", "±µ\u2301")],
)
def test_every_console_gets_the_output_in_letters_that_it_has(encoding, plain, monkeypatch):
    for name in ("stdout", "stderr"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        monkeypatch.setattr(sys, name, stream)

    def write():
        for stream in (sys.stdout, sys.stderr):
            Console(file=stream).print("±µ\u2301")
            print("±µ\u2301", file=stream)

    monkeypatch.setattr("steer_env.commands.info", write)
    main(["info"])
    for stream in (sys.stdout, sys.stderr):
        assert stream.buffer.getvalue().decode(encoding).split() == [plain, plain]


@pytest.mark.parametrize("columns", ["1", "39"])
def test_a_terminal_of_a_few_columns_gets_every_help(columns, monkeypatch, capsys):
    for options, status in (("--help", "0"), ("--no-such-option", "2")):
        monkeypatch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit, match=status):
            main(["evaluate", options])
        printed = capsys.readouterr()
        assert "--help" in printed.out + printed.err


def test_what_could_harm_a_terminal_is_printed_escaped(capsys):
    print_written(Path("a\x1b[2J.csv"))
    StatusLine().print("seed 0: a\x07")
    assert capsys.readouterr().out == "wrote a\\x1b[2J.csv\nseed 0: a\\x07\n"


def test_the_installed_script_runs_this_program():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (entry,) = re.findall(r'^steer-env = "(.*)"$', project, re.MULTILINE)
    assert pkgutil.resolve_name(entry) is main
