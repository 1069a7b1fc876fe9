"""Prediction for the samples of a table: columns are matched by name, and some may be missing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax
from scipy.stats import betabinom
from sklearn.pipeline import Pipeline

from disjoint_centroids._listed import listed
from disjoint_centroids.fitted import fitted_pipeline
from disjoint_centroids.models.incomplete import Incomplete, judge_incomplete
from disjoint_centroids.models.table_samples import (
    TableSamples,
    check_no_mixing,
    features_in_use,
    features_of_sets,
    table_features,
    transformed,
)
from disjoint_centroids.rows.training import read_samples

_ENOUGH = 0.5
_UNLIKE, _CHANCE, _ROUNDING = 0.05, 0.001, 1e-9
_TOLERATE = "classify by the other features with missing='tolerate'"


class UnlikeTrainingWarning(UserWarning):
    """Warning that many samples of a table are unlike all training samples."""


def predict_table(
    model: Any,
    values: pd.DataFrame,
    *,
    missing: str = "error",
    confidence: float | None = None,
    coverage: str = "class",
) -> pd.DataFrame:
    """Predict label, probabilities and distances or scores of every sample of a table.

    Columns are matched by name, in any order. A table needs those features only that the model uses
    (:func:`needed_features`): columns that it does not know are ignored, those that it knows and does not use may be
    absent or hold anything.

    Parameters
    ----------
    model : SavedModel or sklearn.pipeline.Pipeline or a fitted classifier of this package
        Result of :func:`disjoint_centroids.models.model_file.load_model`, or the pipeline itself.
    values : pandas.DataFrame
        Samples in rows, features in columns.
    missing : {"error", "tolerate"}, default="error"
        Treatment of needed features that are not there: columns that are absent, and cells that are NaN if the
        pipeline has no imputer (if it has one, they are filled in). "tolerate": samples are judged by the features
        they have (see Notes), and one with less than half of some class's features gets no label.
    confidence : float, default=None
        Between 0 and 1: say of every sample which classes it may belong to, as
        :meth:`disjoint_centroids.DisjointPanelClassifier.predict_set` does; other classifiers cannot.
    coverage : {"class", "average"}, default="class"
        "class": the confidence holds in every class; "average": on average over the classes.

    Returns
    -------
    pandas.DataFrame
        The index of ``values``; columns ``label``; with ``confidence`` ``set``, a tuple of class labels, empty if none
        fits well (:func:`disjoint_centroids.models.class_sets.set_as_text` writes it as text); with panels
        ``typicality``, the p-value of :meth:`disjoint_centroids.DisjointPanelClassifier.typicality`: small if a sample
        is unlike all training samples, NaN if it lacks features that the test needs
        (``needed_features(model, sets=True)``); ``probability_<class>`` for every class; ``distance_<class>`` for every
        class, or ``score_<class>`` if the model is a :class:`DisjointPanelClassifier`; and with
        ``missing="tolerate"`` ``present_<class>``: the share of the class's features (those that it owns and the shared
        ones) that the sample has. Without a label, ``label`` is the empty text and the probabilities are NaN.

    Raises
    ------
    ValueError
        Needed features are missing and that is not tolerated, a feature has two columns, or a needed column holds no
        numbers.

    Warns
    -----
    UnlikeTrainingWarning
        If so many samples are unlike all training samples that chance is no explanation.

    Notes
    -----
    Panels: a feature that is missing adds to the score of every class that reads it what it adds on average over the
    classes, and so favours none of them. Other models: distances are taken over the features that are present. With
    the norm "dn" the squared distance is the mean over them. With "euclidean" it is that mean times the number of the
    class's features, so that a class is not nearer for having been measured less.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.models import predict_table
    >>> X = pd.DataFrame({"f1": [1.0, 1.1, 7.0, 3.0], "f2": [4.0, 9.0, 2.0, 2.1]}, index=["s1", "s2", "s3", "s4"])
    >>> model = NearestDisjointCentroid(n_init=5, random_state=0).fit(X, ["A", "A", "B", "B"])
    >>> predict_table(model, X[["f2", "f1"]])["label"].tolist()
    ['A', 'A', 'B', 'B']
    >>> predict_table(model, X[["f1"]], missing="tolerate")[["label", "present_A", "present_B"]].iloc[:1]
       label  present_A  present_B
    s1              1.0        0.0

    With panels, and the sets of classes:

    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(X, load_iris().target_names[y])
    >>> predict_table(model, X.iloc[[0, 50]], confidence=0.9)["set"].tolist()
    [('setosa',), ('versicolor', 'virginica')]
    """
    if missing not in {"error", "tolerate"}:
        raise ValueError(f"missing must be 'error' or 'tolerate'; got {missing!r}.")
    pipeline = _pipeline_of(model)
    if len(values) == 0:
        raise ValueError("the table has no samples. There is nothing to predict.")
    samples = TableSamples.matched(pipeline, values, sets=confidence is not None)
    if missing == "error":
        samples.check_no_missing(cure=_TOLERATE)
    elif samples.lacking.any():
        check_no_mixing(pipeline)
    seen = transformed(pipeline, samples.filled())
    sets = None if confidence is None else _sets(pipeline, samples, seen, confidence, coverage)
    typicality = _typicality(pipeline, samples, seen)
    sentence = None if typicality is None else unlike_training(model, typicality)
    if sentence is not None:
        warnings.warn(sentence, UnlikeTrainingWarning, stacklevel=2)
    answer = _Answer.of(pipeline, samples, seen)
    return answer.table(values.index, sets, typicality, with_shares=missing == "tolerate")


def unlike_training(model: Any, typicality: np.ndarray) -> str | None:
    """Sentence on samples that are unlike all training samples, if there are more than chance explains.

    Parameters
    ----------
    model : SavedModel or sklearn.pipeline.Pipeline or a fitted classifier of this package
        As for :func:`predict_table`.
    typicality : array of shape (n_samples,)
        P-values, as in the column of :func:`predict_table`; NaN is passed over.

    Returns
    -------
    str or None
        None if at most about 5 % of the samples are unlike them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.models import unlike_training
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DisjointPanelClassifier(random_state=0).fit(X, y)
    >>> unlike_training(model, model.typicality(X)) is None
    True
    >>> unlike_training(model, model.typicality(1000 * X))[:80]
    '150 of 150 samples are unlike all training samples (by chance about 7 would be):'
    """
    folds = _pipeline_of(model)[-1]._fold_models()
    n_compared = sum(float(fold.weights.sum()) for fold in folds)
    rank = max(1, int(_UNLIKE * (n_compared + 1.0)))
    known = typicality[np.isfinite(typicality)]
    n_unlike = int((known <= (rank + _ROUNDING) / (n_compared + 1.0)).sum())
    # All samples are compared with the same few: how many are beyond the same rank by chance is beta-binomial.
    if not n_unlike or betabinom.sf(n_unlike - 1, known.size, rank, n_compared + 1.0 - rank) > _CHANCE:
        return None
    return (
        f"{n_unlike} of {known.size} samples are unlike all training samples (by chance about "
        f"{known.size * rank / (n_compared + 1.0):.0f} would be): check that their values have the units, the scale "
        "(logarithm or not) and the platform of the training table. Their labels mean little otherwise."
    )


def needed_features(model: Any, *, sets: bool = False) -> list[str]:
    """Names of the features that a table must have for a model to predict its samples.

    Parameters
    ----------
    model : SavedModel or sklearn.pipeline.Pipeline or a fitted classifier of this package
        As for :func:`predict_table`.
    sets : bool, default=False
        Include the features that sets of classes (``confidence``) need in addition: those that the models of the folds
        use.

    Returns
    -------
    list of str
        In the order of the training table. All features if a step in front of the classifier may mix them. A
        ``KNNImputer`` needs all features as well, but only if a cell of the features named here is empty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.models import needed_features, predict_table
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DisjointPanelClassifier(rounds=1, terms="linear", random_state=0).fit(X, y)
    >>> len(needed_features(model)), X.shape[1]
    (3, 4)
    >>> bool((predict_table(model, X[needed_features(model)])["label"] == model.predict(X)).all())
    True
    """
    pipeline = _pipeline_of(model)
    needed = features_in_use(pipeline)
    if sets:
        needed |= features_of_sets(pipeline)
    return [str(name) for name in table_features(pipeline)[needed]]


def model_columns(model: Any, values: pd.DataFrame) -> pd.DataFrame:
    """Columns of a table as a model's own methods want them: all of its features, in its order.

    Parameters
    ----------
    model : SavedModel or sklearn.pipeline.Pipeline or a fitted classifier of this package
        As for :func:`predict_table`.
    values : pandas.DataFrame
        Samples in rows; the features that :func:`needed_features` names are there.

    Returns
    -------
    pandas.DataFrame
        The index of ``values``, the columns that the pipeline takes. Features that the model does not use and the table
        lacks hold a constant, which changes no answer.

    Raises
    ------
    ValueError
        As for :func:`predict_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.models import model_columns
    >>> X = pd.DataFrame({"f1": [1.0, 1.1, 7.0, 7.2], "f2": [2.0, 2.1, 9.0, 9.9], "f3": [1.0, 2.0, 1.0, 2.0]})
    >>> model = DisjointPanelClassifier(rounds=1, terms="linear", cv=2, random_state=0).fit(X, ["A", "A", "B", "B"])
    >>> model.predict(model_columns(model, X[["f2", "f1"]])).tolist()
    ['A', 'A', 'B', 'B']
    """
    samples = TableSamples.matched(_pipeline_of(model), values)
    samples.check_no_missing()
    return samples.filled()


@dataclass(frozen=True, slots=True)
class _Answer:
    """Labels, and for every class (n_samples, n_classes) a probability, a distance or score, and the share present."""

    classes: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray
    measure: str
    measured: np.ndarray
    present: np.ndarray

    @classmethod
    def of(cls, pipeline: Pipeline, samples: TableSamples, seen: Any) -> _Answer:
        classifier = pipeline[-1]
        answer = cls(
            classifier.classes_,
            classifier.predict(seen),
            classifier.predict_proba(seen),
            classifier._measure,
            classifier._measured(seen),
            np.ones((len(samples.frame), len(classifier.classes_))),
        )
        lacking = samples.lacking_in_classifier() & classifier.get_support()
        rows = np.flatnonzero(lacking.any(axis=1))
        if not rows.size:
            return answer
        _check_not_voting(classifier)
        values = read_samples(classifier, seen)
        return answer._corrected(rows, judge_incomplete(classifier, values[rows], lacking[rows]), classifier)

    def _corrected(self, rows: np.ndarray, found: Incomplete, classifier: Any) -> _Answer:
        """Copy of the answer in which samples with missing features are judged by the others, if these are enough."""
        labels, probabilities = self.labels.copy(), self.probabilities.copy()
        labels[rows] = self.classes[np.argmax(found.scores, axis=1)]
        probabilities[rows] = np.exp(log_softmax(classifier.temperature_ * found.scores, axis=1))
        unknown = rows[(found.present < _ENOUGH).any(axis=1)]
        probabilities[unknown] = np.nan
        if unknown.size:
            labels = labels.astype(object)
            labels[unknown] = ""
        measured, present = self.measured.copy(), self.present.copy()
        measured[rows], present[rows] = found.measured, found.present
        return _Answer(self.classes, labels, probabilities, self.measure, measured, present)

    def table(
        self, index: pd.Index, sets: list[tuple[Any, ...]] | None, typicality: np.ndarray | None, *, with_shares: bool
    ) -> pd.DataFrame:
        columns: dict[str, Any] = {"label": self.labels}
        if sets is not None:
            columns["set"] = sets
        if typicality is not None:
            columns["typicality"] = typicality
        parts = {"probability": self.probabilities, self.measure: self.measured}
        if with_shares:
            parts["present"] = self.present
        for name, part in parts.items():
            columns |= {f"{name}_{label}": part[:, j] for j, label in enumerate(self.classes)}
        return pd.DataFrame(columns, index=index)


def _typicality(pipeline: Pipeline, samples: TableSamples, seen: Any) -> np.ndarray | None:
    """P-values of samples that have every feature that cross-validation used; None if the model has no such test."""
    classifier = pipeline[-1]
    if not classifier._fold_models():
        return None
    there = ~((samples.idle | samples.lacking) & features_of_sets(pipeline)).any(axis=1)
    found = np.full(there.size, np.nan)
    if there.any():
        found[there] = classifier.typicality(seen[there])
    return found


def _sets(
    pipeline: Pipeline, samples: TableSamples, seen: Any, confidence: float, coverage: str
) -> list[tuple[Any, ...]]:
    """The classes that each sample may belong to; the empty tuple for none of them."""
    classifier = pipeline[-1]
    if not hasattr(classifier, "predict_set"):  # what users see of a classifier says what it can do
        raise ValueError(
            f"{type(classifier).__name__} gives no sets of classes. Leave confidence= out, or fit a "
            "DisjointPanelClassifier."
        )
    if not classifier.fold_models_:
        raise ValueError(
            "this model has no sets of classes: they need training samples that were held out, and it was fitted to "
            "sums, or with one sample per class. Leave confidence= out, or fit a model to a table."
        )
    lost = (samples.lacking & features_of_sets(pipeline)).any(axis=0)
    if lost.any():
        names = [str(name) for name in samples.frame.columns[lost]]
        raise ValueError(
            f"sets of classes need every feature that cross-validation used, and some samples lack {len(names)} of "
            f"them: {listed(names)}. Add them, or leave confidence= out."
        )
    found = classifier.predict_set(seen, confidence, coverage=coverage)
    return [tuple(classifier.classes_[held].tolist()) for held in found]


def _pipeline_of(model: Any) -> Pipeline:
    return fitted_pipeline(getattr(model, "pipeline", model), "prediction")  # a saved model has a pipeline


def _check_not_voting(classifier: Any) -> None:
    if classifier._needs_all_features:
        raise ValueError(
            "features are missing, and this model compares samples with training samples on all features of a class, "
            "so that they cannot be left out. Add them to the table, or fit another kind of model."
        )
