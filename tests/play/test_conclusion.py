"""The sentence at the end of a round fits its numbers."""

from types import SimpleNamespace

import pytest

from steer_env.play.best_times import BestTime
from steer_env.play.conclusion import best_text, conclude
from steer_env.play.rounds import Rival
from steer_env.sides import EVADER, PURSUER

RIVALS = (Rival("pursuit", "pursuit", ""), Rival("best", "the best known player (best)", ""))


def status(seconds, is_captured, captured=0):
    record = {"game": {"captured": captured}}
    return SimpleNamespace(seconds=seconds, is_captured=is_captured, record=record)


def ended(side, seconds, is_captured, evaders=1, captured=0):
    """A round that is over."""
    return SimpleNamespace(
        challenge=SimpleNamespace(side=side, config=SimpleNamespace(evaders=evaders)),
        duel=SimpleNamespace(status=status(seconds, is_captured, captured)),
    )


def other(seconds, is_captured):
    """The episode of another player."""
    return SimpleNamespace(last=0, status=lambda moment: status(seconds, is_captured))


CASES = [
    (
        ended(PURSUER, 6.2, True),
        [other(5.1, True), other(4.2, True)],
        "Caught in 6.2 s: 1.1 s behind pursuit, 2.0 s behind the best known player (best).",
    ),
    (
        ended(PURSUER, 6.24, True),
        [other(7.26, True), other(6.16, True)],
        "Caught in 6.2 s: 1.1 s ahead of pursuit, level with the best known player (best).",
    ),
    (
        ended(PURSUER, 6.2, True),
        [other(20.0, False)],
        "Caught in 6.2 s: pursuit does not catch it.",
    ),
    (
        ended(PURSUER, 20.0, False),
        [other(7.0, True), other(20.0, False)],
        "Not caught in 20.0 s: pursuit catches it in 7.0 s, "
        "the best known player (best) does not catch it.",
    ),
    (
        ended(PURSUER, 20.0, False, evaders=3, captured=2),
        [other(20.0, False)],
        "2 of 3 caught in 20.0 s: pursuit does not catch them all.",
    ),
    (
        ended(PURSUER, 9.0, True, evaders=3, captured=3),
        [other(8.0, True)],
        "All caught in 9.0 s: 1.0 s behind pursuit.",
    ),
    (
        ended(EVADER, 6.2, True),
        [other(5.1, True), other(9.2, True)],
        "Caught after 6.2 s: 1.1 s longer than pursuit, "
        "3.0 s shorter than the best known player (best).",
    ),
    (
        ended(EVADER, 6.2, True),
        [other(6.2, True), other(20.0, False)],
        "Caught after 6.2 s: as long as pursuit, the best known player (best) gets away.",
    ),
    (
        ended(EVADER, 20.0, False),
        [other(5.1, True), other(20.0, False)],
        "Free for 20.0 s: pursuit is caught after 5.1 s, "
        "the best known player (best) gets away.",
    ),
    (ended(EVADER, 20.0, False), [], "Free for 20.0 s."),
]
"""Rounds, the others' episodes, and the sentence."""


@pytest.mark.parametrize(("played", "others", "sentence"), CASES)
def test_a_round_is_concluded(played, others, sentence):
    assert conclude(played, RIVALS, others) == sentence


CAUGHT, FREE = ended(PURSUER, 6.0, True), ended(PURSUER, 20.0, False)


@pytest.mark.parametrize(
    ("played", "best", "start", "expected"),
    [
        (CAUGHT, None, None, "Your new best."),
        (FREE, None, None, ""),
        (CAUGHT, BestTime(7.0, 1), None, "Your new best (before: 7.0 s)."),
        (CAUGHT, BestTime(7.0, 1), BestTime(7.0, 1), "Your new best (before: 7.0 s)."),
        (
            CAUGHT,
            BestTime(5.0, 1),
            BestTime(7.0, 2),
            "Your new best from this start (before: 7.0 s). Your best: 5.0 s.",
        ),
        (
            CAUGHT,
            BestTime(5.0, 1),
            BestTime(5.5, 2),
            "Your best from this start: 5.5 s. Your best: 5.0 s.",
        ),
        (FREE, BestTime(5.0, 1), BestTime(5.0, 1), "Your best from this start: 5.0 s."),
        (CAUGHT, BestTime(5.0, 1), None, "Your best: 5.0 s."),
        (ended(EVADER, 9.0, True), BestTime(8.0, 1), None, "Your new best (before: 8.0 s)."),
        (ended(EVADER, 9.0, True), BestTime(9.0, 1), None, "Your best: 9.0 s."),
    ],
)
def test_a_round_is_compared_with_ones_own(played, best, start, expected):
    assert best_text(played, best, start) == expected
