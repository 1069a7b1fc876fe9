"""Samples in batches: after the last one the model is that of all samples together, chosen by risk."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

import awkward_tables as tables
from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.numerics.sizes import sizes_context

QUICK = {"n_init": 10, "random_state": 0}
LEARNT = ("centroids_", "variances_", "risk_", "train_error_", "margin_", "feature_distances_", "temperature_")


@pytest.fixture
def data():
    return make_blocks(k=3, n=60, d=4, irrelevant=8, random_state=0)


def streamed(model, X, y, n_batches, weights=None, seed=None):
    """The model after all samples, in that many batches; in mixed order with a seed."""
    order = np.arange(len(y)) if seed is None else np.random.default_rng(seed).permutation(len(y))
    for batch in np.array_split(order, n_batches):
        own = None if weights is None else weights[batch]
        model.partial_fit(X[batch], y[batch], classes=np.unique(y), sample_weight=own)
    return model


def assert_same_model(found, expected):
    np.testing.assert_array_equal(found.owner_, expected.owner_)
    for name in LEARNT:
        scale = np.nanmax(np.abs(getattr(expected, name)))
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-7, atol=1e-9 * scale, err_msg=name
        )
    assert (found.n_iter_, found.n_restarts_used_) == (expected.n_iter_, expected.n_restarts_used_)


@pytest.mark.parametrize("n_batches", [1, 2, 7, 180])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"lam": 0.9}, {"lam": 1.0, "shared_features": [2, 5]}, {"norm": "euclidean"}, {"priors": "empirical"}],
    ids=str,
)
def test_batches_are_the_whole(data, parameters, n_batches):
    X, y = data
    expected = NearestDisjointCentroid(criterion="risk", **parameters, **QUICK).fit(X, y)
    assert_same_model(streamed(NearestDisjointCentroid(**parameters, **QUICK), X, y, n_batches, seed=1), expected)


@pytest.mark.parametrize("name", ["unbalanced", "offset", "duplicated columns", "zeros and ones", "wild scales"])
def test_awkward_tables(name):
    table = tables.table(name)
    expected = NearestDisjointCentroid(criterion="risk", lam=1.0, **QUICK).fit(table.X, table.y)
    found = streamed(NearestDisjointCentroid(lam=1.0, **QUICK), table.X, table.y, 4)
    np.testing.assert_array_equal(found.owner_, expected.owner_)


def test_weights_and_sparse_batches(data):
    X, y = data
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    weights = np.random.default_rng(0).integers(0, 3, size=y.size).astype(float)
    expected = NearestDisjointCentroid(criterion="risk", lam=1.0, **QUICK).fit(X, y, sample_weight=weights)
    model = NearestDisjointCentroid(lam=1.0, **QUICK)
    assert_same_model(streamed(model, sparse.csr_matrix(X), y, 5, weights), expected)


def test_the_model_follows_the_stream(data):
    """Asked in between it knows what came so far, and goes on from there."""
    X, y = data
    order = np.random.default_rng(0).permutation(y.size)
    model = streamed(NearestDisjointCentroid(**QUICK), X[order[:60]], y[order[:60]], 3)
    part = NearestDisjointCentroid(criterion="risk", **QUICK).fit(X[order[:60]], y[order[:60]])
    np.testing.assert_array_equal(model.predict(X), part.predict(X))
    streamed(model, X[order[60:]], y[order[60:]], 3)
    whole = NearestDisjointCentroid(criterion="risk", **QUICK).fit(X, y)
    assert_same_model(model, whole)


def test_the_search_waits_until_it_is_asked_for(data, monkeypatch):
    X, y = data
    searches = []
    original = NearestDisjointCentroid._fit_batches
    monkeypatch.setattr(NearestDisjointCentroid, "_fit_batches", lambda self: (searches.append(1), original(self))[1])
    model = streamed(NearestDisjointCentroid(**QUICK), X, y, 6)
    assert not searches
    model.predict(X)
    _ = model.margin_
    assert len(searches) == 1


def test_it_survives_a_pickle_in_the_middle(data):
    X, y = data
    model = streamed(NearestDisjointCentroid(**QUICK), X[::2], y[::2], 2)
    model = streamed(pickle.loads(pickle.dumps(model)), X[1::2], y[1::2], 2)
    assert_same_model(model, NearestDisjointCentroid(criterion="risk", **QUICK).fit(X, y))


def test_a_fit_and_a_clone_begin_anew(data):
    X, y = data
    model = streamed(NearestDisjointCentroid(**QUICK), X, y, 2)
    assert not hasattr(clone(model), "owner_")
    assert_same_model(model.fit(X[:120], y[:120]), NearestDisjointCentroid(**QUICK).fit(X[:120], y[:120]))
    model.partial_fit(X, y, classes=np.unique(y))
    assert_same_model(model, NearestDisjointCentroid(criterion="risk", **QUICK).fit(X, y))


def test_names_are_learnt_from_the_first_batch(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])])
    model = NearestDisjointCentroid(**QUICK).partial_fit(frame[::2], y[::2], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[1::2].rename(columns={"gene 1": "gene one"}), y[1::2])
    model.partial_fit(frame[1::2], y[1::2])
    assert list(model.feature_table()["feature"]) == list(frame.columns)


def test_a_model_file_of_a_stream(data, tmp_path):
    model_file = pytest.importorskip("disjoint_centroids.models.model_file")
    pytest.importorskip("skops")
    X, y = data
    pipeline = make_pipeline(streamed(NearestDisjointCentroid(**QUICK), X, y, 3))
    model_file.save_model(pipeline, tmp_path / "model.ndc")
    loaded = model_file.load_model(tmp_path / "model.ndc")
    np.testing.assert_array_equal(loaded.pipeline.predict(X), pipeline.predict(X))


def test_long_streams_keep_a_sample():
    X, y = make_blocks(k=3, n=400, d=4, random_state=0)
    with sizes_context(sample_bytes=0, smallest_sample=300):
        # The same samples are kept, whatever the batches.
        model, again = (streamed(NearestDisjointCentroid(**QUICK), X, y, n_batches) for n_batches in (20, 3))
    assert len(model._stream.rows().sample.table.codes) == 300
    whole = NearestDisjointCentroid(criterion="risk", **QUICK).fit(X, y)
    np.testing.assert_array_equal(model.owner_, whole.owner_)
    assert model.temperature_ == pytest.approx(whole.temperature_, rel=0.3)
    assert model.train_error_ == pytest.approx(whole.train_error_, abs=0.1)
    kept, kept_again = (found._stream.rows().sample.table.values for found in (model, again))
    np.testing.assert_array_equal(kept, kept_again)


# ---------------------------------------------------------------------------------------------- what cannot be used


def test_the_first_call_needs_the_classes(data):
    X, y = data
    with pytest.raises(ValueError, match="needs classes"):
        NearestDisjointCentroid().partial_fit(X, y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        NearestDisjointCentroid().partial_fit(X, y, classes=[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, y + 1, None), r"not announced: \[.*3"),
        (lambda X, y: (X, y, [0, 1]), "is not what the first call"),
        (lambda X, y: (X[:, 1:], y, None), "features"),
        (lambda X, y: (np.where(X > 2, np.nan, X), y, None), "NaN"),
        (lambda X, y: (np.where(X > 2, 1e200, X), y, None), "Divide X|too large"),
    ],
)
def test_a_bad_batch_leaves_everything_as_it_was(data, change, message):
    X, y = data
    model = streamed(NearestDisjointCentroid(**QUICK), X, y, 2)
    bad_X, bad_y, classes = change(X, y)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(bad_X, bad_y, classes=classes)
    assert_same_model(model, NearestDisjointCentroid(criterion="risk", **QUICK).fit(X, y))


def test_classes_that_have_not_come_yet(data):
    X, y = data
    model = NearestDisjointCentroid(**QUICK).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    with pytest.raises(NotFittedError, match=r"class\(es\) 2"):
        model.predict(X)
    assert not hasattr(model, "owner_")
    model.partial_fit(X[y == 2], y[y == 2])
    assert_same_model(
        model, NearestDisjointCentroid(criterion="risk", **QUICK).fit(X[np.argsort(y == 2)], y[np.argsort(y == 2)])
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": "auto"}, "cross-validation"),
        ({"refine": True}, "single features"),
        ({"shared_features": SelectKBest(k=2)}, "a selector"),
    ],
)
def test_what_a_stream_cannot_do(data, parameters, message):
    X, y = data
    assert not hasattr(NearestDisjointCentroid(**parameters), "partial_fit")
    with pytest.raises(AttributeError, match=message):
        NearestDisjointCentroid(**parameters).partial_fit(X, y, classes=[0, 1, 2])


def test_too_many_features_for_a_stream(data):
    X, y = data
    with sizes_context(product_bytes=100), pytest.raises(ValueError, match="compression='sketch'"):
        NearestDisjointCentroid().partial_fit(X, y, classes=[0, 1, 2])
