"""One game as a Gymnasium environment: the learner pursues, or it evades."""

from __future__ import annotations

from steer_env.envs.chase import ChaseEnv
from steer_env.game.state import EVADER, PURSUER


class PursuitEnv(ChaseEnv):
    """The learner pursues; the evader is a hand-written steering behavior.

    ## Description
    Two vehicles move in a square arena. The pursuer is a little faster; the evader flees from
    where it sees the pursuer coming. Both are Reynolds' (1999) point masses: a steering
    force of at most ``max_force`` accelerates them, up to ``max_speed``, so that they turn in
    wide arcs at speed. The pursuer catches the evader when their centers come within
    ``capture_radius``, at any moment of a step.

    ## Action Space
    ``Box(-1, 1, (2,), float32)``: the steering force forward and to the left, as a fraction
    of ``max_force`` in the own frame; cut to the unit disc. With ``action_type="discrete"``
    ``Discrete(9)``: 0 coasts, 1 to 8 push with full force in the directions 0, 45, ..., 315
    degrees, counter-clockwise from ahead.

    | model | forward | left |
    |---|---|---|
    | point_mass | force / max_force | force / max_force |
    | simple_motion | velocity / max_speed | velocity / max_speed |
    | car | no effect | turn rate / its largest |

    ## Observation Space
    ``Box(low, 1, (21,), float32)``, with features in [-1, 1] or [0, 1], directions in the own
    frame (forward, left). `steer_env.game.observation.FEATURES` is the table:

    | index | features |
    |---|---|
    | 0 | own speed |
    | 1, 2 | own place in the arena |
    | 3, 4 | own heading in the arena |
    | 5 | time left, as a share of the horizon |
    | 6 to 9 | own max_speed, max_force, mass, radius, as shares of the largest |
    | 10 | whether the other plays on |
    | 11, 12 | its offset |
    | 13, 14 | its velocity less mine |
    | 15, 16 | its heading |
    | 17, 18 | its acceleration |
    | 19, 20 | its max_speed and radius |

    Each further player adds the latter 11, each obstacle 4 (presence, offset, radius). It
    is all that the hand-written behaviors use themselves.

    ## Rewards
    The sum of three terms, each with a weight in ``reward``:

    - ``capture``: +1 for catching the evader, once (a share for each of several);
    - ``time``: -1 / horizon each step;
    - ``closing``: potential-based shaping, the distance won in arena diagonals.

    The game is zero-sum: the evader gets the negative. Benchmarks use capture rate and
    capture time, never reward.

    ## Starting State
    Places drawn uniformly, pursuers and evaders at least a quarter of the arena's side
    apart; random headings, at rest (a car at its speed). Limits in ``randomize``, the opponent
    of a mixture, and obstacles are drawn anew for each episode.

    ## Episode End
    Terminated when all evaders are caught. Truncated after 600 steps (20 s); by
    ``gymnasium.make``'s TimeLimit, or by itself if the class is called directly.

    ## Arguments
    | argument | default | meaning |
    |---|---|---|
    | opponent | "evade" | name, file, Script, function, object with ``predict``, or a list |
    | opponent_weights | equal | how often each of a list of opponents is drawn, by ratio |
    | pursuers, evaders | 1, 1 | how many; the learner plays its whole side |
    | pursuer | speed 4, force 12 | limits: a dict or VehicleConfig, see below |
    | evader | speed 3.6, force 12 | the same |
    | arena | "walls" | "walls", "torus" or "open" |
    | arena_size | 20 | side in meters |
    | obstacles | 0 | how many to place at random, or a list of (x, y, radius) |
    | capture_radius | 0.5 | meters |
    | dt | 1/30 | seconds a step |
    | horizon | 600 | steps that time_left and the time reward are measured against |
    | solid | "nobody" | whose overlapping bodies push apart: or "teammates", "everyone" |
    | reward | 1 each | dict or RewardConfig: capture, time, closing, discount |
    | randomize | none | {"evader": {"max_speed": (2.0, 4.0)}}: ranges of limits |
    | action_type | "continuous" | or "discrete" |
    | render_mode | None | "human" or "rgb_array" |
    | drawing | 600 x 600, light | dict or DrawingConfig: size, theme, annotations |

    Limits are max_speed [m/s], max_force [N], mass [kg] (1), radius [m] (0.3) and model.
    A team of learners has one action and one observation for each player.

    ``gymnasium.make``'s own ``max_episode_steps`` says when an episode is cut off; to play
    longer games, pass it together with ``horizon``.

    A name is one of the roster (``python -m baselines list`` prints them), or of a pretrained
    policy of the other side, as "pretrained/evade/ppo"; a file is the path of a network's .npz.
    An opponent with ``predict`` is asked with ``deterministic=True``, once a step.

    ``drawing`` says how `render` draws: ``{"size": (800, 600), "theme": "dark", "annotations":
    "all"}``; `steer_env.drawing.ANNOTATIONS` names what can be marked.

    ``opponent_weights`` are numbers of at least 0, one for each opponent in the list. The
    property of that name reads the probabilities, and changes them for later episodes.

    ## Vectorized
    ``gymnasium.make_vec("Pursuit-v0", num_envs=1024)`` steps all games in one compiled
    call; see `steer_env.envs.vector.PursuitVectorEnv`.

    ## Version History
    - v0: the first version.

    Example:
        >>> import gymnasium, steer_env
        >>> env = gymnasium.make("Pursuit-v0", opponent=["evade", "flee"])
        >>> observation, info = env.reset(seed=0)
        >>> observation.shape, sorted(info)
        ((21,), ['captured', 'distance'])
    """

    side = PURSUER
    default_opponent = "evade"


class EvadeEnv(ChaseEnv):
    """The learner evades; the pursuer is a hand-written steering behavior.

    ## Description
    The game of `PursuitEnv` from the other side: the learner is the slower vehicle, and
    wants to be free when time is up.

    ## Action Space
    As in `PursuitEnv`.

    ## Observation Space
    As in `PursuitEnv`, seen by the evader.

    ## Rewards
    The negative of the pursuer's: +1 / horizon each step, -1 when caught, and the distance
    won in arena diagonals.

    ## Starting State
    As in `PursuitEnv`.

    ## Episode End
    Terminated when caught (a team: when all are); truncated after 600 steps: got away.

    ## Arguments
    As in `PursuitEnv`; ``opponent`` is "pursuit" unless told otherwise.

    ## Vectorized
    ``gymnasium.make_vec("Evade-v0", num_envs=1024)``.

    ## Version History
    - v0: the first version.
    """

    side = EVADER
    default_opponent = "pursuit"
