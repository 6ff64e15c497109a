"""Trained policies, without torch: networks, their files, and the pretrained ones by name."""
