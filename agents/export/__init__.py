"""Exports a trained model to files that run without this project."""
