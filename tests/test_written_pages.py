"""Pages and pictures of the documentation that programs write are those that are committed."""

import re

import numpy as np
import pytest
from draw_pages import FOLDER, ROOT, SMALL, draw, drawings
from game_pages import FOLDER as GAME_PAGES, pages
from page_parts import both_themes
from PIL import Image
from weekly import weekly_but


def test_pages_of_games_are_those_of_the_code():
    again = "run: PYTHONPATH=. python tools/game_pages.py"
    written = {path: path.read_text(encoding="utf-8") for path in GAME_PAGES.iterdir()}
    found = pages()
    assert found.keys() == written.keys(), again
    changed = [path.name for path, text in found.items() if written[path] != text]
    assert not changed, again


def test_every_picture_of_the_pages_is_there_in_both_themes():
    found = {path for name in drawings() for path in both_themes(FOLDER / name)}
    again = "run: PYTHONPATH=. python tools/draw_pages.py"
    assert set(FOLDER.iterdir()) == found, again
    assert sum(path.stat().st_size for path in found) < 2_100_000


def test_the_small_pictures_of_games_are_those_that_are_drawn(tmp_path):
    for name, command in SMALL.items():
        for path in both_themes(ROOT / "baselines" / "results" / name):
            assert path.stat().st_size < 20_000
        for path in draw(name, command, tmp_path) if "guard" in name else ():
            assert path.read_bytes() == (ROOT / "baselines/results" / path.name).read_bytes()


_DIGEST = re.compile(r"\b[mp][0-9a-f]{10}\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def assert_same(found, expected):
    """Compares two pictures: boards to the byte, figures up to rounding."""
    if found.suffix == ".png":
        a, b = (np.asarray(Image.open(p).convert("RGB"), float) for p in (found, expected))
        assert a.shape == b.shape
        assert np.abs(a - b).mean() < 1.0
        return
    texts = [path.read_text(encoding="utf-8") for path in (found, expected)]
    if 'id="figure_1"' not in texts[1]:
        assert texts[0] == texts[1]
        return
    texts = [_DIGEST.sub("name", text) for text in texts]  # of what is rounded
    assert _NUMBER.sub("", texts[0]) == _NUMBER.sub("", texts[1])
    numbers = [[float(number) for number in _NUMBER.findall(text)] for text in texts]
    np.testing.assert_allclose(*numbers, atol=0.05)


QUICK = ("pursuit.svg", "game_drag.svg", "walls.svg")


@pytest.mark.parametrize("name", weekly_but(QUICK, drawings()))
def test_pictures_are_those_that_their_pages_draw(name, tmp_path):
    """If not, run: PYTHONPATH=. python tools/draw_pages.py NAME."""
    for path in draw(name, drawings()[name], tmp_path):
        assert_same(path, FOLDER / path.name)
