"""Networks that do not fit, or cannot be loaded, are refused as opponents."""

from __future__ import annotations

import pytest

from envs.test_mixtures import NAME
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("kind", [PursuitEnv, EvadeVectorEnv])
def test_what_cannot_be_loaded_is_refused(kind, pretrained_folder, tmp_path):
    (tmp_path / "damaged.npz").write_bytes(b"nothing")
    for opponent, error, message in (
        ("PPO:model.zip", ValueError, "runs code.*trust=True"),
        (tmp_path / "damaged.npz", ValueError, "damaged.npz is not a valid network file"),
        ("nowhere.npz", FileNotFoundError, "nowhere.npz"),
        ("pretrained/pursuit/pp", ValueError, "opponent 'pretrained/pursuit/pp'.*suit/ppo'"),
        ("pretraind/pursuit/ppo", ValueError, "opponent.*mean 'pretrained/pursuit/ppo'.*npz"),
    ):
        with pytest.raises(error, match=message):
            kind(opponent=opponent)


def test_a_network_is_told_by_name_that_another_game_does_not_fit(pretrained_folder):
    message = rf"'{NAME}'\) as pursuer was made for .*\(21,\), and this game's have \(25,\): is"
    with pytest.raises(ValueError, match=message):
        EvadeEnv(opponent=NAME, obstacles=1)
