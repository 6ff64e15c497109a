"""One episode or moment, for tests that compare other ways to play or to explain it."""

from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.game.config.keywords import given_game
from steer_env.policies.players import controllers_of, name_of
from steer_env.rendering.annotations import Annotator


def trajectory(pursuer, evader, config=None, seed=0):
    """The recording of the episode that `evaluate` plays from a seed."""
    names = name_of(pursuer), name_of(evader)
    live = LiveGame(given_game(config, "config"), *controllers_of(pursuer, evader, seed), names)
    return record_episode(live, seed)


def annotations_of(record, config, scripts):
    """The annotations of all players in one record."""
    return Annotator(config, scripts).annotations(record)


def same(one, other):
    """Whether two records are the same, bit for bit, less the padding between fields."""
    if one.dtype.names is None:
        return one.tobytes() == other.tobytes()
    return all(same(one[name], other[name]) for name in one.dtype.names)
