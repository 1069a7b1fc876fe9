"""What all tests share."""

import os

from hypothesis import settings

# Same examples on every machine, and no clock: a slow runner is not a failure.
settings.register_profile("repeatable", deadline=None, max_examples=20, derandomize=True, database=None)
settings.load_profile("repeatable")


def pytest_configure(config):
    """Give every worker process one thread per product: as many as there are cores would wait for each other."""
    if config.getoption("numprocesses", None):
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
