"""The sentence at the end of a round on the page fits its numbers."""

import json

from driving import wait_for
from rendering.browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER

CASES = [
    (
        ("pursuer", 6.2, 1, 1),
        [(5.1, True), (4.2, True)],
        "Caught in 6.2 s: 1.1 s behind pursuit, 2.0 s behind the best.",
    ),
    (
        ("pursuer", 6.24, 1, 1),
        [(7.26, True), (6.16, True)],
        "Caught in 6.2 s: 1.1 s ahead of pursuit, level with the best.",
    ),
    (
        ("pursuer", 6.2, 1, 1),
        [(20.0, False)],
        "Caught in 6.2 s: ahead of pursuit.",
    ),
    (
        ("pursuer", 20.0, 0, 1),
        [(7.0, True), (20.0, False)],
        "Not caught in 20.0 s: behind pursuit, level with the best.",
    ),
    (
        ("pursuer", 20.0, 2, 3),
        [(20.0, False)],
        "2 of 3 caught in 20.0 s: level with pursuit.",
    ),
    (("pursuer", 9.0, 3, 3), [(8.0, True)], "All caught in 9.0 s: 1.0 s behind pursuit."),
    (
        ("evader", 6.2, 1, 1),
        [(5.1, True), (9.2, True)],
        "Caught after 6.2 s: 1.1 s ahead of pursuit, 3.0 s behind the best.",
    ),
    (
        ("evader", 6.2, 1, 1),
        [(6.2, True), (20.0, False)],
        "Caught after 6.2 s: level with pursuit, behind the best.",
    ),
    (
        ("evader", 20.0, 0, 1),
        [(5.1, True), (20.0, False)],
        "Free for 20.0 s: ahead of pursuit, level with the best.",
    ),
]
"""A round (side, seconds, captured, evaders), the others' (seconds, captured), the sentence."""


def described(seconds, is_caught, captured=0):
    return {"seconds": seconds, "isCaught": is_caught, "isOver": True, "captured": captured}


def test_rounds_are_concluded(browser, page):
    browser.open(page, "seed=7")
    wait_for(browser, "chase.play.rounds")
    for (side, seconds, captured, evaders), others, sentence in CASES:
        rounds = {
            "link": {"as": side},
            "game": {"evaders": evaders},
            "episode": described(seconds, captured == evaders, captured),
            "ghosts": [
                {"title": title, "episode": described(*other)}
                for title, other in zip(("pursuit", "the best"), others)
            ],
        }
        found = browser.run(
            f"Object.assign(Object.create(chase.play.rounds), {json.dumps(rounds)}).conclusion"
        )
        assert found == sentence
