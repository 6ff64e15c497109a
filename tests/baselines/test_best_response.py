"""The search for best responses: near the value of solved games, not beyond, replayable."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steer_env.baselines import MixturePolicy, NetworkPolicy, best_response, evaluate
from steer_env.baselines.best_responses import choose_base
from steer_env.baselines.planning import (
    ACTION_REPEAT,
    Plans,
    RecedingHorizon,
    Rollouts,
    _ranked,
    complementary,
    drawing_anew,
    draws_of,
)
from steer_env.baselines.rollouts import start_games
from steer_env.baselines.solved_games import known_values, with_horizon
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

SEED = 1_000_000
NETWORK = resolve("pretrained/pursuit/ppo", PURSUER).policy
PLAYERS = {name: resolve(script, None) for name, script in ROSTER.items()}
KNOWN = {
    PURSUER: ("seek", "pursuit/full_force", "navigation/full_force"),
    EVADER: ("flee", "evade", "escape/full_force"),
}


def solved_game(name, starts):
    """A solved game that is long enough, and the values of its first starts."""
    config = make_game(game=name)
    perfect = SOLVED[name].opponents[PURSUER]
    engine = start_games(config, resolve_pair(perfect, perfect), SEED, starts)
    values = known_values(config, engine.get_state()).value
    engine.close()
    return with_horizon(config, values), values


WEEKLY = pytest.mark.weekly


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=WEEKLY if name != "drag" else ()) for name in SOLVED]
)
def test_against_seek_it_finds_the_value_of_the_game(name):
    config, values = solved_game(name, 8)
    known = KNOWN[EVADER] if config.target is None else ("reach", "evade")
    found = best_response("seek", config, "evader", starts=8, budget=1024, known=known)
    finite = np.isfinite(values)
    mean = values[finite].mean()
    assert found.payoffs[finite].mean() >= mean - 0.05 * abs(mean)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("simple_plane", EVADER),
        *(pytest.param(*one, marks=WEEKLY) for one in product(["simple_plane", "drag"], Side)),
    ],
)
def test_against_perfect_play_it_finds_no_more_than_the_value_allows(name, side):
    config, values = solved_game(name, 8)
    opponent = SOLVED[name].opponents[side]
    found = best_response(opponent, config, side.name, starts=8, budget=1024, known=KNOWN[side])
    beyond = found.payoffs - values if side is EVADER else values - found.payoffs
    assert beyond.max() <= 0.002
    assert found.gains.min() >= 0.0


@pytest.fixture(scope="module")
def found():
    known = (*KNOWN[EVADER], "tuned/walls/evader")
    return best_response("tuned/walls/pursuer", starts=6, budget=768, known=known)


def test_it_passes_the_best_script_from_every_start(found):
    assert found.known.evader == "tuned/walls/evader"
    assert found.side is EVADER
    assert (found.gains > 0.2).all()
    assert found.gain.low > 0.3
    assert not found.to_dict()["has_chance"]
    assert "Search is better from 6 of 6 starts" in str(found)
    assert found.to_dict()["gain"]["estimate"] == pytest.approx(found.gains.mean())
    known = evaluate("tuned/walls/pursuer", "tuned/walls/evader", None, 6, SEED)
    assert known.episodes.tobytes() == found.known.episodes.tobytes()


def test_plans_are_replayed_bit_for_bit(found):
    np.testing.assert_array_equal(found.replay(), found.payoffs)


def test_neither_threads_nor_other_starts_change_a_search(monkeypatch):
    monkeypatch.setattr("steer_env.baselines.best_responses._AT_ONCE", 8)  # starts
    found = []
    for count, threads in ((8, 1), (10, 3)):
        monkeypatch.setattr("os.cpu_count", lambda threads=threads: threads)
        given = {"starts": count, "budget": 128, "known": KNOWN[EVADER]}
        found.append(best_response("pursuit/full_force", {"horizon": 90}, **given))
    few, all_of_them = found
    np.testing.assert_array_equal(few.payoffs, all_of_them.payoffs[:8])
    np.testing.assert_array_equal(few.plans.actions, all_of_them.plans.actions[:8])
    np.testing.assert_array_equal(all_of_them.replay(), all_of_them.payoffs)


def test_a_network_has_a_best_response(tmp_path):
    NETWORK.save(tmp_path / "network.npz")
    few = {"starts": 2, "budget": 128, "known": KNOWN[EVADER]}
    found = best_response(tmp_path / "network.npz", {"horizon": 60}, "evader", **few)
    np.testing.assert_array_equal(found.replay(), found.payoffs)
    assert found.players[0].policy.is_equal(NETWORK)
    assert (found.gains >= 0.0).all()


def test_a_team_has_a_best_response():
    known = ("voronoi/full_force", "pursuit/full_force")
    few = {"side": "pursuer", "starts": 2, "budget": 256, "known": known}
    found = best_response("evade/full_force", {"game": "pack", "horizon": 300}, **few)
    assert found.plans.actions.shape[2:] == (3, 2)
    assert found.gains.max() > 0.0
    np.testing.assert_array_equal(found.replay(), found.payoffs)


def test_kicks_add_to_all_velocities_at_every_decision():
    players = PLAYERS["idle"], [PLAYERS["idle"]]
    config, games = make_game(arena="open", start_speed=0.0), 4000
    rollouts = Rollouts(config, EVADER, [players[0]], players[1], games, kick=0.1)
    rollouts.begin(np.arange(games))
    actions, always = np.zeros((games, 1, 1, 2)), np.ones((games, 1), np.int64)
    rollouts.play(lambda number: Plans(actions, always), most_steps=3 * ACTION_REPEAT)
    velocity = rollouts.engine.state.velocity
    for part in (velocity.real, velocity.imag):
        assert part.std(axis=1) == pytest.approx(3.0**0.5 * 0.1, rel=0.05)
        assert abs(part.mean(axis=1)).max() < 0.01
    assert abs(np.corrcoef(velocity.real)[0, 1]) < 0.06


def test_a_search_and_the_known_player_are_kicked_alike():
    few = {"starts": 4, "budget": 128, "known": KNOWN[EVADER], "kicks": 0.1}
    found = best_response("pursuit/full_force", {"horizon": 300}, **few)
    np.testing.assert_array_equal(found.replay(), found.payoffs)
    alone = evaluate("pursuit/full_force", found.known.evader, {"horizon": 300}, 4, SEED)
    assert (found.known.payoffs != alone.payoffs).any()
    assert abs(found.known.payoffs - alone.payoffs).max() < 1.0
    assert found.to_dict()["kicks"] == 0.1
    assert "velocities are kicked by 0.1 m/s" in " ".join(str(found).split())


@WEEKLY
def test_what_hangs_on_ten_centimeters_does_not_outlast_kicks():
    """Bodies that must overlap by 10 cm can circle inside each other; not if they tremble."""
    given = {"game": {"capture_radius": 0.5}, "starts": 16, "budget": 4096}
    steady, kicked = (
        best_response("tuned/walls/pursuer", **given, kicks=kicks).gain for kicks in (0.0, 0.1)
    )
    assert steady.low > 3.0 > kicked.high


def first_plans(side, opponent, shift=0):
    """The best plans of a search at its first decision, perhaps with other chance to come."""
    base, random = [PLAYERS[name] for name in KNOWN[side]], np.random.default_rng(0)
    parts = make_game(), side, opponent, base, 6, 16, draws_of(opponent), random
    search = RecedingHorizon(*parts)
    search.begin(np.arange(6, dtype=np.uint64), 0)
    search._game.engine.state.key[:] += np.uint64(shift)
    search._improve()
    return search._plans


def mixture_of_two():
    """Its members run straight to where the evader was, or stand still."""
    members = (
        NetworkPolicy([np.zeros((2, 21))], [np.array(action)], activation="tanh", head="box")
        for action in ((1.0, 0.0), (0.0, 0.0))
    )
    return resolve(MixturePolicy([*members], seed=3), None)


@pytest.mark.parametrize(("side", "words"), [(EVADER, "over 4 draws"), (PURSUER, "16 draws")])
def test_against_chance_a_search_plays_that_does_not_know_it(side, words, tmp_path):
    mixture_of_two().policy.save(tmp_path / "mixture.npz")
    opponent = tmp_path / "mixture.npz" if side is EVADER else "evade"
    few = {"starts": 4, "budget": 128 if side is EVADER else 1024, "known": KNOWN[side]}
    found = best_response(opponent, {"horizon": 60}, side.name, **few)
    assert found.to_dict()["has_chance"]
    assert f"{words} of chance" in " ".join(str(found).split())
    np.testing.assert_array_equal(found.replay(), found.payoffs)


def test_a_search_plays_alike_until_chance_differs():
    """Evaders that wander differ in their keys, mixtures of the same members in their seeds."""
    mixture = mixture_of_two()
    with pytest.raises(InvalidValue, match="random numbers of its own"):
        Rollouts(make_game(), PURSUER, [PLAYERS["evade"]], [mixture], 2)
    for first, other in (
        (first_plans(PURSUER, PLAYERS["evade"], shift) for shift in range(2)),
        (first_plans(EVADER, drawing_anew(mixture, seed)) for seed in range(2)),
    ):
        np.testing.assert_array_equal(first.actions, other.actions)
        np.testing.assert_array_equal(first.base, other.base)


class Fickle:
    """A policy that draws its actions by random numbers of its own."""

    def __init__(self):
        self._random = np.random.default_rng(0)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return self._random.uniform(-1.0, 1.0, (len(observation), 2)), None


@pytest.mark.parametrize(
    ("opponent", "changes", "message"),
    [
        ("random", {"side": "evader"}, "random numbers of its own"),
        (
            Fickle(),
            {"side": "pursuer", "known": KNOWN[PURSUER], "game": {"horizon": 200}},
            "Fickle does not play the same game twice",
        ),
        ("random", {}, "can play either side"),
        (Script(behavior="idle"), {}, "can play either side"),
        ("pursuit", {"starts": 1}, "starts"),
        ("pursuit", {"budget": 0}, "budget"),
        ("pursuit", {"kicks": -0.1}, "kicks"),
        (
            "optimal/simple",
            {"kicks": 0.1, "game": "simple_plane", "side": "evader"},
            "keep their velocity",
        ),
        ("pursuit", {"known": ["pretrained/evade/ppo"]}, "at least one script"),
        ("pursuit", {"known": []}, "at least one script"),
        ("pursit", {}, "Did you mean 'pursuit'"),
    ],
)
def test_what_cannot_be_searched_is_refused(opponent, changes, message, monkeypatch):
    if not isinstance(opponent, Fickle):  # which only a replay shows
        monkeypatch.setattr("steer_env.baselines.best_responses.evaluate", None)
    arguments = {"starts": 2, "budget": 128, "known": KNOWN[EVADER], **changes}
    with pytest.raises(InvalidValue, match=message):
        best_response(opponent, **arguments)


@WEEKLY
def test_base_policies_are_chosen_for_what_they_make_of_a_plan():
    """The sidestep is the worst of these alone, and the best after a maneuver."""
    names = ("tuned/walls/evader", "escape/full_force", "evade", "flee/full_force")
    scripts = {name: PLAYERS[name] for name in (*names, "escape/sidestep/full_force")}
    opponent = PLAYERS["tuned/walls/pursuer"]
    chosen = choose_base(make_game(capture_radius=0.5), EVADER, opponent, scripts, 4096)
    assert chosen[:2] == [scripts["tuned/walls/evader"], scripts["escape/sidestep/full_force"]]
    assert len(chosen) <= 4


def test_where_all_scripts_do_alike_one_base_policy_is_left():
    """Nobody is caught within six steps, whatever the evader does."""
    names = ("flee", "evade", "wander", "escape", "hide", "flee/full_force")
    scripts = {name: PLAYERS[name] for name in names}
    short, few = make_game(horizon=6), {"evade": scripts["evade"]}
    assert choose_base(short, EVADER, PLAYERS["pursuit"], few, 4096) == [scripts["evade"]]
    for budget in (128, 4096):
        assert len(choose_base(short, EVADER, PLAYERS["pursuit"], scripts, budget)) == 1


def test_a_base_policy_plays_as_it_does_alone():
    seeds = np.arange(20, 26, dtype=np.uint64)
    base = [resolve(x, PURSUER) for x in ("pretrained/pursuit/ppo", "pursuit", "seek")]
    rollouts = Rollouts(make_game(), PURSUER, [PLAYERS["evade"]], base, len(seeds), 3)
    plan = Plans(np.zeros((6, 3, 1, 2), np.float32), np.broadcast_to([1, 2, 3], (6, 3)))
    for segments in (None, 0):
        rollouts.begin(seeds)
        payoffs = rollouts.play(lambda number: plan, segments=segments)
        for place, one in enumerate(base):
            alone = evaluate(one, "evade", None, 6, 20)
            np.testing.assert_array_equal(payoffs[:, place], alone.payoffs)


def test_rollouts_stop_when_they_are_told_to():
    base = [PLAYERS["pursuit/full_force"], PLAYERS["seek"]]
    rollouts = Rollouts(make_game(), PURSUER, [PLAYERS["evade"]], base, 5, 2)
    plan = Plans(np.zeros((5, 2, 1, 2), np.float32), np.broadcast_to([1, 2], (5, 2)))

    def steps(**limits):
        rollouts.begin(range(5))
        rollouts.play(lambda number: plan, **limits)
        return rollouts.steps.copy()

    full, late = steps(), steps(patience=8)
    assert (late[:, 0] == full[:, 0]).all()
    behind = full[:, 1] > full[:, 0] + 8 + ACTION_REPEAT
    assert behind.any()
    assert (late[behind, 1] <= full[behind, 0] + 8 + ACTION_REPEAT).all()
    assert steps(most_steps=12).max() == 12


def test_equal_plans_make_room_for_others_and_base_policies_complement_each_other():
    assert _ranked(np.array([[2.0, 1.0, 0.0, 2.0, 3.0, 2.0]])).tolist() == [[4, 0, 1, 2, 3, 5]]
    scores = {
        "best": np.array([5.0, 5.0, 0.0]),
        "second": np.array([4.9, 4.9, 0.0]),
        "other": np.array([0.0, 0.0, 3.0]),
    }
    assert complementary(scores, 3) == ["best", "other"]
    assert complementary(scores, 1) == ["best"]
