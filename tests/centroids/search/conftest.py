"""Both forms in which the engine keeps a support."""

import pytest

import agreement
from disjoint_centroids.numerics.sizes import sizes_context


@pytest.fixture(params=agreement.FORMS)
def form(request):
    """Small tables as Gram matrices, as usual, or as columns wherever a class has fewer samples than features."""
    with sizes_context(gram_features=agreement.FORMS[request.param]):
        yield request.param


@pytest.fixture
def eager_threads():
    """However little there is to do, threads really start."""
    with sizes_context(thread_operations=0.01):
        yield
