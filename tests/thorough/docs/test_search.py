"""The site's search finds the page that answers a question before tables and lists of names."""

from __future__ import annotations

import json

from rendering.browser import NEEDS_BROWSER

from tests.browser.driving import wait_for

pytestmark = NEEDS_BROWSER

ANSWERS = {
    "install": "docs/start",
    "capture radius": "docs/game/index",
    "how fast": "docs/benchmarks",
    "full_force": "docs/opponents",
    "train ppo": "docs/train",
    "self-play": "docs/train",
    "observation": "docs/game/generated/environments",
    "reward": "docs/game/generated/environments",
    "discrete actions": "docs/game/generated/environments",
    "pettingzoo": "docs/game/teams",
    "my own opponent": "docs/extend",
    "confidence interval": "docs/evaluate",
    "stable-baselines3": "docs/train",
    "onnx export": "docs/train",
    "homicidal chauffeur": "docs/game/solved",
    "record gif": "docs/watch",
    "seed reproducibility": "docs/game/index",
    "vector environment": "docs/start",
    "obstacles": "docs/game/generated/obstacles",
    "cite": "docs/index",
}
"""The page that answers each question."""


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
    found = {question: first_results(browser, site, question) for question in ANSWERS}
    wrong = {question: page for question, page in found.items() if page != [ANSWERS[question]]}
    assert len(wrong) <= 2, wrong
