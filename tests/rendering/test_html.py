"""The page is one safe file with all recordings. Its behavior: test_recordings_page."""

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from chases import record

from steer_env.drawing import ANNOTATIONS, DEFAULT_ANNOTATIONS, THEMES, legible
from steer_env.rendering import html as html_module
from steer_env.rendering.html import save_html
from steer_env.rendering.marks import LOOKS, PARTS


def saved(tmp_path, recordings, **keywords):
    save_html(tmp_path / "chase.html", recordings, **keywords)
    return (tmp_path / "chase.html").read_text("utf-8")


def between(page, start, end):
    return re.search(re.escape(start) + "(.*?)" + re.escape(end), page, re.DOTALL)[1]


def unpack(page):
    """The data, in which columns are arrays, by the description in html.py alone."""
    packed = between(page, '<script id="data" type="application/octet-stream">', "</script>")
    data = json.loads(zlib.decompress(base64.b64decode(packed, validate=True)))

    def values(column):
        unit, *changes = column
        return np.cumsum(np.cumsum(changes)) * unit

    for episode in data["episodes"]:
        episode["distances"] = values(episode["distances"])
        for player in episode["players"]:
            player["columns"] = {k: values(v) for k, v in player["columns"].items()}
            assert {len(v) for v in player["columns"].values()} == {episode["steps"] + 1}
    return data


@pytest.fixture(scope="module")
def duel():
    return record(names=("pursuit", "evade"), pursuers=1, evaders=1, obstacles=0)[0]


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_players_are_read_back_to_within_half_a_unit(tmp_path, arena):
    recordings = record(seeds=(3, 8), arena=arena)
    episodes = unpack(saved(tmp_path, recordings))["episodes"]
    for recording, episode in zip(recordings, episodes, strict=True):
        bodies = recording.states["players"]["body"]
        for number, player in enumerate(episode["players"]):
            body, columns = bodies[:, number], player["columns"]
            away = columns["x"] + 1j * columns["y"] - body["position"]
            if arena == "torus":  # paths go on beyond the edge
                away -= 20.0 * (np.round(away.real / 20.0) + 1j * np.round(away.imag / 20.0))
                assert np.abs(np.diff(columns["x"])).max() < 1.0
            assert max(abs(away.real).max(), abs(away.imag).max()) < 0.0051
            turned = np.exp(1j * columns["heading"]) / body["heading"]
            assert np.abs(np.angle(turned)).max() < 0.00051
            velocity = columns["velocityX"] + 1j * columns["velocityY"]
            assert np.abs(velocity - body["velocity"]).max() < 0.72 * 4.0 / 400
            force = columns["forceX"] + 1j * columns["forceY"]
            assert np.abs(force - recording.forces[:, number]).max() < 0.72 * 12.0 / 400
            active = recording.states["players"]["active"][:, number]
            assert np.array_equal(columns["active"] > 0.5, active)


def test_annotations_are_read_back_to_within_half_a_unit(tmp_path):
    (recording,) = record(seeds=(5,), arena="torus")
    (walled,) = record(seeds=(5,))
    episodes = unpack(saved(tmp_path, [recording, walled]))["episodes"]
    seen = set()
    for each, episode in zip([recording, walled], episodes):
        for moment in range(0, 61, 4):
            for number, found in enumerate(each.annotations(moment)):
                columns = episode["players"][number]["columns"]
                position = each.positions[moment, number]
                heading = each.states[moment]["players"]["body"]["heading"][number]
                for name in PARTS:
                    parts = found.get(name, ())
                    assert (columns.get(name, np.zeros(61))[moment] > 0.5) == bool(parts)
                    if not parts:
                        continue
                    seen.add(name)
                    axis = heading if name in ("wander", "feelers") else 1
                    numbers = []
                    for part in parts:
                        offset = (part - position) * np.conj(axis)
                        is_place = isinstance(part, complex)
                        numbers += [offset.real, offset.imag] if is_place else [part]
                    kept = [columns[f"{name}.{i}"][moment] for i in range(len(numbers))]
                    assert np.abs(np.subtract(kept, numbers)).max() < 0.0051
        distance = each.states["game"]["distance"]
        assert np.abs(episode["distances"] - distance).max() < 0.0051
    assert seen == {*PARTS}


def test_the_page_needs_nothing_else_and_only_its_program_may_run(tmp_path, duel):
    page = saved(tmp_path, [duel])
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<html") == page.count("</html>") == page.count("<title>") == 1
    assert not re.search(r"https?:|url\(|import\b|\ssrc=|fetch\(|XMLHttp", page)
    assert not re.search(r"\{\{\w+\}\}", page)
    policy = html.unescape(between(page, 'Content-Security-Policy" content="', '">'))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    tags = {"style": ("<style>", "</style>"), "script": ('<script type="module">', "</script>")}
    for kind, (start, end) in tags.items():
        digest = hashlib.sha256(between(page, start, end).encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_programs_name_only_what_the_table_of_looks_has():
    folder = Path(html_module.__file__).parents[1]
    program = "".join(path.read_text() for path in sorted(folder.glob("*/pages/*.js")))
    entries = re.findall(r"looks\.(\w+)(?:\.(\w+)|\[\"([^\"]+)\"\])?", program)
    assert len(entries) > 30
    for group, *names in entries:
        name = "".join(names)
        assert group in LOOKS, group
        assert not isinstance(LOOKS[group], dict) or name in ("", *LOOKS[group]), (group, name)
    sizes = re.findall(r"view\.size\(\"([^\"]+)\"\)", program)
    drawn = r"picture\.(?:stroke|fill|disc|ring|path|line|dot|arrow)\([^,]+, \"([^\"]+)\""
    lines = re.findall(drawn, program)
    assert min(len(sizes), len(lines)) > 10
    assert {*sizes} <= {*LOOKS["sizes"]}
    assert {*lines} <= {*LOOKS["lines"]}


def test_names_are_data_and_never_markup(tmp_path):
    names = ('</script><script>steal("1")</script>', "<b>ü & {{data}}\ud800")
    recordings = record(names=names)
    page = saved(tmp_path, recordings)
    assert "steal" not in page.replace(html.escape(names[0]), "")
    assert "<b>ü" not in page
    assert tuple(unpack(page)["episodes"][0]["names"]) == (names[0], r"<b>ü & {{data}}\ud800")


def test_facts_are_there(tmp_path):
    recordings = record(seeds=(0, 2**64 - 1))
    page = saved(tmp_path, recordings, theme="dark")
    assert "<title>fox vs hare</title>" in page
    assert len(page) < 110_000
    assert '<html lang="en" data-theme="dark">' in page
    for colors in THEMES.values():
        shades = {**colors._asdict(), "pursuer-text": legible(colors.pursuer, colors)}
        for name, (red, green, blue) in shades.items():
            assert f"--{name}:rgb({red} {green} {blue});" in page
    header = unpack(page)
    assert header["meanings"] == dict(ANNOTATIONS)
    assert header["shown"] == list(DEFAULT_ANNOTATIONS)
    for recording, episode in zip(recordings, header["episodes"], strict=True):
        assert episode["seed"] == str(recording.seed)
        assert episode["result"] == recording.status.result
        assert episode["names"] == ["fox", "hare"]
        assert episode["descriptions"][0] == "a pursuer that looks around"
        assert len(episode["obstacles"]) == 3
        assert [player["side"] for player in episode["players"]] == [0, 0, 1, 1]
        assert episode["captureRadius"] == recording.config.capture_radius
