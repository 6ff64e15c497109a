"""Plates show whole episodes; runs from one start share a board, and stay as they ended."""

import re

import pytest
from chases import record, texts

from steer_env.drawing import DrawingConfig
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.plate import plate_of
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

DRAWING = DrawingConfig(size=300)
ONE = {"pursuers": 1, "evaders": 1, "obstacles": 0, "capture_radius": 1.5}


def run(name, pursuer, seed=1, evader="evade", **keywords):
    given = {**ONE, "horizon": 600, **keywords}
    scripts = ROSTER[pursuer], ROSTER[evader]
    return record((seed,), (name, evader), *scripts, **given)[0]


@pytest.fixture(scope="module")
def runs():
    """One that is caught soon, one later; the last steps of the second are its own."""
    found = [run(name, name) for name in ("pursuit", "seek")]
    assert found[0].status.is_captured
    assert len({len(one.states) for one in found}) == 2
    return found


def texts_of(ghosts, moment):
    return texts(ghosts.picture(moment))


def test_titles_of_plates_have_the_names_and_the_result(runs):
    found = texts(plate_of(runs[:1], 1, 300))
    assert {"pursuit", "vs", "evade", runs[0].status.result} <= {*found}
    assert not any(text.startswith("seed") for text in found)
    both = [runs[0], run("pursuit", "pursuit", seed=3)]
    assert {"seed 1", "seed 3"} <= {*texts(plate_of(both, 1, 300))}


def test_where_nobody_is_caught_a_plate_has_no_capture_radius():
    game, side = {"game": "perimeter_defense", "horizon": 60}, "optimal/perimeter"
    documents = []
    for radius in (0.1, 0.4):
        plate = plate_of([run(side, side, evader=side, capture_radius=radius, **game)], 1, 300)
        documents.append(plate.svg())
    assert documents[0] == documents[1]
    assert {"start", "end"} <= {*texts(plate)}
    assert not {"capture radius", "caught"} & {*texts(plate)}


def test_a_run_that_is_over_stays_as_it_ended_and_says_so(runs):
    ghosts = Ghosts(runs, DRAWING)
    shorter, longer = sorted(runs, key=lambda found: len(found.states))
    first, last = len(shorter.states) - 1, len(longer.states) - 1
    caption = f"{shorter.names[0]}, caught {shorter.status.seconds:.1f} s"
    assert caption not in texts_of(ghosts, first - 1)
    for moment in (first, last):
        assert caption in texts_of(ghosts, moment)
    assert longer.names[0] in texts_of(ghosts, first)
    assert "2 of 2 caught" in texts_of(ghosts, last)
    assert f"{longer.status.seconds:.1f} s" in texts_of(ghosts, last)
    assert ghosts.moment_at(99.0) == last


def test_the_side_that_differs_has_the_full_colors(runs):
    hares = [run("pursuit", "pursuit", evader=name) for name in ("flee", "evade")]
    ghosts = Ghosts(hares, DRAWING)
    assert ghosts.side is EVADER
    assert ghosts.labels == ["flee", "evade"]
    assert Ghosts(runs).side is PURSUER
    both = Ghosts([runs[1], hares[0]])
    assert both.side is PURSUER
    assert both.labels == ["seek vs evade", "pursuit vs flee"]
    assert Ghosts(runs, labels=["a", "b"]).labels == ["a", "b"]


def test_outcomes_are_those_of_the_side():
    hares = [run("seek", "seek", evader=name, horizon=20) for name in ("flee", "evade")]
    assert "flee, free for 0.67 s" in texts_of(Ghosts(hares, DRAWING), 20)
    foxes = [run(name, name, horizon=20) for name in ("pursuit", "seek")]
    assert "seek, not within 0.67 s" in texts_of(Ghosts(foxes, DRAWING), 20)
    team = {"pursuers": 3, "evaders": 3, "horizon": 200}
    packs = [run(name, name, **team) for name in ("pursuit", "idle")]
    captured = [int(found.states[-1]["game"]["captured"]) for found in packs]
    assert 0 == captured[1] < captured[0]
    drawn = texts_of(Ghosts(packs, DRAWING), max(len(found.states) for found in packs) - 1)
    assert f"idle, 0 of 3 caught in {packs[1].status.seconds:.1f} s" in drawn
    assert f"all caught in {captured.count(3)} of 2 runs" in drawn


def test_a_film_that_is_cut_ends_with_the_outcomes_so_far(runs):
    longer = max(runs, key=lambda found: len(found.states))
    ghosts = Ghosts(runs, DRAWING, seconds=0.5)
    last, caption = ghosts.moment_at(0.5), f"{longer.names[0]}, not within 0.5 s"
    assert caption in texts_of(ghosts, last)
    assert caption not in texts_of(ghosts, last - 1)
    assert caption not in texts_of(Ghosts(runs, DRAWING), last)


def test_a_wide_picture_has_the_outcomes_beside_the_arena(runs):
    ghosts = Ghosts(runs, DrawingConfig(size=(450, 300)))
    document = ghosts.picture(len(runs[0].states) - 1).svg()
    outcome = f"caught {runs[0].status.seconds:.1f} s"
    (left,) = re.findall(rf'<text x="([\d.]+)"[^>]*>{outcome}<', document)
    assert float(left) > 300
    assert f"{runs[0].names[0]}, caught" not in document
