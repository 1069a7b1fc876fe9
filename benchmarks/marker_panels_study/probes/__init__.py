"""Programs that ask one rival each; see probe.py."""
