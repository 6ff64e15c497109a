"""Ben runs straight at it, and brakes when he comes near."""

from steer_env.steering import arrive

SLOWING = 1.0


def chase(me, other):
    """The force, in newtons."""
    return arrive(me, other.position, SLOWING)
