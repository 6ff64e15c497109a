"""Lists for people: environments, opponents, features and keywords, and versions."""

from __future__ import annotations

import dataclasses
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import steer_env
from steer_env.cli import aligned, wrapped
from steer_env.drawing import ANNOTATIONS
from steer_env.errors import check_choice
from steer_env.fields import entries
from steer_env.game.config import Game, RewardConfig, TargetConfig, make_game
from steer_env.game.config.features import DERIVED, OF_RAYS
from steer_env.game.config.keywords import keyword_rows, plain
from steer_env.maps.map import Map
from steer_env.scenarios.registry import ENVIRONMENTS, GAMES
from steer_env.sides import EVADER, Side

_ENDS = {
    "capture": "at the capture of the last evader",
    "time": "at the capture, or once it is out of reach in the time left",
    "closest_approach": "once the distance cannot fall below the least one any more",
    "final_distance": "at the horizon",
    "target_distance": "at the capture, or when the target is reached",
    "breach_distance": "when the evader comes through",
}
_ACTIONS = {
    "discrete": "0 coasts, 1 to 8 push in eight directions, counter-clockwise from ahead",
    "car": "the second is the turn rate to the left, as a share of the largest",
    "simple_motion": "velocity forward and left, as a share of the top speed",
    "point_mass": "force forward and left, as a share of the largest",
}


SECTIONS: Mapping[str, str] = {
    "environments": "ids for gymnasium.make",
    "games": "the game keyword, and --game",
    "opponents": "scripts: hand-written, most also at full force, tuned and perfect ones",
    "pretrained": "trained networks, with their runs; names without a game belong to walls",
    "keywords": "arguments of gymnasium.make, their defaults and meanings",
    "features": "numbers of an observation, with their ranges",
    "annotations": "marks in pictures, for --annotations",
}
"""The parts of a report, by the word after ``steer-env info``, and what they list."""

KEYS = {name: (name,) for name in SECTIONS} | {"features": ("observation", "derived")}
"""The keys of each section in the report."""


def about(topic: str | None) -> tuple[dict[str, Any], str]:
    """Returns what `steer-env info` prints of a topic, None for all: as data, and as text."""
    if topic is None:
        found = report()
        return found, overview(found)
    if topic in SECTIONS:
        found = {key: report()[key] for key in KEYS[topic]}
        title = wrapped(SECTIONS[topic][0].upper() + SECTIONS[topic][1:])
        return found, "\n".join([*title, "", *_lines(topic, found)])
    name = topic.removeprefix("steer_env:")
    check_choice("section or environment", name, (*SECTIONS, *ENVIRONMENTS))
    return _environment(name)


def _environment(name: str) -> tuple[dict[str, Any], str]:
    from steer_env.actions import action_space
    from steer_env.game.look.learner import chosen_features

    game, side, kind = ENVIRONMENTS[name]
    config, opponent = make_game(game=game.name), game.opponents[side]
    players, features = config.count(side.name), chosen_features(config)
    action = str(action_space(kind, players))
    found = {
        "make": f'gymnasium.make("steer_env:{name}")',
        **{"game": game.name, "learner": side.name, "opponent": opponent, "action": action},
        "observation": [dataclasses.asdict(feature) for feature in features],
        "config": plain(config),
    }
    does = _ACTIONS.get(config.model(side.name) if kind == "continuous" else kind)
    shape = (len(features),) if players == 1 else (players, len(features))
    rows = [
        ("make it", found["make"]),
        ("challenge", game.challenge),
        ("learner", _vehicles(config, side)),
        ("opponent", f"{_vehicles(config, side.other)}; plays {opponent} by default"),
        ("action", f"{action}: {does or _ACTIONS['point_mass']}"),
        ("observation", f"Box({shape}, float32), see `steer-env info features`:"),
    ]
    for block, group in groupby(features, key=lambda feature: feature.block):
        listed = [feature.name for feature in group]
        names = list(dict.fromkeys(listed))
        times = f"{len(listed) // len(names)} x " * (block != "own")
        rows.append((f"  {block}", f"{times}{len(names)}: {', '.join(names)}"))
    rows += [*_rewards(config, side), *game_facts(config).items()]
    title = f"{name}: the {side.name} learns in {game.name}"
    return found, "\n".join([title, "", *aligned(rows)])


def _rewards(config: Game, side: Side) -> list[tuple[str, str]]:
    """Rows of the weights of the reward's terms for a side, each with its meaning."""
    of_game = [name for name in entries(RewardConfig) if name not in ("discount", "terms")]
    found = []
    parts: list[tuple[Any, Sequence[str]]] = [(config.reward, of_game)]
    parts += [(target, ("reach", "approach")) for target in config.targets[:1]]
    for part, names in parts:
        for name in names:
            is_for_evaders = part is not config.reward or name == "time"
            weight = getattr(part, name) * (1 if (side is EVADER) == is_for_evaders else -1)
            meaning = entries(type(part))[name].meaning
            found += [f"{weight:+.4g} {name}: {meaning}"] * bool(weight)
    return [("" if number else "reward", text) for number, text in enumerate(found)]


def game_facts(config: Game) -> dict[str, str]:
    """Returns the place of a game, its times and its end, in words."""
    wide = f"{config.arena_size:g} m wide, {config.arena}"
    if config.map:
        wide = _of_maps(config.map)
    within = f"within {config.capture_circle:g} m, at any moment of a step"
    outcomes = getattr(config.scenario, "outcomes", {})
    own = [f"{name} (the {winner.name}s win)" for name, winner in outcomes.items()]
    without = "as the scenario decides" if config.has_rule("capture") else "never"
    return {
        "arena": wide if config.region.is_bounded else "open plane",
        "obstacles": f"{config.num_obstacles}",
        "capture": within if config.capture_circle else without,
        "a step": f"{config.dt:.4g} s",
        **({"head start": f"{config.head_start:g} s"} if config.head_start else {}),
        "an episode": f"{config.horizon:,} steps, {config.horizon * config.dt:g} s",
        **({"target": "; ".join(map(_target, config.targets))} if config.targets else {}),
        "payoff": config.payoff.replace("_", " "),
        "terminated": _ENDS[config.payoff],
        **({"or, as the scenario says": ", ".join(own)} if own else {}),
    }


def _of_maps(maps: Sequence[Map]) -> str:
    """Maps in words: their numbers of walls, and the size of the largest, in meters."""
    walls = [len(one.segments) for one in maps]
    across, up = (
        max(float(np.ptp(part)) for part in parts)
        for parts in zip(*((one.polygons[0].real, one.polygons[0].imag) for one in maps))
    )
    few, many = min(walls), max(walls)
    what = f"{few} walls" if few == many else f"{few} to {many} walls"
    count = "map" if len(maps) == 1 else f"{len(maps):,} maps"
    return f"{count} of {what}, {across:g} x {up:g} m"


def _target(target: TargetConfig) -> str:
    place = "({:g}, {:g}) m".format(*target.position)
    if target.kind == "disc":
        rim = ", pursuers stay on its rim" * target.on_rim
        return f"disc of {target.radius:g} m around {place}{rim}"
    if target.kind == "gap":
        return f"gap of {target.width:g} m in the wall at {place}"
    return f"half-plane, with {place} on its edge, outward {target.heading:g} rad"


def _vehicles(config: Game, side: Side) -> str:
    count, one = config.count(side.name), config.vehicles(side.name)[0]
    limits = f"{one.max_speed:g} m/s, {one.max_force:g} N, {one.mass:g} kg"
    drag = f", drag {one.drag:g} 1/s" * (one.drag > 0.0)
    name = f"{count} {side.name}{'s' * (count > 1)} ({one.model})"
    return f"{name}: {limits}, radius {one.radius:g} m{drag}"


def report() -> dict[str, Any]:
    """Returns the lists, as ``steer-env info --json`` prints them."""
    from steer_env.game.rules import observed_features, scaled
    from steer_env.machine_code.library import in_use
    from steer_env.players import pretrained
    from steer_env.scripts.roster import ROSTER

    config = make_game(obstacles=1)
    features = {
        "observation": observed_features(config),
        "derived": scaled((*DERIVED, *OF_RAYS), config),
    }
    return {
        "version": steer_env.__version__,
        "environments": {
            name: {"game": game.name, "side": side.name, "actions": action_type}
            for name, (game, side, action_type) in ENVIRONMENTS.items()
        },
        "games": {name: game.challenge for name, game in GAMES.items()},
        "opponents": {
            name: {
                "side": "pursuer" if one.chases else "evader",
                "description": one.description,
            }
            for name, one in ROSTER.items()
        },
        "pretrained": {
            name: {"game": found.game.name, "side": found.side.name}
            for name, found in pretrained.environments().items()
        },
        **{key: [*map(dataclasses.asdict, listed)] for key, listed in features.items()},
        "keywords": {
            name: {"default": default, "meaning": meaning}
            for name, default, meaning in keyword_rows()
        },
        "annotations": dict(ANNOTATIONS),
        "machine_code": in_use(),
    }


def overview(found: Mapping[str, Any]) -> str:
    """The sections of a report with what each one lists, for people."""
    rows = [
        (f"steer-env info {name}", str(sum(len(found[key]) for key in KEYS[name])), what)
        for name, what in SECTIONS.items()
    ]
    rows.append(("steer-env info Pursuit-v0", "", "explains one environment"))
    code = found["machine_code"]
    if known := re.fullmatch(r"(\w+)-(\w+)\.\w+ ?(v\d)?", code):
        code = f"precompiled for {known[1].title()} {known[2].replace('_', '-')}"
        code += f" ({known[3]})" if known[3] else ""
    lines = [f"steer_env {found['version']}", "", *aligned(rows), ""]
    lines += ["All of it in one JSON document: steer-env info --json", "", f"Engine: {code}"]
    return "\n".join(lines)


def _lines(section: str, found: Mapping[str, Any]) -> list[str]:
    from steer_env.scripts.roster import AT_FULL_FORCE

    if section == "features":
        row = "{block}.{name}|[{low:g}, {high:g}]|{meaning}"
        always, derived = (
            aligned([row.format(**one).split("|", 2) for one in found[key]])
            for key in KEYS[section]
        )
        asked = "for observation={'features': [...]}"
        return ["in every observation", *always, asked, *derived]
    listed = found[section].items()
    rows: list[Any] = [*listed]
    if section == "keywords":
        rows = [(name, *one.values()) for name, one in listed]
    elif section == "environments":
        about = "{game}: the {side} learns"
        rows = [(name, about.format(**one)) for name, one in listed if "Discrete" not in name]
        rows.append(("...Discrete-v0", "each with nine actions, such as PursuitDiscrete-v0"))
    elif section == "opponents":
        shorter = [one for one in listed if not one[0].endswith(AT_FULL_FORCE)]
        rows = [(name, *one.values()) for name, one in shorter]
        example = f"most of these at full force, such as seek{AT_FULL_FORCE}"
        rows.append((f"...{AT_FULL_FORCE}", "", example))
    elif section == "pretrained":  # a line for each method, with the numbers of its runs
        runs = dict[tuple[str, str], list[str]]()
        for name, one in listed:
            method, _, seed = name.rpartition("/")
            if seed.isdecimal():
                runs.setdefault((method, one["side"]), []).append(f"/{seed}")
        rows = [
            (*method, f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 3 else ", ".join(seeds))
            for method, seeds in runs.items()
        ]
    return aligned(rows)


def versions(*packages: str) -> dict[str, str]:
    """Returns the versions of steer_env, Python, and those packages that are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return {"steer_env": steer_env.__version__, "python": platform.python_version(), **found}


def processor() -> str:
    """Returns the processor's name, or else the machine's."""
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if found := re.search(r"model name\s*: *(.*\S)", text):
            return found[1]
    return platform.processor() or platform.machine()
