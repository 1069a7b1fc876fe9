import dataclasses
import json
import os
import re
import subprocess
import sys
from datetime import datetime
from itertools import cycle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
    __version__,
)
from disjoint_centroids.models.model_file import FORMAT, SavedModel, load_model, save_model
from disjoint_centroids.models.prediction import predict_table
from disjoint_centroids.pipeline import IMPUTERS, model_pipeline
from disjoint_centroids.tables import LabelledTable
from disjoint_centroids.transforms import TRANSFORMS
from labelled import QUICK, assert_same_model, table
from model_bytes import changed, members

QUICK_CV = QUICK | {"n_lams": 4, "cv": 3}
AWKWARD = ["<script>alert(1)</script>", 'a "quoted" name', "it's", "naïve Größe 基因 🧬", " spaces ", "a\\b", "", "x\0"]
TWO, FOURTEEN = (14, 11), (5,) * 14


def frame(sizes, seed=0, empty=0.0):
    """Positive values under awkward names; a share of the cells empty."""
    X, y = table(sizes, n_features=84, seed=seed)
    names = [*AWKWARD, *(f"g{f}" for f in range(len(AWKWARD), X.shape[1]))]
    X = pd.DataFrame(np.exp2(X), columns=names, index=[f"s{i}" for i in range(len(X))])
    if empty:
        X = X.mask(np.random.default_rng(seed).uniform(size=X.shape) < empty)
    return X, pd.Series([f"class {c}" for c in y], index=X.index)


def there_and_back(model, tmp_path, **options):
    return load_model(save_model(model, tmp_path / "model.ndc", **options))


def assert_same_labels(found, expected, X):
    for name in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(found, name)(X), getattr(expected, name)(X), err_msg=name)


def assert_same_answers(found, expected, X):
    assert_same_labels(found, expected, X)
    assert_same_model(found[-1], expected[-1])
    Z = expected[:-1].transform(X) if len(expected) > 1 else X
    np.testing.assert_array_equal(found[-1].distances(Z), expected[-1].distances(Z))
    pd.testing.assert_frame_equal(found[-1].explain(Z), expected[-1].explain(Z), check_exact=True)
    pd.testing.assert_frame_equal(found[-1].feature_table(), expected[-1].feature_table(), check_exact=True)
    for mine, theirs in zip(found[-1].feature_sets_, expected[-1].feature_sets_, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.filterwarnings("ignore:In every restart")  # a model that had to be repaired is a model too
@pytest.mark.parametrize(
    ("transform", "impute", "sizes"),
    list(zip(TRANSFORMS, cycle([None, *IMPUTERS]), cycle([TWO, FOURTEEN]), strict=False)),
)
def test_a_model_that_was_saved_answers_exactly_as_before(transform, impute, sizes, tmp_path):
    (X, y), (new, _) = (frame(sizes, seed, 0.05 if impute else 0.0) for seed in (0, 1))
    model = model_pipeline(NearestDisjointCentroidCV(**QUICK_CV), transform=transform, impute=impute).fit(X, y)
    found = there_and_back(model, tmp_path)
    assert_same_answers(found.pipeline, model, new)
    assert found.feature_names == list(X.columns)
    assert found.classes == sorted(set(y))


@pytest.mark.parametrize("impute", [None, "knn"])
def test_everything_that_cross_validation_found_survives(impute, tmp_path):
    X, y = frame(FOURTEEN)
    model = model_pipeline(NearestDisjointCentroidCV(**QUICK_CV), transform="log2", impute=impute).fit(X, y)
    found, expected = there_and_back(model, tmp_path).pipeline[-1], model[-1]
    assert found.__dict__.keys() == expected.__dict__.keys()
    for name in ("lams_", "cv_errors_", "n_selected_", "lam_", "init_", "n_iter_", "feature_names_in_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert type(found.path_) is type(expected.path_)
    for one in dataclasses.fields(expected.path_):
        mine, theirs = getattr(found.path_, one.name), getattr(expected.path_, one.name)
        np.testing.assert_array_equal(mine, theirs, err_msg=one.name)
        assert mine.dtype == theirs.dtype


def same(found, expected):
    """Equal in every part, whatever it is made of; dataclasses are what they were."""
    if dataclasses.is_dataclass(expected):
        assert type(found) is type(expected)
        names = [field.name for field in dataclasses.fields(expected)]
        return all(same(getattr(found, name), getattr(expected, name)) for name in names)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in expected)
    if isinstance(expected, list | tuple):
        return type(found) is type(expected) and len(found) == len(expected) and all(map(same, found, expected))
    if hasattr(expected, "__dict__"):
        return type(found) is type(expected) and same(found.__dict__, expected.__dict__)
    np.testing.assert_array_equal(found, expected)
    return np.asarray(found).dtype == np.asarray(expected).dtype


OTHERS = {
    "panel": DisjointPanelClassifier(terms="linear", random_state=0, cv=3),
    "panel, both terms": DisjointPanelClassifier(terms="both", rounds=2, priors="empirical", random_state=0),
    "panel by design": DisjointPanelClassifier(
        max_features=9, forced={"class 0": ["g20"]}, excluded=["g30", AWKWARD[0]], random_state=0
    ),
    "logistic": DisjointLogisticRegression(estimator=NearestDisjointCentroid(**QUICK), random_state=0),
    "logistic, lambda chosen": DisjointLogisticRegression(
        estimator=NearestDisjointCentroidCV(**QUICK_CV), cv=StratifiedKFold(3), random_state=0
    ),
    "neighbours": DisjointKNeighborsClassifier(
        n_neighbors=5, estimator=NearestDisjointCentroidCV(**QUICK_CV), random_state=0
    ),
    "overlapping": OverlappingCentroidClassifier(max_features_per_class=5, n_init=5, random_state=0),
}


@pytest.mark.parametrize("steps", [{}, {"transform": "log2-standardize", "impute": "median"}], ids=["bare", "steps"])
@pytest.mark.parametrize("kind", OTHERS)
def test_every_classifier_comes_back_in_every_part(kind, steps, tmp_path):
    (X, y), (new, _) = (frame((14, 11, 9), seed) for seed in (0, 1))
    model = model_pipeline(clone(OTHERS[kind]), **steps).fit(X, y)
    saved = there_and_back(model, tmp_path)
    assert (saved.left_out, saved.classes) == ({}, ["class 0", "class 1", "class 2"])
    assert_same_labels(saved.pipeline, model, new)
    assert same(saved.pipeline[-1].__dict__, model[-1].__dict__)
    pd.testing.assert_frame_equal(saved.pipeline[-1].feature_table(), model[-1].feature_table(), check_exact=True)
    assert_same_labels(saved.pipeline.fit(X, y), model, new)


def test_sets_of_classes_come_back(tmp_path):
    (X, y), (new, _) = (frame((14, 11, 9), seed) for seed in (0, 1))
    model = DisjointPanelClassifier(terms="linear", random_state=0).fit(X, y)
    found = there_and_back(model, tmp_path).pipeline[-1]
    for confidence in (0.5, 0.8, 0.9):
        np.testing.assert_array_equal(found.predict_set(new, confidence), model.predict_set(new, confidence))
    np.testing.assert_array_equal(found.typicality(new), model.typicality(new))


def test_a_panel_without_folds_and_one_that_lost_a_class_in_some(tmp_path):
    X, y = frame((6, 6, 1))
    model = DisjointPanelClassifier(rounds=2, random_state=0).fit(X, y)
    assert min(fold.known.size for fold in model.fold_models_) == 2
    assert same(there_and_back(model, tmp_path).pipeline[-1].__dict__, model.__dict__)
    first = ~y.duplicated()
    bare = DisjointPanelClassifier(rounds=2, random_state=0).fit(X[first], y[first])
    assert bare.fold_models_ == []
    assert same(there_and_back(bare, tmp_path, force=True).pipeline[-1].__dict__, bare.__dict__)


def test_costs_by_name_become_figures_that_a_new_fit_can_use(tmp_path):
    X, y = frame(TWO)
    costs = {name: 1.0 + at % 3 for at, name in enumerate(X.columns[::-1])}
    model = DisjointPanelClassifier(rounds=3, feature_costs=costs, budget=5.0, random_state=0).fit(X, y)
    found = there_and_back(model, tmp_path).pipeline[-1]
    np.testing.assert_array_equal(found.feature_costs, [costs[name] for name in X.columns])
    assert model.feature_costs is costs
    np.testing.assert_array_equal(found.fit(X, y).owner_, model.owner_)


@pytest.mark.parametrize("labels", [[3, 7], ["a", "b"]])
def test_features_forced_on_classes_of_any_plain_type(labels, tmp_path):
    X, y = table(TWO)
    y = np.array(labels)[y]
    model = DisjointPanelClassifier(rounds=2, forced={labels[1]: [4]}, random_state=0).fit(X, y)
    found = there_and_back(model, tmp_path)
    assert (found.pipeline[-1].forced, found.left_out) == (model.forced, {})


def test_code_within_the_estimator_of_another_is_left_out_aloud(tmp_path):
    X, y = frame(TWO)
    inner = NearestDisjointCentroidCV(**QUICK_CV | {"scoring": accuracy, "shared_features": SelectKBest(k=3)})
    model = DisjointKNeighborsClassifier(n_neighbors=5, estimator=inner, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="cannot hold estimator=NearestDisjointCentroidCV") as caught:
        path = save_model(model, tmp_path / "m.ndc")
    assert caught[0].filename == __file__
    found = load_model(path)
    assert found.left_out.keys() == {"estimator"}
    assert_same_labels(found.pipeline, make_pipeline(model), X)
    assert model.estimator_.scoring is accuracy


@pytest.mark.parametrize(
    "options",
    [
        {"lam": 0.9},
        {"lam": np.inf},
        {"norm": "euclidean", "priors": "empirical"},
        {"priors": [0.7, 0.3]},
        {"shared_features": ["g20", AWKWARD[0]]},
        {"init": np.tile([0, 1], (3, 42))},
        {"random_state": np.random.RandomState(3)},
        {"init": "auto"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_a_bare_classifier_with_its_parameters(options, tmp_path):
    X, y = frame(TWO)
    model = NearestDisjointCentroid(**QUICK | options).fit(X, y)
    found = there_and_back(model, tmp_path).pipeline
    assert_same_answers(found, make_pipeline(model), X)
    for name, value in model.get_params().items():
        if name == "random_state" and not isinstance(value, int):
            assert found[-1].random_state.randint(1000) == value.randint(1000)
        else:
            np.testing.assert_array_equal(getattr(found[-1], name), value)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [([3, 7], int), ([2.0, 3.0], float), ([False, True], bool), (["a", "b"], str), (["a", "b"], object)],
)
def test_labels_of_any_plain_type_and_arrays_without_names(labels, kind, tmp_path):
    X, y = table(TWO)
    y = np.array(labels, dtype=kind)[y]
    model = NearestDisjointCentroid(**QUICK).fit(X, y)
    found = there_and_back(model, tmp_path)
    assert found.classes == labels
    assert found.pipeline[-1].classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(found.pipeline.predict(X), model.predict(X))
    assert found.feature_names[:2] == ["x0", "x1"]
    assert not hasattr(found.pipeline[-1], "feature_names_in_")


@pytest.mark.parametrize("cv", [StratifiedKFold(3, shuffle=True, random_state=1), LeaveOneOut()], ids=str)
def test_a_splitter_survives_and_the_model_can_be_fitted_again(cv, tmp_path):
    X, y = frame(TWO)
    model = NearestDisjointCentroidCV(**QUICK_CV | {"cv": cv}).fit(X, y)
    found = there_and_back(model, tmp_path)
    assert repr(found.pipeline[-1].cv) == repr(cv)
    assert found.left_out == {}
    assert_same_model(found.pipeline.fit(X, y)[-1], model)


def accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def test_parameters_that_are_code_are_left_out_aloud_and_predictions_stay(tmp_path):
    X, y = frame(TWO)
    options = {
        "scoring": accuracy,
        "shared_features": SelectKBest(k=3),
        "cv": iter([(np.arange(20), np.arange(20, 25))]),
    }
    model = NearestDisjointCentroidCV(**QUICK_CV | options).fit(X, y)
    with pytest.warns(UserWarning, match="cannot hold cv=.*scoring=.*shared_features=SelectKBest"):
        path = save_model(model, tmp_path / "m.ndc")
    found = load_model(path)
    assert found.left_out.keys() == options.keys()
    assert found.pipeline[-1].scoring is None
    assert found.pipeline[-1].cv == 5
    np.testing.assert_array_equal(found.pipeline[-1].shared_features, np.flatnonzero(model.owner_ == -2))
    assert_same_answers(found.pipeline, make_pipeline(model), X)
    assert model.scoring is accuracy  # the user's own is as it was


def test_saving_leaves_the_users_model_alone(tmp_path):
    X, y = frame(TWO)
    model = model_pipeline(NearestDisjointCentroidCV(**QUICK_CV), transform="log2", impute="median").fit(X, y)
    before = [dict(step.__dict__) for _, step in model.steps]
    save_model(model, tmp_path / "m.ndc")
    assert [list(step.__dict__) for _, step in model.steps] == [list(state) for state in before]
    assert all(
        step.__dict__[k] is v for (_, step), state in zip(model.steps, before, strict=True) for k, v in state.items()
    )


def test_what_is_known_about_the_model_comes_along(tmp_path):
    X, y = frame(TWO)
    settings = {"transform": "none", "seed": 0, "lam": None, "names": ["ä", "<b>"], "table": "my table.csv"}
    labelled_table = LabelledTable(X, y, "my table.csv")
    model = NearestDisjointCentroid(**QUICK).fit(X, y)
    found = there_and_back(model, tmp_path, table=labelled_table, settings=settings)
    assert isinstance(found, SavedModel)
    assert found.settings == settings
    assert found.checksum == labelled_table.checksum
    assert found.versions["disjoint-centroids"] == __version__
    assert found.versions.keys() >= {"python", "numpy", "scikit-learn", "skops"}
    assert datetime.fromisoformat(found.created).utcoffset().total_seconds() == 0
    bare = load_model(save_model(model, tmp_path / "bare.ndc"))
    assert (bare.checksum, bare.settings) == (None, {})


def test_the_training_table_is_not_in_the_file(tmp_path):
    X, y = frame(TWO)
    model = model_pipeline(NearestDisjointCentroid(**QUICK), transform="standardize").fit(X, y)
    data = save_model(model, tmp_path / "m.ndc", table=LabelledTable(X, y, "t.csv")).read_bytes()
    assert not any(X.to_numpy()[i].tobytes() in data for i in range(len(X)))
    assert X.index[0].encode() + b'"' not in data


def test_a_file_stays_unless_told_to_be_replaced(tmp_path):
    X, y = frame(TWO)
    model, path = NearestDisjointCentroid(**QUICK).fit(X, y), tmp_path / "m.ndc"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"m\.ndc exists\. .*force=True to replace"):
        save_model(model, path)
    assert path.read_text() == "precious"
    assert load_model(save_model(model, path, force=True)).classes == ["class 0", "class 1"]
    assert os.listdir(tmp_path) == ["m.ndc"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    X, y = frame(TWO)
    path = tmp_path / "m.ndc"
    path.write_text("precious")
    unstorable = make_pipeline(PCA(5), NearestDisjointCentroid(**QUICK)).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"cannot be saved: it holds sklearn\.decomposition\._pca\.PCA"):
        save_model(unstorable, path, force=True)
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["m.ndc"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs a system with limits on file sizes")
def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path):
    code = """
import resource, signal, sys
import numpy as np
from disjoint_centroids import NearestDisjointCentroid
from disjoint_centroids.models.model_file import save_model
rng = np.random.default_rng(0)
model = NearestDisjointCentroid(n_init=2, random_state=0).fit(rng.normal(size=(20, 400)), np.repeat([0, 1], 10))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save_model(model, sys.argv[1])
except OSError as error:
    sys.stdout.write(type(error).__name__)
"""
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "m.ndc"], capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("OSError", 0), run.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "step", [FunctionTransformer(np.exp), FunctionTransformer(lambda X: X)], ids=["ufunc", "lambda"]
)
def test_a_function_of_ones_own_is_not_saved(step, tmp_path):
    X, y = table(TWO)
    model = make_pipeline(step, NearestDisjointCentroid(**QUICK)).fit(X, y)
    with pytest.raises(ValueError, match=r"it holds numpy[\w.]*\.exp,|it holds .*<lambda>"):
        save_model(model, tmp_path / "m.ndc")


def test_labels_that_a_file_cannot_hold_are_an_error_before_anything_is_written(tmp_path):
    X, y = frame(TWO)
    model = NearestDisjointCentroid(**QUICK).fit(X, y)
    model.classes_ = np.array([1j, 2j], dtype=object)
    with pytest.raises(ValueError, match="This model cannot be saved: it holds"):
        save_model(model, tmp_path / "m.ndc")
    assert os.listdir(tmp_path) == []


def test_a_step_that_does_nothing_is_no_obstacle(tmp_path):
    X, y = frame(TWO)
    model = make_pipeline("passthrough", NearestDisjointCentroid(**QUICK)).fit(X, y)
    found = there_and_back(model, tmp_path)
    assert found.feature_names == list(X.columns)
    np.testing.assert_array_equal(predict_table(found, X)["label"], model.predict(X))


def test_what_is_no_fitted_model_is_refused(tmp_path):
    X, y = frame(TWO)
    with pytest.raises(NotFittedError):
        save_model(model_pipeline(NearestDisjointCentroid(), transform="log2"), tmp_path / "m.ndc")
    with pytest.raises(TypeError, match="got LogisticRegression"):
        save_model(LogisticRegression(), tmp_path / "m.ndc")
    model = NearestDisjointCentroid(**QUICK).fit(X, y)
    with pytest.raises(TypeError, match="what JSON can hold"):
        save_model(model, tmp_path / "m.ndc", settings={"X": X})
    with pytest.raises(FileNotFoundError, match="no folder"):
        save_model(model, tmp_path / "nowhere" / "m.ndc")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        save_model(model, tmp_path, force=True)
    assert os.listdir(tmp_path) == []


@pytest.fixture
def saved(tmp_path):
    X, y = frame(TWO)
    model = model_pipeline(NearestDisjointCentroid(**QUICK), transform="standardize", impute="median").fit(X, y)
    return save_model(model, tmp_path / "m.ndc")


def test_a_newer_format_says_which_release_wrote_it(saved):
    def newer(metadata):
        metadata["format"] = FORMAT + 1
        metadata["versions"]["disjoint-centroids"] = "9.8.7"
        metadata["something"] = "that this release does not know"

    saved.write_bytes(changed(saved.read_bytes(), "model.json", newer))
    with pytest.raises(ValueError, match=rf"written by disjoint-centroids 9\.8\.7 in format {FORMAT + 1}.*install"):
        load_model(saved)


def test_an_older_release_loads_if_it_answers_as_it_did(saved):
    def older(metadata):
        metadata["versions"] |= {"disjoint-centroids": "0.0.1", "scikit-learn": "1.6.0"}

    def older_state(schema):
        text = json.dumps(schema)
        found = re.subn(r'(\\"\d+\.\d+\.\d+\\")', r'\\"1.6.0\\"', text)
        assert found[1] >= 3  # pipeline, imputer, scaler
        return json.loads(found[0])

    data = changed(changed(saved.read_bytes(), "model.json", older), "schema.json", older_state)
    saved.write_bytes(data)
    assert load_model(saved).versions["disjoint-centroids"] == "0.0.1"


def test_an_older_release_that_does_not_load_is_named(saved):
    def older(metadata):
        metadata["versions"]["disjoint-centroids"] = "0.0.1"
        metadata["answers"] = [[2 * d for d in row] for row in metadata["answers"]]

    saved.write_bytes(changed(saved.read_bytes(), "model.json", older))
    with pytest.raises(ValueError, match=r"answers differently.*written by disjoint-centroids 0\.0\.1 .*this is"):
        load_model(saved)


def test_a_state_that_this_scikit_learn_cannot_use_is_found_when_loading(saved):
    def without_scale(schema):
        def walk(part):
            if isinstance(part, dict):
                part.pop("scale_", None)
            for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
                walk(child)

        walk(schema)

    saved.write_bytes(changed(saved.read_bytes(), "schema.json", without_scale))
    with pytest.raises(ValueError, match=r"cannot be read as a model .*written by"):
        load_model(saved)


def test_the_metadata_can_be_read_with_any_unzip(saved):
    metadata = json.loads(members(saved.read_bytes())["model.json"])
    assert metadata["classes"] == ["class 0", "class 1"]
    assert metadata["names"][0][:8] == AWKWARD
    assert metadata["format"] == FORMAT
