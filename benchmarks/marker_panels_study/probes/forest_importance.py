"""scikit-learn's random forest: features by mean decrease of impurity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from probe import Found, Part, run
from sklearn.ensemble import RandomForestClassifier

TREES = 200


def fits(part: Part) -> Iterator[Found]:
    """One order for all sizes, without classes."""
    trees = RandomForestClassifier(TREES, n_jobs=1, random_state=part.seed).fit(part.values, part.codes)
    ordered = np.argsort(-trees.feature_importances_, kind="stable")
    yield Found(ordered[: part.total(part.sizes[-1])].tolist())


if __name__ == "__main__":
    run(fits)
