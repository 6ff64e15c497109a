"""The site's search finds the page that answers a question before tables and lists of names."""

from __future__ import annotations

import json

import pytest
from rendering.browser import NEEDS_BROWSER

from tests.browser.driving import wait_for

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

ANSWERS = {
    "install": "docs/start",
    "capture radius": "docs/game/index",
    "how fast": "docs/benchmarks",
    "train ppo": "docs/train",
    "observation": "docs/game/generated/environments",
    "reward": "docs/game/generated/environments",
    "pettingzoo": "docs/game/teams",
    "my own opponent": "docs/extend",
    "confidence interval": "docs/evaluate",
    "homicidal chauffeur": "docs/game/solved",
    "record gif": "docs/watch",
    "obstacles": "docs/game/generated/obstacles",
    "cite": "docs/index",
}
"""The page that answers each question."""

TYPED = {
    "quickstart": ("docs/start",),
    "stable baselines": ("docs/train", "docs/start"),
    "save model": ("docs/train",),
    "hide and seek": ("docs/steering/places",),
    "jax": ("docs/beside_others", "examples/README"),
    "colab": ("docs/start", "docs/classroom"),
    "custom reward": ("docs/extend",),
    "dubins car": ("docs/game/solved",),
    "proportional navigation": ("docs/steering/guidance",),
    "boids": ("docs/steering/flocking",),
    "cluster": ("deploy/README",),
    "partial observability": ("docs/game/teams", "docs/game/generated/environments"),
    "domain randomization": ("docs/start", "docs/game/generated/environments"),
    "image observation": ("docs/extend",),
    "list of opponents": ("docs/opponents",),
}
"""As people type: the pages of which one answers, written before the search was tried."""


def first_results(browser, site, question, count=1):
    """The first pages that the search lists for a question."""
    browser.open(site / "search.html")
    browser.run(f"Search.performSearch({json.dumps(question)})")  # as the field's form does
    wait_for(browser, "Search.title.innerText === 'Search Results'")
    links = browser.run(
        "[...document.querySelectorAll('#search-results li > a')].map((link) => link.href)"
    )
    start = f"{site.as_uri()}/"
    return [link.removeprefix(start).partition(".html")[0] for link in links[:count]]


def test_the_page_that_answers_comes_first(site, browser):
    answers = {**TYPED, **{question: (page,) for question, page in ANSWERS.items()}}
    found = {words: first_results(browser, site, words)[0] for words in answers}
    wrong = {words: page for words, page in found.items() if page not in answers[words]}
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("words", ["observation", "pursuit", "save model", "opponent"])
def test_each_page_is_listed_once(words, site, browser):
    pages = [
        page
        for page in first_results(browser, site, words, count=1000)
        if not page.startswith("docs/api/")  # of which each name is a result
    ]
    assert len(pages) == len(set(pages)) > 2
