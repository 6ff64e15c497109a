"""Made-up studies, shared with the quick tests of the same folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "baselines"))
