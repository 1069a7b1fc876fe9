"""Matching of the columns of a user's table with the features of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import check_feature_names_in
from disjoint_centroids.pipeline import as_seen, steps_before
from disjoint_centroids.rows.text_cells import text_columns
from disjoint_centroids.transforms import is_elementwise

_SHOWN = 10
_HARMLESS = 1.0  # has a logarithm; stands in for values that are missing and is not used


@dataclass(frozen=True, slots=True)
class TableSamples:
    """Columns of a table that a model knows.

    Attributes
    ----------
    pipeline : Pipeline
        The model.
    frame : pandas.DataFrame
        All features of the model in its order; NaN where the table has none.
    absent : boolean array of shape (n_features,)
        Features without a column in the table.
    for_labels : boolean array of shape (n_features,)
        Features on which the labels of these samples depend.
    lacking, idle : boolean arrays of shape (n_samples, n_features)
        Cells that are needed, are not there, and that no imputer fills in; and cells that are not needed and hold no
        number.
    """

    pipeline: Pipeline
    frame: pd.DataFrame
    absent: np.ndarray
    for_labels: np.ndarray
    lacking: np.ndarray
    idle: np.ndarray

    @classmethod
    def matched(cls, pipeline: Pipeline, values: pd.DataFrame, *, sets: bool = False) -> TableSamples:
        """Find the columns of a model in a table; refuse text and infinity where numbers are needed."""
        names = table_features(pipeline)
        known = values.columns.isin(names)
        _check_unique(values.columns[known])
        absent = ~names.isin(values.columns)
        # As the user would do it, so that the answer is the pipeline's to the last bit.
        frame = values if values.columns.equals(names) else values.loc[:, known].reindex(columns=names)
        used = features_in_use(pipeline)
        more = features_of_sets(pipeline) if sets else np.zeros_like(used)
        cells = _cells(frame, used | more)
        if _has(pipeline, KNNImputer) and np.isnan(cells[:, used & ~absent]).any():
            # An empty cell is filled in from the samples that are most alike in all features.
            used = np.ones_like(used)
            cells = _cells(frame, used)
        needed = used | more
        if not all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in frame.dtypes):
            frame = pd.DataFrame(cells, index=frame.index, columns=names)
        _check_no_cell(np.isinf(cells) & needed, frame, "infinity", "Such a cell is no measurement: correct it.")
        lacking = np.broadcast_to(absent, cells.shape) if _imputes(pipeline) else np.isnan(cells)
        return cls(pipeline, frame, absent, used, lacking & needed, ~np.isfinite(cells) & ~needed)

    def check_no_missing(self, cure: str | None = None) -> None:
        """Name the features and cells that labels need and that are not there; ``cure`` is a further way out."""
        used = features_in_use(self.pipeline)
        lost = self.absent & (used if used[self.absent].any() else self.for_labels)
        names = [str(name) for name in self.frame.columns[lost]]
        if used[lost].any():
            cures = _either("Add them", cure)
            raise ValueError(f"the table lacks {len(names)} of the model's features: {listed(names)}. {cures}.")
        if names:
            raise ValueError(
                f"cells are empty, and the model fills them in from the training samples that are most alike in all "
                f"features, of which the table lacks {len(names)}: {listed(names)}. "
                f"{_either('Fill the cells in', 'add these columns', cure)}."
            )
        cures = _either("Fill them in", "fit the model with impute='median' or impute='knn'", cure)
        _check_no_cell(self.lacking & self.for_labels, self.frame, "no value", f"{cures}.")

    def lacking_in_classifier(self) -> np.ndarray:
        """``lacking`` for the features that the classifier sees."""
        found: np.ndarray = self.lacking[:, _positions(self.pipeline)]
        return found

    def filled(self) -> pd.DataFrame:
        """The table as the pipeline can take it; imputers see a needed column that is absent as one without values."""
        hollow = self.idle if _imputes(self.pipeline) else self.idle | self.lacking
        return self.frame.astype(np.float64).where(~hollow, _HARMLESS) if hollow.any() else self.frame


def table_features(pipeline: Pipeline) -> pd.Index:
    """Names of the columns that a pipeline was fitted on; x0, x1 … if it saw an array."""
    return pd.Index(check_feature_names_in(first_step(pipeline), None))


def features_in_use(pipeline: Pipeline) -> np.ndarray:
    """Mask of the columns of a table on which the labels depend, as long as no cell is empty."""
    return _needed_for(pipeline, pipeline[-1].get_support(indices=True))


def features_of_sets(pipeline: Pipeline) -> np.ndarray:
    """Mask of the columns of a table on which sets of classes depend: those that the models of the folds use."""
    folds = pipeline[-1]._fold_models()
    return _needed_for(pipeline, np.concatenate([np.empty(0, np.intp), *(fold.model.features for fold in folds)]))


def _needed_for(pipeline: Pipeline, features: np.ndarray) -> np.ndarray:
    """Mask of the columns of a table from which features of the classifier come; all, if a step may mix them."""
    needed = np.zeros(len(table_features(pipeline)), dtype=bool)
    if any(_mixes(step) for step in steps_before(pipeline)):
        return ~needed
    needed[_positions(pipeline)[features]] = True
    return needed


def transformed(pipeline: Pipeline, frame: pd.DataFrame) -> Any:
    """The table as the classifier sees it."""
    # A model that was fitted on an array knows no names, and warns about them.
    values: Any = frame if hasattr(first_step(pipeline), "feature_names_in_") else frame.to_numpy(np.float64)
    return as_seen(pipeline, values)


def check_no_mixing(pipeline: Pipeline) -> None:
    """Refuse to leave features out of a model whose steps make new features of several."""
    for step in steps_before(pipeline):
        if _mixes(step):
            raise ValueError(
                f"features are missing, and this model's {type(step).__name__} may mix features, so that they cannot "
                "be left out. Add them to the table, or fit without this step."
            )


def _either(*ways: str | None) -> str:
    """Join the solutions of a problem into one phrase."""
    known = [way for way in ways if way is not None]
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])}, or {known[-1]}"


def first_step(pipeline: Pipeline) -> BaseEstimator:
    """Step that sees the user's table."""
    return next(iter(steps_before(pipeline)), pipeline[-1])


def _has(pipeline: Pipeline, kinds: Any) -> bool:
    return any(isinstance(step, kinds) for step in steps_before(pipeline))


def _imputes(pipeline: Pipeline) -> bool:
    return _has(pipeline, SimpleImputer | KNNImputer)


def _mixes(step: BaseEstimator) -> bool:
    """True unless each column that comes out depends on one that goes in (of a KNNImputer: if no cell is empty)."""
    if isinstance(step, FunctionTransformer):
        return not is_elementwise(step.func)
    if isinstance(step, SimpleImputer | KNNImputer):
        return bool(step.add_indicator)
    return not isinstance(step, StandardScaler)


def _positions(pipeline: Pipeline) -> np.ndarray:
    """Positions of the classifier's features among the table's: an imputer drops columns that were all empty."""
    classifier, names = pipeline[-1], table_features(pipeline)
    if classifier.n_features_in_ == len(names):
        return np.arange(len(names))
    return names.get_indexer(classifier.feature_names_in_)


def _cells(frame: pd.DataFrame, needed: np.ndarray) -> np.ndarray:
    """The numbers of a table; NaN for text in columns that are not needed."""
    try:
        return frame.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        cells = np.full(frame.shape, np.nan)
        plain = np.array([pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]) | needed
        cells[:, plain] = _numbers(frame.loc[:, plain])
        return cells


def _numbers(frame: pd.DataFrame) -> np.ndarray:
    try:
        return frame.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        text = [str(column) for column in text_columns(frame)]
        raise ValueError(
            f"{len(text)} of the model's features are not numbers in the table: {listed(text)}. Correct these columns."
        ) from error


def _check_unique(columns: pd.Index) -> None:
    twice = [str(name) for name in columns[columns.duplicated()].unique()]
    if twice:
        raise ValueError(
            f"{len(twice)} of the model's features have more than one column in the table: {listed(twice)}. "
            "Keep one of each."
        )


def _check_no_cell(wrong: np.ndarray, frame: pd.DataFrame, what: str, cure: str) -> None:
    """Say where something is that should not be."""
    if not wrong.any():
        return
    rows, columns = np.nonzero(wrong)
    places = [
        f"{frame.columns[c]} of sample {frame.index[r]}" for r, c in zip(rows[:_SHOWN], columns[:_SHOWN], strict=True)
    ]
    shown = listed(places, total=rows.size)
    raise ValueError(f"{rows.size} cell(s) of the model's features hold {what}: {shown}. {cure}")
