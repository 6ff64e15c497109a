"""From a trained model to files that anyone can run."""
