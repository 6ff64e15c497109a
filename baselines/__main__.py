"""The command line of this package alone: ``python -m baselines``."""

from __future__ import annotations

from functools import partial

from steer_env.cli import run

main = partial(run, "python -m baselines", ["baselines"])

if __name__ == "__main__":
    main()
