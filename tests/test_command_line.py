"""The command line: its overviews, options, messages and errors."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from gymnasium.error import DependencyNotInstalled
from options import check_explained

import agents.__main__
import agents.commands
import baselines.__main__
import baselines.commands
import steer_env.__main__
from steer_env.__main__ import main
from steer_env.command_line import StatusLine, one_line_errors, print_written, run_command
from steer_env.command_options import DrawingOptions, TeamGameOptions
from steer_env.commands import COMMANDS
from steer_env.drawing import ANNOTATIONS, DrawingConfig
from steer_env.envs.single import PursuitEnv
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue, UsageError
from steer_env.game.config import game_config
from steer_env.game.features import FEATURES
from steer_env.information import SECTIONS
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.sides import EVADER, PURSUER
from steer_env.suite import GAMES

ROOT = Path(__file__).parents[1]


def test_info_shows_its_sections_with_how_much_is_in_them(capsys):
    main(["info"])
    printed = capsys.readouterr().out
    main(["info", "--json"])
    report = json.loads(capsys.readouterr().out)
    for name, section in SECTIONS.items():
        count = sum(len(report[key]) for key in section.keys)
        assert re.search(rf"^  steer-env info {name} +{count}  ", printed, re.MULTILINE)
    assert len(printed.splitlines()) < 20


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("environments", ("Pursuit-v0", "EvadeDiscrete-v0", "TagDiscrete-v0")),
        ("games", GAMES),
        ("opponents", (*SHORTER_NAMES, "seek/full_force")),
        ("pretrained", ("pretrained/pursuit/ppo", "evader", "team", "/0 to /4")),
        ("features", [f"{feature.block}.{feature.name}" for feature in FEATURES]),
        ("annotations", ANNOTATIONS),
    ],
)
def test_info_names_everything_in_a_section(section, names, capsys):
    main(["info", section])
    printed = capsys.readouterr().out
    assert all(re.search(rf"(?<![\w/]){re.escape(name)}(?![\w])", printed) for name in names)
    assert max(map(len, printed.splitlines())) <= 130


def test_info_explains_every_keyword_of_the_environments(capsys):
    main(["info", "keywords"])
    lines = capsys.readouterr().out.splitlines()[2:]
    parameters = inspect.signature(PursuitEnv.__init__).parameters.values()
    names = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    assert sorted(line.split()[0] for line in lines) == sorted(names)
    assert all(re.match(r"  \w+ +\S.*?  +\S.{8,}$", line) for line in lines)


def test_info_refuses_a_section_that_there_is_not(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["info", "oponents"])
    assert "Did you mean 'opponents'? Valid: 'annotations', " in capsys.readouterr().err


def test_info_as_json(capsys):
    main(["info", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert list(report["opponents"]) == list(ROSTER)
    assert len(report["observation"]) == len(FEATURES)
    assert report["keywords"]["horizon"] == {"default": "600", "meaning": "steps in an episode"}
    assert report["environments"]["TagEvadeDiscrete-v0"] == {
        "game": "tag",
        "side": "evader",
        "actions": "discrete",
    }
    assert report["pretrained"]["pretrained/team/evade/ppo/1"] == {
        "game": "team",
        "side": "evader",
    }


def test_info_shows_where_compiled_code_is_and_clears_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kept = tmp_path / "steer-env" / f"{7:020x}" / "routine"
    kept.mkdir(parents=True)
    (kept / "code").write_bytes(bytes(5000))
    main(["info", "--json"])
    report = json.loads(capsys.readouterr().out)["compiled_code"]
    assert report == {"folder": str(kept.parent.parent), "functions": 0, "kilobytes": 5}
    main(["info", "--clear-cache"])
    assert f"{kept.parent.parent}\n  0 functions" in capsys.readouterr().out
    assert not kept.exists()


def test_every_script_is_described_in_one_line_of_its_own():
    lines = [script.description for script in ROSTER.values()]
    assert len(set(lines)) == len(lines)
    assert all(10 < len(line) <= 80 and "\n" not in line for line in lines)


PROGRAMS = {
    "steer_env": (steer_env.__main__.PROGRAM, COMMANDS),
    "baselines": (baselines.__main__.PROGRAM, baselines.commands.COMMANDS),
    "agents": (agents.__main__.PROGRAM, agents.commands.COMMANDS),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_overview_has_the_first_line_about_every_command(program):
    about, commands = PROGRAMS[program]
    told = {name: text for group in about.groups.values() for name, text in group.items()}
    expected = {name: inspect.getdoc(each).splitlines()[0] for name, each in commands.items()}
    assert told == expected
    assert about.load() is commands


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_a_command_there_is_an_overview_that_imports_little(program):
    start = [sys.executable, "-m", program]
    plain, helped = (
        subprocess.run([*start, *words], cwd=ROOT, capture_output=True, text=True)
        for words in ([], ["--help"])
    )
    assert plain.returncode == helped.returncode == 0
    assert plain.stdout == helped.stdout
    assert plain.stderr == ""
    about, commands = PROGRAMS[program]
    for name in (*commands, *about.others):
        assert re.search(rf"^  {re.escape(name)}  ", plain.stdout, re.MULTILINE)
    assert next(iter(about.examples)) in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 80
    times = [sys.executable, "-X", "importtime", "-m", program]
    imported = subprocess.run(times, cwd=ROOT, capture_output=True, text=True).stderr
    assert not re.search(r"\| +(numba|scipy|torch|tyro|matplotlib)$", imported, re.MULTILINE)


def test_an_unknown_command_is_one_line(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["wach"])
    told = capsys.readouterr().err
    assert told.startswith("steer-env: unknown command 'wach'. Did you mean 'watch'? Valid: ")


def test_written_files_are_named_in_one_line(capsys):
    print_written("one.png", Path("other.md"))
    print_written("data.npz", about="4 episodes")
    print_written()
    print_written("beside.json", json=True)
    told = capsys.readouterr()
    assert told.out == "wrote one.png, other.md\nwrote data.npz: 4 episodes\n"
    assert told.err == "wrote beside.json\n"


def test_a_written_file_is_named_where_a_status_was_which_is_emptied_once(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with StatusLine("drawing"):
        print_written("one.png")
        assert capsys.readouterr().err == "\rdrawing\r       \r"
    capsys.readouterr()
    print_written("two.png")
    assert capsys.readouterr().err == ""


def test_long_lines_of_the_help_are_broken_at_the_terminals_width(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main(["play", "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("given", "game", "side"),
    [
        ({"env": "Tag-v0"}, {"game": "tag"}, PURSUER),
        ({"env": "steer_env:EvadeDiscrete-v0"}, {}, EVADER),
        (
            {"env": "HerdEvade-v0", "game": "herd", "horizon": 9},
            {"game": "herd", "horizon": 9},
            1,
        ),
        ({"game": "walls"}, {"game": "walls"}, None),
    ],
)
def test_a_game_is_chosen_by_its_name_or_the_id_of_an_environment(given, game, side):
    options = TeamGameOptions(**given)
    assert options.keywords() == game
    assert (options.environment and options.environment.side) == side
    assert options.config() == game_config(**game)
    assert options.side(None) == (PURSUER if side is None else side)
    assert options.side("pursuer") == PURSUER


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"env": "Tag-v0", "game": "team"},
            "--env Tag-v0 is an environment of tag, and --game",
        ),
        ({"env": "Tagg-v0"}, "unknown env 'Tagg-v0'. Did you mean 'Tag-v0'"),
    ],
)
def test_a_game_that_is_chosen_twice_or_wrongly_is_refused(given, message):
    with pytest.raises(InvalidValue, match=message):
        TeamGameOptions(**given).config()


@pytest.mark.parametrize("arguments", [["bench", "--nonsense"], ["bench", "--games", "many"]])
def test_unknown_options_end_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "steer-env" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("watch --horizon many", "--horizon: 'many' is not an integer"),
        ("watch --seed 1.5", "--seed: '1.5' is not an integer"),
        ("bench --games 64 many", "--games: 'many' is not an integer"),
        ("record --fps fast", "--fps: 'fast' is not a number"),
        ("play --pursuers seek", "numbers of vehicles; the players' names follow --pursuer"),
    ],
)
def test_errors_about_numbers_do_not_show_the_types_of_python(line, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    told = re.sub(r"[│╭╮╰╯─\s]+", " ", capsys.readouterr().err)
    assert words in told
    assert not re.search(r"\{None\}|NoneType|int\(\)|float:", told)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    check_explained(COMMANDS[command], capsys.readouterr().out)


def run_raising(error):
    """Runs a command that raises an error."""

    def fail():
        raise error

    with one_line_errors("program", "baselines"):
        run_command(fail, "program fail", [])


@pytest.mark.parametrize(
    "error",
    [
        UsageError("no such thing"),
        InvalidValue("no such thing"),
        InvalidType("no such thing"),
        FileNotFoundError("no such thing"),
        DependencyNotInstalled("no such thing"),
        FaultyBehavior("no such thing"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_users_are_one_line(error, capsys):
    with pytest.raises(SystemExit) as stop:
        run_raising(error)
    assert stop.value.code == 2
    assert capsys.readouterr().err == "program: no such thing\n"


def test_a_missing_package_is_one_line_but_a_missing_module_of_ours_is_a_bug(capsys):
    with pytest.raises(SystemExit, match="2"):
        run_raising(ModuleNotFoundError("No module named 'scipy'", name="scipy.stats"))
    assert capsys.readouterr().err == (
        "program: No module named 'scipy'; run: pip install \"steer-env[baselines]\" "
        "(measurements and plots)\n"
    )
    with pytest.raises(ModuleNotFoundError):
        run_raising(ModuleNotFoundError("a bug", name="steer_env.gone"))


def test_an_error_about_a_name_of_two_lines_is_one_line(capsys):
    with pytest.raises(SystemExit):
        run_raising(InvalidValue("there is no file a\nb"))
    assert capsys.readouterr().err == "program: there is no file a\\nb\n"


def test_an_error_without_a_message_has_its_name(capsys):
    with pytest.raises(SystemExit):
        run_raising(OSError())
    assert capsys.readouterr().err == "program: OSError\n"


@pytest.mark.parametrize(
    "error", [ValueError, TypeError, ZeroDivisionError, KeyError, AssertionError, MemoryError]
)
def test_bugs_keep_their_traceback(error):
    with pytest.raises(error, match="a bug"):
        run_raising(error("a bug"))


def test_options_have_the_defaults_of_the_library():
    assert TeamGameOptions().config() == game_config()
    assert DrawingOptions().config() == DrawingConfig()


@pytest.mark.parametrize(
    ("text", "names"),
    [("all", tuple(ANNOTATIONS)), ("none", ()), ("", ()), ("aim,trail,", ("aim", "trail"))],
)
def test_annotations_between_commas(text, names):
    assert DrawingOptions(annotations=text).config().annotations == names


@pytest.mark.parametrize(
    ("text", "size"), [("300", (300, 300)), ("800x600", (800, 600)), ("8X6", (8, 6))]
)
def test_sizes(text, size):
    assert DrawingOptions(size=text).config().size == size


def test_an_installed_script_runs_the_same_program():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (entry,) = re.findall(r'^steer-env = "(.*)"$', project, re.MULTILINE)
    assert pkgutil.resolve_name(entry) is main


def test_nothing_heavy_is_imported_before_it_is_needed():
    program = (
        "import sys, steer_env.__main__; "
        "assert not {'numba', 'pygame', 'imageio', 'PIL', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
