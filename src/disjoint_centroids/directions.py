"""Direction of a feature in the class that owns it: higher there than in the other classes, or lower."""

from __future__ import annotations

from typing import Any

import numpy as np

UP, LEVEL, DOWN = 1, 0, -1
ARROWS = {"up": "↑", "": "", "down": "↓"}
"""Arrows that pages and terminals show, by the words of tables and files."""


def directions_by_class(model: Any) -> np.ndarray:
    """Compare the mean of every class with the average of the other classes' means.

    Parameters
    ----------
    model : fitted classifier of this package
        Its ``centroids_`` are the means, on the scale that the classifier sees.

    Returns
    -------
    array of int of shape (n_classes, n_features)
        1 where the feature is higher in the class, -1 where it is lower, 0 where both are the same.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from disjoint_centroids.directions import directions_by_class
    >>> directions_by_class(SimpleNamespace(centroids_=np.array([[3.0, 1.0], [1.0, 1.0], [4.0, 1.0]])))
    array([[ 1,  0],
           [-1,  0],
           [ 1,  0]])
    """
    means = np.asarray(model.centroids_, dtype=np.float64)
    others = (means.sum(axis=0) - means) / max(len(means) - 1, 1)
    # Sums differ from means in the last digits: constant columns are told apart from small differences.
    rounding = 4 * len(means) * np.finfo(np.float64).eps * np.abs(means).max(axis=0)
    gap = np.nan_to_num(means - others)
    return np.where(np.abs(gap) > rounding, np.sign(gap), LEVEL).astype(int)


def owner_directions(model: Any) -> np.ndarray:
    """Direction of every feature in the class that owns it.

    Parameters
    ----------
    model : fitted classifier of this package
        Its features have one owner at most.

    Returns
    -------
    array of str of shape (n_features,)
        "up" if the feature is higher in its class than in the others on average, "down" if it is lower, "" if both
        are the same or if no single class owns it.

    Examples
    --------
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.directions import owner_directions
    >>> X, y = make_blocks(k=2, n=20, d=2, mu=(3.0, 0.0), random_state=0)
    >>> owner_directions(DisjointPanelClassifier(rounds=1, random_state=0).fit(X, y)).tolist()
    ['', '', 'up', 'down']
    """
    owner = np.asarray(model.owner_)
    found = directions_by_class(model)[np.maximum(owner, 0), np.arange(owner.size)]
    return in_words(np.where(owner >= 0, found, LEVEL))


def higher_elsewhere(model: Any) -> list[tuple[int, int]]:
    """Find owned features that are higher in their class than in the others on average, and higher still in another.

    Parameters
    ----------
    model : fitted classifier of this package
        Its features have one owner at most.

    Returns
    -------
    list of pairs of int
        Feature, and the class in which its mean is highest, class by class of the owners.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from disjoint_centroids.directions import higher_elsewhere
    >>> means = np.array([[3.0, 9.0], [4.0, 1.0], [0.0, 1.0]])
    >>> higher_elsewhere(SimpleNamespace(centroids_=means, owner_=np.array([0, 0])))
    [(0, 1)]
    """
    owner = np.asarray(model.owner_)
    owned = np.flatnonzero(owner >= 0)
    owned = owned[np.argsort(owner[owned], kind="stable")]
    is_up = directions_by_class(model)[owner[owned], owned] == UP
    means = np.asarray(model.centroids_, dtype=np.float64)[:, owned]
    highest = means.argmax(axis=0)
    beaten = is_up & (means[highest, np.arange(owned.size)] > means[owner[owned], np.arange(owned.size)])
    return list(zip(owned[beaten].tolist(), highest[beaten].tolist(), strict=True))


def in_words(directions: np.ndarray) -> np.ndarray:
    """Words for an array of directions, as tables and files have them: "up", "down" or ""."""
    words: np.ndarray = np.array(["", "up", "down"], dtype=object)[directions]
    return words
