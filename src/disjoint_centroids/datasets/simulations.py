"""The paper's simulated tables: blocks of samples and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


@dataclass(frozen=True, slots=True)
class Simulation:
    """One setting of the paper's simulation study: four classes of 250 samples.

    Attributes
    ----------
    number : int
        Number of the simulation, 1 to 4.
    d, irrelevant : int
        Features of each group, and features that are unrelated to the classes.
    parameter, value : str and float
        The paper's name (a, b or c) and value of what varies.
    """

    number: int
    d: int
    irrelevant: int
    parameter: str
    value: float

    @property
    def name(self) -> str:
        """Name of the setting with all its parameters, such as ``simulation-4 d=5 r=80 c=0.6``."""
        return f"simulation-{self.number} d={self.d} r={self.irrelevant} {self.parameter}={self.value}"

    def draw(self, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw a table of this setting."""
        mean = 0.0 if self.number == 2 else self.value
        spread = 1.0 if self.number == 1 else 1.0 + self.value
        return make_blocks(
            4, 250, self.d, (mean, 0.0), (1.0, spread), irrelevant=self.irrelevant, random_state=random_state
        )


def _settings() -> tuple[Simulation, ...]:
    values = (0.3, 0.6, 0.9)
    plain = [Simulation(s, d, 0, "abc"[s - 1], v) for s in (1, 2, 3) for d in (3, 5, 10) for v in values]
    return (*plain, *(Simulation(4, 5, r, "c", v) for r in (20, 40, 80) for v in values))


def simulation(number: int, *, d: int, value: float, irrelevant: int = 0) -> Simulation:
    """Return a setting of the paper's simulation study.

    Parameters
    ----------
    number : int
        1 (means differ), 2 (variances differ), 3 (both), 4 (both, and irrelevant features).
    d : int
        Features of each group.
    value : float
        The paper's a, b or c.
    irrelevant : int, default=0
        The paper's r, for simulation 4.

    Returns
    -------
    Simulation
        The setting; its ``draw`` gives tables.

    Examples
    --------
    >>> from disjoint_centroids.datasets import simulation
    >>> X, y = simulation(4, d=5, value=0.6, irrelevant=20).draw(random_state=0)
    >>> X.shape
    (1000, 40)
    """
    for setting in SIMULATIONS:
        if (setting.number, setting.d, setting.value, setting.irrelevant) == (number, d, value, irrelevant):
            return setting
    raise ValueError(f"The paper has no simulation {number} with d={d}, value={value}, irrelevant={irrelevant}.")


def make_blocks(
    k: int = 4,
    n: int | Sequence[int] = 250,
    d: int = 5,
    mu: tuple[float, float] = (0.6, 0.0),
    sigma: tuple[float, float] = (1.0, 1.6),
    irrelevant: int = 0,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the paper's block table: k classes, k groups of features, and each class stands out on its own group.

    Parameters
    ----------
    k : int, default=4
        Number of classes, and of groups of features.
    n : int or k ints, default=250
        Samples of each class.
    d : int, default=5
        Features of each group.
    mu, sigma : pairs of float, default=(0.6, 0.0) and (1.0, 1.6)
        Mean and standard deviation of the entries in the diagonal blocks (class j, group j), and in all others.
    irrelevant : int, default=0
        Standard normal features that are unrelated to the classes, after the k * d others.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table every time.

    Returns
    -------
    X : array of shape (n_samples, k * d + irrelevant)
        The table.
    y : array of shape (n_samples,)
        Classes 0 … k - 1.

    Examples
    --------
    >>> from disjoint_centroids.datasets import make_blocks
    >>> X, y = make_blocks(k=3, n=10, d=2, irrelevant=4, random_state=0)
    >>> X.shape, y.shape
    ((30, 10), (30,))
    """
    rng = check_random_state(random_state)
    sizes = np.broadcast_to(n, k) if np.ndim(n) == 0 else np.asarray(n)
    if sizes.shape != (k,):
        raise ValueError(f"n is one size for all classes, or one for each of the {k}; got {len(sizes)}.")
    y = np.repeat(np.arange(k), sizes)
    group = np.repeat(np.arange(k), d)
    diagonal = y[:, None] == group
    relevant = np.where(diagonal, mu[0], mu[1]) + np.where(diagonal, sigma[0], sigma[1]) * rng.normal(
        size=diagonal.shape
    )
    return np.hstack([relevant, rng.normal(size=(len(y), irrelevant))]), y


SIMULATIONS = _settings()
"""The 36 settings of the paper's Simulations 1 to 4."""
