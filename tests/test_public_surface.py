"""What the package shows the world: names, signatures, and what importing it costs."""

import importlib.metadata
import importlib.resources
import inspect
import subprocess
import sys

import numpy as np
import pytest

import disjoint_centroids
from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
    OwnershipStability,
    disjoint_centroid_path,
)

pytestmark = pytest.mark.filterwarnings("error")

REQUIRED = inspect.Parameter.empty
SEARCH = {
    "n_init": 100,
    "init": "k-means",
    "criterion": "error",
    "norm": "dn",
    "shared_features": None,
    "refine": False,
}
GRID = {"lams": "auto", "n_lams": 30}
RUN = {"max_iter": 300, "random_state": None, "n_jobs": None}

CONSTRUCTORS = {
    NearestDisjointCentroid: {"lam": None, **SEARCH, "priors": None, **RUN, "verbose": 0, "compression": "auto"},
    NearestDisjointCentroidCV: {
        **GRID,
        "cv": 5,
        "rule": "min",
        "scoring": None,
        **SEARCH,
        "priors": None,
        **RUN,
        "verbose": 0,
        "compression": "auto",
    },
}

BEYOND_THE_PAPER = {
    DisjointKNeighborsClassifier: {"n_neighbors": 15, "estimator": None, "random_state": None},
    DisjointLogisticRegression: {"C": 1.0, "estimator": None, "cv": None, "random_state": None, "verbose": 0},
    DisjointPanelClassifier: {
        "rounds": "auto",
        "terms": "auto",
        "reads": "auto",
        "regression": "auto",
        "overdraft": "auto",
        "penalty": "auto",
        "max_features_per_class": None,
        "max_features": None,
        "feature_costs": None,
        "budget": None,
        "forced": None,
        "excluded": None,
        "allowed": None,
        "min_features_per_class": None,
        "direction": "any",
        "detection": None,
        "cv": 5,
        "rule": "min",
        "priors": None,
        "random_state": None,
        "n_jobs": None,
        "verbose": 0,
    },
    OverlappingCentroidClassifier: {
        "lam": 1.0,
        "max_features_per_class": None,
        "n_init": 100,
        "init": "k-means",
        "priors": None,
        **RUN,
    },
}

DOCUMENTED = [*CONSTRUCTORS, *BEYOND_THE_PAPER, OwnershipStability, disjoint_centroid_path]

METHODS = {
    "fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "distances",
    "risk",
    "score",
    "get_support",
    "transform",
    "get_feature_names_out",
    "feature_table",
    "explain",
}


def test_public_names():
    assert disjoint_centroids.__all__ == [
        "DisjointKNeighborsClassifier",
        "DisjointLogisticRegression",
        "DisjointPanelClassifier",
        "NearestDisjointCentroid",
        "NearestDisjointCentroidCV",
        "OverlappingCentroidClassifier",
        "OwnershipStability",
        "disjoint_centroid_path",
        "optimal_partition",
    ]
    for name in disjoint_centroids.__all__:
        assert getattr(disjoint_centroids, name).__name__ == name


ROOMS = {
    "evaluation": [
        "Builder",
        "Comparison",
        "DEFAULT_METHODS",
        "HeldOutPredictions",
        "L1LogisticCV",
        "METHODS",
        "Outcome",
        "OwnershipStability",
        "PAPER_METHODS",
        "ShrunkenCentroidCV",
        "TrainingPart",
        "Trial",
        "build_method",
        "compare",
        "compare_with_predictions",
        "error_interval",
        "evaluate",
        "false_selection_bounds",
        "fit_and_predict",
        "repeat_errors",
    ],
    "markers": ["MarkerEvaluation", "disjoint_markers", "disjoint_markers_df", "evaluate_markers", "marker_alternates"],
}


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_of_rooms(room):
    package = importlib.import_module(f"disjoint_centroids.{room}")
    assert sorted(package.__all__) == ROOMS[room]
    assert set(ROOMS[room]) <= set(dir(package))
    for name in ROOMS[room]:
        public = getattr(package, name)
        assert not inspect.ismodule(public), name
        assert getattr(public, "__name__", name) in {name, "Callable"}
    with pytest.raises(AttributeError, match="no attribute 'comparison_of'"):
        package.comparison_of  # noqa: B018 - asking is the test


@pytest.mark.parametrize(("estimator", "defaults"), [*CONSTRUCTORS.items(), *BEYOND_THE_PAPER.items()])
def test_constructors_take_keywords_with_these_defaults(estimator, defaults):
    parameters = inspect.signature(estimator).parameters
    assert {name: p.default for name, p in parameters.items()} == defaults
    assert list(parameters) == list(defaults)
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError):
        estimator(1.0)


def test_signature_of_the_path():
    parameters = inspect.signature(disjoint_centroid_path).parameters
    expected = {"X": REQUIRED, "y": REQUIRED, **GRID, "sample_weight": None, **SEARCH, **RUN}
    assert {name: p.default for name, p in parameters.items()} == expected
    keywords = [name for name, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    assert keywords == list(parameters)[2:]


@pytest.mark.parametrize("estimator", CONSTRUCTORS)
def test_methods(estimator):
    for name in METHODS:
        assert callable(getattr(estimator, name)), name


@pytest.mark.parametrize("estimator", CONSTRUCTORS)
def test_signatures_of_methods_with_more_than_samples(estimator):
    def names(method):
        return list(inspect.signature(getattr(estimator, method)).parameters)[1:]

    groups = ["groups"] if estimator is NearestDisjointCentroidCV else []
    assert names("fit") == ["X", "y", "sample_weight", *groups]
    assert names("score") == ["X", "y", "sample_weight"]
    assert names("risk") == ["X", "y", "sample_weight"]


@pytest.mark.parametrize("estimator", CONSTRUCTORS)
def test_attributes_that_a_fit_adds(estimator):
    """Exactly the documented ones: what ends in an underscore is a promise."""
    X = np.arange(40.0).reshape(10, 4) ** 1.5 % 7
    model = estimator(
        n_init=2, random_state=0, **({} if estimator is NearestDisjointCentroid else {"n_lams": 2, "cv": 2})
    )
    model.fit(X, [0, 1] * 5)
    added = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    common = {"classes_", "owner_", "feature_sets_", "centroids_", "risk_", "train_error_", "margin_", "n_iter_"}
    common |= {"n_restarts_used_", "n_features_in_", "init_", "variances_", "feature_distances_", "temperature_"}
    common |= {"class_prior_", "n_moves_"}
    chosen = {"lam_", "lams_", "cv_errors_", "n_selected_", "path_"}
    assert added == common | (chosen if estimator is NearestDisjointCentroidCV else set())
    for name in added:
        assert name in estimator.__doc__, name


@pytest.mark.parametrize("public", DOCUMENTED, ids=lambda p: p.__name__)
def test_every_parameter_is_documented(public):
    for name in inspect.signature(public).parameters:
        assert name in public.__doc__, name


@pytest.mark.parametrize("public", DOCUMENTED, ids=lambda p: p.__name__)
def test_docstrings_have_an_example_that_runs(public):
    assert "Examples\n--------\n>>> " in inspect.getdoc(public)


def test_version():
    assert disjoint_centroids.__version__ == importlib.metadata.version("disjoint-centroids")


def test_typed():
    assert importlib.resources.files("disjoint_centroids").joinpath("py.typed").is_file()


def modules_after(statement):
    """Top-level modules loaded in a fresh interpreter."""
    script = f"import sys; {statement}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("room", ["disjoint_centroids", "disjoint_centroids.evaluation"])
def test_importing_a_room_alone_waits_for_nothing(room):
    assert not modules_after(f"import {room}") & {"numpy", "sklearn", "pandas", "anndata"}


@pytest.mark.parametrize("statement", ["import disjoint_centroids", "from disjoint_centroids import *"])
def test_importing_pulls_in_nothing_heavy(statement):
    loaded = modules_after(statement)
    assert "disjoint_centroids" in loaded
    assert not loaded & {"matplotlib", "dask", "numba", "llvmlite", "polars"}


def test_nothing_else_is_there():
    assert set(disjoint_centroids.__all__) <= set(dir(disjoint_centroids))
    with pytest.raises(AttributeError, match="nearest_disjoint_centroid"):
        disjoint_centroids.nearest_disjoint_centroid  # noqa: B018 - asking is the test


def test_star_import_gives_the_public_names():
    found = {}
    exec("from disjoint_centroids import *", found)
    assert set(found) - {"__builtins__"} == set(disjoint_centroids.__all__)
