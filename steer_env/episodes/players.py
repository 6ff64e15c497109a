"""Loads players by name or from a file: scripts, trained networks, and random players."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from steer_env.envs.keywords import Controller, Policy, controllers, name_of_controller
from steer_env.errors import InvalidValue
from steer_env.policies import pretrained
from steer_env.policies.loading import is_file, is_pretrained, load_network
from steer_env.policies.random import RandomPolicy
from steer_env.policies.stable_baselines import load_stable_baselines3
from steer_env.scripts.roster import ROSTER, short_name
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

_RUNNING_AWAY = ("flee", "evade", "hide")

Player: TypeAlias = str | Path | Controller | Callable[..., Any]
"""A name, the path of a file, a Script, your own behavior, or a policy."""


class NamedPlayer(NamedTuple):
    """A player and its name."""

    name: str
    controller: Controller


def named_players(
    players: Player | Sequence[Player], side: int, trust: bool = False
) -> list[NamedPlayer]:
    """Loads one or more players, with their names.

    Args:
        players: names and paths, as in `load_player`, Scripts, your own behaviors (functions
            from two Vehicles to a force), or policies.
        side: the side to play, PURSUER or EVADER.
        trust: see `load_player`.

    Returns:
        The players. The name of a file is that of its folder and its own: "demo/policy".

    Raises:
        TypeError: if one is not a player.
        ValueError, FileNotFoundError, DependencyNotInstalled: as `load_player`.
    """
    if isinstance(players, str | Path) or not isinstance(players, Sequence):
        players = [players]
    return [_named_player(player, side, trust) for player in players]


def _named_player(player: Player, side: int, trust: bool) -> NamedPlayer:
    if isinstance(player, str | Path):
        name = str(player)
        if is_file(player):  # a whole path would show much of somebody's disk
            name = "/".join(Path(player).with_suffix("").parts[-2:])
        return NamedPlayer(name, load_player(player, side, trust))
    controller = controllers(player, side)[0]
    return NamedPlayer(name_of_controller(controller), controller)


def load_player(
    name: str | Path, side: int, trust: bool = False, seed: int | None = None
) -> Controller:
    """Loads a player by name or from a file.

    Args:
        name: "random", a name of the roster such as "pursuit" or "evade/intercept", of a
            pretrained policy such as "pretrained/pursuit/ppo", or the path of a file: an .npz
            that `NetworkPolicy.save` wrote, or a .zip that stable-baselines3 wrote.
        side: the side to play, PURSUER or EVADER.
        trust: must be True for a .zip, since such a file can run any code when it is loaded.
        seed: the seed of a random player, whose numbers differ between the sides. None to
            follow the seed of each episode; see `Duel`.

    Raises:
        ValueError: if there is no such name (the message has the nearest one), a file is
            damaged, a .zip is not trusted, or the player is known to be made for the other
            side.
        FileNotFoundError: if there is no such file.
        gymnasium.error.DependencyNotInstalled: for a .zip without what is needed to read it.
    """
    if side not in (PURSUER, EVADER):
        raise InvalidValue(
            f"side must be PURSUER ({PURSUER}) or EVADER ({EVADER}), got {side!r}"
        )
    if is_file(name):
        if trust and Path(name).suffix == ".zip":
            model: Policy = load_stable_baselines3(name, trust)
            return model
        return load_network(name, seed or 0, Side(side))  # it refuses a .zip
    side, name = Side(side), short_name(str(name))
    if name in ROSTER:
        return _script_for(name, side)
    if name == "random":
        return RandomPolicy(seed=None if seed is None else (seed, side))
    trained = pretrained.names()
    if name in trained or (is_pretrained(name) and not trained):
        return load_network(name, seed or 0, side)
    raise InvalidValue(_unknown_player(name, side))


def _script_for(name: str, side: Side) -> Script:
    """Returns the script of a name; raises an InvalidValue if it is made for the other side."""
    script = ROSTER[name]
    is_for_other = script.chases if side == EVADER else script.behavior in _RUNNING_AWAY
    if is_for_other:
        raise InvalidValue(
            f"{name!r} is made for the {side.other.name}, and would play the {side.name}: "
            "are the two sides exchanged? To let it play all the same, pass (in Python) the "
            f"Script itself, ROSTER[{name!r}]"
        )
    return script


def _unknown_player(name: str, side: Side) -> str:
    """The message for an unknown name; it does not list all names, which are too many."""
    valid = ("random", *ROSTER, *pretrained.names())
    near = difflib.get_close_matches(name, valid, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    script = side.default_script  # also the word in the names of pretrained policies
    return (
        f"unknown {side.name} {name!r}.{hint} Valid: 'random', a script such as {script!r} "
        "(python -m steer_env info lists them), a pretrained policy such as "
        f"'{pretrained.PREFIX}{script}/ppo', or the path of an .npz file"
    )
