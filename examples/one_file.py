# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy"]
# ///
"""The whole default game in one file of numpy: Pursuit-v0 and Evade-v0, N games at once.

    python examples/one_file.py --pursuer pursuit --evader evade

One pursuer chases one evader in a square with walls. From the same seeds, all states, rewards
and observations have the bits of steer_env; `tests/examples/test_one_file.py` compares them.

Arrays have an entry for each game. The vector (x, y) is the complex number x + iy.
"""

import argparse

import numpy as np

DT, HORIZON = 1 / 30, 600  # seconds a step; steps of the longest episode
ARENA, CAPTURE_RADIUS, START_DISTANCE = 20.0, 0.6, 5.0  # meters
MAX_SPEED = {"pursuer": 4.0, "evader": 3.6}  # meters a second
MAX_FORCE, MASS, RADIUS = 12.0, 1.0, 0.3  # newtons, kilograms, meters; of both vehicles
CAPTURE, TIME, CLOSING = 1.0, 1.0, 1.0  # weights of the reward terms
WANDER, WALLS, FEELER = 0.3, 8.0, 3.0  # weights of two parts of evade; meters

DIAGONAL = np.sqrt(2.0) * ARENA
ROOM = ARENA / 2 - RADIUS  # how far from the middle a vehicle's center can be, along x and y
TINY = 1e-150  # a divisor instead of zero

VECTORS = ("position", "velocity", "heading", "acceleration", "wander_point", "action")
VEHICLE = np.dtype([*((name, complex) for name in VECTORS), ("max_speed", float)])
GAME = np.dtype(
    [
        ("pursuer", VEHICLE),
        ("evader", VEHICLE),
        ("key", np.uint64),  # an episode's random numbers follow from this and their count
        ("draws", np.uint64),
        ("steps", int),
        ("distance", float),
        ("is_captured", bool),
        ("is_over", bool),
    ]
)

# ---- Vectors ------------------------------------------------------------------------------


def times(a, b):
    """The product of complex numbers; numpy's own rounds differently on some processors."""
    return a.real * b.real - a.imag * b.imag + 1j * (a.real * b.imag + a.imag * b.real)


def dot(a, b):
    """The scalar product."""
    return a.real * b.real + a.imag * b.imag


def norm(a):
    """The length; numpy's `abs` rounds differently, too."""
    return np.sqrt(dot(a, a))


def unit(a):
    """The vector of length 1 in the same direction; zero stays zero."""
    return a * (1.0 / np.maximum(norm(a), TINY))


def truncate(a, limit):
    """The vector, shortened to a length if it is longer."""
    return np.where(dot(a, a) <= limit * limit, a, unit(a) * limit)


def clamp(a, limit):
    """The nearest point of the square |x|, |y| <= limit."""
    return np.clip(a.real, -limit, limit) + 1j * np.clip(a.imag, -limit, limit)


# ---- Random numbers: SplitMix64 (Steele, Lea and Flood 2014) of a key and a counter -------

GAMMA, NEXT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


def mix(bits):
    """Scrambles 64 bits, one to one."""
    bits = (bits ^ (bits >> 30)) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> 27)) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> 31)


def draw_bits(games):
    """64 random bits for each game."""
    games.draws += np.uint64(1)
    return mix(games.key + games.draws * GAMMA)


def draw_uniform(games, limit):
    """A uniform number from [-limit, limit)."""
    return -limit + 2 * limit * ((draw_bits(games) >> 11) * 2.0**-53)


def draw_normal(games):
    """A nearly normal number of mean 0 and variance 1: a sum of four uniform ones."""
    bits = draw_bits(games)
    total = sum((bits >> 16 * place) & 0xFFFF for place in range(4))
    return (total - 4 * 65535 / 2) * np.sqrt(12.0 / (4.0 * (65536.0**2 - 1.0)))


def draw_point(games):
    """A uniform point of the arena."""
    x = draw_uniform(games, ROOM)
    return x + 1j * draw_uniform(games, ROOM)


def draw_direction(games):
    """A uniform unit vector."""
    return direction(draw_uniform(games, np.pi))


def direction(angle):
    """The vector exp(i angle), for at most half a turn either way.

    The last bits of numpy's sine and cosine depend on the machine. These are fdlibm's
    polynomials, from +, -, * and / only. Where rounding would show, a number is a head of few
    bits, whose powers are exact, and a small rest.
    """
    size = np.abs(angle)
    quarters = np.rint(size * (2.0 / np.pi))
    a, late = exact_sum(size - quarters * QUARTER[0], -quarters * QUARTER[1])
    late = late - quarters * QUARTER[2]
    square, head = a * a, np.rint(a * 4096.0) / 4096.0
    tail, cube = a - head, head * head * head
    sine = cosine = 0.0
    for factor in SINE:
        sine = factor + square * sine
    for factor in COSINE:
        cosine = factor + square * cosine
    first, rest = exact_sum(a, cube * SIXTH[0])
    cube_tail = tail * (3.0 * head * a + tail * tail)
    low = cube * SIXTH[1] + cube_tail * sum(SIXTH) + late * (1.0 - 0.5 * square)
    sine = first + (rest + (low + a * (square * square * sine)))
    low = tail * (head + 0.5 * tail) + a * late
    cosine = (1.0 - 0.5 * head * head) + (square * square * cosine - low)
    x = np.choose(quarters.astype(int), [cosine, -sine, -cosine])
    y = np.choose(quarters.astype(int), [sine, cosine, -sine])
    return x + 1j * (np.copysign(1.0, angle) * y)


def exact_sum(a, b):
    """The rounded sum, and what rounding took from it (Knuth 1969)."""
    total = a + b
    return total, (a - (total - (total - a))) + (b - (total - a))


QUARTER = np.pi / 2, 6.123233995736766e-17, -1.4973849048591833e-33  # a quarter turn
SIXTH = -43691.0 / 2.0**18, -1.66666666666666324348e-01 + 43691.0 / 2.0**18
SINE = [1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06]
SINE += [-1.98412698298579493134e-04, 8.33333333332248946124e-03]
COSINE = [-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07]
COSINE += [2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02]

# ---- Start --------------------------------------------------------------------------------


def make_games(seeds):
    """One game for each seed, at the start of its first episode; a record array (N,)."""
    games = np.zeros(len(seeds), GAME).view(np.recarray)
    games.key = mix(mix(np.array(seeds, np.uint64) + GAMMA) ^ NEXT)
    start(games)
    return games


def start(games):
    """Starts the next episode of all games: at random places, at rest."""
    games.key = mix(games.key ^ NEXT)
    games.draws = 2  # steer_env draws each side's script first, even from a single one
    games.steps, games.is_captured, games.is_over = 0, False, False
    for side, max_speed in MAX_SPEED.items():
        me = games[side]
        me.position = draw_point(games)
        if side == "evader":
            while (near := distance(games) < START_DISTANCE).any():
                again = games[near]
                again.evader.position = draw_point(again)
                games[near] = again
        me.heading = draw_direction(games)
        me.wander_point = draw_direction(games)
        me.velocity = me.acceleration = me.action = 0.0
        me.max_speed = max_speed
    games.distance = distance(games)


def distance(games):
    """Between the centers of the two vehicles, in meters."""
    return norm(games.evader.position - games.pursuer.position)


# ---- Decide: a script returns the steering forces of one side, in newtons -----------------


def steered(games, me, other):
    """Carries out a learner's action, forward + i left, as a share of MAX_FORCE."""
    return times(truncate(me.action, 1.0), me.heading) * MAX_FORCE


def seek(games, me, other):
    """Steers for where the other is."""
    return steer_for(me, other.position)


def pursuit(games, me, other):
    """Steers for where the other will be, unless it comes straight at me (Buckland 2005)."""
    is_ahead = dot(other.position - me.position, me.heading) > 0.0
    comes_at_me = is_ahead & (dot(me.heading, other.heading) < -0.95)
    return steer_for(me, np.where(comes_at_me, other.position, predict(me, other)))


def evade(games, me, other):
    """Steers away from where the other will be, wanders a little, and keeps off walls."""
    flight = unit(me.position - predict(me, other)) * me.max_speed - me.velocity
    return flight + wander(games, me) * WANDER + keep_off_walls(me) * WALLS


SCRIPTS = {"seek": seek, "pursuit": pursuit, "evade": evade}


def steer_for(me, target):
    """Full speed toward the target, less the velocity (Reynolds 1999)."""
    return unit(target - me.position) * me.max_speed - me.velocity


def predict(me, other):
    """The place of the other when we meet, if it goes straight on and I come toward it."""
    seconds = norm(other.position - me.position) / (me.max_speed + norm(other.velocity))
    return other.position + other.velocity * seconds


def wander(games, me):
    """Steers for a point that walks at random on a circle ahead (Reynolds 1999)."""
    angle = 2.0 * np.sqrt(DT) * draw_normal(games)  # the spread after a second: 2 radians
    # exp(i angle) to fourth order, of length 1; a Newton step keeps the length from drifting.
    half = (12.0 - angle * angle) + 1j * (6.0 * angle)
    point = times(me.wander_point, times(half, half) * (1.0 / dot(half, half)))
    me.wander_point = point * (1.5 - 0.5 * dot(point, point))
    return steer_for(me, me.position + times(me.heading, 2.0 + me.wander_point * 1.2))


def keep_off_walls(me):
    """The reach of three feelers through the walls, pointing inward (Buckland 2005)."""
    # With less speed the feelers are shorter, and walls count as nearer instead: all three
    # push alike at rest, so a third of the length is enough.
    pace = norm(me.velocity) / me.max_speed
    room = np.maximum(ROOM - FEELER * (1.0 - pace) / 3.0, 0.0)
    length, left_45 = pace * FEELER, np.sqrt(0.5) * (1 + 1j)
    ahead = me.position + me.heading * length
    left = me.position + times(me.heading, left_45) * (0.5 * length)
    right = me.position + times(me.heading, left_45.conjugate()) * (0.5 * length)
    return sum(clamp(tip, room) - tip for tip in (ahead, left, right))


# ---- Move, resolve, reward ----------------------------------------------------------------


def move(me, force):
    """Moves point masses for one step, and returns their displacements."""
    velocity = me.velocity + truncate(force, MAX_FORCE) * (DT / MASS)
    speed = norm(velocity)
    heading = np.where(speed > TINY, unit(velocity), me.heading)
    velocity = np.where(speed <= me.max_speed, velocity, heading * me.max_speed)
    end = me.position + velocity * DT
    inside = clamp(end, ROOM)
    # A wall stops the part of the velocity that points into it.
    along_x = np.where(inside.real == end.real, velocity.real, 0.0)
    along_y = np.where(inside.imag == end.imag, velocity.imag, 0.0)
    after = along_x + 1j * along_y
    turns = (after != velocity) & (norm(after) > TINY)
    me.heading = np.where(turns, unit(after), heading)
    me.acceleration = (after - me.velocity) * (1.0 / DT)
    me.velocity = after
    way = inside - me.position
    me.position += way
    return way


def resolve(games, pursuers_way, evaders_way):
    """True where the vehicles came within the capture radius during the step."""
    offset = games.evader.position - games.pursuer.position
    way = evaders_way - pursuers_way
    share_before_end = np.clip(dot(offset, way) / np.maximum(dot(way, way), TINY), 0.0, 1.0)
    return norm(offset - way * share_before_end) < CAPTURE_RADIUS


def reward(captured, before, after):
    """The pursuer's reward; the evader's is its negative."""
    return CAPTURE * captured - TIME / HORIZON + CLOSING / DIAGONAL * (before - after)


def step(games, pursuers_script, evaders_script):
    """Plays one step of each game; a game that was over starts its next episode instead.

    Args:
        games: the record array of `make_games`; changed in place.
        pursuers_script: one of `SCRIPTS`, or `steered`.
        evaders_script: the same.

    Returns:
        The pursuers' rewards, and which games a capture terminated and the time limit
        truncated, each (N,).
    """
    rewards = np.zeros(len(games))
    terminated, truncated = np.zeros((2, len(games)), bool)
    was_over = games.is_over.copy()
    fresh, running = games[was_over], games[~was_over]
    start(fresh)

    pursuer, evader = running.pursuer, running.evader
    # Both decide before either moves.
    pursuers_force = pursuers_script(running, pursuer, evader)
    evaders_force = evaders_script(running, evader, pursuer)
    captured = resolve(running, move(pursuer, pursuers_force), move(evader, evaders_force))
    after = np.where(captured, 0.0, distance(running))
    rewards[~was_over] = reward(captured, running.distance, after)
    running.distance, running.is_captured = after, captured
    running.steps += 1
    terminated[~was_over], truncated[~was_over] = captured, running.steps >= HORIZON

    games[was_over], games[~was_over] = fresh, running
    games.is_over = terminated | truncated
    return rewards, terminated, truncated


# ---- Observe ------------------------------------------------------------------------------


def observe(games, side):
    """The observation of a side in its own frame, forward + i left: (N, 21) in float32."""
    me, other = games[side], games["evader" if side == "pursuer" else "pursuer"]
    top_speed, own_frame = MAX_SPEED["pursuer"], me.heading.conjugate()
    place = me.position * (1 / (ARENA / 2))
    offset = times(other.position - me.position, own_frame) * (1 / DIAGONAL)
    velocity = times(other.velocity - me.velocity, own_frame) * (1 / (2 * top_speed))
    heading = times(other.heading, own_frame)
    acceleration = times(other.acceleration, own_frame) * (1 / (MAX_FORCE / MASS))
    ones = np.ones(len(games))
    own = [dot(me.velocity, me.heading) * (1 / top_speed), *parts(place), *parts(me.heading)]
    own += [np.maximum(0.0, 1.0 - games.steps * (1 / HORIZON)), me.max_speed * (1 / top_speed)]
    own += [ones] * 3  # the force limit, the mass and the radius, which never change
    seen = [ones, *parts(offset), *parts(velocity), *parts(heading)]
    seen += [*parts(clamp(acceleration, 1.0)), other.max_speed * (1 / top_speed), ones]
    if side == "pursuer":  # which does not see an evader that it has captured
        seen = [np.where(games.is_captured, 0.0, feature) for feature in seen]
    return np.stack([*own, *seen], axis=1).astype(np.float32)


def parts(a):
    """The two components of a vector."""
    return a.real, a.imag


# ---- Play ---------------------------------------------------------------------------------


def main():
    """Plays games between two scripts, and compares their results with those of steer_env."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pursuer", choices=SCRIPTS, default="pursuit")
    parser.add_argument("--evader", choices=SCRIPTS, default="evade")
    parser.add_argument("--games", type=int, default=1000)
    given = parser.parse_args()
    print("A time-out counts as 20 s.")
    games, captures, steps = make_games(range(given.games)), 0, 0
    while len(games):
        step(games, SCRIPTS[given.pursuer], SCRIPTS[given.evader])
        captures += games.is_captured.sum()
        steps += games.steps[games.is_over].sum()
        games = games[~games.is_over]
    show("one file", captures / given.games, steps * DT / given.games)
    try:
        from steer_env import baselines
        from steer_env.scripts.roster import ROSTER
    except ImportError:
        return
    scripts = ROSTER[given.pursuer], ROSTER[given.evader]
    found = baselines.evaluate(*scripts, episodes=given.games, seed=0)
    show("steer_env", found["captured"].mean(), found["time"].mean())


def show(name, rate, seconds):
    """Prints a result."""
    print(f"{name}: capture rate {rate:.1%}, mean capture time {seconds:.3f} s")


if __name__ == "__main__":
    main()
