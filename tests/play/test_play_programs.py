"""The programs that measure the levels and draw the picture of the game do what they say."""

import numpy as np
import pytest
from by_hand import play_levels, play_pictures

from steer_env.play.levels import LEVELS
from steer_env.sides import EVADER, PURSUER

imageio = pytest.importorskip("imageio.v3")


@pytest.mark.compiled
def test_the_best_of_the_candidates_is_found(monkeypatch):
    names = {PURSUER: ["seek", "pursuit", "tuned/walls/pursuer"], EVADER: ["flee", "escape"]}
    monkeypatch.setattr(play_levels, "candidates", names.get)
    for side, best in ((PURSUER, "tuned/walls/pursuer"), (EVADER, "escape")):
        found = play_levels.best_known(side, LEVELS[side][2], 100)
        assert next(name for name, *_ in found) == best
        assert {name for name, *_ in found} == set(names[side])


def test_all_players_that_can_play_are_candidates():
    pursuers, evaders = (set(play_levels.candidates(side)) for side in (PURSUER, EVADER))
    assert not pursuers & evaders
    assert {"seek", "navigation/full_force", "pretrained/pursuit/mixture"} < pursuers
    assert {"flee", "escape/full_force", "pretrained/evade/selfplay"} < evaders
    for side, names in ((PURSUER, pursuers), (EVADER, evaders)):
        assert {level.best for level in LEVELS[side]} < names


def test_the_picture_of_the_game_is_the_published_one(tmp_path, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    play_pictures.main(["--out", str(tmp_path)])
    for name in play_pictures.FILES.values():
        drawn = imageio.imread(tmp_path / name)
        published = imageio.imread(play_pictures.RESULTS / name)
        assert drawn.shape[:2] == play_pictures.SIZE[::-1]
        assert np.abs(drawn.astype(int) - published).mean() < 1.0
