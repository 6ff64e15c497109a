"""Maps by their names, and the names of maps in files."""

from __future__ import annotations

import pytest

from steer_env import Map
from steer_env.errors import UsageError
from steer_env.maps.map import GENERATORS, checked_maps, maps_named, plain_maps

OWN = Map([(0, 0), (12, 0), (12, 8), (0, 8)])


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_name_is_a_generator_and_seeds(generator):
    maps = getattr(Map, generator)(2, seed=7)
    assert [one.name for one in maps] == [f"{generator}/7", f"{generator}/8"]
    assert maps_named(f"{generator}/7-8") == tuple(maps)
    assert maps_named(f"{generator}/8") == (maps[1],)


def test_maps_of_other_arguments_have_no_name():
    assert Map.rooms(1, door=1.5)[0].name == ""


def test_a_name_is_a_file(tmp_path):
    OWN.save(tmp_path / "own.json")
    assert maps_named(str(tmp_path / "own.json")) == (OWN,)
    Map([(0, 0), (9, 0), (9, 8)]).save(tmp_path / "own.json")
    assert maps_named(str(tmp_path / "own.json")) != (OWN,)


@pytest.mark.parametrize(
    "given",
    [
        Map.rooms(3, seed=2),
        Map.maze(1),
        [OWN],
        [OWN, *Map.rooms(1)],
        [*Map.rooms(2), *Map.rooms(1, seed=9)],
    ],
)
def test_plain_values_make_the_same_maps(given):
    assert checked_maps(plain_maps(given)) == tuple(given)


def test_neighbors_have_one_name():
    assert plain_maps(Map.rooms(64)) == "rooms/0-63"
    assert plain_maps(Map.rooms(1, seed=4)) == "rooms/4"
    assert plain_maps(Map.rooms(2)[::-1]) == ["rooms/1", "rooms/0"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("room/3", "generator of maps.*'rooms'"),
        ("rooms", "a map's name is a generator and seeds"),
        ("rooms/5-3", "the first before the last"),
        ("rooms/0-5000", "1 to 1,024 maps"),
    ],
)
def test_other_names_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        maps_named(name)


@pytest.mark.parametrize("given", [3, [OWN, None], "", ["rooms/0-1023", OWN]])
def test_what_is_no_map_is_refused(given):
    with pytest.raises(UsageError):
        checked_maps(given)
