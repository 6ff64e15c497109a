"""Lists for people: environments, opponents, features and keywords, and versions."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import steer_env
from steer_env.cli import aligned, wrapped
from steer_env.errors import check_choice
from steer_env.scenarios.registry import ENVIRONMENTS, GAMES
from steer_env.sides import PURSUER, Side

if TYPE_CHECKING:
    from steer_env.game.config import GameConfig
    from steer_env.game.config.observation import Feature

_ENDS = {
    "capture": "at the capture of the last evader",
    "time": "at the capture, or once it is out of reach in the time left",
    "closest_approach": "once the distance cannot fall below the least one any more",
    "final_distance": "at the horizon",
}
_ACTIONS = {
    "discrete": "0 coasts, 1 to 8 push in eight directions, counter-clockwise from ahead",
    "car": "the second is the turn rate to the left, as a share of the largest",
    "simple_motion": "velocity forward and left, as a share of the top speed",
    "point_mass": "force forward and left, as a share of the largest",
}


def about(topic: str | None) -> tuple[dict[str, Any], str]:
    """Returns what `steer-env info` prints of a topic, None for all: as data, and as text.

    Raises:
        InvalidValue: for another name; the message has the nearest match.
    """
    if topic is None:
        found = report()
        return found, overview(found)
    if topic in SECTIONS:
        found = {key: report()[key] for key in SECTIONS[topic].keys}
        return found, section_text(topic, found)
    name = topic.removeprefix("steer_env:")
    check_choice("section or environment", name, (*SECTIONS, *ENVIRONMENTS))
    return _environment(name)


def _environment(name: str) -> tuple[dict[str, Any], str]:
    """Explains the environment of an id: as data, and as text."""
    from steer_env.actions import action_space
    from steer_env.game.config import game_config
    from steer_env.game.config.keywords import plain
    from steer_env.game.rules import observed_features

    game, side, kind = ENVIRONMENTS[name]
    config = game_config(game=game.name)
    players, features = config.count(side.name), observed_features(config)
    shape = (len(features),) if players == 1 else (players, len(features))
    found = {
        "make": f'gymnasium.make("steer_env:{name}")',
        "game": game.name,
        "learner": side.name,
        "opponent": game.opponents[side],
        "action": str(action_space(kind, players)),
        "observation": [dataclasses.asdict(feature) for feature in features],
        "config": plain(config),
    }
    model = config.model(side.name)
    does = _ACTIONS.get(model if kind == "continuous" else kind, _ACTIONS["point_mass"])
    rows = [
        ("make it", found["make"]),
        ("challenge", game.challenge),
        ("learner", _vehicles(config, side)),
        (
            "opponent",
            f"{_vehicles(config, side.other)}; plays {game.opponents[side]} by default",
        ),
        ("action", f"{found['action']}: {does}"),
        ("observation", f"Box({shape}, float32), see `steer-env info features`:"),
        *_blocks(features),
        ("reward", _reward(config, 1 if side is PURSUER else -1)),
        *game_facts(config).items(),
    ]
    return found, "\n".join(
        [f"{name}: the {side.name} learns in {game.name}", "", *aligned(rows)]
    )


def game_facts(config: GameConfig) -> dict[str, str]:
    """Returns the place of a game, its times and its end, in words."""
    arena = config.arena
    return {
        "arena": "open plane"
        if arena.kind == "open"
        else f"{arena.size:g} m wide, {arena.kind}",
        "obstacles": f"{arena.num_obstacles}",
        "capture": f"within {config.capture_radius:g} m, at any moment of a step",
        "a step": f"{config.dt:.4g} s",
        "an episode": f"{config.horizon:,} steps, {config.horizon * config.dt:g} s",
        "payoff": config.payoff.replace("_", " "),
        "terminated": _ENDS[config.payoff],
    }


def _vehicles(config: GameConfig, side: Side) -> str:
    count, one = config.count(side.name), config.vehicles(side.name)[0]
    limits = (
        f"{one.max_speed:g} m/s, {one.max_force:g} N, {one.mass:g} kg, radius {one.radius:g} m"
    )
    drag = f", drag {one.drag:g} 1/s" * (one.drag > 0.0)
    return f"{count} {side.name}{'s' * (count > 1)} ({one.model}): {limits}{drag}"


def _blocks(features: Sequence[Feature]) -> list[tuple[str, str]]:
    """The names of the features of each kind of block, and how many blocks there are of it."""
    rows = []
    for block, found in groupby(features, key=lambda feature: feature.block):
        listed = [feature.name for feature in found]
        names = list(dict.fromkeys(listed))
        times = f"{len(listed) // len(names)} x " * (block != "own")
        rows.append((f"  {block}", f"{times}{len(names)}: {', '.join(names)}"))
    return rows


def _reward(config: GameConfig, sign: int) -> str:
    terms = {
        "when all evaders are caught, a share for each": config.reward.capture,
        "over a whole episode, a share in each step": -config.reward.time,
        "for a distance that shrinks by the arena's diagonal": config.reward.closing,
    }
    return "; ".join(f"{sign * weight:+.4g} {what}" for what, weight in terms.items() if weight)


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
    rows.append(("steer-env info Pursuit-v0", "", "explains one environment"))
    end = "All of it in one JSON document: steer-env info --json"
    code = f"Machine code: {found['machine_code']}"
    lines = [f"steer_env {found['version']}", "", *aligned(rows), "", end, "", code]
    return "\n".join(lines)


def section_text(name: str, found: Mapping[str, Any]) -> str:
    """A section of a report for people."""
    section = SECTIONS[name]
    described = found[section.keys[0]]
    lines = section.lines(found) if section.lines else aligned(list(described.items()))
    return "\n".join([*wrapped(section.about[0].upper() + section.about[1:]), "", *lines])


def _environments(found: Mapping[str, Any]) -> list[str]:
    rows = [
        (name, f"{one['game']}: the {one['side']} learns")
        for name, one in found["environments"].items()
        if one["actions"] == "continuous"
    ]
    example = "With nine actions: Discrete before -v0, as in PursuitDiscrete-v0."
    return [*aligned(rows), "", example, "steer-env info Pursuit-v0 explains one."]


def _opponents(found: Mapping[str, Any]) -> list[str]:
    from steer_env.scripts.roster import AT_FULL_FORCE

    rows = [row for row in found["opponents"].items() if not row[0].endswith(AT_FULL_FORCE)]
    example = f"most of these at full force, such as seek{AT_FULL_FORCE}"
    return aligned([*rows, (f"...{AT_FULL_FORCE}", example)])


def _pretrained(found: Mapping[str, Any]) -> list[str]:
    """A line for each game and method, with the numbers of its runs."""
    runs: dict[tuple[str, str], list[str]] = {}
    for name, about in found["pretrained"].items():
        method, _, seed = name.rpartition("/")
        if seed.isdecimal():
            runs.setdefault((method, about["side"]), []).append(f"/{seed}")
    return aligned(
        [
            (*about, ", ".join(seeds) if len(seeds) <= 3 else f"{seeds[0]} to {seeds[-1]}")
            for about, seeds in runs.items()
        ]
    )


def _keyword_lines(found: Mapping[str, Any]) -> list[str]:
    about = found["keywords"].items()
    return aligned([(name, one["default"], one["meaning"]) for name, one in about])


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
        lines += [title, *aligned(rows)]
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
        "names of trained networks, in walls if they name no game, with side and runs",
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
