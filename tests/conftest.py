"""What all tests share."""

import pytest
from hypothesis import settings

# Same examples on every machine, and no clock: a slow runner is not a failure.
settings.register_profile("repeatable", deadline=None, max_examples=20, derandomize=True, database=None)
settings.load_profile("repeatable")


@pytest.fixture
def eager_threads(monkeypatch):
    """However little there is to do, threads really start."""
    from disjoint_centroids.centroids.search import judge
    from disjoint_centroids.numerics import threads

    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(judge, "WORTH_A_THREAD", 0)
