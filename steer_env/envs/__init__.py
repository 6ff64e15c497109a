"""Environment adapters for Gymnasium, PettingZoo and training libraries."""
