"""Programs that learn, to be run from a checkout: ``python -m agents train``."""
