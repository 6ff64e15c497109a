"""Self-play in detail: the contents of a run's folder, and the answers that it finds."""

from __future__ import annotations

from short_trainings import QUIET, short_games
from test_selfplay import GENERATIONS, _short, run  # noqa: F401

from steer_env.agents.selfplay.exploitability import measure_exploitability
from steer_env.agents.selfplay.generations import SelfPlay
from steer_env.agents.selfplay.selfplay import finish_selfplay
from steer_env.baselines.known_players import best_answer, pretrained_of, scripts_of
from steer_env.policies import pretrained
from steer_env.policies.players import controller_of
from steer_env.scenarios.registry import DEFAULT_GAME
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side


def test_generations_go_on_from_the_one_before_on_starts_of_their_own(run):
    seeds = set()
    for side in Side:
        first, second = (
            run.generation(number, side).read_config()["training"] for number in (1, 2)
        )
        assert first["start_from"] is None
        assert second["start_from"] == str(run.generation(1, side).last_model)
        assert first["hardness"] == second["hardness"] == SelfPlay().hardness
        seeds |= {first["seed"], second["seed"]}
    assert len(seeds) == 2


def test_a_script_that_answers_better_than_all_networks_is_found(monkeypatch):
    for name in ("_SCREENING_EPISODES", "CHOICE_EPISODES"):
        monkeypatch.setattr(f"steer_env.baselines.known_players.{name}", 50)
    networks = {name: name for name in ("pretrained/pursuit/ppo", "pretrained/pursuit/mixture")}
    candidates = {**networks, **scripts_of(PURSUER)}
    answer, script = best_answer("evade", PURSUER, scripts_of(PURSUER), None)
    assert answer == script
    pair = {PURSUER: "seek", EVADER: "evade"}
    evaders = {"evade": "evade"}
    found = measure_exploitability("x", pair, {PURSUER: evaders, EVADER: candidates}, 100, None)
    assert found.evader.script == script
    assert found.evader.payoff.estimate <= found.evader.script_payoff.estimate + 0.1


def test_known_answers_are_of_the_right_side_and_none_is_there_twice():
    for side in Side:
        scripts, trained = scripts_of(side), pretrained_of(side, DEFAULT_GAME)
        for name in trained:
            controller_of(name, side)
        for name, script in scripts.items():
            if name in ROSTER:
                assert ROSTER[name] == script
                controller_of(name, side)
            assert script.chases == (side is PURSUER)
        general = {name for name, script in ROSTER.items() if not script.is_optimal}
        assert general <= scripts.keys() | scripts_of(side.other).keys()
        assert len(set(map(repr, scripts.values()))) == len(scripts)
        files = [pretrained.path_of(name) for name in trained]
        assert len(set(files)) == len(files) >= 8


def test_what_a_search_has_played_is_not_played_again(run, monkeypatch):
    """A crash after the search costs no more than the measurements."""
    monkeypatch.setattr("steer_env.agents.selfplay.exploitability.best_response", None)
    before = run.results.read_bytes()
    with short_games():
        finish_selfplay(run, QUIET)
    assert run.results.read_bytes() == before
