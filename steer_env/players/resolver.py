"""`resolve`, the one door to a `Player`: from a name, file, function or object."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb
from types import FunctionType
from typing import Any

import numpy as np

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_flag,
    check_integer,
    check_path,
    check_text,
    check_texts,
    coerce,
    got,
    nearest,
    printable,
    shown,
    unknown,
)
from steer_env.game.config import AnyGame, Game
from steer_env.players import pretrained
from steer_env.players.player import AnyPlayer, Player, Policy
from steer_env.players.pretrained import is_file, is_pretrained, load_network, side_of
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.stable_baselines import (
    is_model_file,
    load_stable_baselines3,
    split_model,
    with_normalization,
)
from steer_env.scenarios.registry import suite_game
from steer_env.scripts.roster import ROSTER, name_of_script, short_name
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

TORCH_MODULE = (  # for messages
    "a torch module is a policy as FunctionPolicy(lambda observations: "
    "module(torch.as_tensor(observations)).detach().numpy()), from steer_env.baselines"
)


def own_players(game: AnyGame, pursuer: Any = None, evader: Any = None) -> tuple[Any, Any]:
    """The players of both sides, for None the names of the game's own."""
    named = game.get("game") if isinstance(game, Mapping) else game
    own = suite_game(named.scenario if isinstance(named, Game) else named).opponents
    pursuer, evader = (
        own[side.other] if one is None else one for side, one in zip(Side, (pursuer, evader))
    )
    return pursuer, evader


def resolve(
    player: AnyPlayer,
    side: int | None,
    trust: bool = False,
    seed: int | None = None,
    what: str | None = None,
    name: str | None = None,
) -> Player:
    """The player that a name, file, script, function or policy is.

    Args:
        player: "random", a name of the roster such as "pursuit" or "evade/intercept", of a
            pretrained policy such as "pretrained/pursuit/ppo", the path of an .npz of a
            `NetworkPolicy` or `MixturePolicy`, ALGORITHM:FILE.zip for a model of
            stable-baselines3, a `Script` or a dict of its fields, a user-defined behavior (see
            `Script`), a policy with ``predict``, or a `Player`, returned unchanged.
        side: that it is to play; None for either.
        trust: must be True for a .zip, since such a file can run any code when it is loaded.
        seed: of a random player; None for the seed of the episode or of the environment.
        what: what it is called in messages; None for its side.
        name: in tables and pictures; None for `name_of` it.

    Raises:
        InvalidType: if it is none of these.
        InvalidValue: if the name is unknown (the message has the nearest), a file is damaged,
            a .zip is not trusted or named without its algorithm, or the player is made for the
            other side.
        gymnasium.error.DependencyNotInstalled: for a .zip without the algorithm's package.
    """
    side = None if side is None else Side.numbered(side)
    check_flag("trust", trust)
    default = "player" if side is None else side.name
    what = default if what is None else check_text("what", what) or default
    if isinstance(player, Player):
        return player if name is None else player.changed(name=name)
    if isinstance(player, str | Path):
        found = _named(player, side, trust, seed, what)
    else:
        found = _plays(player, side, what)
    name = name_of(player) if name is None else printable(check_text("name", name))
    if isinstance(found, Script):
        return Player(name, script=found, given=player)
    return Player(name, policy=found, given=player)


def _plays(given: AnyPlayer, side: Side | None, what: str) -> Script | Policy:
    """The script or the policy that an object or a function is."""
    if isinstance(given, Mapping):
        return coerce(Script, what, given)
    if isinstance(given, type):
        raise InvalidType(
            f"{what} must be a policy itself, not its class: got {given.__name__}; "
            f"pass {given.__name__}(...)"
        )
    if isinstance(given, Script):
        return given
    if callable(getattr(given, "predict", None)):
        policy: Policy = with_normalization(given)
        return policy
    if not callable(given):
        example = (side or Side.PURSUER).default_script
        raise InvalidType(
            f"{what} must be one player: a name such as {example!r}, the path of an .npz file, "
            "a Script or a dict of its fields, a function (me, other) -> force, or an object "
            f"with predict(observation, state, episode_start, deterministic); {got(given)}"
        )
    if is_torch_module(given):
        raise InvalidType(
            f"{type(given).__name__} as {what} has no predict; {TORCH_MODULE}; an .npz file "
            "of a NetworkPolicy plays without torch"
        )
    return Script(behavior=given)


def resolve_pair(
    pursuer: AnyPlayer,
    evader: AnyPlayer,
    seed: int | None = 0,
    names: tuple[str, str] | None = None,
) -> tuple[Player, Player]:
    """The players of both sides, see `resolve`, perhaps with names of their own."""
    own = (None, None) if names is None else check_texts("names", names)
    if len(own) != 2:
        raise InvalidValue(f"names must be the pursuer's and the evader's, got {shown(names)}")
    return (
        resolve(pursuer, PURSUER, seed=seed, name=own[0]),
        resolve(evader, EVADER, seed=seed, name=own[1]),
    )


def listed(given: AnyPlayer | Sequence[AnyPlayer], what: str = "opponent") -> list[AnyPlayer]:
    """One player or several as a list, or an InvalidValue for an empty sequence."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [given]
    if len(given) == 0:
        raise InvalidValue(f"{what} must not be an empty list; name at least one {what}")
    return list(given)


def resolve_all(
    players: AnyPlayer | Sequence[AnyPlayer], side: int, trust: bool = False
) -> list[Player]:
    """One player or several, see `resolve`."""
    return [resolve(one, side, trust) for one in listed(players, Side.numbered(side).name)]


def object_in_file(name: str) -> Any:
    """Runs a Python file, and returns an object that it defines.

    Args:
        name: "FILE.py:NAME", the path of the file and the name of a function, a Script, a
            policy or a Scenario in it; or "FILE.py:" for its only player.

    Raises:
        InvalidValue: for a name that the file lacks, and if the file raises an error.
        OSError: if the file cannot be read, or raises one.
    """
    start, _, variable = name.rpartition(".py:")
    path = str(check_path("player", f"{start}.py"))
    module = f"player_{Path(path).stem}"  # no process can import it: it is pickled by value
    try:
        defined = runpy.run_path(path, run_name=module)
    except (UsageError, OSError):
        raise
    except (Exception, SystemExit) as error:  # of the user's code
        calls = extract_tb(error.__traceback__)
        place = [one.lineno for one in calls if one.filename == path][-1:]
        text = str(error)
        if isinstance(error, SyntaxError):
            place, text = [error.lineno], error.msg
        where = "".join(f", line {line}" for line in place)
        parts = f"{path}{where}", type(error).__name__, text
        raise InvalidValue(": ".join(filter(None, parts))) from error
    if not variable:
        players = [key for key, value in defined.items() if _is_player(key, value, module)]
        if len(players) != 1:
            found = f"{len(players)}: {', '.join(players)}" if players else "none"
            raise InvalidValue(
                f"{path} must define one player (a function of two vehicles, a Script or a "
                f"policy), and defines {found}; {path}:NAME chooses one"
            )
        variable = players[0]
    if variable not in defined:
        valid = [key for key, value in defined.items() if callable(value)]
        raise InvalidValue(unknown(f"name in {path}", variable, valid))
    found = defined[variable]
    if isinstance(found, FunctionType) and found.__module__ == module:
        # Several files may have a `chase`.
        found.__name__ = f"{Path(path).stem}.{variable}"
    return found


def _is_player(name: str, value: Any, module: str) -> bool:
    """True for a player that a module defines."""
    if name.startswith("_") or isinstance(value, type):
        return False
    if isinstance(value, FunctionType):
        return value.__module__ == module and value.__code__.co_argcount == 2
    return isinstance(value, Script) or callable(getattr(value, "predict", None))


def name_of(player: AnyPlayer) -> str:
    """The name of a player in tables and pictures, a file's with its folder: "demo/policy"."""
    if isinstance(player, Mapping):
        with suppress(UsageError):  # resolve refuses it
            player = coerce(Script, "player", player)
    if isinstance(player, str | Path):
        path = Path(split_model(player)[1])
        parts = (*path.parts[:-1], path.stem)[-2:]
        name: object = "/".join(parts) if is_file(player) else str(player)
    elif isinstance(player, Script):
        name = name_of_script(player)
    else:
        name = getattr(player, "name", None) or getattr(player, "__name__", None)
    return printable(name if isinstance(name, str) else type(player).__name__)


def _named(
    name: str | Path, side: Side | None, trust: bool, seed: int | None, what: str
) -> Script | Policy:
    """The script or the policy of a name or a file."""
    check_path(what, name)
    if seed is not None:
        check_integer("seed", seed, 0)
    if is_model_file(name):
        model: Policy = load_stable_baselines3(name, trust)
        return model
    text = str(name) if is_file(name) else short_name(str(name))
    if text == "random" and not is_file(name):
        return RandomPolicy(seed=seed if seed is None or side is None else (seed, side))
    found: Script | Policy
    if text in ROSTER and not is_file(name):
        found, itself = ROSTER[text], f"ROSTER[{text!r}]"
        own = EVADER if found.runs_away else PURSUER if found.chases else None
    elif is_file(name) or is_pretrained(name):
        own_seed = seed or 0
        if side is EVADER:  # two mixtures in one game must not draw alike
            own_seed = int(np.random.SeedSequence((own_seed, side)).generate_state(1)[0])
        found, itself = load_network(name, own_seed), f"steer_env.baselines.load({text!r})"
        own = side_of(found)
    else:
        known = "random", *ROSTER, *pretrained.names()
        raise InvalidValue(
            f"unknown {what} {shown(text)}.{nearest(text, known)} "
            "`steer-env info opponents` lists scripts, `steer-env info pretrained` networks; "
            "'random' and the path of an .npz file are valid, too"
        )
    if side is not None and own is side.other:
        raise InvalidValue(
            f"{text!r} is made for the {own.name}, and would play the {side.name}: are the two "
            f"sides exchanged? To let it play all the same, pass the player itself, {itself}"
        )
    return found


def is_torch_module(function: object) -> bool:
    """True if it is a torch.nn.Module, without importing torch."""
    nn = sys.modules.get("torch.nn")
    return nn is not None and isinstance(function, nn.Module)
