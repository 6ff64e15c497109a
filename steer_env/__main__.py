"""The command line: ``python -m steer_env`` is ``steer-env``."""

from __future__ import annotations

from steer_env.cli import main

if __name__ == "__main__":
    main()
