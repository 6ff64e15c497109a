"""Standings agree with games solved by hand, and their pages show them."""

from __future__ import annotations

import numpy as np
import pytest
from open_questions import OPEN_QUESTIONS
from standings import Standing, players, standings, suite_table
from suite_pages import game_page, reasons

from steer_env.baselines import EPISODE, Episodes
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.game.config import make_game
from steer_env.scenarios.registry import SUITE
from steer_env.sides import EVADER, PURSUER, Side

LEARNED = "pretrained/pursuit/ppo/0"
SLIPPERY = "pretrained/evade/ppo/0"


def made_up(times, pursuers, evaders, game="obstacles"):
    """A standing whose mean capture times are given; a time of 20 s is a time-out."""
    episodes = np.zeros((len(pursuers), len(evaders), 400), EPISODE)
    noise = np.tile([-0.5, 0.5], 200)
    episodes["time"] = np.minimum(np.array(times)[..., None] + noise, 20.0)
    episodes["captured"] = np.array(times)[..., None] < 20.0
    return Standing(SUITE[game], Episodes(pursuers, evaders, make_game(), episodes))


@pytest.fixture(scope="module")
def mixed():
    """A game like matching pennies, solved by hand.

    All play [[10, 6], [4, 12], [11, 13], [14, 13]], whose last two rows are dominated. For the
    share p of the first, 10 p + 4 (1 - p) = 6 p + 12 (1 - p) gives p = 2/3, and the value 8.
    Hand-written pursuers alone pay 12; all against "flee" alone pay 4.
    """
    pursuers = (LEARNED, "seek", "arrive", "pursuit")
    times = [[10.0, 6.0], [4.0, 12.0], [11.0, 13.0], [14.0, 13.0]]
    return made_up(times, pursuers, ("flee", SLIPPERY))


@pytest.fixture(scope="module")
def scripted():
    """No learned player: [[10, 6], [14, 20]], whose saddle point is 10; 20 is a time-out."""
    return made_up([[10.0, 6.0], [14.0, 20.0]], ("seek", "arrive"), ("flee", "evade"), "pack")


def test_the_equilibrium_is_that_by_hand(mixed):
    assert mixed.mixtures[PURSUER] == pytest.approx({LEARNED: 2 / 3, "seek": 1 / 3})
    assert mixed.mixtures[EVADER] == pytest.approx({"flee": 1 / 2, SLIPPERY: 1 / 2})
    assert mixed.value.estimate == pytest.approx(8.0)
    assert mixed.captured == pytest.approx(1.0)
    # [[2, 20], [20, 2]]: each side mixes evenly, and half of the episodes time out.
    found = made_up([[2.0, 20.5], [20.5, 2.0]], ("seek", "arrive"), ("flee", "evade"))
    assert found.captured == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [("headroom", (12.0 - 8.0, 8.0 - 4.0)), ("shortfall", (10.0 - 8.0, 8.0 - 6.0))],
)
def test_headroom_and_shortfall_are_those_by_hand(mixed, kind, seconds):
    """The learned pursuer alone pays 10; against "seek" the learned evader alone gets 6."""
    for side, expected in zip(Side, seconds):
        room = getattr(mixed, kind)[side]
        assert room.estimate == pytest.approx(expected)
        assert expected - 1.0 < room.low < expected < room.high < expected + 1.0


def test_a_guarantee_is_the_best_of_the_worst(mixed):
    best = mixed.guarantee(PURSUER)
    assert best[:2] == (LEARNED, "flee")
    assert best.time.estimate == pytest.approx(10.0)
    assert mixed.guarantee(PURSUER, ["arrive", "seek"])[:2] == ("seek", SLIPPERY)
    assert mixed.ranking(PURSUER) == [LEARNED, "seek", "arrive", "pursuit"]
    assert mixed.ranking(EVADER) == [SLIPPERY, "flee"]
    assert mixed.guarantee(EVADER)[:2] == (SLIPPERY, LEARNED)
    assert mixed.guarantee(EVADER, mixed.scripts(EVADER))[:2] == ("flee", "seek")


@pytest.mark.parametrize(
    ("captured", "rooms", "reason"),
    [
        (0.1, [1.0], None),
        (0.9, [0.0, 1.0], None),
        (0.0999, [5.0], "10.0% of the episodes at the equilibrium end with a capture, not 10"),
        (0.9001, [5.0], "not 10 to 90%"),
        (0.5, [0.999, 0.2], "the largest headroom or shortfall is 1.00 s, not at least 1 s"),
        (0.5, [], "neither side has a learned player yet"),
    ],
)
def test_the_rule_at_its_borders(captured, rooms, reason):
    found = reasons(captured, rooms, time_limit=20.0)
    assert len(found) == (reason is not None)
    assert reason is None or reason in found[0]


def test_standings_play_from_the_held_out_starts(small_protocol, pretrained_folder):
    calls = []
    (found,) = standings(["walls"], 4, progress=lambda *done: calls.append(done))
    assert found.played.pursuers == players("walls", PURSUER)
    assert found.played.evaders == players("walls", EVADER)
    assert found.played.episodes["seed"].min() == HELD_OUT_SEED
    assert calls == [(done, 45) for done in range(1, 46)]


def test_the_table_has_a_line_for_each_game(mixed, scripted):
    first, second = suite_table([mixed, scripted]).rows
    assert first[:2] == ("`obstacles`", SUITE["obstacles"].challenge)
    starts = [cell.split(" [")[0] for cell in first[2:8]]
    assert starts == ["8.00", "100.0%", "4.00", "2.00", "4.00", "2.00"]
    assert first[8:] == (f"`{LEARNED}` (66.7%)", "`flee` (50.0%)")
    assert second[4:8] == (*2 * ("no learned pursuer yet",), *2 * ("no learned evader yet",))
    assert second[8:] == ("`seek` (100.0%)", "`flee` (100.0%)")


def test_a_page_shows_who_leads_and_what_is_open(mixed, scripted):
    page = game_page(mixed)
    for text in (
        f"What is hard: {SUITE['obstacles'].challenge}.",
        "`obstacles=8`",
        f"| `{LEARNED}` | learned | 66.7% | 10.00 [",
        "The best scripted pursuer is `seek`.",
        "`obstacles` does not fit the rule of the suite: 100.0% of the episodes",
        "| `seek` | 100.0% [99.0, 100.0], 12.0 s | 100.0% [99.0, 100.0], 4.0 s |",
        OPEN_QUESTIONS["obstacles"],
    ):
        assert text in page
    assert "`arrive`" in page
    assert "`pursuit`" not in page  # the worst pursuer
