"""Trained policies, in numpy alone: networks, their files, and the pretrained ones by name."""
