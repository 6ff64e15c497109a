"""The line that every example ends with: its policy, measured from starts it has not seen."""

from steer_env.baselines import Episodes, evaluate

FIRST_SEED = 1_000_000  # far from the seeds that environments are trained with
EPISODES = 500

TEAM_GAME = {"pursuers": 3, "evader": {"max_speed": 4.4}}
"""The game of the examples with a team: the evader is faster than each of its pursuers."""

TEAM_TRAINING = {
    **TEAM_GAME,
    "opponent": "evade",
    "credit": "own",
    "reward": {"closing": 10.0},
    "dt": 0.1,
    "horizon": 200,
}
"""What a team is trained with: each pursuer's own reward, mostly for coming closer, from which
a policy learns faster than from that of its side, and steps of a tenth of a second. It is
measured in the game's own shorter steps, in which the same state has the same observation."""


def print_result(policy, game=None) -> None:
    """Plays the policy, and analytic pursuit from the same starts, and prints one line.

    Args:
        policy: a pursuer of Pursuit-v0 or PursuitDiscrete-v0, anything that
            `steer_env.baselines.evaluate` takes.
        game: keywords of another game, such as `TEAM_GAME`.
    """
    found, analytic = (
        evaluate(pursuer, "evade", game, episodes=EPISODES, seed=FIRST_SEED)
        for pursuer in (policy, "pursuit")
    )
    print(f"result: {result(found, analytic)}")


def result(found: Episodes, analytic: Episodes) -> str:
    """Returns both capture rates and mean capture times; a time-out counts as the limit."""
    rate, time = found.capture_rate, found.mean_capture_time
    return (
        f"captured {rate.estimate:.0%} [{100 * rate.low:.0f}, {100 * rate.high:.0f}], "
        f"mean {time.estimate:.1f} s [{time.low:.1f}, {time.high:.1f}] (pursuit: "
        f"{analytic.capture_rate.estimate:.0%}, {analytic.mean_capture_time.estimate:.1f} s)"
    )
