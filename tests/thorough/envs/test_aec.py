"""PettingZoo's other interface, in which agents act in turn."""

from __future__ import annotations

import pytest
from envs.test_parallel import GAMES, IGNORED_OPTIONS, TEAMS
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import parallel_to_aec

import steer_env


@pytest.mark.filterwarnings(IGNORED_OPTIONS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_aec_api(game):
    api_test(parallel_to_aec(steer_env.parallel_env(**game)), num_cycles=300)
    seed_test(lambda: parallel_to_aec(steer_env.parallel_env(**game)), num_cycles=50)


def test_rendering(monkeypatch):
    from steer_env.rendering.viewer import Viewer

    shown = []
    monkeypatch.setattr(
        Viewer, "show", lambda viewer: shown.append(viewer)
    )  # there may be no display
    made = [
        steer_env.parallel_env(render_mode=mode, **TEAMS) for mode in ("human", "rgb_array")
    ]
    envs = {env.render_mode: parallel_to_aec(env) for env in made}
    render_test(lambda render_mode: envs[render_mode])
    assert len(shown) > 5
    env = steer_env.parallel_env(render_mode="rgb_array", drawing={"size": (200, 160)}, **TEAMS)
    env.reset(seed=0)
    assert env.render().shape == (160, 200, 3)
