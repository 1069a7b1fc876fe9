"""Predictions of samples that were held out: one row per method, repeat and sample, kept beside the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoint_centroids.evaluation.results_file import ResultsFile
from disjoint_centroids.pipeline import as_seen

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.pipeline import Pipeline

CONFIDENCE = 0.9
"""Confidence of the sets of classes that are kept: the share of samples whose set should hold the true class."""
PROBABILITY = "probability_"
"""Prefix of the columns with the probability of each class."""
IN_SET = "in_set_"
"""Prefix of the columns that are true if a class is in the set of a sample."""
JOB = ("method", "repeat", "fold")
"""Columns that name one fit."""
_KINDS = {PROBABILITY: "float64", IN_SET: "boolean"}
_TEXT = ("method", "sample", "label", "predicted")


@dataclass(frozen=True, slots=True)
class HeldOutPredictions:
    """Predictions of a fitted method for samples that it was not fitted on.

    Attributes
    ----------
    labels : array of shape (n_samples,)
        Predicted labels.
    classes : array of shape (n_classes,)
        The classes that the columns below are about.
    probabilities : array of shape (n_samples, n_classes) or None
        None if the method has no probabilities.
    sets : boolean array of shape (n_samples, n_classes) or None
        True if the class is in the set of the sample at ``CONFIDENCE``; None if the method has no sets.
    """

    labels: np.ndarray
    classes: np.ndarray
    probabilities: np.ndarray | None
    sets: np.ndarray | None

    @classmethod
    def of(cls, model: Pipeline, X: np.ndarray, labels: np.ndarray) -> HeldOutPredictions:
        """Add probabilities and sets of classes to the ``labels`` that a fitted pipeline predicted for ``X``."""
        probabilities = model.predict_proba(X) if hasattr(model, "predict_proba") else None
        sets = None
        # The model may be another package's; without held-out samples to compare with there are no sets.
        if getattr(model[-1], "fold_models_", None):
            sets = model[-1].predict_set(as_seen(model, X), CONFIDENCE)
        return cls(labels, model[-1].classes_, probabilities, sets)


class PredictionsTable:
    """Predictions of held-out samples, one row per method, repeat and sample, in memory and if asked for in a file.

    Parameters
    ----------
    path : path or None
        ``.csv`` or ``.parquet``, as for :class:`disjoint_centroids.evaluation.results_file.ResultsFile`; None: in
        memory only.
    made_of : str
        Fingerprint of the question.
    labels : array of shape (n_samples,)
        True labels.
    samples : sequence of length n_samples
        Names of the samples.
    """

    def __init__(self, path: Path | None, made_of: str, labels: np.ndarray, samples: Sequence[Any]) -> None:
        self.labels = labels
        self.samples = [str(name) for name in samples]
        self.classes = np.unique(labels)
        self._file = ResultsFile(path, (*JOB, "row"), made_of, text=_TEXT)

    def counts(self) -> dict[tuple[Any, ...], int]:
        """Number of predicted samples per fit (method, repeat, fold)."""
        found: dict[tuple[Any, ...], int] = {}
        for *job, _ in self._file.done():
            found[tuple(job)] = found.get(tuple(job), 0) + 1
        return found

    def add(self, job: dict[str, Any], rows: np.ndarray, answer: HeldOutPredictions) -> None:
        """Add the predictions of one fit for the samples at the positions ``rows``; ``job`` names the fit."""
        for position, row in enumerate(rows):
            found = job | {
                "row": int(row),
                "sample": self.samples[row],
                "label": str(self.labels[row]),
                "predicted": str(answer.labels[position]),
            }
            for prefix, values in ((PROBABILITY, answer.probabilities), (IN_SET, answer.sets)):
                known = {} if values is None else dict(zip(answer.classes, values[position].tolist(), strict=True))
                # A class that is not among the training samples has probability 0 and is in no set.
                lacking = None if values is None else values.dtype.type(0).item()
                found |= {f"{prefix}{label}": known.get(label, lacking) for label in self.classes}
            self._file.add(found)

    def write(self) -> None:
        """Write all rows, if there is a file."""
        self._file.write()

    def frame(self) -> pd.DataFrame:
        """All rows, with labels as they were given."""
        import pandas as pd

        table = self._file.frame()
        columns = [f"{prefix}{label}" for prefix in (PROBABILITY, IN_SET) for label in self.classes]
        table = table.reindex(columns=[*JOB, "row", "sample", "label", "predicted", *columns])
        spelled = {str(label): label for label in self.classes}
        for name in ("label", "predicted"):
            table[name] = pd.Series([spelled[text] for text in table[name]], table.index, dtype=self.classes.dtype)
        table["sample"] = pd.Series([self.samples[row] for row in table["row"]], table.index, dtype=object)
        kinds = {f"{prefix}{label}": kind for prefix, kind in _KINDS.items() for label in self.classes}
        return table.astype(kinds)


def predictions_path(results: str | Path) -> Path:
    """File with the predictions, beside the file with the results.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.held_out_predictions import predictions_path
    >>> predictions_path("golub-compare.csv").name
    'golub-compare-predictions.csv'
    """
    path = Path(results)
    return path.with_name(f"{path.stem}-predictions{path.suffix}")
