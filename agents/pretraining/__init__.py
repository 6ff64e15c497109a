"""Everything under pretrained/: trained, measured and filed by one command."""
