"""The programs that learn, in a checkout: a package beside this one.

Wheels have that package here, in place of this module. Both import it by this name, since
another package is called ``agents``.
"""

from pathlib import Path

__path__ = [str(Path(__file__).parents[1] / "agents")]
