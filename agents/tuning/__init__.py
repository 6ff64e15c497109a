"""Searches for hyperparameters with Ray Tune, and writes the best ones as a preset."""
