"""Packs hunt, step by step."""

from __future__ import annotations

import cmath
import itertools
import math

import pytest

from steer_env.steering import (
    Vehicle,
    advance,
    encirclement,
    flanking,
    pursuit,
    seek,
)

pytestmark = pytest.mark.weekly


def hunt(steer, hunters, quarry, run, seconds=20.0, dt=0.05):
    """The gaps in degrees between hunters around the quarry when the first is within 1 m."""
    for _ in range(round(seconds / dt)):
        if min(abs(one.position - quarry.position) for one in hunters) < 1.0:
            break
        forces = [
            steer(me, [mate for mate in hunters if mate is not me], quarry) for me in hunters
        ]
        force = run(quarry, hunters)
        hunters = [advance(me, f, dt) for me, f in zip(hunters, forces, strict=True)]
        quarry = advance(quarry, force, dt)
    else:
        pytest.fail("nobody came near")
    angles = sorted(cmath.phase(one.position - quarry.position) for one in hunters)
    around = [*angles, angles[0] + 2 * math.pi]
    return [math.degrees(b - a) for a, b in itertools.pairwise(around)]


def pack(count):
    places = [-12 + 1.5j * (k - (count - 1) / 2) for k in range(count)]
    return [Vehicle(place, max_speed=3.0, max_force=9.0) for place in places]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_pack_that_encircles_comes_from_all_sides(count):
    def ring(me, mates, quarry):
        return encirclement(me, mates, quarry)

    def tail(me, mates, quarry):
        return pursuit(me, quarry)

    quarry = Vehicle(max_speed=1.0, max_force=9.0)

    def stay(quarry, hunters):
        return 0j

    assert max(hunt(ring, pack(count), quarry, stay)) < 260
    assert max(hunt(tail, pack(count), quarry, stay)) > 300


def test_a_pincer_closes_from_both_sides():
    def run_ahead(quarry, hunters):
        return seek(quarry, quarry.position + 9)

    quarry = Vehicle(velocity=1 + 0j, max_speed=1.0, max_force=9.0)
    gaps = hunt(lambda *scene: flanking(*scene), pack(2), quarry, run_ahead)
    assert max(gaps) < 230
    gaps = hunt(lambda me, mates, other: pursuit(me, other), pack(2), quarry, run_ahead)
    assert max(gaps) > 300
