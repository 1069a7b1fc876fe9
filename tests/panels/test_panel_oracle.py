"""The panel classifier by hand, and against its definition in plain loops."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

import awkward_tables as tables
import oracle_panel as oracle
from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid
from disjoint_centroids.panels.model import PanelModel

pytestmark = pytest.mark.filterwarnings("error")

SEEDS = st.integers(0, 10**6)
FORMS = [np.asarray, sparse.csc_array, sparse.csr_array, sparse.csc_matrix, sparse.csr_matrix]
PENALTY = 0.3


READS = ("all", "own")
REGRESSIONS = [("linear", "ridge"), ("linear", "logistic"), ("squared", "logistic"), ("both", "logistic")]


def random_table(seed, n_classes=3, n_features=7, sizes=(6, 10)):
    rng = np.random.default_rng(seed)
    table = tables.blocks(tuple(rng.integers(*sizes, size=n_classes)), n_features, seed)
    X = np.where(rng.uniform(size=table.X.shape) < 0.7, table.X, 0.0)
    weights = rng.uniform(0.5, 2.0, size=table.y.size)
    return X, table.y, weights / weights.mean()


def plain(X, y, kind, n_rounds=2, weights=None, **options):
    """The oracle's fit of the same."""
    return oracle.Model(X, y, kind, n_rounds, penalty=PENALTY, weights=weights, **options)


def folds_of(y, n_splits=3):
    return list(StratifiedKFold(n_splits, shuffle=True, random_state=1).split(y, y))


def fitted(X, y, kind, weights=None, rounds=2, **options):
    options = {"cv": folds_of(y), "overdraft": 1, "regression": "ridge", **options}
    model = DisjointPanelClassifier(rounds=rounds, terms=kind, penalty=PENALTY, **options)
    return model.fit(X, y, sample_weight=weights)


def raw_scores(model, X):
    """Scores before the intercepts were fitted to held-out samples: but for a number per class, the oracle's."""
    return model._model().scores(X) - model.intercept_


def assert_same_but_for_intercepts(found, expected, atol):
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=atol)


def rough(scores):
    """Tolerance for the fits of the folds and what is fitted to their scores; exact fits are in test_path.py."""
    return 0.02 * max(1.0, np.ptp(scores))


def by_hand():
    """Feature 0 is high in the first class, feature 2 in the second, feature 1 in neither.

    Every sample is held out together with its mirror image: nothing tells the classes apart but their sign.
    """
    within = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    y = np.repeat(["left", "right"], 3)
    sign = np.where(y == "left", 1.0, -1.0)
    X = np.column_stack([3 * sign + within + 100, within + 7, -1.5 * sign + within])
    return X, y, [(np.delete(np.arange(6), [at, 5 - at]), [at, 5 - at]) for at in range(3)]


def test_by_hand_with_own_panels():
    """170 a + 46 b = 108 and 46 a + 89 b = 54, as worked out in drafting/test_draft.py.

    The pooled standard deviation is 1 and so is its median: features are divided by 1.5.
    """
    X, y, folds = by_hand()
    options = {"rounds": 1, "terms": "linear", "reads": "own", "penalty": 1.0, "overdraft": 1, "cv": folds}
    model = DisjointPanelClassifier(**options).fit(X, y)
    assert [panel.tolist() for panel in model.feature_sets_] == [[0], [2]]
    np.testing.assert_array_equal(model.owner_, [0, -1, 1])
    np.testing.assert_allclose(model.center_, [100, 7, 0], atol=1e-12)
    np.testing.assert_allclose(model.scale_, 1.5)
    a, b = 7128 / 13014, 4212 / 13014
    np.testing.assert_allclose(model.coef_, [[a, 0, 0], [0, 0, b]], rtol=1e-6)
    np.testing.assert_array_equal(model.curvature_, np.zeros((2, 3)))
    np.testing.assert_allclose(model.intercept_, [0, 0], atol=1e-12)  # classes of one size count alike as they are
    # A sample 3 above the centre of feature 0 and 0.75 above that of feature 2.
    np.testing.assert_allclose(model.decision_function([[103, 7, 0.75]]), [0.5 * b - 2 * a], rtol=1e-6)
    probability = 1 / (1 + np.exp(-model.temperature_ * (0.5 * b - 2 * a)))
    np.testing.assert_allclose(model.predict_proba([[103, 7, 0.75]]), [[1 - probability, probability]], rtol=1e-6)
    # Feature 0 adds 2 a in its own class and -2 a in the other, feature 2 adds b and -b.
    np.testing.assert_allclose(model.margin_, [4 * a, np.nan, 2 * b], rtol=1e-6)
    np.testing.assert_allclose(model.centroids_, [[103, 7, -1.5], [97, 7, 1.5]])
    np.testing.assert_allclose(model.variances_, 2 / 3)
    assert model.train_error_ == 0.0


def test_by_hand_with_all_panels():
    """286 a - 92 b = 108 and -92 a + 124 b = -54, and the signs turned for the second class."""
    X, y, folds = by_hand()
    model = DisjointPanelClassifier(rounds=1, terms="linear", penalty=1.0, overdraft=1, cv=folds).fit(X, y)
    assert [panel.tolist() for panel in model.feature_sets_] == [[0], [2]]
    n = 286 * 124 - 92**2
    a, b = (108 * 124 - 92 * 54) / n, (92 * 108 - 286 * 54) / n
    np.testing.assert_allclose(model.coef_, [[a, 0, b], [-a, 0, -b]], rtol=1e-9)
    np.testing.assert_allclose(model.decision_function([[103, 7, 0.75]]), [-2 * (2 * a + 0.5 * b)], rtol=1e-9)
    # Feature 0 adds 2 a to the first score in the first class and -2 a in the other; feature 2, to the second, -b.
    np.testing.assert_allclose(model.margin_, [4 * a, np.nan, -2 * b], rtol=1e-9)


@pytest.mark.parametrize("kind", ["linear", "squared", "both"])
@pytest.mark.parametrize("reads", READS)
@hypothesis_settings(max_examples=5)
@given(seed=SEEDS)
def test_rules_on_class_means_are_the_oracles(reads, kind, seed):
    X, y, weights = random_table(seed, n_features=9)
    low, high = np.quantile(X.mean(axis=0), [0.05, 0.95])
    regression = "ridge" if kind == "linear" else "logistic"
    for given_rules, plain_rules in (
        ({"direction": "up"}, {"upward": True}),
        ({"direction": "up", "overdraft": 2}, {"upward": True, "overdraft": 2}),
        ({"direction": "up", "min_features_per_class": 2}, {"upward": True, "least": 2, "promised": True}),
        ({"detection": (low, high)}, {"window": (low, high)}),
    ):
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*own no feature", UserWarning)
                model = fitted(X, y, kind, weights, reads=reads, regression=regression, **given_rules)
        except ValueError as error:
            told = ("leave too few of the 9 features", "cannot be had", "was not reached")
            assert any(words in str(error) for words in told)
            continue
        expected = plain(X, y, kind, 2, weights, reads=reads, regression=regression, **plain_rules)
        assert [panel.tolist() for panel in model.feature_sets_] == expected.panels


@pytest.mark.parametrize(("kind", "regression"), REGRESSIONS)
@pytest.mark.parametrize("reads", READS)
@hypothesis_settings(max_examples=4)
@given(seed=SEEDS)
def test_panels_and_scores_are_the_oracles(reads, kind, regression, seed):
    X, y, weights = random_table(seed)
    expected = plain(X, y, kind, 2, weights, reads=reads, regression=regression)
    for form in FORMS:
        model = fitted(form(X), y, kind, weights, reads=reads, regression=regression)
        assert [panel.tolist() for panel in model.feature_sets_] == expected.panels
        assert_same_but_for_intercepts(
            raw_scores(model, form(X).tocsc() if sparse.issparse(form(X)) else X), expected.scores(X), 1e-4
        )


@pytest.mark.parametrize(("kind", "regression"), REGRESSIONS)
@pytest.mark.parametrize("reads", READS)
def test_two_classes_and_rules(reads, kind, regression):
    X, y, weights = random_table(5, n_classes=2, n_features=8)
    costs = np.array([1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0])
    rules = {"max_features_per_class": 3, "feature_costs": costs, "budget": 8.5, "excluded": [3]}
    options = {"reads": reads, "regression": regression}
    model = fitted(X, y, kind, weights, rounds=4, forced={1: [6], 0: [1]}, **rules, **options)
    expected = plain(
        X,
        y,
        kind,
        4,
        weights,
        allowed=np.arange(8) != 3,
        forced=[[1], [6]],
        per_class=3,
        costs=costs,
        budget=8.5,
        **options,
    )
    assert [panel.tolist() for panel in model.feature_sets_] == expected.panels
    assert_same_but_for_intercepts(raw_scores(model, X), expected.scores(X), 1e-4)


@pytest.mark.parametrize(("kind", "regression"), REGRESSIONS)
@pytest.mark.parametrize("reads", READS)
def test_overdrafts_are_the_oracles(reads, kind, regression):
    X, y, weights = random_table(6, n_features=10)
    options = {"reads": reads, "regression": regression, "overdraft": 2}
    model = fitted(X, y, kind, weights, forced={2: [4]}, max_features_per_class=2, **options)
    expected = plain(X, y, kind, 2, weights, forced=[[], [], [4]], per_class=2, **options)
    assert [panel.tolist() for panel in model.feature_sets_] == expected.panels
    assert_same_but_for_intercepts(raw_scores(model, X), expected.scores(X), 1e-4)


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
@pytest.mark.parametrize(("kind", "regression"), REGRESSIONS)
@pytest.mark.parametrize("reads", READS)
def test_folds_and_calibration_are_the_oracles(reads, kind, regression, priors):
    """Held-out scores fold by fold; intercepts and factor from them."""
    X, y, weights = random_table(7)
    folds = folds_of(y)
    options = {"reads": reads, "regression": regression, "priors": priors}
    model = fitted(X, y, kind, weights, cv=folds, **options)
    scores = np.empty((len(y), 3))
    for (train, test), fold in zip(folds, model.fold_models_, strict=True):
        expected = plain(X, y, kind, 2, weights, rows=train, **options)
        scores[test] = expected.scores(X[test])
        assert_same_but_for_intercepts(fold.model.scores(X), expected.scores(X), rough(expected.scores(X)))
    temperature, offsets = oracle.calibration(scores, y, weights, priors)
    np.testing.assert_allclose(model.temperature_, temperature, rtol=0.03)
    np.testing.assert_allclose(model.held_out_scores_, scores + offsets, atol=rough(scores))
    whole = plain(X, y, kind, 2, weights, **options).scores(X) + offsets
    np.testing.assert_allclose(model._model().scores(X), whole, atol=rough(scores))


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize(("kind", "regression"), REGRESSIONS)
def test_a_fold_without_a_class_is_the_oracles(kind, regression, reads):
    """The others play alone, and nobody is given the class."""
    X, y, weights = random_table(8)
    folds = [(np.flatnonzero(y != 1), np.flatnonzero(y == 1)), (np.arange(0, y.size, 2), np.arange(1, y.size, 2))]
    options = {"reads": reads, "regression": regression}
    model = fitted(X, y, kind, weights, cv=folds, **options)
    fold = model.fold_models_[0]
    expected = plain(X, y, kind, 2, weights, rows=folds[0][0], **options)
    assert fold.known.tolist() == [0, 2]
    assert [panel.tolist() for panel in fold.model.panels] == expected.panels
    found, scores = (scored.scores(X)[:, [0, 2]] for scored in (fold.model, expected))
    assert_same_but_for_intercepts(found, scores, rough(scores))
    assert (model.held_out_scores_[y == 1][:, 1] == -np.inf).sum() >= (y[::2] == 1).sum()


@pytest.mark.parametrize("coverage", ["class", "average"])
@pytest.mark.parametrize("reads", READS)
def test_sets_and_typicality_are_the_oracles(reads, coverage):
    """The p-values behind ``predict_set`` and ``typicality`` by counting."""
    X, y, weights = random_table(7, sizes=(12, 16))
    folds = folds_of(y)
    model = fitted(X, y, "linear", weights, cv=folds, reads=reads)
    new = random_table(8)[0]
    held_out, said, far, distances = [], [], [], []
    for (train, test), fold in zip(folds, model.fold_models_, strict=True):
        own = oracle.probabilities(model.held_out_scores_[test], model.temperature_)[np.arange(test.size), y[test]]
        held_out.append(list(zip(own, weights[test], y[test], strict=True)))
        said.append(oracle.probabilities(fold.model.scores(new), model.temperature_))
        expected = plain(X, y, "linear", 2, weights, rows=train, reads=reads)
        standard, owned = expected.terms.standard, np.concatenate(expected.panels).astype(int)

        def nearest(samples, standard=standard, owned=owned):
            gaps = standard.of(samples)[:, None, owned] - standard.centroids[None, :, owned]
            return (gaps**2).mean(axis=2).min(axis=1)

        far.append(list(zip(nearest(X[test]), weights[test], strict=True)))
        distances.append(nearest(new))
    p_values = oracle.p_values(held_out, said, by_class=coverage == "class")
    for confidence in (0.2, 0.5, 0.8):
        np.testing.assert_array_equal(
            model.predict_set(new, confidence, coverage=coverage), p_values > 1 - confidence + 1e-12
        )
    assert np.unique(p_values).size > 10
    np.testing.assert_allclose(model.typicality(new), oracle.distance_p_values(far, distances))


@pytest.mark.parametrize("reads", READS)
def test_formula_of_the_documentation(reads):
    """Scores from the fitted attributes, feature by feature."""
    X, y, weights = random_table(9, n_features=10)
    model = fitted(X, y, "both", weights, rounds=3, reads=reads)
    expected = np.empty((len(X), 3))
    for i, x in enumerate(X):
        for j, panel in enumerate(model.feature_sets_):
            z = (x - model.center_) / model.scale_
            c = (model.centroids_[j] - model.center_) / model.scale_
            read = panel if reads == "own" else np.concatenate(model.feature_sets_)
            linear = sum(model.coef_[j, f] * z[f] for f in read)
            squared = sum(model.curvature_[j, f] * (z[f] - c[f]) ** 2 for f in panel)
            expected[i, j] = model.intercept_[j] + linear + squared
    for j, panel in enumerate(model.feature_sets_):
        others = np.setdiff1d(np.arange(10), panel)
        assert (model.curvature_[j, panel] != 0).any()
        assert (model.curvature_[j, others] == 0).all()
        assert (model.coef_[j, others] != 0).any() == (reads == "all")
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), oracle.probabilities(expected, model.temperature_), atol=1e-9)


@given(seed=SEEDS)
def test_nearest_disjoint_centroids_are_a_case_of_it(seed):
    """No linear terms, squared ones that share minus one out, no intercepts: the paper's classifier."""
    table = tables.blocks((7, 6, 8), 20, seed)
    standard = oracle.Standard(oracle.Part(table.X, table.y))
    z = standard.of(table.X)
    paper = NearestDisjointCentroid(n_init=3, random_state=0).fit(z, table.y)
    panels = tuple(paper.feature_sets_)
    features = np.concatenate(panels)
    owners = paper.owner_[features]
    sizes = np.array([panel.size for panel in panels])
    model = PanelModel(
        panels,
        standard.center[features],
        standard.scale[features],
        np.zeros((3, 20)),
        -1.0 / sizes[owners],
        paper.centroids_[owners, features],
        np.zeros(3),
    )
    np.testing.assert_allclose(model.scores(table.X), paper.decision_function(z), atol=1e-10)
    np.testing.assert_array_equal(model.features, features)
    np.testing.assert_array_equal(model.owners, owners)
