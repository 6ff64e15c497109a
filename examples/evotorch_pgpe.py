# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "evotorch>=0.6", "torch"]
#
# [tool.clients]
# tool = "EvoTorch (PGPE)"
# versions = ["evotorch", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""EvoTorch evolves a small network: 128 networks play 16 games each, all 2,048 games at once.

    python examples/evotorch_pgpe.py

The network and how it plays are those of evolution.py. EvoTorch's own `VecGymNE` takes
``functools.partial(gym.make_vec, "steer_env:Pursuit-v0")`` as its environment, too, and plays
one game with each network at a time.
"""

import gymnasium as gym
import torch
from evolution import GAMES, NETWORKS, PARAMETERS, mean_returns, policy
from evotorch import Problem
from evotorch.algorithms import PGPE
from evotorch.decorators import vectorized
from evotorch.logging import StdOutLogger
from result import print_result

GENERATIONS = 80

envs = gym.make_vec("steer_env:Pursuit-v0", NETWORKS * GAMES)


@vectorized
def fitness(networks):
    """The mean return of each network, (P,), from starts that the generation shares."""
    seed = GAMES * (search.step_count + 1)
    return torch.as_tensor(mean_returns(networks.numpy(), envs, seed))


torch.manual_seed(0)
problem = Problem("max", fitness, solution_length=PARAMETERS, initial_bounds=(0.0, 0.0))
search = PGPE(
    problem,
    popsize=NETWORKS,
    center_learning_rate=0.1,
    stdev_learning_rate=0.1,
    stdev_init=0.1,
    optimizer="adam",
    ranking_method="centered",
)
StdOutLogger(search, interval=10)
search.run(GENERATIONS)
print_result(policy(search.status["center"].numpy()))
