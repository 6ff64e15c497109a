"""Lists for people: environments, opponents, features and keywords, and versions."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import steer_env
from steer_env.scenarios.registry import ENVIRONMENTS, GAMES


def report() -> dict[str, Any]:
    """Returns the lists, as ``steer-env info --json`` prints them."""
    from steer_env.drawing import ANNOTATIONS
    from steer_env.game.config import game_config
    from steer_env.game.config.keywords import keyword_rows
    from steer_env.game.config.observation import DERIVED
    from steer_env.game.rules import observed_features, scaled
    from steer_env.machine_code.library import in_use
    from steer_env.policies import pretrained
    from steer_env.scripts.roster import ROSTER

    config = game_config(obstacles=1)
    features, derived = observed_features(config), scaled(DERIVED, config)
    return {
        "version": steer_env.__version__,
        "environments": {
            name: {"game": game.name, "side": side.name, "actions": action_type}
            for name, (game, side, action_type) in ENVIRONMENTS.items()
        },
        "games": {name: game.challenge for name, game in GAMES.items()},
        "opponents": {name: script.description for name, script in ROSTER.items()},
        "pretrained": {
            name: {"game": found.game.name, "side": found.side.name}
            for name, found in pretrained.environments().items()
        },
        "observation": [dataclasses.asdict(feature) for feature in features],
        "derived": [dataclasses.asdict(feature) for feature in derived],
        "keywords": {
            name: {"default": default, "meaning": meaning}
            for name, default, meaning in keyword_rows()
        },
        "annotations": dict(ANNOTATIONS),
        "machine_code": in_use(),
    }


def overview(found: Mapping[str, Any]) -> str:
    """The sections of a report with what each one lists, for people."""
    rows = []
    for name, section in SECTIONS.items():
        count = sum(len(found[key]) for key in section.keys)
        rows.append((f"steer-env info {name}", str(count), section.about))
    end = "All of it in one JSON document: steer-env info --json"
    code = f"Machine code: {found['machine_code']}"
    lines = [f"steer_env {found['version']}", "", *_aligned(rows), "", end, "", code]
    return "\n".join(lines)


def section_text(name: str, found: Mapping[str, Any]) -> str:
    """A section of a report for people."""
    section = SECTIONS[name]
    described = found[section.keys[0]]
    lines = section.lines(found) if section.lines else _aligned(list(described.items()))
    return "\n".join([section.about[0].upper() + section.about[1:], "", *lines])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Indented lines of cells, all but the last as wide as the longest of their column."""
    widths = [max(map(len, column)) for column in zip(*rows)][:-1]
    return [
        "  " + "  ".join([*(f"{cell:{width}}" for cell, width in zip(row, widths)), row[-1]])
        for row in rows
    ]


def _environments(found: Mapping[str, Any]) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for name, about in found["environments"].items():
        kinds.setdefault(f"{about['game']}: the {about['side']} learns", []).append(name)
    return _aligned([(*names, about) for about, names in kinds.items()])


def _opponents(found: Mapping[str, Any]) -> list[str]:
    from steer_env.scripts.roster import AT_FULL_FORCE

    rows = [row for row in found["opponents"].items() if not row[0].endswith(AT_FULL_FORCE)]
    example = f"most of these at full force, such as seek{AT_FULL_FORCE}"
    return _aligned([*rows, (f"...{AT_FULL_FORCE}", example)])


def _pretrained(found: Mapping[str, Any]) -> list[str]:
    """A line for each game and method, with the numbers of its runs."""
    runs: dict[tuple[str, ...], list[str]] = {}
    for name, about in found["pretrained"].items():
        method, _, seed = name.rpartition("/")
        if seed.isdecimal():
            runs.setdefault((method, about["side"], about["game"]), []).append(f"/{seed}")
    return _aligned(
        [
            (*about, ", ".join(seeds) if len(seeds) <= 3 else f"{seeds[0]} to {seeds[-1]}")
            for about, seeds in runs.items()
        ]
    )


def _keyword_lines(found: Mapping[str, Any]) -> list[str]:
    about = found["keywords"].items()
    return _aligned([(name, one["default"], one["meaning"]) for name, one in about])


def _features(found: Mapping[str, Any]) -> list[str]:
    kinds = {
        "observation": "in every observation",
        "derived": "for observation={'features': [...]}",
    }
    lines: list[str] = []
    for kind, title in kinds.items():
        rows = []
        for one in found[kind]:
            name, bounds = "{block}.{name}".format(**one), "[{low:g}, {high:g}]".format(**one)
            rows.append((name, bounds, one["meaning"]))
        lines += [title, *_aligned(rows)]
    return lines


class Section(NamedTuple):
    """A part of a report."""

    about: str
    keys: tuple[str, ...]  # of the report
    lines: Callable[[Mapping[str, Any]], list[str]] | None = None  # None: names and meanings


SECTIONS: Mapping[str, Section] = {
    "environments": Section("ids for gymnasium.make", ("environments",), _environments),
    "games": Section("the game keyword, and --game", ("games",)),
    "opponents": Section(
        "scripts: hand-written, most of them also at full force, tuned and perfect ones",
        ("opponents",),
        _opponents,
    ),
    "pretrained": Section(
        "names of trained networks: side, game, runs such as .../ppo/0",
        ("pretrained",),
        _pretrained,
    ),
    "keywords": Section(
        "arguments of gymnasium.make, their defaults and meanings",
        ("keywords",),
        _keyword_lines,
    ),
    "features": Section(
        "numbers of an observation, with their ranges", ("observation", "derived"), _features
    ),
    "annotations": Section("what pictures can mark, for --annotations", ("annotations",)),
}
"""The parts of a report, by the word after ``steer-env info``."""


def versions(*packages: str) -> dict[str, str]:
    """Returns the versions of steer_env, Python, and those packages that are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return {"steer_env": steer_env.__version__, "python": platform.python_version(), **found}


def processor() -> str:
    """Returns the processor's name, or else the machine's."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
