"""Predictions of one method for the samples that a comparison held out, as the report reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from disjoint_centroids.evaluation.held_out_predictions import CONFIDENCE, IN_SET, PROBABILITY

__all__ = ["CONFIDENCE", "HeldOutSamples"]


@dataclass(frozen=True, slots=True)
class HeldOutSamples:
    """Held-out predictions of one method in one repeat, one per sample, in the order of the table.

    Attributes
    ----------
    labels : array of shape (n_samples,)
        Predicted labels.
    classes : array of shape (n_classes,)
        The classes that the columns below are about.
    probabilities : array of shape (n_samples, n_classes) or None
        None if the method has no probabilities.
    sets : boolean array of shape (n_samples, n_classes) or None
        True if the class is in the set of the sample; None if the method has no sets.
    """

    labels: np.ndarray
    classes: np.ndarray
    probabilities: np.ndarray | None
    sets: np.ndarray | None

    @classmethod
    def of(cls, predictions: pd.DataFrame, repeat: int = 0) -> HeldOutSamples:
        """Read one repeat of the predictions of one method (see :class:`.evaluation.comparison.Comparison`)."""
        rows = predictions[predictions["repeat"] == repeat].sort_values("row")
        classes = np.unique(rows["label"].to_numpy())
        likely, sets = (rows[[f"{prefix}{label}" for label in classes]] for prefix in (PROBABILITY, IN_SET))
        return cls(
            rows["predicted"].to_numpy(),
            classes,
            None if likely.isna().any(axis=None) else likely.to_numpy(np.float64),
            None if sets.isna().any(axis=None) else sets.to_numpy(bool),
        )
