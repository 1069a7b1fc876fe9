"""One table, one seed, one answer: every way to a model builds it by the same rule.

AnnData functions: ``test_anndata.py``.
"""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.cli import app
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation import PAPER_METHODS, compare, evaluate
from disjoint_centroids.evaluation.methods import METHODS, OURS, TrainingPart, build_method
from disjoint_centroids.models.model_file import load_model
from disjoint_centroids.report.judged import judge_method
from disjoint_centroids.tables import LabelledTable, read_table

SEED = 5
RESTARTS = 4


def iris():
    bunch = load_iris(as_frame=True)
    return bunch.data.rename(index="s{}".format), pd.Series(bunch.target_names[bunch.target], name="kind")


def small_class():
    """Eighteen, twelve and four samples: other folds where the smallest class bounds their number."""
    X, y = make_blocks(k=3, n=18, d=4, mu=(1.0, 0.0), sigma=(1.0, 1.4), irrelevant=12, random_state=2)
    kept = np.concatenate(
        [np.flatnonzero(y == label)[:size] for label, size in zip(range(3), (18, 12, 4), strict=True)]
    )
    kept = np.random.default_rng(0).permutation(kept)
    values = pd.DataFrame(X[kept], [f"s{i}" for i in range(len(kept))], [f"g{f}" for f in range(X.shape[1])])
    return values, pd.Series([f"class {label}" for label in y[kept]], name="kind")


TABLES = {"iris": iris, "small class": small_class}


@pytest.fixture(params=TABLES)
def table(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values, labels = TABLES[request.param]()
    labels.index = values.index
    values.assign(kind=labels).to_csv("table.csv", index_label="sample")
    return LabelledTable(values, labels, "table.csv")


def ndc_fit(file, method, seed):
    """Fit through the command; what its model file holds, and what it printed."""
    restarts = [] if method == "panel" else ["--restarts", RESTARTS]
    command = ["fit", file, "-t", "kind", "--method", method, *restarts, "--seed", seed, "--json", "-f"]
    result = CliRunner().invoke(app, [str(word) for word in command])
    assert result.exit_code == 0, result.output
    return load_model("model.ndc").pipeline, json.loads(result.stdout)


@pytest.mark.parametrize("method", OURS)
def test_fit_report_and_compare_have_the_identical_model(table, method):
    values, labels = table.values, table.labels
    fitted, _ = ndc_fit("table.csv", method, SEED)
    settings = {"cv": 3, "repeats": 1, "inner_folds": 5, "n_init": RESTARTS}
    settings |= {"transform": "none", "impute": None, "random_state": SEED}
    reported = judge_method(OURS[method], (), values, labels, settings, n_jobs=None, verbose=0).model
    compared = METHODS[OURS[method]](TrainingPart(labels.to_numpy(), 5, SEED, RESTARTS)).fit(values, labels)
    for model in (reported, compared):
        last = model[-1] if model is reported else model
        for name in ("owner_", "temperature_", "margin_", "train_error_", *_chosen(method)):
            np.testing.assert_array_equal(getattr(last, name), getattr(fitted[-1], name), err_msg=name)
        np.testing.assert_array_equal(model.predict(values), fitted.predict(values))
        np.testing.assert_array_equal(model.predict_proba(values), fitted.predict_proba(values))


def _chosen(method):
    return {"panel": ("rounds_", "terms_", "regression_", "penalty_", "coef_"), "ndc-s": ("lam_",), "ndc": ()}[method]


@pytest.mark.parametrize("method", ["panel", "ndc-s"])
def test_compare_judges_what_fit_runs_on_the_training_part(table, method):
    """Every split by hand: the training part to a file, `ndc fit` with the split's seed, its errors on the rest."""
    values, labels = table.values, table.labels
    rows = compare(values, labels, methods=[OURS[method]], repeats=1, n_init=RESTARTS, random_state=SEED)
    seed = np.random.RandomState(SEED).randint(2**31 - 1)
    splits = StratifiedKFold(3, shuffle=True, random_state=seed).split(labels, labels)
    for fold, (train, test) in enumerate(splits):
        values.iloc[train].assign(kind=labels.iloc[train]).to_csv("part.csv", index_label="sample")
        model, _ = ndc_fit("part.csv", method, seed + fold)
        error = np.mean(model.predict(values.iloc[test]) != labels.iloc[test])
        assert rows["error"][fold] == pytest.approx(error)
        assert rows["features"][fold] == model[-1].get_support().sum()


def test_what_was_written_is_read_as_it_was(table):
    """What the tests above take for granted."""
    read = read_table("table.csv", target="kind")
    np.testing.assert_array_equal(read.values, table.values)


def test_parameters_take_the_place_of_what_follows_from_the_part():
    part = TrainingPart(np.repeat([0, 1], 5), 3, 7, 11)
    assert build_method("Panel", part, cv=4).get_params() == DisjointPanelClassifier(cv=4, random_state=7).get_params()
    expected = NearestDisjointCentroidCV(cv=3, n_init=2, random_state=7, rule="1se").get_params()
    assert build_method("NDC-S", part, n_init=2, rule="1se", lam=None).get_params() == expected
    given = NearestDisjointCentroid(lam=0.5, n_init=11, random_state=7).get_params()
    assert build_method("NDC-S", part, lam=0.5, rule="1se").get_params() == given
    own = DisjointPanelClassifier(reads="own", regression="ridge", cv=3, random_state=7).get_params()
    assert build_method("Panel", part, reads="own", regression="ridge").get_params() == own
    assert build_method("Panel own", part, regression="ridge").get_params() == own
    assert build_method("NDC auto", part).init == build_method("NDC-S auto", part).init == "auto"
    with pytest.raises(ValueError, match="no method 'SMV'"):
        build_method("SMV", part)


@pytest.mark.parametrize("method", [*PAPER_METHODS, "NDC-S auto"])
def test_the_papers_jobs_keep_their_folds(method):
    from tuning import paper_method

    X, y = make_blocks(k=3, n=12, d=3, irrelevant=3, random_state=0)
    X, y = X[:-9], y[:-9]  # three samples of the last class: three folds, not five
    model = paper_method(method)(TrainingPart(y, 5, 1, 2))
    if method.startswith("NDC-S"):
        assert (model.cv.n_splits, model.cv.shuffle, model.cv.random_state) == (3, True, 1)
        by_hand = NearestDisjointCentroidCV(init=model.init, n_init=2, cv=model.cv, random_state=1).fit(X, y)
        outcome = evaluate(paper_method(method), (X, y), (X, y), n_init=2, seed=1)
        assert outcome.features == by_hand.get_support().sum()
        assert outcome.error == pytest.approx(1 - by_hand.score(X, y))
    else:
        assert repr(model) == repr(build_method(method, TrainingPart(y, 5, 1, 2)))
