"""Features judged within batches: held against least squares on single samples, and by hand."""

import numpy as np
import pytest
from scipy import sparse

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.within_batches import judged_samples

pytestmark = pytest.mark.filterwarnings("error")

OPTIONS = {"rounds": 3, "penalty": 1.0, "terms": "linear", "regression": "ridge", "reads": "all", "random_state": 0}


def donors(seed=0, n=120, p=24, n_batches=4):
    """Three classes in four batches of unequal composition; batches move every feature, by more than classes do."""
    rng = np.random.default_rng(seed)
    batch = rng.integers(0, n_batches, n)
    y = np.array([rng.choice(3, p=np.roll([0.6, 0.3, 0.1], b)) for b in batch])
    X = rng.normal(size=(n, p))
    for label in range(3):
        X[y == label, 4 * label : 4 * label + 4] += 1.5
    return X + rng.normal(0, 3, (n_batches, p))[batch], y, batch


def rid_of_batches(X, y, batch, rows=None):
    """Values less the batch effects of a regression on indicators of classes and batches, with classes balanced."""
    rows = np.arange(len(y)) if rows is None else rows
    n_classes = y.max() + 1
    weights = np.array([len(y) / n_classes / np.sum(y == label) for label in y])
    found = np.unique(batch[rows])
    design = np.column_stack([*(y == j for j in range(n_classes)), *(batch == b for b in found)]).astype(float)
    root = np.sqrt(weights[rows])[:, None]
    effects = np.linalg.lstsq(design[rows] * root, X[rows] * root, rcond=None)[0][n_classes:]
    shares = np.array([weights[rows][batch[rows] == b].sum() for b in found])
    effects -= shares @ effects / shares.sum()
    less = X.copy()
    for b, effect in zip(found, effects, strict=True):
        own = rows[batch[rows] == b]
        less[own] = X[own] - effect
    return less


@pytest.mark.parametrize(
    ("terms", "regression"),
    [("linear", "ridge"), ("linear", "logistic"), ("both", "logistic"), ("squared", "logistic")],
)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_model_is_that_of_the_table_rid_of_batch_effects(terms, regression, make):
    X, y, batch = donors()
    options = OPTIONS | {"terms": terms, "regression": regression}
    model = DisjointPanelClassifier(**options).fit(make(X), y, batch=batch)
    plain = DisjointPanelClassifier(**options).fit(rid_of_batches(X, y, batch), y)
    np.testing.assert_array_equal(model.owner_, plain.owner_)
    for name in ("coef_", "curvature_", "center_", "scale_", "centroids_", "variances_"):
        np.testing.assert_allclose(getattr(model, name), getattr(plain, name), rtol=1e-4, atol=1e-6, err_msg=name)
    assert model.batches_.tolist() == ["0", "1", "2", "3"]


def test_folds_hold_whole_batches_out_and_do_not_know_their_effects():
    X, y, batch = donors()
    model = DisjointPanelClassifier(cv=4, **OPTIONS).fit(X, y, batch=batch)
    assert len(model.fold_models_) == 4
    for held_out in range(4):
        train, test = np.flatnonzero(batch != held_out), np.flatnonzero(batch == held_out)
        table = rid_of_batches(X, y, batch, train)
        plain = DisjointPanelClassifier(cv=[(train, test)], **OPTIONS).fit(table, y)
        expected = plain.fold_models_[0].model
        found = next(fold.model for fold in model.fold_models_ if fold.codes.size == test.size)
        np.testing.assert_array_equal(np.concatenate(found.panels), np.concatenate(expected.panels))
        np.testing.assert_allclose(found.weight, expected.weight, atol=1e-10)
        np.testing.assert_allclose(found.center, expected.center, atol=1e-10)


def test_one_donor_does_not_decide():
    """Feature 0 is high in batch 0, most samples of which are of class 0; within batches it says nothing."""
    rng = np.random.default_rng(3)
    batch = np.repeat([0, 1], 40)
    y = np.r_[np.repeat([0, 1], [32, 8]), np.repeat([0, 1], [8, 32])]
    X = rng.normal(size=(80, 6))
    X[batch == 0, 0] += 8
    X[y == 0, 1] += 1.5
    X[y == 1, 2] += 1.5
    options = OPTIONS | {"rounds": 1}
    assert DisjointPanelClassifier(**options).fit(X, y).owner_[0] >= 0
    model = DisjointPanelClassifier(**options).fit(X, y, batch=np.array(["left", "right"])[batch])
    assert np.flatnonzero(model.owner_ >= 0).tolist() == [1, 2]
    assert model.predict(X[:5]).shape == (5,)  # without batches


def test_effects_by_hand():
    """Class means 0 and 2 in batch a, 5 and 7 in batch b: the batches are 5 apart, whatever the numbers of samples."""
    weights = np.array([[3.0, 1.0], [1.0, 2.0]])
    means = np.array([[[0.0], [2.0]], [[5.0], [7.0]]])
    effects = drafting.batch_effects(weights, weights[:, :, None] * means)
    assert float(effects[1, 0] - effects[0, 0]) == pytest.approx(5.0)
    assert float(weights.sum(axis=1) @ effects[:, 0]) == pytest.approx(0.0)


def test_batches_with_one_class_are_named_and_say_nothing():
    X, y, batch = donors()
    extra = np.full(10, 4)
    with_extra = np.vstack([X, X[y == 1][:10] + 50.0]), np.r_[y, np.full(10, 1)], np.r_[batch, extra]
    with pytest.warns(UserWarning, match=r"1 of 5 batches have samples of one class only.*: 4 \(1\)\."):
        model = DisjointPanelClassifier(**OPTIONS).fit(with_extra[0], with_extra[1], batch=with_extra[2])
    plain = DisjointPanelClassifier(**OPTIONS).fit(X, y, batch=batch)
    gaps = model.centroids_ - model.centroids_[0]
    # Class effects are weighted by classes as balanced in the whole table, which ten more samples change a little.
    np.testing.assert_allclose(gaps, plain.centroids_ - plain.centroids_[0], atol=0.15)


def test_a_class_of_one_batch_is_held_out_sample_by_sample():
    X, y, batch = donors()
    y = np.where((y == 2) & (batch > 0), 1, y)
    with pytest.warns(UserWarning, match=r"1 of 3 classes have samples in one batch only.*: 2\. Folds hold single"):
        model = DisjointPanelClassifier(**OPTIONS).fit(X, y, batch=batch)
    assert np.isfinite(model.held_out_scores_).all()
    # All samples of the class are of batch 0, of which there are training samples in every fold.
    assert model.new_batch_share_ == pytest.approx(np.mean(batch != 0))


def test_classes_that_no_batch_connects_are_named():
    rng = np.random.default_rng(0)
    batch, y = np.repeat([0, 1, 2, 3], 12), np.tile([0, 1], 24) + 2 * np.repeat([0, 1], 24)
    with pytest.warns(UserWarning, match="no batch connects the classes 0, 1 with 2, 3: differences between them"):
        model = DisjointPanelClassifier(**OPTIONS).fit(rng.normal(size=(48, 12)), y, batch=batch)
    assert model.new_batch_share_ == 1.0


def test_no_batch_is_new_where_every_class_has_one_only():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 2, 3], 12)
    with pytest.warns(UserWarning, match="no batch connects"), pytest.warns(UserWarning, match="not hold batches out"):
        model = DisjointPanelClassifier(**OPTIONS).fit(rng.normal(size=(48, 12)), y, batch=y // 2)
    assert model.new_batch_share_ == 0.0


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "samples of batches not seen"),
        (0.0, "samples of batches seen in training"),
        (0.999, "samples of which 99\N{NO-BREAK SPACE}% are of batches not seen"),
        (None, None),
    ],
)
def test_what_errors_are_about_in_words(share, words):
    assert judged_samples(share) == words


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (lambda y: y, "batch and class are the same: nothing can be compared within a batch. Name another column"),
        (lambda y: 10 * y + np.arange(y.size) % 2, "each of the 6 batches has samples of one class only"),
        (lambda y: np.where(np.arange(y.size) == 3, None, "a"), "batch is missing for 1 of 120 samples"),
        (lambda y: y[:-1], "inconsistent numbers of samples"),
    ],
)
def test_batches_that_cannot_be_used(batch, message):
    X, y, _ = donors()
    with pytest.raises(ValueError, match=message):
        DisjointPanelClassifier(**OPTIONS).fit(X, y, batch=batch(y))


def test_the_window_is_about_values_as_they_are():
    X, y, batch = donors(n=200)
    low, high = -1.0, 1.5
    model = DisjointPanelClassifier(**OPTIONS, detection=(low, high)).fit(X, y, batch=batch)
    n_corrected_outside = 0
    for label, panel in enumerate(model.feature_sets_):
        means = X[y == label][:, panel].mean(axis=0)
        assert ((means >= low) & (means <= high)).all()
        corrected = model.centroids_[label, panel]
        n_corrected_outside += int(((corrected < low) | (corrected > high)).sum())
    assert n_corrected_outside
    tiny = DisjointPanelClassifier(**OPTIONS, detection=(low / 1e40, high / 1e40)).fit(X / 1e40, y, batch=batch)
    np.testing.assert_array_equal(tiny.owner_, model.owner_)


def test_one_batch_changes_nothing():
    X, y, _ = donors()
    with pytest.warns(UserWarning, match="batch has one value only, 'a', and changes nothing"):
        model = DisjointPanelClassifier(**OPTIONS).fit(X, y, batch=["a"] * len(y))
    np.testing.assert_array_equal(model.coef_, DisjointPanelClassifier(**OPTIONS).fit(X, y).coef_)
    assert model.batches_ is None
