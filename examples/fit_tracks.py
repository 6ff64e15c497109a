# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]"]
# ///
"""Which steering law explains a recorded pursuer best, with which gain and which delay?

    python examples/fit_tracks.py tracks.csv --picture fit.png

The file has a line for each moment, in meters and seconds, with the columns chase, time,
pursuer_x, pursuer_y, evader_x and evader_y. The time from line to line is always the same.

How hard the pursuer turns (its acceleration across its path) is compared with what each law
asked for some time before: turn(t) = gain * law(t - delay), with the least squared error.
"Explained" is the share of the squared turning in chases that the fit has not seen: it leaves
out one after the other. The 95% intervals, and how often a law is the best, are from a
bootstrap over whole chases, since moments of one chase depend on each other. They do not
cover two things: a pursuer that turns as hard as it can shows no law, so leave out such
moments, and a delay shorter than half of the smoothing is biased by errors of measurement.
"""

import argparse
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from scipy.signal import savgol_filter
from scipy.stats import norm, t

from steer_env.steering import Vehicle, constant_bearing, pure_navigation, pursuit, seek, unit

LAWS = {  # the gain of the last is the navigation constant; that of the others is in 1/s
    "seek": lambda me, quarry: seek(me, quarry.position),
    "pursuit": pursuit,
    "constant_bearing": constant_bearing,
    "pure_navigation": partial(pure_navigation, gain=1.0),
}
COLORS = ("#009E73", "#785EF0", "#CC79A7", "#0072B2")


def read_turns(path, smoothing):
    """Returns the time step, and of each chase the turning: measured, and asked by each law."""
    table = np.genfromtxt(path, delimiter=",", names=True)
    chases = [table[table["chase"] == chase] for chase in np.unique(table["chase"])]
    steps = np.concatenate([np.diff(rows["time"]) for rows in chases])
    if steps.min() < 0.9 * steps.max():
        raise SystemExit("the time from line to line must be the same in the whole file")
    window, turns = 2 * round(smoothing / steps.mean() / 2) + 1, []

    def derivative(rows, side, order):  # of a quartic that is fitted around each moment
        x, y = (savgol_filter(rows[f"{side}_{axis}"], window, 4, order, steps.mean())
                for axis in "xy")  # fmt: skip
        return x + 1j * y

    for rows in chases:
        bodies = [[Vehicle(place, velocity, unit(velocity), max_speed=abs(velocity))
                   for place, velocity in zip(*(derivative(rows, side, n) for n in (0, 1)))]
                  for side in ("pursuer", "evader")]  # fmt: skip
        headings = np.array([me.heading for me in bodies[0]])
        asked = np.array([list(map(law, *bodies)) for law in LAWS.values()])
        measured = derivative(rows, "pursuer", 2)
        turns.append(((measured / headings).imag, (asked / headings).imag))
    return steps.mean(), turns


def sums_of(turns, delays):
    """Sums of asked^2, asked * measured and measured^2: (3, laws, delays, chases)."""
    sums = np.empty((3, len(LAWS), delays, len(turns)))
    for chase, (measured, asked) in enumerate(turns):
        end, measured = len(measured), measured[delays - 1 :]
        for delay in range(delays):  # of the same moments for all
            before = asked[:, delays - 1 - delay : end - delay]
            sums[:2, :, delay, chase] = (before**2).sum(axis=1), before @ measured
        sums[2, ..., chase] = measured @ measured
        sums[..., chase] /= np.linalg.norm(measured)  # so that no single chase decides
    return sums


def fit(sums, weights):
    """Fits all laws to chases with weights, (chases, n): shares, gains, delays, (laws, n)."""
    asked, both, measured = sums @ weights
    shares = np.maximum(both, 0.0) ** 2 / (asked * measured)
    best = shares.argmax(axis=1)[:, None]
    inner = np.clip(best, 1, shares.shape[1] - 2)
    a, b, c = (np.take_along_axis(shares, inner + n, axis=1) for n in (-1, 0, 1))
    top = 0.5 * (a - c) / np.minimum(a - 2 * b + c, -1e-12)  # of a parabola
    delays = best + np.where(best == inner, np.clip(top, -0.5, 0.5), 0.0)
    found = (np.take_along_axis(x, best, axis=1) for x in (shares, both / asked))
    return [x[:, 0] for x in (*found, delays)]


def fit_file(path, smoothing=0.2, longest=0.4, resamples=2000):
    """Returns results for each law, the time step, and the sums for the picture."""
    dt, turns = read_turns(path, smoothing)
    sums, count = sums_of(turns, round(longest / dt) + 1), len(turns)
    _, gain, delay = fit(sums, np.ones((count, 1)))
    _, gains, delays = fit(sums, 1.0 - np.eye(count))  # each without one chase
    asked, both, measured = sums[:, np.arange(len(LAWS))[:, None], np.rint(delays).astype(int),
                                 np.arange(count)]  # fmt: skip
    errors = measured - 2 * gains * both + gains**2 * asked
    explained = 1.0 - errors.sum(axis=1) / measured.sum(axis=1)
    draws = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), resamples)
    shares, gains, delays = fit(sums, draws.T)
    wins = (shares == shares.max(axis=0)).mean(axis=1)
    wide = norm.cdf(t.ppf([0.025, 0.975], count - 1) * np.sqrt(count / (count - 1)))
    low, high = np.quantile(
        [gains, dt * delays], wide, axis=2
    )  # as few chases need (Hesterberg)
    best = np.stack([gain[:, 0], dt * delay[:, 0]])
    rows = zip(explained, wins, *np.stack([best, low, high], axis=2))
    names = ("explained", "wins", "gain", "delay")
    return {law: dict(zip(names, row)) for law, row in zip(LAWS, rows)}, dt, sums


def draw(path, dt, sums):
    """Draws how much of the turning each law explains, by its delay."""
    asked, both, measured = sums.sum(axis=3)
    figure = Figure((6, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, shares, color in zip(LAWS, np.maximum(both, 0) ** 2 / asked / measured, COLORS):
        axes.plot(dt * np.arange(len(shares)), shares, color=color, label=name)
    axes.set(xlabel="delay (s)", ylabel="explained share of the turning", ylim=(0, 1))
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=len(LAWS), frameon=False, handlelength=1.0)
    figure.savefig(path, dpi=150)


def main():
    """Prints a line for each law, the best first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tracks", help="a CSV file")
    parser.add_argument("--smoothing", type=float, default=0.2, help="seconds (default: 0.2)")
    parser.add_argument("--picture", help="a file for the picture, such as fit.png")
    options = parser.parse_args()
    results, *data = fit_file(options.tracks, options.smoothing)
    print(f"{'law':17} explained  {'gain':21} {'delay in seconds':21} best in")
    for name, found in sorted(results.items(), key=lambda item: -item[1]["explained"]):
        gain, delay = ("{:.2f} [{:.2f}, {:.2f}]".format(*found[x]) for x in ("gain", "delay"))
        print(f"{name:17} {found['explained']:9.1%}  {gain:21} {delay:21} {found['wins']:.0%}")
    if options.picture:
        draw(options.picture, *data)


if __name__ == "__main__":
    main()
