"""Escape: straight runs imagined against a menace that chases, and the best of them."""

import cmath
import math

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.machine_code.addresses import LANES, lanes_of_numbers, lanes_of_vectors
from steer_env.steering import closing, evade, seek, unit
from steer_env.steering.escape import escape, escape_aim, fill_seconds_free, seconds_free
from steer_env.steering.vehicle import OBSTACLE, Obstacle, advance

from .test_invariants import check_symmetry, scenes
from .vehicles import mirrored, moving, vehicle

STEPS = [0.1 * 1.25**number for number in range(8)]
HORIZON = sum(STEPS)
FAST = {"max_speed": 5.0, "max_force": 12.0}
SLOW = {"max_speed": 4.0, "max_force": 12.0}


# ---- The time that a run is free ----------------------------------------------------------


@pytest.mark.parametrize("distance", [3, 10])  # within the horizon, and beyond it
def test_a_menace_needs_the_distance_over_its_speed_to_where_i_stay(distance):
    me, menace = vehicle(max_speed=0), vehicle(distance, max_speed=2)
    assert 3 / 2 < HORIZON < 10 / 2
    assert seconds_free(me, menace, 1j, [], agility=1e9) == pytest.approx(distance / 2)


@pytest.mark.parametrize("lead", [0.0, 0.7])
@pytest.mark.parametrize("agility", [0.4, 1.0])
def test_it_is_a_chase_of_two_point_masses(lead, agility):
    me = moving(1 + 2j, 2 - 1j, max_speed=3, max_force=8)
    menace = moving(-3 + 1j, 1 + 3j, max_speed=4, max_force=8 * agility)
    run, seconds = 0.6 - 0.8j, lead
    found = seconds_free(me, menace, run, [], lead=lead, agility=agility, capture_radius=0.1)
    for step in STEPS:
        aim = me.position + me.velocity * max(seconds, 0.0)
        wanted = seek(menace, aim) / step
        me, before = advance(me, seek(me, me.position + run) / step, step), me
        menace = advance(menace, wanted, step)
        assert abs(me.position - menace.position) > 1.0, before
        seconds -= step
    assert found == pytest.approx(HORIZON + abs(me.position - menace.position) / 4)


def test_a_run_into_a_wall_or_an_obstacle_ends_there():
    me, menace = vehicle(**SLOW), vehicle(-6, **SLOW)
    free = seconds_free(me, menace, 1 + 0j, [])
    walled = seconds_free(me, menace, 1 + 0j, [], half_size=2.0)
    blocked = seconds_free(me, menace, 1 + 0j, [Obstacle(4 + 0j, 1.5)])  # with 0.5 for its body
    assert walled == pytest.approx(blocked)
    assert walled < free


# ---- The best run -------------------------------------------------------------------------


def test_it_seeks_a_point_on_the_run_that_is_free_for_longest():
    me, menace = moving(7 + 6j, 3 + 2j, **FAST), moving(2 + 5j, 4 + 0j, **SLOW)
    rocks, lead = [Obstacle(8 + 2j, 1.0)], closing(menace, me)
    runs = [cmath.exp(1j * math.radians(angle)) for angle in range(0, 360, 30)]
    runs.append(unit(me.position - menace.position))

    def free(run):
        return seconds_free(me, menace, run, rocks, 9.7, 0.5, lead, 0.8)

    best = max(runs, key=free)
    aim = escape_aim(me, menace, rocks, 9.7, 0.5, lead, 0.8)
    assert aim == pytest.approx(me.position + 5 * best)
    assert escape(me, menace, rocks, 9.7, 0.5, 0.8) == seek(me, aim)


@pytest.mark.parametrize("place", [-3, 3j, 2 + 1j, -90 + 7j])
def test_in_the_open_it_runs_straight_away(place):
    menace = vehicle(place, **SLOW)
    assert escape_aim(vehicle(**SLOW), menace, []) == pytest.approx(-4 * unit(complex(place)))


def test_a_fast_vehicle_runs_out_of_a_corner_past_its_menace_as_evade_does_not():
    me, menace = vehicle(9 + 9j, **FAST), moving(4 + 7j, 4 + 0j, **SLOW)
    assert escape(me, menace, [], 9.0).imag < 0  # down the wall
    assert evade(me, menace).imag > 0


def test_a_slow_but_agile_vehicle_sidesteps_at_the_last_moment_only():
    me = moving(0, 4, max_speed=4, max_force=16)
    for distance, dodges in ((6.0, False), (1.5, True)):
        menace = moving(-distance, 6, max_speed=6)
        way = unit(escape_aim(me, menace, [], agility=0.4) - me.position)
        assert (abs(way.imag) > 0.8) is dodges


def test_it_passes_an_obstacle_in_its_way():
    me, menace = moving(0, 4, **SLOW), moving(-3, 4, **SLOW)
    assert escape(me, menace, []) == 0j  # straight on
    assert abs(escape(me, menace, [Obstacle(2.5 + 0j, 1.0)]).imag) > 1.0


# ---- Runs side by side --------------------------------------------------------------------


def times_side_by_side(me, menace, rocks, runs, numbers, times):
    """Writes the times of runs; the numbers are those of `seconds_free`, from half_size on."""
    given, seconds = lanes_of_vectors(), lanes_of_numbers()
    for k in range(LANES):
        given[k] = runs[k]
    fill_seconds_free(seconds, given, me, menace, rocks, *numbers)
    for k in range(LANES):
        times[k] = seconds[k]


def chases():
    """Two vehicles, obstacles and the numbers of a chase, near and far, in and out of walls."""
    generator = np.random.default_rng(5)
    for me, menace, rocks in scenes_between_walls(40):
        half_size = generator.choice([3.0, 5.0, math.inf])  # the first leaves some outside
        yield me, menace, rocks, (half_size, *generator.uniform((0, 0, 0), (3, 2, 1)).tolist())
    me, menace = vehicle(1 + 1j, **FAST), moving(1 + 1j, 2j, **SLOW)
    rock = Obstacle(1 + 1j, 1.0)
    for one in (me, me._replace(max_speed=0.0), me._replace(mass=0.0, max_force=0.0)):
        for other in (menace, menace._replace(position=4 + 1j, max_speed=0.0)):
            yield one, other, [rock, rock], (4.0, 0.5, 1.0, 0.0)


@pytest.mark.parametrize(
    "compiler",
    [None, pytest.param(numba.njit, marks=[pytest.mark.compiled, pytest.mark.weekly])],
)
def test_runs_side_by_side_take_the_time_of_each_alone_to_the_bit(compiler):
    runs, found = np.exp(1j * np.arange(LANES)), []
    fill = compiler(error_model="numpy")(times_side_by_side) if compiler else times_side_by_side
    for number, (me, menace, rocks, numbers) in enumerate(chases()):
        times, k = np.empty(LANES), number % LANES
        fill(me, menace, np.array(rocks, OBSTACLE), runs, numbers, times)
        assert times[k] == seconds_free(me, menace, complex(runs[k]), rocks, *numbers)
        found += times.tolist()
    caught = np.array(found) < HORIZON
    assert 0.2 < caught.mean() < 0.8


# ---- Edges --------------------------------------------------------------------------------


def scenes_between_walls(count=40):
    """Two vehicles and three obstacles, nowhere special: no two runs are equally good."""
    generator = np.random.default_rng(3)

    def somewhere(reach):
        return complex(*generator.uniform(-reach, reach, 2))

    for _ in range(count):
        rocks = [Obstacle(somewhere(5), generator.uniform(0.3, 1.5)) for _ in range(3)]
        me, menace = (moving(somewhere(5), somewhere(3), **limits) for limits in (FAST, SLOW))
        yield me, menace, rocks


def test_a_mirror_turns_the_force_over():
    for me, menace, rocks in scenes_between_walls():
        force = escape(me, menace, rocks, 5.0, 0.5, 0.6)
        rocks = [Obstacle(center.conjugate(), radius) for center, radius in rocks]
        reflected = escape(mirrored(me), mirrored(menace), rocks, 5.0, 0.5, 0.6)
        assert reflected == pytest.approx(force.conjugate())


@given(scene=scenes(), angle=st.floats(-3, 3), shift=st.complex_numbers(max_magnitude=9))
def test_the_time_of_a_run_does_not_depend_on_the_frame(scene, angle, shift):
    def free(s):
        return seconds_free(s.me, s.other, unit(s.vector), s.rocks, lead=s.share)

    check_symmetry("number", free, scene, angle, shift)
