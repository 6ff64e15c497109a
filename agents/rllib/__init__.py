"""Training with RLlib instead of stable-baselines3."""
