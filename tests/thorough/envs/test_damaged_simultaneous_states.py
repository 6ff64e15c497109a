"""Records of simultaneous states with any byte changed are refused, or play on."""

from __future__ import annotations

import json

import numpy as np
from envs.test_simultaneous import _text as whole_text

from steer_env.envs.simultaneous import SimultaneousState
from steer_env.errors import InvalidValue


def test_changed_records_are_refused_or_possible():
    import base64

    whole = json.loads(whole_text())
    record = base64.b64decode(whole["record"])
    generator = np.random.default_rng(0)
    for place in generator.integers(len(record), size=150):
        changed = bytearray(record)
        changed[place] ^= int(generator.integers(1, 256))
        whole["record"] = base64.b64encode(bytes(changed)).decode()
        try:
            state = SimultaneousState.deserialize(json.dumps(whole))
        except InvalidValue:
            continue
        if not state.is_terminal():
            state.apply_actions([1, 2])
        assert np.isfinite(state.observation_tensor(0)).all()
