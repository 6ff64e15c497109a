"""Games on maps are learned on some maps, and measured on others that nobody trains on."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import Episodes, benchmark, evaluate, paired_difference, tasks
from steer_env.game.config import make_game
from steer_env.maps.map import Map
from steer_env.scenarios.games import Rooms
from steer_env.scenarios.registry import WORLDS
from steer_env.sides import PURSUER, Side

TEXTBOOK = "pursuit/paths/searching/full_force"
EPISODES = 12


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:  # a thousand maps take seconds to make
        patch.setattr(Rooms, "unseen_maps", "rooms/64-71")
        yield benchmark({"learned": "pursuit/paths"}, "pursuer/rooms", episodes=EPISODES)


@pytest.mark.weekly
@pytest.mark.parametrize("game", WORLDS.values(), ids=[*WORLDS])
def test_a_thousand_maps_are_unseen(game):
    for side in Side:
        task = tasks.WORLD_TASKS[f"{side.name}/{game.name}"]
        assert len(task.config.map) == 64
        assert len(set(task.unseen.map)) == 1000
        assert not set(task.config.map) & set(task.unseen.map)


@pytest.mark.compiled
@pytest.mark.parametrize("game", WORLDS)
@pytest.mark.parametrize("side", Side)
def test_there_is_something_to_learn(game, side):
    """Random players fail, and the textbook's succeed at times."""
    opponent = WORLDS[game].opponents[side]
    textbook = WORLDS[game].opponents[side.other]
    rates = {}
    for player in ("random", textbook):
        found = evaluate(*side.ordered(player, opponent), game, episodes=300, seed=5)
        rates[player] = found.capture_rate.estimate
    if side is PURSUER:
        assert rates["random"] < 0.05
        assert 0.3 < rates[textbook] < 0.9
    else:
        assert rates["random"] > 0.8
        assert 0.1 < 1.0 - rates[textbook] < 0.5


@pytest.mark.compiled
def test_a_result_has_both_kinds_of_maps(result):
    task = tasks.WORLD_TASKS["pursuer/rooms"]
    assert result.played.config.map == task.config.map
    assert result.unseen.played.config.map == tuple(Map.rooms(8, seed=64))
    assert result.unseen.played.names("evader") == task.opponents
    assert set(result.means) == {"trained", "held_out", "unseen"}
    assert set(result.differences["pursuit/paths"]) == set(result.means)
    again = result.differences["pursuit/paths"]  # the policy that is measured, in truth
    assert again["unseen"].estimate == again["trained"].estimate == 0.0


@pytest.mark.compiled
def test_the_gap_is_what_unseen_maps_add_less_what_they_add_to_the_reference(result):
    seed, times = tasks.held_out_seed(), {}
    for maps in ("rooms/0-63", "rooms/64-71"):
        config = make_game(game="rooms", map=maps)
        for player in ("pursuit/paths", TEXTBOOK):
            opponents = tasks.WORLD_TASKS["pursuer/rooms"].opponents
            played = [
                evaluate(player, one, config, EPISODES, seed)["time"] for one in opponents
            ]
            times[maps, player] = np.mean(played, axis=0)
    added = [
        times["rooms/64-71", one] - times["rooms/0-63", one]
        for one in ("pursuit/paths", TEXTBOOK)
    ]
    gap = result.map_generalization
    assert gap.estimate == pytest.approx(np.mean(added[0]) - np.mean(added[1]))
    expected = paired_difference(*map(np.atleast_2d, added))
    assert (gap.low, gap.high) == pytest.approx((expected.low, expected.high))
    assert result.means["unseen"].estimate == pytest.approx(
        times["rooms/64-71", "pursuit/paths"].mean()
    )


@pytest.mark.compiled
def test_tables_and_json_have_unseen_maps(result):
    table, summary = result.tables()
    assert "on 8 unseen maps: a change of" in table.caption
    assert summary.header[-1] == "unseen maps"
    numbers = result.to_dict()
    assert numbers["map_generalization"]["estimate"] == result.map_generalization.estimate
    assert set(numbers["mean_capture_time"]) == {"trained", "held_out", "unseen"}


@pytest.mark.compiled
def test_progress_counts_the_pairs_on_all_maps(monkeypatch):
    monkeypatch.setattr(Rooms, "unseen_maps", "rooms/64-65")
    told = []
    benchmark(
        "evade", "evader/rooms", 4, progress=lambda done, total: told.append((done, total))
    )
    task = tasks.WORLD_TASKS["evader/rooms"]
    pairs = 4 * (len(task.all_opponents) + len(task.opponents))
    assert told == [(done, pairs) for done in range(1, pairs + 1)]


@pytest.mark.compiled
def test_episodes_know_their_maps(tmp_path):
    found = evaluate("pursuit/paths", "evade", {"map": "rooms/0-3"}, episodes=40)
    groups = found.by("map")
    assert list(groups) == [0, 1, 2, 3]
    assert sum(map(len, groups.values())) == 40
    for number, group in groups.items():
        assert (group["map"] == number).all()
    one = evaluate("pursuit/paths", "evade", {"map": "rooms/2"}, episodes=40)
    same = found["map"] == 2
    assert 0 < same.sum() < 40
    assert one.config.map == found.config.map[2:3]
    np.testing.assert_array_equal(
        found.where(map=[1, 2])["map"], found["map"][np.isin(found["map"], [1, 2])]
    )
    found.save(tmp_path / "found.npz")
    np.testing.assert_array_equal(Episodes.load(tmp_path / "found.npz")["map"], found["map"])
    with pytest.raises(ValueError, match="only games on maps"):
        evaluate("pursuit", "evade", episodes=4).by("map")
