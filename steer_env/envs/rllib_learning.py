"""What RLlib's learner of several modules lacks: a discount for each of them.

All of it is importable by the processes of an algorithm on other machines, which get its
configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gymnasium.error import DependencyNotInstalled

try:
    from ray.rllib.connectors import learner as pieces
    from ray.rllib.connectors.connector_v2 import ConnectorV2
except ImportError as error:
    raise DependencyNotInstalled(
        'RLlib is not installed; run: pip install "ray[rllib]"'
    ) from error


class Discount(NamedTuple):
    """How far the credit of a module's actions reaches.

    Attributes:
        gamma: the discount of a step.
        lambda_: of the generalized advantage estimation (Schulman et al. 2016).
    """

    gamma: float
    lambda_: float


class AdvantagesByModule(ConnectorV2):  # type: ignore[misc]
    """RLlib's generalized advantage estimation, with a discount for each module.

    RLlib's own piece has one for all modules, also where their configurations differ.

    Args:
        discounts: of each module.
    """

    def __init__(self, discounts: Mapping[str, Discount]) -> None:
        super().__init__()
        self._pieces = {
            module: pieces.GeneralAdvantageEstimation(gamma=one.gamma, lambda_=one.lambda_)
            for module, one in discounts.items()
        }

    def __call__(self, *, rl_module: Any, batch: Any, **keywords: Any) -> Any:
        """Adds the advantages and the targets of the values to the batch of each module."""
        for module, piece in self._pieces.items():
            if module in batch:
                piece(rl_module=rl_module, batch={module: batch[module]}, **keywords)
        return batch


def connectors_of(
    modules: Mapping[str, Any], mapping: Callable[..., str], discounts: Mapping[str, Discount]
) -> list[Any]:
    """From episodes to PPO's batches: RLlib's own pieces, but for the advantages.

    They are for modules without a memory, and replace RLlib's pipeline:
    ``config.learners(learner_connector=lambda *_: connectors_of(...),
    add_default_connectors_to_learner_pipeline=False)``.

    Args:
        modules: their RLModuleSpec objects, with spaces, by id.
        mapping: from agents to modules, as in the configuration.
        discounts: of each module that learns.
    """
    return [
        pieces.AddOneTsToEpisodesAndTruncate(),
        pieces.AddObservationsFromEpisodesToBatch(as_learner_connector=True),
        pieces.AddColumnsFromEpisodesToTrainBatch(),
        pieces.AgentToModuleMapping(
            rl_module_specs=dict(modules),
            agent_to_module_mapping_fn=mapping,
            as_learner_connector=True,
        ),
        pieces.BatchIndividualItems(multi_agent=True),
        pieces.NumpyToTensor(as_learner_connector=True),
        AdvantagesByModule(discounts),
    ]


class HereOnly:
    """A callback that is called in this process; copies of it in others do nothing.

    RLlib sends its configuration, with all callbacks, to every process and into every
    checkpoint, also those callbacks that only the algorithm itself calls.

    Args:
        function: what to call; None for nothing.
    """

    def __init__(self, function: Callable[..., None] | None = None) -> None:
        self._function = function

    def __call__(self, **keywords: Any) -> None:
        """Calls the function."""
        if self._function is not None:
            self._function(**keywords)

    def __deepcopy__(self, memory: dict[int, Any]) -> HereOnly:
        """Itself, since RLlib copies its configuration in this process, too."""
        return self

    def __reduce__(self) -> tuple[type[HereOnly], tuple[()]]:
        """Leaves the function behind."""
        return HereOnly, ()
