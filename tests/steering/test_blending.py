"""Six ways to combine behaviors: by hand, in a Blend, and by the laws of chance."""

import functools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.steering import OBSTACLE, evade, truncate
from steer_env.steering.avoidance import avoid_obstacles, avoid_walls
from steer_env.steering.basic import flee, seek
from steer_env.steering.blending import METHODS, Blend

from .equations import check, each
from .vehicles import moving, vehicle

SUM, WEIGHTED, PRIORITIZED, BUDGET, DITHERED, CHAOTIC = range(6)


# ---- The primitives, by hand --------------------------------------------------------------

DRAWN = [0.2, 0.3, 0.5]
EQUATIONS = [
    *each(
        "add_force({}, 3 + 0j, 4j, 2.0, 0.5, 5.0) == (approx({}), {})",
        (SUM, 3 + 4j, False),  # the weight and the limit do not count
        (WEIGHTED, 3 + 8j, False),  # cut at the end only
        (PRIORITIZED, 5 * (3 + 8j) / math.sqrt(73), True),
        (BUDGET, 3 + 2j, False),  # there is room for 2 N; the total is shorter than 5
        (DITHERED, 5j, True),  # 2 * 4 / 0.5 = 16 N, cut
        (CHAOTIC, 5j, True),
    ),
    *each("add_force({}, 3 + 0j, 0j, 1.0, 1.0, 5.0) == (3 + 0j, False)", *range(4)),
    *each("add_force({}, 0j, 0j, 1.0, 1.0, 5.0) == (0j, False)", DITHERED, CHAOTIC),
    *each(
        "add_force(BUDGET, {}, {}, 1.0, 1.0, {}) == ({}, {})",
        (5j, 3 + 0j, 5.0, 5j, True),  # it is spent
        (4j, 1j, 5.0, 5j, True),
        (4j, 9 + 0j, 5.0, 1 + 4j, False),  # 1 N is left over
        (0j, 3 + 0j, 0.0, 0j, True),
        (4j, -9j, 5.0, 3j, False),
    ),
    *(  # only chance lets a turn pass
        f"next_behavior({method}, 1, [1.0, {chance}], 2, 0, {dice}) == {expected}"
        for method in range(5)
        for chance, dice, expected in (
            *((0.2, 0.19, 1), (0.2, 0.2, -1 if method == DITHERED else 1)),
            *((1.0, 0.999999, 1), (0.0, 0.0, -1 if method == DITHERED else 1)),
        )
    ),
    # Only the weighted sum is cut at the end.
    *each("finish({}, 8j, 5.0) == 8j", SUM, PRIORITIZED, BUDGET, DITHERED, CHAOTIC),
    "finish(WEIGHTED, 8j, 5.0) == 5j",
    *each("finish({}, 3j, 5.0) == 3j", *range(6)),
    *each(  # chaos draws among those that had no turn
        "next_behavior(CHAOTIC, 0, DRAWN, 3, {}, {}) == {}",
        *((0b000, 0.0, 0), (0b000, 0.19, 0), (0b000, 0.2, 1), (0b000, 0.49, 1)),
        *((0b000, 0.5, 2), (0b000, 0.999999, 2)),
        *((0b010, 0.28, 0), (0b010, 0.29, 2)),  # 0.2 and 0.5 are left: 2/7 and 5/7
        *((0b001, 0.37, 1), (0b001, 0.38, 2)),  # 3/8 and 5/8
        *((0b101, 0.999999, 1), (0b111, 0.5, -1)),
    ),
    *each(  # a chance of 0 is never drawn
        "next_behavior(CHAOTIC, 0, [0.0, 0.4, 0.0], 3, {}, {}) == {}",
        *((0b000, 0.0, 1), (0b000, 0.999999, 1), (0b010, 0.5, -1)),
    ),
    "next_behavior(CHAOTIC, 0, [], 0, 0, 0.5) == -1",
]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_an_equation_holds(equation):
    check(equation, globals())


forces = st.builds(complex, *[st.floats(-1e6, 1e6)] * 2)
numbers = st.floats(0.0, 100.0)


@given(
    parts=st.lists(st.tuples(forces, numbers, st.floats(0.0, 1.0)), max_size=5),
    max_force=numbers,
    seed=st.integers(0, 99),
)
@pytest.mark.parametrize("method", METHODS[1:])
def test_only_the_plain_sum_exceeds_the_largest_force(method, parts, max_force, seed):
    behaviors = [(lambda me, force=force: force, *rest) for force, *rest in parts]
    blend = Blend(method, behaviors, seed=seed)
    assert abs(blend(vehicle(max_force=max_force))) <= max_force * (1 + 1e-9) + 1e-150


# ---- Blend --------------------------------------------------------------------------------

ME = moving(8 + 1j, 2 + 1j, max_speed=3, max_force=7)
WOLF = moving(3 + 2j, 1, max_speed=2)
ROCKS = np.array([(9.5 + 2j, 0.8), (0j, 1.0)], OBSTACLE)
SCENE = {"obstacles": ROCKS, "half_size": 10.0, "menace": WOLF}

dodge = functools.partial(avoid_obstacles, seconds=1.0)
walls = functools.partial(avoid_walls, feeler_length=3.0)
PARTS = [(dodge, 3.0, 0.6), (evade, 2.0, 0.5), (walls, 1.0, 0.9)]
THREE = avoid_obstacles(ME, ROCKS, 1.0), evade(ME, WOLF), avoid_walls(ME, 10.0, 3.0)


def test_a_blend_without_chance_is_what_the_formulas_say():
    one, two, three = 3 * THREE[0], 2 * THREE[1], THREE[2]
    assert Blend("sum", PARTS)(ME, **SCENE) == pytest.approx(sum(THREE))
    everything = truncate(one + two + three, 7.0)
    assert Blend("weighted", PARTS)(ME, **SCENE) == pytest.approx(everything)
    assert Blend("prioritized", PARTS)(ME, **SCENE) == pytest.approx(truncate(one + two, 7.0))
    budget = one + truncate(two, 7.0 - abs(one))
    budget += truncate(three, 7.0 - abs(budget))
    assert Blend("budget", PARTS)(ME, **SCENE) == pytest.approx(budget)


def counted(force):
    def behavior(me):
        behavior.calls += 1
        return force

    behavior.calls = 0
    return behavior


COMPUTED = {"sum": 3, "weighted": 3, "prioritized": 2, "budget": 2, "dithered": 1, "chaotic": 1}


@pytest.mark.parametrize(("method", "count"), COMPUTED.items())
def test_what_has_no_room_is_not_computed(method, count):
    behaviors = [counted(5 + 0j), counted(9 + 0j), counted(1 + 1j)]
    chances = (1.0, 1.0, 1.0) if method != "chaotic" else (1.0, 0.0, 0.0)
    blend = Blend(method, [(each, 1, chance) for each, chance in zip(behaviors, chances)])
    blend(vehicle(max_force=9))
    assert [behavior.calls for behavior in behaviors] == [1] * count + [0] * (3 - count)


def test_a_blend_in_a_blend_is_a_behavior():
    inner = Blend("sum", [(dodge, 1), (walls, 1)])
    outer = Blend("weighted", [(inner, 2), (evade, 1)])
    expected = truncate(2 * (THREE[0] + THREE[2]) + THREE[1], 7.0)
    assert outer(ME, **SCENE) == pytest.approx(expected)
    with pytest.raises(TypeError, match=r"also needs .*half_size"):
        outer(ME, obstacles=ROCKS, menace=WOLF)


def test_optional_arguments_reach_whoever_has_them():
    blend = Blend("sum", [(avoid_walls, 1), (flee, 1)])
    everything = blend(ME, half_size=10.0, target=0j, feeler_length=3.0, panic_distance=1.0)
    assert everything == avoid_walls(ME, 10.0, 3.0)
    assert blend(ME, half_size=10.0, target=0j) == avoid_walls(ME, 10.0) + flee(ME, 0j)


# ---- Chance -------------------------------------------------------------------------------

NAMES = {6 + 0j: "first", 6j: "second", -6 + 0j: "third", 0j: "nobody"}


def drawn(method, chances, seed, draws=10_000):
    directions = (1 + 0j, 1j, -1 + 0j)
    parts = [
        (lambda me, force=force: 6 * force, 1, chance)
        for force, chance in zip(directions, chances)
    ]
    blend, me = Blend(method, parts, seed=seed), vehicle(max_force=6)
    return [NAMES[blend(me)] for _ in range(draws)]


@pytest.mark.parametrize("method", ["dithered", "chaotic"])
def test_equal_seeds_repeat_and_others_do_not(method):
    assert drawn(method, (0.5, 0.3, 0.2), 3, 50) == drawn(method, (0.5, 0.3, 0.2), 3, 50)
    assert drawn(method, (0.5, 0.3, 0.2), 3, 50) != drawn(method, (0.5, 0.3, 0.2), 4, 50)


@pytest.mark.parametrize(
    ("method", "chances", "shares"),
    [
        ("chaotic", (0.5, 0.3, 0.2), (0.5, 0.3, 0.2)),
        ("chaotic", (0.1, 0.0, 0.3), (0.25, 0.0, 0.75)),
        ("dithered", (0.5, 0.3, 0.2), (0.5, 0.15, 0.07)),  # 0.5; 0.5 * 0.3; 0.5 * 0.7 * 0.2
        ("dithered", (0.0, 0.9, 1.0), (0.0, 0.9, 0.1)),
    ],
)
def test_behaviors_act_as_often_as_their_chances_say(method, chances, shares):
    counts = Counter(drawn(method, chances, seed=1))
    for name, share in zip(("first", "second", "third"), shares):
        sigma = math.sqrt(10_000 * share * (1 - share))
        assert abs(counts[name] - 10_000 * share) <= 4 * sigma
    assert counts["nobody"] == 10_000 - sum(counts[name] for name in list(NAMES.values())[:3])


# ---- Errors -------------------------------------------------------------------------------


def test_missing_and_unknown_names_are_told():
    with pytest.raises(ValueError, match=r"'bugdet'.*'budget'"):
        Blend("bugdet", [(seek, 1)])
    blend = Blend("sum", [(seek, 1), (evade, 1)])
    with pytest.raises(TypeError, match="target"):
        blend(ME, menace=WOLF)
    with pytest.raises(TypeError, match=r"'menance'.*'menace'"):
        blend(ME, target=0j, menance=WOLF)
    for numbers in ((-1,), (math.nan,), (math.inf,), (1, 1.5), (1, -0.1)):
        with pytest.raises(ValueError, match="of seek"):
            Blend("sum", [(flee, 1), (seek, *numbers)])


@pytest.mark.parametrize("part", [(seek, "much"), (seek,), seek, (1, seek), (seek, 1, 1, 1)])
def test_a_part_is_a_behavior_with_numbers(part):
    with pytest.raises(TypeError):
        Blend("sum", [(flee, 1), part])
