"""Why a player steers as it does: what its parts asked for and got, or what its network said.

A decision is that of the step that led to a moment, so its parts add up to the force that is
drawn there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steer_env.episodes.recording import Recording
from steer_env.game.engine import Engine
from steer_env.players import Controller
from steer_env.policies.stable_baselines import value_of
from steer_env.scripts.script import Script
from steer_env.scripts.table import PARTS
from steer_env.sides import Side

_ROUNDING = 1e-9  # of max_force
_CUTS = ("prioritized", "budget")  # combinations that cut what a part asks for


class Share(NamedTuple):
    """What a part of a script did to its force.

    Attributes:
        name: of the part, of `steer_env.scripts.table.PARTS`, or of the main behavior.
        part: of `PARTS`.
        asked: its force times its weight, in newtons; None if it was left out.
        added: what it changed of the force, in newtons.
        is_cut: whether it got another force than it asked for.
    """

    name: str
    part: str
    asked: complex | None
    added: complex
    is_cut: bool


class Decision(NamedTuple):
    """A player's decision on a step.

    Attributes:
        seconds: the time of the moment that it was taken in.
        heading: of the vehicle at that moment.
        max_force: the largest force, in newtons.
        force: the steering force, in newtons.
        shares: of a script, its parts in the order of their turns; those left out come last.
        combination: of a script, how it combines its parts; "" for a policy.
        action: of a policy, forward + 1j * left in the vehicle's frame.
        value: of a policy with a critic, its estimate of the rewards to come.
    """

    seconds: float
    heading: complex
    max_force: float
    force: complex
    shares: tuple[Share, ...] = ()
    combination: str = ""
    action: complex | None = None
    value: float | None = None


def decision_of(
    episode: Recording,
    controllers: tuple[Controller | None, Controller | None],
    engine: Engine,
    moment: int,
    player: int,
) -> Decision | None:
    """The decision that led to a moment.

    Args:
        episode: of the player.
        controllers: of the pursuers and of the evaders.
        engine: of one game with the same scripts; its state changes.
        moment: steps since the start.
        player: number of the player; pursuers come first.

    Returns:
        None at the start, and for a player that was out of play.
    """
    if moment == 0 or not episode.states[moment]["players"]["active"][player]:
        return None
    before, config = episode.states[moment - 1 : moment], episode.config
    side = Side.PURSUER if player < config.pursuers else Side.EVADER
    place = player - (config.pursuers if side is Side.EVADER else 0)
    body = before[0]["players"]["body"][player]
    decision = Decision(
        seconds=(moment - 1) * config.dt,
        heading=complex(body["heading"]),
        max_force=float(body["max_force"]),
        force=complex(episode.forces[moment][player]),
    )
    engine.restore(before)
    script, actions = episode.scripts[side], episode.actions[side]
    if script is not None:
        found = engine.explain()[player, 0]
        shares = _shares(script, found, decision.max_force)
        return decision._replace(shares=shares, combination=script.combination)
    assert actions is not None
    forward, left = actions[moment - 1, place].tolist()
    seen = engine.observe(side)[0]
    value = value_of(controllers[side], seen, place)
    return decision._replace(action=complex(forward, left), value=value)


def _shares(script: Script, found: np.void, max_force: float) -> tuple[Share, ...]:
    count = int(found["num_shares"])
    parts = [PARTS[number] for number in found["parts"][:count].tolist()]
    rows = zip(parts, found["asked"][:count].tolist(), found["shares"][:count].tolist())
    shares = [
        Share(_name(script, part), part, asked, added, _is_cut(script, asked, added, max_force))
        for part, asked, added in rows
    ]
    if count > 0:  # perfect play has no parts
        for part in script.parts:
            if part not in parts and not (part == "behavior" and "wander" in parts):
                shares.append(Share(_name(script, part), part, None, 0j, False))
    return tuple(shares)


def _name(script: Script, part: str) -> str:
    return script.behavior_name if part == "behavior" else part


def _is_cut(script: Script, asked: complex, added: complex, max_force: float) -> bool:
    return script.combination in _CUTS and abs(asked - added) > _ROUNDING * max_force
