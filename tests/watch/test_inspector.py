"""The inspector shows what the engine and the scripts know."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.players import NamedPlayer
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.watch.inspector import Bar, Fact, Heading, Inspector, Note
from steer_env.watch.screening import Screening

from .screenings import make_screening, to_the_end

TEAMS = {"pursuers": 2, "evaders": 3, "obstacles": 2}


def facts(rows):
    return {row.name: row.value for row in rows if isinstance(row, Fact)}


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_observations_are_those_of_the_engine_at_every_moment(arena):
    screening = make_screening(arena=arena, **TEAMS)
    game, inspector = screening.games[0], Inspector(screening.config)
    expected = []
    for _ in range(20):
        duel = game.duel
        expected.append(np.concatenate([duel.observation(PURSUER), duel.observation(EVADER)]))
        screening.step_forward()
    for moment, of_players in enumerate(expected):
        for player, observation in enumerate(of_players):
            bars = [r for r in inspector.rows(game, moment, player) if isinstance(r, Bar)]
            assert np.array_equal([bar.value for bar in bars], observation.tolist())
    assert game.last == 20  # looking changes nothing


def test_every_feature_is_below_its_heading():
    screening = make_screening(**TEAMS)
    rows = Inspector(screening.config).rows(screening.games[0], 0, 3)
    titles = [row.text for row in rows if isinstance(row, Heading)]
    assert titles == [
        "evader 2: evade",
        "script",
        "observed of itself",
        "observed of pursuer 1",
        "observed of pursuer 2",
        "observed of evader 1",
        "observed of evader 3",
        "observed of the nearest obstacle",
        "observed of the 2nd nearest obstacle",
    ]
    first = rows[rows.index(Heading("observed of pursuer 2")) + 1]
    assert first.feature.name == "presence"


def test_motion_is_that_of_the_state():
    screening = make_screening(seed=1)
    for _ in range(15):
        screening.step_forward()
    game = screening.games[0]
    record, force = game.record(15), game.recording().forces[15, 0]
    body, other = record["players"]["body"]
    found = facts(Inspector(screening.config).rows(game, 15, 0))
    position, velocity = body["position"], body["velocity"]
    assert found["position"] == f"({position.real:.2f}, {position.imag:.2f}) m"
    assert found["velocity"] == f"({velocity.real:.2f}, {velocity.imag:.2f}) m/s"
    assert found["speed"].startswith(f"{abs(velocity):.2f} of 4.00")
    assert found["heading"] == f"{np.degrees(np.angle(body['heading'])):.0f}\u00b0"
    assert found["force"].startswith(f"{abs(force):.2f} of 12.00 N")
    distance = abs(position - other["position"])
    assert found["nearest opponent"] == f"evader, {distance:.2f} m"
    shown = game.recording().annotations(15)[0]
    assert found["aim"] == f"({shown.aim.real:.2f}, {shown.aim.imag:.2f}) m"
    assert found["lookahead"] == f"{shown.lookahead:.2f} s"
    assert shown.lookahead > 0.0


def test_a_script_shows_its_settings_that_are_not_default():
    screening = make_screening(("seek",), ("evade/threatened",))
    rows = Inspector(screening.config).rows(screening.games[0], 0, 1)
    script, found = ROSTER["evade/threatened"], facts(rows)
    assert Note(script.description) in rows
    assert found["behavior"] == "evade"
    assert found["wander"] == f"{script.wander:g}"
    assert found["threat range"] == f"{script.threat_range:g}"
    assert "walls" in found
    assert "lookahead cap" not in found


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (13, "13th"),
        (21, "21st"),
        (32, "32nd"),
    ],
)
def test_ranks_are_written_as_people_do(number, text):
    screening = make_screening(arena_size=60.0, obstacles=32)
    rows = Inspector(screening.config).rows(screening.games[0], 0, 0)
    titles = [row.text for row in rows if isinstance(row, Heading)]
    assert titles[-32:][number - 1] == f"observed of the {text} nearest obstacle"


def test_a_player_without_a_script_is_a_policy():
    screening = make_screening(("random",))
    rows = Inspector(screening.config).rows(screening.games[0], 0, 0)
    assert any(isinstance(row, Note) and "policy" in row.text for row in rows)
    assert "behavior" not in facts(rows)


def test_the_caught_are_caught():
    screening = make_screening(("pursuit",), ("rest",), horizon=300)
    to_the_end(screening)
    inspector, game = Inspector(screening.config), screening.games[0]
    assert facts(inspector.rows(game, screening.moment, 1))["caught"] == "yes"
    assert "nearest opponent" not in facts(inspector.rows(game, screening.moment, 0))


def test_distances_on_a_torus_go_across_its_edges():
    screening = make_screening(arena="torus", arena_size=20.0)
    state = screening.games[0].record(0)
    state["players"]["body"]["position"] = -9.5, 9.5 + 1j
    found = facts(Inspector(screening.config).rows(screening.games[0], 0, 0))
    assert found["nearest opponent"] == f"evader, {abs(1 + 1j):.2f} m"


def test_a_script_of_ones_own_has_no_description():
    script = Script(behavior="seek", priorities=ROSTER["seek"].priorities, navigation_gain=4.0)
    sides = [NamedPlayer("mine", script)], [NamedPlayer("rest", ROSTER["rest"])]
    screening = Screening(make_screening().config, *sides)
    found = facts(Inspector(screening.config).rows(screening.games[0], 0, 0))
    assert found["navigation gain"] == "4"
