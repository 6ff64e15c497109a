"""Gymnasium's and stable-baselines3's faces of the engine."""
