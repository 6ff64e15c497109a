"""The page, the figures and the results of a run are about the payoff of its game."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pretrained_pages import PRETRAINED
from short_trainings import QUIET, SHORT_STARTS, short_training

from agents.training.progress import ProgressBar
from agents.training.results import learning_curve_figure, remeasure
from agents.training.runs import begin_run, finish_run
from agents.training.validation import Validation
from baselines import gap
from steer_env.files import read_json

EPISODES = 5


@pytest.fixture(scope="module", autouse=True)
def notes():
    """What the progress bars of this module's runs show."""
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.training.results.gap", partial(gap, starts=SHORT_STARTS))
        patch.setattr(ProgressBar, "update", lambda *_, note, **__: shown.append(note))
        yield shown


def short_run(env, path):
    training = short_training(env=env, steps=256, validations=1)
    folder = begin_run(training, path / "run", EPISODES)
    finish_run(folder, QUIET)
    return folder


@pytest.fixture(scope="module", params=["TwoCarsDiscrete-v0", "DragEvade-v0"])
def distance_run(request, tmp_path_factory):
    """A run in a game about a distance."""
    return short_run(request.param, tmp_path_factory.mktemp("run"))


def read_validations(folder):
    return [Validation(**one) for one in read_json(folder.results)["validations"]]


def test_the_page_and_the_results_of_a_distance_are_about_distances(distance_run):
    page = distance_run.readme.read_text()
    assert "| policy | distance [m] |" in page
    for word in ("captur", "caught", "[s]", "survival", "time limit"):
        assert word not in page
    for name in re.findall("`(.+?)`", "".join(re.findall(r"^\| (`.+?) \|", page, re.M))):
        assert (distance_run.path / name).exists()
    assert not (distance_run.path / "survival.png").exists()
    results = read_json(distance_run.results)
    assert "captur" not in distance_run.results.read_text()
    assert results["benchmark"]["mean_distance"]["trained"]["estimate"] > 0.0
    for one in results["validations"]:
        assert one.keys() == {"steps", "seconds", "distances", "distance"}


def test_the_learning_curve_of_a_distance_has_one_panel(distance_run):
    result, validations = remeasure(distance_run, EPISODES), read_validations(distance_run)
    (opponent,) = result.scenario.opponents
    figure = learning_curve_figure({"learned": validations}, result)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "mean distance [m]"
    learned, *references = axes.lines
    np.testing.assert_array_equal(learned.get_ydata(), [one.distance for one in validations])
    means = {
        name: found["distance"].mean()
        for name, found in zip(result.scenario.references, result.references[opponent])
    }
    for line in references:
        np.testing.assert_allclose(line.get_ydata(), means[line.get_label()])
    highest = max(*learned.get_ydata(), *(means[line.get_label()] for line in references))
    assert axes.get_ylim()[1] >= highest


def test_published_validations_are_read_and_written_alike():
    path = Path(PRETRAINED, "HomicidalChauffeur-v0", "ppo", "results.json")
    for run in read_json(path)["runs"].values():
        for one in run["validations"]:
            assert Validation(**one).to_dict() == one
