"""What all tests share."""

from hypothesis import settings

# Same examples on every machine, and no clock: a slow runner is not a failure.
settings.register_profile("repeatable", deadline=None, max_examples=20, derandomize=True, database=None)
settings.load_profile("repeatable")
