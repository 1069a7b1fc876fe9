"""Both forms in which the engine keeps a support."""

import pytest

import agreement
from disjoint_centroids.centroids.search import supports as supports


@pytest.fixture(params=agreement.FORMS)
def form(request, monkeypatch):
    """Small tables as Gram matrices, as usual, or as columns wherever a class has fewer samples than features."""
    monkeypatch.setattr(supports, "GRAM_BELOW", agreement.FORMS[request.param])
    return request.param


@pytest.fixture
def eager_threads(monkeypatch):
    """However little there is to do, threads really start."""
    from disjoint_centroids.centroids.search import judge
    from disjoint_centroids.numerics import threads

    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(judge, "WORTH_A_THREAD", 0)
