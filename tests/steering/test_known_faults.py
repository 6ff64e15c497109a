"""Faults of the sources and of well-known libraries, one test each, so that none creeps in."""

import cmath
import math

import numpy as np
import pytest

from steer_env import steering
from steer_env.steering.basic import flee, seek
from steer_env.steering.blending import Blend
from steer_env.steering.chase import comes_at_me, evade, pursuit, pursuit_aim
from steer_env.steering.flocking import alignment, cohesion, in_neighborhood, separation
from steer_env.steering.overlap import part_all
from steer_env.steering.prediction import (
    accelerating,
    braking,
    closing,
    contained,
    intercept,
    linear,
    none,
    own_speed,
    reynolds,
    target_speed,
    turning,
)
from steer_env.steering.vehicle import VEHICLE

from .vehicles import moving, played, vehicle

LAWS = (none, closing, target_speed, own_speed, reynolds, intercept)
PREDICTORS = (linear, turning, braking, accelerating, contained)


def spread(low, high, count, seed=0):
    draw = np.random.default_rng(seed)
    lengths, angles = draw.uniform(low, high, count), draw.uniform(-math.pi, math.pi, count)
    return [complex(number) for number in lengths * np.exp(1j * angles)]


# ---- The facing test ----------------------------------------------------------------------


def test_s0_the_facing_test_lost_its_minus_sign_and_multiplied_velocities():
    assert comes_at_me(vehicle(), moving(5, -2))
    for angle in (0.0, 0.3, 1.5, -2.0):  # cosines below 0.95, and above it, but not -0.95
        assert not comes_at_me(vehicle(), moving(5, cmath.exp(1j * angle)))
    # Slow vehicles that come head-on, and fast ones that do not: headings alone decide.
    for speed in (0.0, 0.01, 50.0):
        assert comes_at_me(moving(0, 0.01), vehicle(5, -speed, -1, max_speed=50))
        aside = cmath.exp(1j * math.radians(150))
        assert not comes_at_me(moving(0, 50), vehicle(5, speed * aside, aside))
    assert not comes_at_me(vehicle(0, -9, 1), vehicle(5, -9, 1))  # both drift backward


def test_s3_called_it_20_degrees_where_the_cosine_of_minus_0_95_is_18():
    for degrees, expected in ((0, True), (18.1, True), (18.3, False), (20, False)):
        for side in (-1, 1):
            heading = -cmath.exp(1j * math.radians(side * degrees))
            assert comes_at_me(vehicle(), vehicle(5, 0, heading)) is expected, degrees


def test_the_facing_test_was_added_to_laws_whose_sources_have_none():
    # S1 and S4, Millington and OpenSteer predict a quarry that comes straight on, too.
    me, oncoming = moving(0, 1, max_speed=3), moving(5, -0.96 + 0.28j, max_speed=2)
    assert pursuit_aim(me, oncoming) == oncoming.position
    for law in (target_speed, own_speed, reynolds, intercept):
        assert pursuit_aim(me, oncoming, law) == linear(oncoming, law(me, oncoming))


def test_s3_the_early_out_left_the_crosshair_stale():
    me = moving(0, 1, max_speed=3)
    for law in LAWS:
        oncoming = moving(5 + 1j, -2 + 0.1j, max_speed=2)
        assert pursuit_aim(me, oncoming, law, linear, True) == oncoming.position


# ---- Lookahead ----------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [0.5, 5.0, 500.0])
def test_s1_s4_target_speed_predicts_who_runs_straight_in_on_my_own_position(distance):
    me, rushing = vehicle(0, 0, -1, max_speed=3), moving(distance, -2, max_speed=2)
    aim = pursuit_aim(me, rushing, target_speed, linear, True)
    assert aim == pytest.approx(0.0)  # the law is a baseline, and keeps its fault
    assert abs(seek(me, aim)) == 0.0  # but what comes of it is a number
    assert evade(me, rushing, target_speed, linear, math.inf) == 0j
    assert pursuit(me, rushing, closing, linear, True) == 3  # the default does not share it
    assert evade(me, rushing, closing, linear, math.inf) == -3


@pytest.mark.parametrize("law", LAWS)
def test_s1_s4_a_top_speed_of_zero_made_infinity_times_zero(law):
    me, resting = vehicle(max_speed=0), vehicle(5 + 1j, max_speed=0)
    assert pursuit_aim(me, resting, law, linear, True) == 5 + 1j
    for place in (0, 5):
        moved = vehicle(place, 1e-3, max_speed=0)
        assert cmath.isfinite(pursuit(me, moved, law, linear, True))
        assert cmath.isfinite(evade(me, moved, law, linear, math.inf))


# ---- Evasion ------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [none, closing, intercept])
def test_evade_with_an_uncapped_time_accelerated_toward_a_fast_menace(law):
    # However fast and near it comes, these three never predict it behind the prey.
    me = vehicle(0, 0, 1, max_speed=2)
    for number, place in enumerate(spread(0.1, 20, 300)):
        for speed in (0.5, 1.9, 2.1, 8.0, 80.0):
            course = cmath.exp(1j * 0.01 * (number - 150))  # 86 degrees from head-on
            menace = moving(place, -speed * course * place / abs(place), max_speed=speed)
            force = evade(me, menace, law, linear, math.inf)
            assert (force * place.conjugate()).real <= 1e-9 * abs(place), menace


def test_evade_by_own_speed_needs_a_cap_against_a_fast_menace():
    # At 1 m/s, and 4 m away, it looks 4 s ahead: by then the menace is far behind the prey.
    me, menace = moving(0, 1j, max_speed=2), moving(4, -8 + 0.4j, max_speed=8)
    assert evade(me, menace, own_speed, linear, math.inf).real > 1.0  # its own fault
    safe = 0.5 * 4 / 8

    def capped(me, menace):
        return own_speed(me, menace, safe)

    assert evade(me, menace, capped, linear, math.inf).real < -1.0


# ---- Pursuit ------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_a_pursuer_was_turned_round_by_rushing_at_it(law):
    me = moving(0, 1, max_speed=1)
    for speed in (2.0, 20.0, 200.0):
        for angle in (-17, 0, 17):
            flight = -speed * cmath.exp(1j * math.radians(angle))
            quarry = moving(4, flight, max_speed=speed)
            assert pursuit(me, quarry, law, linear, True) == seek(me, 4 + 0j)


@pytest.mark.parametrize("law", [none, closing, intercept])
def test_a_pursuer_aimed_behind_itself_at_a_quarry_ahead_and_closing(law):
    me = moving(0, 1, max_speed=1)
    for flight in spread(0.1, 60, 500):
        quarry = moving(3, flight, max_speed=60)
        aim = pursuit_aim(me, quarry, law, linear, True)
        assert aim.real >= -1e-9, quarry


# ---- Combining ----------------------------------------------------------------------------


def test_s2_a_low_priority_force_turned_a_high_priority_one():
    def dodge(me):
        return 9 + 0j

    def wish(me):
        return 12j

    me, parts = vehicle(max_force=10), [(dodge, 1.0), (wish, 1.0)]
    assert Blend("prioritized", parts)(me) == pytest.approx(6 + 8j)  # its form, by its name
    assert Blend("budget", parts)(me) == 9 + 1j  # the dodge is whole


def test_s2_chaos_idled_where_the_drawn_behavior_had_nothing_to_say():
    # The source's drawn behavior always steers with all the force there is.
    idle, busy = (lambda me: 0j), (lambda me: 0.001j)
    blend = Blend("chaotic", [(idle, 1, 0.8), (busy, 1, 0.1), (idle, 1, 0.1)], seed=0)
    assert all(blend(vehicle(max_force=9)) == 9j for _ in range(200))
    silent = Blend("chaotic", [(idle, 1, 0.8), (idle, 1, 0.2)], seed=0)
    assert silent(vehicle(max_force=9)) == 0j


def test_s2_the_turn_of_one_with_nothing_to_say_goes_to_the_others_by_their_chances():
    parts = [(lambda me: 1 + 0j, 1, 0.1), (lambda me: 0j, 1, 0.6), (lambda me: 1j, 1, 0.3)]
    blend = Blend("chaotic", parts, seed=0)
    drawn = [blend(vehicle(max_force=1)) for _ in range(4000)]
    assert drawn.count(1j) / 4000 == pytest.approx(0.75, abs=0.03)
    assert drawn.count(1) / 4000 == pytest.approx(0.25, abs=0.03)


# ---- Overlap ------------------------------------------------------------------------------


def test_s2_only_the_mover_and_one_of_those_it_hit_were_moved():
    crowd = np.zeros(3, VEHICLE)
    crowd["position"], crowd["radius"] = (0, 1.5, 20), 1.0
    crowd["position"][2] = 0.75 + 1j
    before = crowd["position"].copy()
    assert part_all(crowd) == 3
    assert np.all(np.abs(crowd["position"] - before) > 0.05)  # all three
    while part_all(crowd):
        pass
    places = crowd["position"]
    assert min(abs(places - np.roll(places, 1))) >= 2.0 - 1e-9


# ---- Obstacles and neighbors --------------------------------------------------------------


def test_the_field_of_view_forgot_to_normalize_the_offset():
    me = vehicle(2 + 1j, heading=1j)
    for degrees, is_seen in ((40, True), (44, True), (46, False), (100, False), (180, False)):
        direction = 1j * cmath.exp(1j * math.radians(degrees))
        for distance in (0.01, 0.5, 1.0, 8.0):
            other = vehicle(me.position + distance * direction)
            assert in_neighborhood(me, other, 0.0, 9.0, math.sqrt(0.5)) is is_seen


@pytest.mark.parametrize("steer", [separation, alignment, cohesion])
def test_a_neighbor_on_my_own_spot_made_nan(steer):
    me = vehicle(2 + 1j)
    crowd = np.array([tuple(vehicle(2 + 1j)), tuple(vehicle(3 + 1j, heading=1j))], VEHICLE)
    for neighbors in (crowd[:1], crowd, crowd[:0]):
        assert cmath.isfinite(steer(me, neighbors, 1.5, 9.0, -1.0))
    assert steer(me, crowd[:1], 1.5, 9.0, -1.0) == 0j
    assert separation(me, crowd, 1.5, 9.0, -1.0) == -1  # the other one still counts


# ---- Vectors and limits -------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_vectors_that_are_changed_in_place_move_the_quarry(law):
    # In p5.js, which S1 uses, position.add(velocity.mult(T)) is where it is from then on.
    pair = np.array([moving(0, 1j, max_speed=3), moving(5, 1 + 1j, max_speed=2)], VEHICLE)
    pair["acceleration"] = 0.5 - 1j
    before = pair.copy()
    for predict in PREDICTORS:
        once = pursuit(pair[0], pair[1], law, predict), evade(pair[0], pair[1], law, predict)
        again = pursuit(pair[0], pair[1], law, predict), evade(pair[0], pair[1], law, predict)
        assert once == again
    assert pair.tobytes() == before.tobytes()


# ---- Moving -------------------------------------------------------------------------------


def distances(prey_force, hunter_speed, place, facing):
    """Distances of a prey at rest, that faces anywhere, from a hunter that follows it."""
    prey = vehicle(0, 0, facing, max_speed=3, max_force=12)
    flight = -hunter_speed * place / abs(place)
    hunter = moving(place, flight, max_speed=hunter_speed, max_force=8)
    forces = prey_force, lambda prey, hunter: seek(hunter, prey.position)
    states = [(prey, hunter), *played([prey, hunter], forces, 180)]
    return [abs(two.position - one.position) for one, two in states]


SCRIPTS = {
    "flee": lambda me, hunter: flee(me, hunter.position, math.inf),
    "evade": lambda me, hunter: evade(me, hunter, closing, linear, math.inf),
    "evade by intercept": lambda me, hunter: evade(me, hunter, intercept, linear, math.inf),
    "hide without obstacles": lambda me, hunter: steering.hide(me, hunter, []),
}


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_prey_stood_still_or_walked_into_its_hunter(script, speed):
    for place in (4 + 0j, -4 + 0j, 3j, -2 - 2j):
        for facing in (1, -1, 1j):
            kept = distances(SCRIPTS[script], speed, place, facing)
            assert kept[-1] > kept[0] + 0.5, (place, facing)
            assert min(kept) > 0.7 * kept[0], (place, facing)


def test_a_hunter_whose_mask_was_inverted_ran_away():
    for place in (4 + 0j, -4 + 0j, 3j):
        bodies = moving(0, 1, max_speed=3, max_force=12), moving(place, 0.5j)
        states = played(bodies, (pursuit, lambda hunter, quarry: 0j), 240)
        assert min(abs(one.position - two.position) for one, two in states) < 0.3, place
