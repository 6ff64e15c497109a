"""A finished training that tests share; and it lets their folders import `short_trainings`."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_gif():
    """Leaves out the picture that takes longer than all the rest of a short run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "steer_env.agents.training.run_report.save_episode_gif",
            lambda path, *_: path.write_bytes(b"GIF"),
        )
        yield


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory):
    """A short run of PPO from the command line, undisturbed: read it only."""
    from short_trainings import arguments_of, short_training

    from steer_env.agents.training.run import TrainingRun
    from steer_env.cli import main

    folder = TrainingRun(tmp_path_factory.mktemp("runs") / "finished")
    main(arguments_of(short_training(), folder.path))
    return folder
