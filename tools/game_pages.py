"""Writes the pages of the environments and of the named games from docstrings and data.

    PYTHONPATH=. python tools/game_pages.py

They are in docs/game/generated. A new picture takes `draw_pages.py`, too.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from open_questions import OPEN_QUESTIONS

from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv
from steer_env.files import write_text
from steer_env.game.config import Game, make_game
from steer_env.game.look.learner import chosen_features
from steer_env.game.rules import observed_features
from steer_env.information import game_facts
from steer_env.players import pretrained
from steer_env.scenarios.registry import DEFAULT_GAME, GAMES, SUITE
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "game" / "generated"

_TERMS = ("capture", "time", "closing")

_MOMENTS = {"herd": 4.0, "team": 3.0, "tag": 1.0, "rooms": 6.0, "maze": 8.0, "hide": 11.0}
"""Seconds at which games with much to see are drawn; of the others whole episodes are."""

_STARTS = {"obstacles": 3, "pack": 2, "homicidal_chauffeur": 4}
"""Seeds of starts that show what a game is about."""


def environment_page() -> str:
    """Returns the page of Pursuit-v0 and Evade-v0, from the docstrings of their classes."""
    parts = [
        "# Environments: actions, observations, rewards",
        "`Pursuit-v0`, `Evade-v0`, and `PursuitDiscrete-v0` and `EvadeDiscrete-v0` with nine "
        "actions. This is `help(steer_env.envs.single.PursuitEnv)` and so on.",
        _picture(GAMES[DEFAULT_GAME]),
        "<!-- search: observation, observation space, reward, rewards, actions, action space, "
        "discrete actions, keywords, arguments, change speed -->",
    ]
    for title, found in (
        ("Pursuit-v0", PursuitEnv),
        ("Evade-v0", EvadeEnv),
        ("Many games at once", PursuitVectorEnv),
    ):
        text = inspect.cleandoc(found.__doc__ or "")
        text = re.sub(r"^Example:\n((?:    .*\n?)+)", _example, text, flags=re.MULTILINE)
        parts += [f"## {title}", text.replace("\n## ", "\n### ")]
    return "\n\n".join(parts) + "\n"


def game_page(game: Scenario) -> str:
    """Returns the page of a named game."""
    config = make_game(game=game.name)
    ids = [
        f"| `{game.environment(side)}` | {_learner(side, config)} | `{game.opponents[side]}` | "
        f"`{game.environment(side, 'discrete')}` |"
        for side in Side
    ]
    limits = [
        f"| {side.name} | {vehicle.max_speed:g} | {vehicle.max_force:g} | {vehicle.mass:g} "
        f"| {vehicle.radius:g} | {vehicle.model} | {vehicle.drag:g} |"
        for side in Side
        for vehicle in config.vehicles(side.name)[:1]
    ]
    facts = {"vehicles": f"{config.pursuers} vs {config.evaders}", **game_facts(config)}
    facts["observation"] = f"`Box((..., {len(chosen_features(config))}))`, own frame"
    facts["an offset z in it"] = _offset(config)
    terms = {name: getattr(config.reward, name) for name in _TERMS}
    if config.target is not None:
        terms |= {"reach": config.target.reach, "approach": config.target.approach}
    facts["reward"] = ", ".join(f"{name} {weight:g}" for name, weight in terms.items())
    for name in ("payoff", "terminated"):  # come last
        facts[name] = facts.pop(name)
    networks = [
        f"`{name}`"
        for name, environment in pretrained.environments().items()
        if environment.game is game and not name.rsplit("/", 1)[1].isdecimal()
    ]
    parts = [
        f"# The game {game.name}",
        f"{game.challenge.capitalize()}.",
        _picture(game),
        "## Environments",
        "| id | the learner | default opponent | with nine actions |\n|---|---|---|---|\n"
        + "\n".join(ids),
        "Actions, observations and rewards are those of [every "
        'environment](environments.md); `game="' + game.name + '"` asks for this game, too.',
        "## Numbers",
        "| what | value |\n|---|---|\n"
        + "\n".join(f"| {name} | {value} |" for name, value in facts.items()),
        "| side | speed [m/s] | force [N] | mass [kg] | radius [m] | model | drag [1/s] |\n"
        "|---|---:|---:|---:|---:|---|---:|\n" + "\n".join(limits),
        "## An open question",
        OPEN_QUESTIONS[game.name],
        "## Players",
        f"Trained networks: {', '.join(networks) or 'none yet'}.",
        _results(game),
    ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """Returns the text of each page."""
    found = {"environments": environment_page()}
    found |= {name: game_page(game) for name, game in GAMES.items()}
    return {FOLDER / f"{name}.md": text for name, text in found.items()}


def _picture(game: Scenario) -> str:
    evader, pursuer = (game.opponents[side] for side in Side)
    name = f"game_{game.name}.svg"
    moment = f"--moment {_MOMENTS[game.name]:g} " if game.name in _MOMENTS else ""
    seed = _STARTS.get(game.name, 0)
    command = (
        f"steer-env record --game {game.name} --seed {seed} --size 360 {moment}--out {name}"
    )
    alt = f"{pursuer} vs {evader} in the game {game.name}"
    return f"![{alt}](../../drawn/{name})\n\n```bash\n{command}\n```"


def _offset(config: Game) -> str:
    meaning, *_ = (f.meaning for f in observed_features(config) if f.quantity == "offset")
    scale = meaning.removeprefix("position less mine").lstrip(":; ")
    return scale.replace("|z|", "length of z")  # a bar would end the table's cell


def _learner(side: Side, config: Game) -> str:
    count = (config.pursuers, config.evaders)[side]
    return f"{count} {side.name}s" if count > 1 else side.name


def _results(game: Scenario) -> str:
    if game.name in SUITE:
        page = f"[The page of the suite](/baselines/results/suite/{game.name}.md)"
        return f"{page} has the leading players and the equilibrium."
    if game.is_solved:
        page = "[The page of the solved games](/baselines/results/optimality/README.md)"
        return f"{page} compares all players with perfect play."
    return "[The pretrained policies](/agents/pretrained/README.md) vs the best scripts."


def _example(match: re.Match[str]) -> str:
    return f"## Example\n\n```pycon\n{inspect.cleandoc(match[1])}\n```\n"


def main() -> None:
    """Writes the pages, and removes those of games that are gone."""
    found = pages()
    FOLDER.mkdir(exist_ok=True)
    for path in set(FOLDER.iterdir()) - set(found):
        path.unlink()
    for path, text in found.items():
        write_text(path, text)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
