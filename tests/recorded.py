"""One episode or moment, for tests that compare other ways to play or to explain it."""

from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.game.config.keywords import given_game
from steer_env.players.player import Player
from steer_env.players.resolver import resolve, resolve_pair
from steer_env.rendering.annotations import Annotator


def live_game(config, pursuer=None, evader=None, names=None):
    """A game between two players, None for a person."""
    names = names or (None, None)
    players = [
        Player(name or "you") if one is None else resolve(one, side, name=name)
        for side, (one, name) in enumerate(zip((pursuer, evader), names))
    ]
    return LiveGame(config, *players)


def trajectory(pursuer, evader, config=None, seed=0):
    """The recording of the episode that `evaluate` plays from a seed."""
    players = resolve_pair(pursuer, evader, seed)
    return record_episode(LiveGame(given_game(config, "config"), *players), seed)


def annotations_of(record, config, scripts):
    """The annotations of all players in one record."""
    return Annotator(config, scripts).annotations(record)


def same(one, other):
    """True if two records are the same, bit for bit, less the padding between fields."""
    if one.dtype.names is None:
        return one.tobytes() == other.tobytes()
    return all(same(one[name], other[name]) for name in one.dtype.names)
