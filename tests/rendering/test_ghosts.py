"""Runs from one start on one board: all are seen, and stay as they ended."""

import numpy as np
import pytest
from chases import record

from steer_env.drawing import DrawingConfig
from steer_env.rendering.ghosts import MOST_RUNS, Ghosts
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
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


def test_a_run_that_is_over_stays_as_it_ended(runs):
    ghosts = Ghosts(runs, DRAWING)
    shorter, longer = sorted(len(found.states) - 1 for found in runs)
    at_end = ghosts.standings(longer)
    first = min(range(2), key=lambda number: len(runs[number].states))
    assert ghosts.standings(shorter)[first] == at_end[first]
    label = at_end[first].label
    assert at_end[first].caption == f"{label}, caught {runs[first].status.seconds:.1f} s"
    other = ghosts.standings(shorter)[1 - first]
    assert other.caption == other.label
    assert ghosts.standings(shorter - 1)[first].caption == label
    assert ghosts.moment_at(99.0) == longer
    assert (ghosts.frame(longer) != ghosts.frame(shorter)).any()


def test_the_side_that_differs_has_the_full_colors():
    hares = [run("pursuit", "pursuit", evader=name) for name in ("flee", "evade")]
    ghosts = Ghosts(hares, DRAWING)
    assert ghosts.side is EVADER
    assert ghosts.labels == ["flee", "evade"]
    foxes = [run(name, name) for name in ("pursuit", "seek")]
    assert Ghosts(foxes).side is PURSUER
    assert Ghosts(hares, side=PURSUER).side is PURSUER
    both = Ghosts([foxes[1], hares[0]])
    assert both.side is PURSUER
    assert both.labels == ["seek v evade", "pursuit v flee"]
    assert Ghosts(foxes, labels=["a", "b"]).labels == ["a", "b"]
    assert Ghosts(foxes, side=EVADER).labels == ["evade", "evade"]


def test_an_evader_that_gets_away_is_free():
    hares = [run("seek", "seek", evader=name, horizon=20) for name in ("flee", "evade")]
    outcomes = [standing.outcome for standing in Ghosts(hares).standings(20)]
    assert outcomes == ["free for 0.67 s"] * 2
    foxes = [run(name, name, horizon=20) for name in ("pursuit", "seek")]
    outcomes = [standing.outcome for standing in Ghosts(foxes).standings(20)]
    assert outcomes == ["not within 0.67 s"] * 2


def test_a_team_has_the_number_of_its_captures(tmp_path):
    team = {"pursuers": 3, "evaders": 3, "horizon": 200}
    runs = [run(name, name, **team) for name in ("pursuit", "rest")]
    captured = [int(found.states[-1]["game"]["captured"]) for found in runs]
    assert 0 == captured[1] < captured[0]
    ghosts, last = Ghosts(runs, DRAWING), max(len(found.states) for found in runs) - 1
    outcomes = [standing.outcome for standing in ghosts.standings(last)]
    seconds = [found.status.seconds for found in runs]
    assert outcomes == [f"{n} of 3 caught in {s:.1f} s" for n, s in zip(captured, seconds)]
    assert [standing.free for standing in ghosts.standings(last)] == [
        3 - number for number in captured
    ]
    canvas = SvgCanvas(300, 300, "teams")
    ghosts.draw(canvas, last)
    canvas.save(tmp_path / "teams.svg")
    drawn = (tmp_path / "teams.svg").read_text()
    assert f">rest, {outcomes[1]}<" in drawn
    assert f">all caught in {captured.count(3)} of 2 runs<" in drawn


@pytest.mark.parametrize("keywords", [{}, {"pursuers": 2, "evaders": 3, "arena": "torus"}])
def test_a_canvas_shows_the_same_as_an_array(keywords):
    runs = [run(name, name, horizon=60, **keywords) for name in ("pursuit", "seek")]
    pixels = np.zeros((300, 300, 3), np.uint8)
    Ghosts(runs, DRAWING).draw(RasterCanvas(pixels), 40)
    assert np.array_equal(pixels, Ghosts(runs, DRAWING).frame(40))
    vector = SvgCanvas(300, 300, "two runs")
    Ghosts(runs, DRAWING).draw(vector, 40)


def test_what_cannot_share_a_board_is_refused(runs):
    with pytest.raises(ValueError, match="seeds 1 and 2"):
        Ghosts([runs[0], run("seek", "seek", seed=2, horizon=20)])
    with pytest.raises(ValueError, match="different games"):
        Ghosts([runs[0], run("seek", "seek", horizon=20)])
    with pytest.raises(ValueError, match="1 to 6 episodes, got 0"):
        Ghosts([])
    with pytest.raises(ValueError, match="got 7"):
        Ghosts(runs[:1] * (MOST_RUNS + 1))
    with pytest.raises(ValueError, match="each of the 2 episodes"):
        Ghosts(runs, labels=["one"])
