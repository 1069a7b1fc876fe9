"""Explanation of one sample: its total for every class, and the contribution of every feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from disjoint_centroids.fitted import classifier_of, feature_names, rows_of
from disjoint_centroids.panels.tables import read_pairs
from disjoint_centroids.pipeline import as_seen

if TYPE_CHECKING:
    import pandas as pd

_NAMED_IN_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Explanation:
    """Totals and contributions of one sample.

    Attributes
    ----------
    sample : label
        The sample.
    classes : array of shape (n_classes,)
        Class labels in the order of the model.
    measure : {"score", "distance"}
        Meaning of the totals: scores, or squared distances. Squared distances are sums of their contributions; a score
        also has a start, the score without any feature.
    totals : pandas.Series
        Score of each class, or squared distance to it (infinity for a class without features), the predicted class
        first, then the best. The index holds the class labels.
    contributions : pandas.DataFrame
        One row per class and feature that its total depends on: ``class``, ``feature``, ``value``, ``centroid``,
        ``contribution`` (to the total of the class), classes as in ``totals``, the largest contributions first; for
        scores also ``owner``, the class that owns the feature, and ``others``, the average of the means of all classes
        but ``class``.
    """

    sample: Any
    classes: np.ndarray
    measure: Literal["score", "distance"]
    totals: pd.Series
    contributions: pd.DataFrame


def explain_sample(estimator: Any, X: Any, sample: Any = None) -> Explanation:
    """Explain one sample of a table.

    Parameters
    ----------
    estimator : classifier or Pipeline
        Fitted model, or a pipeline that ends in one; values are then those after its transforms.
    X : array-like of shape (n_samples, n_features)
        The table.
    sample : label, default=None
        Which sample: its name in the index of a pandas frame, its position (from 0) in any other table. None: the only
        one.

    Returns
    -------
    Explanation
        Totals and contributions.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.models.explanation import explain_sample
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = DisjointPanelClassifier(rounds=2, random_state=0).fit(X, y)
    >>> found = explain_sample(model, X, 0)
    >>> found.totals.index.tolist()[0], len(found.contributions)
    (0, 18)
    >>> sorted(found.contributions.query("`class` == 0")["owner"].unique().tolist())
    [0, 1, 2]
    """
    import pandas as pd

    classifier = classifier_of(estimator)
    row = rows_of(X, np.array([_position(X, sample)]))
    seen = as_seen(estimator, row)
    measured = classifier._measured(seen)[0]
    is_distance = classifier._measure == "distance"
    found = measured**2 if is_distance else measured
    # With priors, votes or a regression the predicted class need not be the nearest.
    second = classifier.classes_ != classifier.predict(seen)[0]
    order = np.lexsort((found if is_distance else -found, second))
    totals = pd.Series(found[order], index=pd.Index(classifier.classes_[order], name="class"))
    table = contributions(classifier, seen).drop(columns="sample")
    names = dict(zip(feature_names(classifier), feature_names(estimator), strict=True))
    table["feature"] = table["feature"].map(names)
    place = totals.index.get_indexer(pd.Index(table["class"]))
    table = table.iloc[np.lexsort((-table["contribution"].abs().to_numpy(), place))].reset_index(drop=True)
    shown = row.index[0] if hasattr(X, "iloc") else sample or 0
    return Explanation(shown, classifier.classes_, classifier._measure, totals, table)


def contributions(classifier: Any, rows: Any) -> pd.DataFrame:
    """Explain samples as ``classifier.explain`` does; for scores also ``others``, the mean in the other classes."""
    table = classifier.explain(rows)
    if classifier._measure == "score":
        (readers, features), means = read_pairs(classifier), classifier.centroids_
        in_others = means.sum(axis=0) - means
        table["others"] = np.tile(in_others[readers, features] / (len(means) - 1), len(table) // max(features.size, 1))
    return table


def _position(X: Any, sample: Any) -> int:
    """Position of a sample in a table; an error names some that there are."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    if sample is None:
        if n_samples == 1:
            return 0
        raise ValueError(f"X has {n_samples} samples: say which one to explain, sample={_some(X, n_samples)}.")
    known = X.index if hasattr(X, "iloc") else np.arange(n_samples)
    found = np.flatnonzero(np.asarray(known == sample))
    if found.size == 1:
        return int(found[0])
    if found.size:
        raise ValueError(
            f"Sample {sample!r} stands {found.size} times in X. Give every sample a name of its own, or only its row."
        )
    raise ValueError(
        f"There is no sample {sample!r} in X. It has {n_samples} samples: give sample={_some(X, n_samples)}."
    )


def _some(X: Any, n_samples: int) -> str:
    """Names of some samples, to choose from."""
    if not hasattr(X, "iloc"):
        return f"a position from 0 to {n_samples - 1}"
    named = ", ".join(repr(name) for name in X.index[:_NAMED_IN_ERRORS])
    return named if n_samples <= _NAMED_IN_ERRORS else f"{named} or another"
