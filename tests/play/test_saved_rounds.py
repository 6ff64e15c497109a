"""``play --save`` keeps each round as a file, whatever becomes of it."""

from __future__ import annotations

import os

import pytest
from episodes.rounds import assert_same_round

from play.rounds import straight_to
from steer_env.__main__ import main
from steer_env.episodes.round_file import read_round
from steer_env.game.config import game_config
from steer_env.play import visit as visit_module
from steer_env.play.best_times import BestTimes
from steer_env.play.menu import Menu
from steer_env.play.saved_rounds import save_round
from steer_env.play.visit import COUNT_SECONDS, COUNTS, Phase, Visit
from steer_env.sides import PURSUER

STEP = 1 / 30


class Playing:
    """A visit whose rounds are saved, and a clock."""

    def __init__(self, tmp_path, folder, opponent="rest"):
        self.lines, self.now = [], 0.0
        menu = Menu(PURSUER, game_config(), opponent=opponent)
        times = BestTimes(tmp_path / "times.json")
        self.visit = Visit(menu, times, 5, None, self.lines.append, folder)

    def begin(self):
        """Goes through the countdown."""
        for _ in range(2):
            self.visit.advance(self.now, lambda: 1)
        self.now += COUNTS * COUNT_SECONDS
        self.visit.advance(self.now, lambda: 1)
        assert self.visit.phase is Phase.ROUND

    def play(self, seconds):
        """Lets time pass while the round lasts."""
        until = self.now + seconds
        while self.visit.phase is Phase.ROUND and self.now < until:
            self.now += STEP
            self.visit.advance(self.now, lambda: straight_to(self.visit.round))


def test_rounds_are_saved_as_they_were_played(tmp_path):
    folder = tmp_path / "rounds"
    folder.mkdir()
    playing = Playing(tmp_path, folder, "evade/threatened")
    visit = playing.visit
    visit.begin()
    assert os.listdir(folder) == []
    playing.begin()
    playing.play(60.0)
    assert visit.phase is Phase.END
    first = visit.round.history.recording()
    assert playing.lines[1] == f"wrote {folder / 'round-5.json'}"
    visit.again()
    playing.begin()
    playing.play(1.0)
    second = visit.round.history.recording()
    assert not second.status.is_over
    visit.again()  # which leaves the second one unfinished
    playing.begin()
    visit.keep_round()  # nothing has been played
    playing.play(0.5)
    third = visit.round.history.recording()
    visit.back(playing.now)
    visit.keep_round()
    visit.keep_round()
    assert sorted(os.listdir(folder)) == ["round-5-2.json", "round-5-3.json", "round-5.json"]
    for name, found in (("", first), ("-2", second), ("-3", third)):
        assert_same_round(read_round(folder / f"round-5{name}.json"), found)


def test_without_a_folder_nothing_is_saved(tmp_path):
    playing = Playing(tmp_path, None)
    playing.visit.begin()
    playing.begin()
    playing.play(60.0)
    playing.visit.keep_round()
    assert len(playing.lines) == 1


def test_a_round_that_cannot_be_saved_ends_nothing(tmp_path):
    playing = Playing(tmp_path, tmp_path / "nowhere")
    playing.visit.begin()
    playing.begin()
    playing.play(60.0)
    assert playing.visit.phase is Phase.END
    assert "the round could not be saved: " in playing.lines[1]
    assert "nowhere" in playing.lines[1]


def test_a_name_that_exists_gets_a_number(tmp_path):
    playing = Playing(tmp_path, None)
    playing.visit.begin()
    found = playing.visit.round.history.recording()
    names = [save_round(tmp_path, found).name for _ in range(3)]
    assert names == ["round-5.json", "round-5-2.json", "round-5-3.json"]


def test_the_command_saves_every_round(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(visit_module, "COUNT_SECONDS", 0.05)
    monkeypatch.setattr(visit_module, "END_SECONDS", 0.1)
    folder = tmp_path / "new" / "rounds"
    main(f"play --rounds 2 --horizon 5 --seed 8 --save {folder}".split())
    assert sorted(os.listdir(folder)) == ["round-8.json", "round-9.json"]
    found = read_round(folder / "round-9.json")
    assert (found.seed, found.names, len(found.states)) == (9, ("you", "flee/full_force"), 6)
    assert "wrote " in capsys.readouterr().out
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop:
        main(["play", "--save", str(tmp_path / "file")])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
