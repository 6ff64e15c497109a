"""Everything under pretrained/: trained, measured and collected by one command."""
