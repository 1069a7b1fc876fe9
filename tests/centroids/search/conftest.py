"""Both forms in which the engine keeps a support."""

import pytest

import agreement
from disjoint_centroids.centroids.search import supports as supports


@pytest.fixture(params=agreement.FORMS)
def form(request, monkeypatch):
    """Small tables as Gram matrices, as usual, or as columns wherever a class has fewer samples than features."""
    monkeypatch.setattr(supports, "GRAM_BELOW", agreement.FORMS[request.param])
    return request.param
