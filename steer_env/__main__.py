"""The command line of this package alone: ``python -m steer_env``."""

from __future__ import annotations

from functools import partial

from steer_env.cli import run

main = partial(run, "steer-env", ["steer_env"])

if __name__ == "__main__":
    main()
