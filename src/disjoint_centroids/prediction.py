"""Prediction on somebody's table: columns matched by name, and an honest answer when some are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._incomplete import Incomplete, judge_incomplete
from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.base import DisjointCentroidBase
from disjoint_centroids.class_sets import SEPARATOR as SEPARATOR  # its place in earlier releases
from disjoint_centroids.extensions import DisjointKNeighborsClassifier
from disjoint_centroids.partitioned import PartitionedClassifier
from disjoint_centroids.training import read_samples

_COLUMN_BY_COLUMN = (SimpleImputer, KNNImputer, FunctionTransformer, StandardScaler)
_ENOUGH = 0.5
_SHOWN = 10
_HARMLESS = 1.0  # has a logarithm; what stands in for a value that is not there is not looked at


def predict_table(
    model: Any, values: pd.DataFrame, *, missing: str = "error", confidence: float | None = None
) -> pd.DataFrame:
    """Label, probabilities and distances or scores of every sample of a table.

    Columns are matched by name, in any order; columns that the model does not know are ignored.

    Parameters
    ----------
    model : SavedModel or sklearn.pipeline.Pipeline or a fitted classifier of this package
        What :func:`disjoint_centroids.model_file.load_model` gives, or the pipeline itself.
    values : pandas.DataFrame
        Samples in rows, features in columns.
    missing : {"error", "tolerate"}, default="error"
        What to do about features that are not there: columns that are absent, and cells that are NaN if the pipeline
        has no imputer (if it has one, they are filled in). "tolerate": samples are judged by the features they have
        (see Notes), and one with less than half of some class's features gets no label.
    confidence : float, default=None
        Between 0 and 1: say of every sample which classes it may belong to, as
        :meth:`disjoint_centroids.DisjointPanelClassifier.predict_set` does; other classifiers cannot.

    Returns
    -------
    pandas.DataFrame
        The index of ``values``; columns ``label``; with ``confidence`` ``set``, a tuple of class labels, empty if the
        sample looks like none of them (:func:`disjoint_centroids.class_sets.set_as_text` writes it as text);
        ``probability_<class>`` for every class; ``distance_<class>`` for every class, or ``score_<class>`` if the model
        is a :class:`DisjointPanelClassifier`; and with ``missing="tolerate"`` ``present_<class>``: the share of the
        class's features (its own and the shared ones) that the sample has. Without a label, ``label`` is the empty
        text and the probabilities are NaN.

    Raises
    ------
    ValueError
        Features are missing and that is not tolerated, a feature has two columns, or a column holds no numbers.

    Notes
    -----
    Panels: a feature that is missing adds to its class's score what it adds on average over the classes, and so speaks
    for nobody. Other models: distances are taken over the features that are present. With the norm "dn" the squared
    distance is the mean over them. With "euclidean" it is that mean times the number of the class's features, so that
    a class is not nearer for having been measured less.

    Examples
    --------
    >>> import pandas as pd
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.prediction import predict_table
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
    >>> predict_table(model, X.iloc[[0, 55]], confidence=0.9)["set"].tolist()
    [('setosa',), ('versicolor', 'virginica')]
    """
    if missing not in {"error", "tolerate"}:
        raise ValueError(f"missing must be 'error' or 'tolerate'; got {missing!r}.")
    pipeline = _pipeline_of(model)
    if len(values) == 0:
        raise ValueError("the table has no samples. There is nothing to predict.")
    samples = _Samples.matched(pipeline, values)
    if missing == "error":
        samples.refuse_missing(pipeline)
    elif samples.lacking.any():
        _refuse_mixing(pipeline)
    sets = None if confidence is None else _sets(pipeline, samples, confidence)
    return _Answer.of(pipeline, samples).table(values.index, sets, with_shares=missing == "tolerate")


@dataclass(frozen=True, slots=True)
class _Samples:
    """The model's columns of a table, and what is not there (n_samples, n_features)."""

    frame: pd.DataFrame
    absent: np.ndarray
    lacking: np.ndarray

    @classmethod
    def matched(cls, pipeline: Pipeline, values: pd.DataFrame) -> _Samples:
        names = pd.Index(check_feature_names_in(_first(pipeline), None))
        known = values.columns.isin(names)
        _refuse_twice(values.columns[known])
        absent = ~names.isin(values.columns)
        # As the user would do it, so that the answer is the pipeline's to the last bit.
        frame = values if values.columns.equals(names) else values.loc[:, known].reindex(columns=names)
        cells = _numbers(frame)
        if not all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in frame.dtypes):
            frame = pd.DataFrame(cells, index=frame.index, columns=names)
        _refuse(np.isinf(cells), frame, "infinity", "Such a cell is no measurement: correct it.")
        lacking = np.broadcast_to(absent, cells.shape) if _imputes(pipeline) else np.isnan(cells)
        return cls(frame, absent, lacking)

    def refuse_missing(self, pipeline: Pipeline) -> None:
        if self.absent.any():
            used = pipeline[-1].get_support()[self._in_classifier(pipeline, self.absent)]
            cure = (
                "Add them, or classify by the others with --missing tolerate (missing='tolerate')."
                if used.any()
                else "No class uses them: --missing tolerate (missing='tolerate') gives the answer without them."
            )
            names = [str(name) for name in self.frame.columns[self.absent]]
            raise ValueError(f"the table lacks {len(names)} of the model's features: {_listed(names)}. {cure}")
        _refuse(
            self.lacking,
            self.frame,
            "no value",
            "Fill them in, fit the model with --impute median or knn, or use --missing tolerate (missing='tolerate').",
        )

    def lacking_in_classifier(self, pipeline: Pipeline) -> np.ndarray:
        return self.lacking[:, self._positions(pipeline)]

    def _in_classifier(self, pipeline: Pipeline, columns: np.ndarray) -> np.ndarray:
        found: np.ndarray = columns[self._positions(pipeline)]
        return found

    def _positions(self, pipeline: Pipeline) -> np.ndarray:
        """Where the classifier's features stand among the table's: an imputer drops columns that were all empty."""
        classifier = pipeline[-1]
        if classifier.n_features_in_ == self.frame.shape[1]:
            return np.arange(self.frame.shape[1])
        return self.frame.columns.get_indexer(classifier.feature_names_in_)

    def filled(self, pipeline: Pipeline) -> pd.DataFrame:
        """The table as the pipeline can take it; imputers see an absent column as one without values."""
        if not self.lacking.any() or _imputes(pipeline):
            return self.frame
        return self.frame.astype(np.float64).where(~self.lacking, _HARMLESS)


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
    def of(cls, pipeline: Pipeline, samples: _Samples) -> _Answer:
        classifier = pipeline[-1]
        seen = _transformed(pipeline, samples.filled(pipeline))
        has_centroids = isinstance(classifier, DisjointCentroidBase)
        answer = cls(
            classifier.classes_,
            classifier.predict(seen),
            classifier.predict_proba(seen),
            "distance" if has_centroids else "score",
            classifier.distances(seen) if has_centroids else classifier._scores(seen),
            np.ones((len(samples.frame), len(classifier.classes_))),
        )
        lacking = samples.lacking_in_classifier(pipeline) & classifier.get_support()
        rows = np.flatnonzero(lacking.any(axis=1))
        if not rows.size:
            return answer
        _refuse_voting(classifier)
        values = read_samples(classifier, seen)
        return answer._corrected(rows, judge_incomplete(classifier, values[rows], lacking[rows]), classifier)

    def _corrected(self, rows: np.ndarray, found: Incomplete, classifier: Any) -> _Answer:
        """The same with some samples judged by what they have; none if that is too little."""
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

    def table(self, index: pd.Index, sets: list[tuple[Any, ...]] | None, *, with_shares: bool) -> pd.DataFrame:
        columns: dict[str, Any] = {"label": self.labels}
        if sets is not None:
            columns["set"] = sets
        parts = {"probability": self.probabilities, self.measure: self.measured}
        if with_shares:
            parts["present"] = self.present
        for name, part in parts.items():
            columns |= {f"{name}_{label}": part[:, j] for j, label in enumerate(self.classes)}
        return pd.DataFrame(columns, index=index)


def _sets(pipeline: Pipeline, samples: _Samples, confidence: float) -> list[tuple[Any, ...]]:
    """The classes that each sample may belong to; the empty tuple for none of them."""
    classifier = pipeline[-1]
    if not hasattr(classifier, "predict_set"):
        raise ValueError(
            f"{type(classifier).__name__} gives no sets of classes. Leave --confidence (confidence=) out, or fit with "
            "--method panel (DisjointPanelClassifier)."
        )
    needed = np.zeros(classifier.n_features_in_, dtype=bool)
    for fold in classifier.fold_models_:
        needed[fold.model.features] = True
    lost = (samples.lacking_in_classifier(pipeline) & needed).any(axis=0)
    if lost.any():
        names = [str(name) for name in check_feature_names_in(classifier, None)[lost]]
        raise ValueError(
            f"sets of classes need every feature that cross-validation used, and some samples lack {len(names)} of "
            f"them: {_listed(names)}. Add them, or leave --confidence (confidence=) out."
        )
    found = classifier.predict_set(_transformed(pipeline, samples.filled(pipeline)), confidence)
    return [tuple(classifier.classes_[held].tolist()) for held in found]


def _pipeline_of(model: Any) -> Pipeline:
    found = getattr(model, "pipeline", model)
    pipeline = found if isinstance(found, Pipeline) else make_pipeline(found)
    if not isinstance(pipeline[-1], PartitionedClassifier):
        raise TypeError(
            f"predict_table takes a saved model, or a pipeline that ends in a classifier of this package; "
            f"got {type(model).__name__}."
        )
    check_is_fitted(pipeline[-1])
    return pipeline


def _steps(pipeline: Pipeline) -> list[BaseEstimator]:
    return [step for _, step in pipeline.steps[:-1] if step != "passthrough"]


def _first(pipeline: Pipeline) -> BaseEstimator:
    """The step that sees the user's table."""
    return next(iter(_steps(pipeline)), pipeline[-1])


def _imputes(pipeline: Pipeline) -> bool:
    return any(isinstance(step, SimpleImputer | KNNImputer) for step in _steps(pipeline))


def _transformed(pipeline: Pipeline, frame: pd.DataFrame) -> Any:
    # A model that was fitted on an array knows no names, and warns about them.
    values: Any = frame if hasattr(_first(pipeline), "feature_names_in_") else frame.to_numpy(np.float64)
    for step in _steps(pipeline):
        values = step.transform(values)
    return values


def _refuse_mixing(pipeline: Pipeline) -> None:
    for step in _steps(pipeline):
        if not isinstance(step, _COLUMN_BY_COLUMN):
            raise ValueError(
                f"features are missing, and this model's {type(step).__name__} may mix features, so that they cannot "
                "be left out. Add them to the table, or fit without this step."
            )


def _refuse_voting(classifier: Any) -> None:
    if isinstance(classifier, DisjointKNeighborsClassifier):
        raise ValueError(
            "features are missing, and this model compares samples with training samples on all features of a class, "
            "so that they cannot be left out. Add them to the table, or fit another kind of model."
        )


def _refuse_twice(columns: pd.Index) -> None:
    twice = [str(name) for name in columns[columns.duplicated()].unique()]
    if twice:
        raise ValueError(
            f"{len(twice)} of the model's features have more than one column in the table: {_listed(twice)}. "
            "Keep one of each."
        )


def _numbers(frame: pd.DataFrame) -> np.ndarray:
    try:
        return frame.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        text = [str(name) for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
        raise ValueError(
            f"{len(text)} of the model's features are not numbers in the table: {_listed(text)}. Correct these columns."
        ) from error


def _refuse(wrong: np.ndarray, frame: pd.DataFrame, what: str, cure: str) -> None:
    """Say where something is that should not be."""
    if not wrong.any():
        return
    rows, columns = np.nonzero(wrong)
    places = [
        f"{frame.columns[c]} of sample {frame.index[r]}" for r, c in zip(rows[:_SHOWN], columns[:_SHOWN], strict=True)
    ]
    shown = _listed(places, rows.size)
    raise ValueError(f"{rows.size} cell(s) of the model's features hold {what}: {shown}. {cure}")


def _listed(names: list[str], total: int | None = None) -> str:
    total = len(names) if total is None else total
    more = f" and {total - _SHOWN} more" if total > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
