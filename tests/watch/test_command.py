"""The command, as people run it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steer_env.__main__ import main
from steer_env.game.script import Script
from steer_env.policies.random import RandomPolicy
from steer_env.rendering.window import NoDisplayError
from steer_env.watch import watch

pytest.importorskip("pygame")

ROOT = Path(__file__).parents[2]
QUICK = ["--horizon", "5", "--episodes", "1"]


@pytest.fixture
def unseen(monkeypatch):
    """Windows that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("unseen")
def test_results_are_printed(capsys):
    main(["watch", "--pursuer", "seek", "random", "--evader", "flee", "--games", "2", *QUICK])
    assert capsys.readouterr().out.splitlines() == [
        "seed 0: seek v flee: got away for 0.2 s",
        "seed 1: seek v flee: got away for 0.2 s",
        "seed 0: random v flee: got away for 0.2 s",
        "seed 1: random v flee: got away for 0.2 s",
    ]


@pytest.mark.usefixtures("unseen", "pretrained_folder")
def test_whoever_can_play_can_be_watched(tmp_path):
    from policies.networks import make_network

    make_network(features=21).save(tmp_path / "mine.npz")
    own = Script(behavior="seek", wander=0.5)
    lines = watch(
        [own, RandomPolicy(seed=1), tmp_path / "mine.npz", "pretrained/pursuit/ppo"],
        "evade",
        game={"horizon": 5},
        episodes=1,
        drawing={"theme": "dark"},
    )
    names = [line.split(": ")[1] for line in lines]
    assert names == [
        "seek v evade",
        "RandomPolicy v evade",
        f"{tmp_path / 'mine.npz'} v evade",
        "pretrained/pursuit/ppo v evade",
    ]


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--pursuer pursit", "Did you mean 'pursuit'"),
        ("--pursuer pursuit seek evad", "unknown pursuer 'evad'"),
        ("--evader evade/hrd", "Did you mean 'evade/herd'"),
        ("--evader pursuit", "made for the pursuer"),
        ("--arena wals", "Did you mean 'walls'"),
        ("--theme drk", "Did you mean 'dark'"),
        ("--annotations aim,trial", "Did you mean 'trail'"),
        ("--games 40", "40 panels; at most 36"),
        ("--games 0", "games must be at least 1"),
        ("--episodes 0", "episodes must be at least 1"),
        ("--seed -3", "seed must be from 0"),
        ("--size 9x99999", "at most 8192 pixels"),
        ("--size small", "expected pixels such as"),
        ("--pursuer nothing.npz", "nothing.npz"),
        ("--gif game.gif", "unrecognized arguments"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["watch", *arguments.split()])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_so(monkeypatch, capsys):
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(NoDisplayError):
        watch(game={"horizon": 5})
    with pytest.raises(SystemExit) as stop:
        main(["watch"])
    assert stop.value.code == 2
    assert "there is no display" in capsys.readouterr().err


@pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")),
    reason="needs the programs Xvfb and xdotool, which stand in for a screen and a person",
)
def test_a_person_can_look_and_leave(tmp_path):
    """The real program on a screen, with real keys and clicks."""
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        display = f":{pipe.readline().strip()}"
    environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
    environment.pop("SDL_VIDEODRIVER", None)
    program = None

    def xdotool(*arguments):
        subprocess.run(
            ["xdotool", *arguments],
            env=environment,
            check=True,
            timeout=60,
            stdout=subprocess.DEVNULL,
        )

    try:
        program = subprocess.Popen(
            [sys.executable, "-m", "steer_env", "watch", "--seed", "5", "--horizon", "3000"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        xdotool("search", "--sync", "--pid", str(program.pid))
        xdotool("mousemove", "300", "300", "sleep", "0.5")  # the keys go where it points
        xdotool("click", "1", "key", "h", "key", "h", "key", "s")
        give_up = time.monotonic() + 60.0
        while not (tmp_path / "watch-5-1.png").exists() and time.monotonic() < give_up:
            time.sleep(0.1)
        xdotool("key", "End")
        assert program.stdout.readline().startswith("seed 5: pursuit v evade: ")
        xdotool("key", "q")
        program.communicate(timeout=60)
        assert program.returncode == 0
        assert (tmp_path / "watch-5-1.png").read_bytes().startswith(b"\x89PNG")
    finally:
        for process in (program, screen):
            if process is not None:
                process.kill()
                process.communicate()
