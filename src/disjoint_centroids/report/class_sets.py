"""Section of a report on sets of classes: how often they hold the true class, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids._listed import listed
from disjoint_centroids.evaluation.held_out_predictions import CONFIDENCE, IN_SET
from disjoint_centroids.report.formatting import percent, rounded

_SIZES = ("none", "one", "two", "three or more")


@dataclass(frozen=True, slots=True)
class HeldOutSets:
    """Sets of classes of the samples that a comparison held out, in the order of the table.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Class labels.
    sets : boolean array of shape (n_samples, n_classes)
        True if the class is in the set of the sample.
    """

    classes: np.ndarray
    sets: np.ndarray

    @classmethod
    def of(cls, predictions: pd.DataFrame | None, repeat: int = 0) -> HeldOutSets | None:
        """Read one repeat of the predictions of one method (see :class:`.evaluation.comparison.Comparison`).

        None if there are no predictions, or if the method has no sets.
        """
        if predictions is None:
            return None
        rows = predictions[predictions["repeat"] == repeat].sort_values("row")
        classes = np.unique(rows["label"].to_numpy())
        sets = rows[[f"{IN_SET}{label}" for label in classes]]
        return None if sets.isna().any(axis=None) else cls(classes, sets.to_numpy(bool))


def set_facts(sets: np.ndarray, classes: np.ndarray, labels: pd.Series, *, held_out: bool) -> dict[str, Any]:
    """Share of the sets of classes that hold the true class, and their sizes.

    ``held_out``: whether the samples come from nested folds, and not from a table of new samples.
    """
    names, true = [str(label) for label in classes], labels.to_numpy()
    known = np.isin(true, names)
    covered, sizes = np.zeros(len(true), dtype=bool), sets.sum(axis=1)
    covered[known] = sets[np.flatnonzero(known), [names.index(label) for label in true[known]]]
    shares = np.bincount(np.minimum(sizes, len(_SIZES) - 1), minlength=len(_SIZES)) / len(true)
    rows = []
    for label in [*names, *sorted(set(true) - set(names))]:
        here = true == label
        if here.any():
            rows.append(
                {
                    "class": label,
                    "samples": int(here.sum()),
                    "covered": rounded(covered[here].mean()),
                    "size": rounded(sizes[here].mean()),
                }
            )
    always = [name for name, held in zip(names, sets.T, strict=True) if held.all()]
    facts = {"covered": float(covered.mean()), "size": float(sizes.mean())}
    facts |= {name: float(share) for name, share in zip(_SIZES, shares, strict=True)}
    return facts | {
        "confidence": CONFIDENCE,
        "sentence": _set_sentence(facts, len(true), held_out=held_out) + _always_sentence(always, held_out=held_out),
        "classes": rows,
    }


def _set_sentence(facts: dict[str, Any], n_samples: int, *, held_out: bool) -> str:
    samples = f"{n_samples} {'held-out' if held_out else 'new'} samples"
    several = facts["two"] + facts["three or more"]
    return (
        f"A set of classes is to hold the true class for {100 * CONFIDENCE:.0f}\N{NO-BREAK SPACE}% of the samples of "
        f"every class. Here the sets hold it for {percent(facts['covered'])} of {samples}. They name "
        f"{facts['size']:.2f} classes on average: one for {percent(facts['one'])} of the samples, several for "
        f"{percent(several)}, and none, because no class fits well, for {percent(facts['none'])}."
    )


def _always_sentence(always: list[str], *, held_out: bool) -> str:
    """Name the classes that no set leaves out, mostly because they have too few samples."""
    if not always:
        return ""
    enough = "only if it was fitted on nine samples of it or more"
    part = "; the models here were fitted on a part of the samples" if held_out else ""
    return f" In every set: {listed(always)}. A model can leave a class out {enough}{part}."
