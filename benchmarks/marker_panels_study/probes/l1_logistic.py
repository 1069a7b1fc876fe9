"""scikit-learn's logistic regression with an L1 penalty, one class against the rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from probe import Found, Part, run
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

STEPS = 10
"""Halvings of the interval of penalties, on a logarithmic scale."""

MORE = 3
"""Features more than asked for with which the search ends: classes may want the same ones."""

WEAKEST = 1.0
"""Largest C that is tried."""


def fits(part: Part) -> Iterator[Found]:
    """One fit for every size: for each class the strongest penalty that leaves at least so many features."""
    Z = StandardScaler().fit_transform(part.values)
    for size in part.sizes:
        yield Found([_features(Z, part.codes == code, size) for code in range(part.n_classes)], size)


def _features(Z: np.ndarray, inside: np.ndarray, size: int) -> list[int]:
    strong, weak = np.log(1e-5), np.log(WEAKEST)
    found = np.zeros(Z.shape[1])
    for _ in range(STEPS):
        middle = (strong + weak) / 2
        model = LogisticRegression(C=np.exp(middle), l1_ratio=1.0, solver="liblinear", random_state=0)
        weights = np.abs(model.fit(Z, inside).coef_[0])
        if np.count_nonzero(weights) >= size:
            weak, found = middle, weights
        else:
            strong = middle
        if size <= np.count_nonzero(weights) <= size + MORE:
            break
    ordered = np.argsort(-found, kind="stable")
    return ordered[: np.count_nonzero(found)].tolist()


if __name__ == "__main__":
    run(fits)
