"""Multinomial logistic regression on the columns of panels: on those of all panels, or each class on its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg

from disjoint_centroids.numerics.softmax import log_softmax
from disjoint_centroids.numerics.types import BoolArray, FloatArray, IntArray

ROUGH, EXACT = 1e-3, 1e-7
"""Largest slope left at the end of a fit: while candidates are compared, and for the model that is kept."""

_STEPS = 2000
_NEWTON_STEPS = 5
_JITTER = 1e-9  # of the trace: copies of a column must not make the second moments singular
_DISTANCE_PENALTY = 1e-3
"""Penalty on the one coefficient of the distances, which keeps it finite where the classes are separable."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the picked features, one row per sample.

    Attributes
    ----------
    z : array of shape (n_samples, n_picks), or None
        Standardised values, if linear terms are fitted.
    gaps : array of shape (n_samples, n_picks), or None
        Standardised squared gaps to the centroids of the owners, if squared terms are fitted.
    distances : array of shape (n_samples, n_classes), or None
        Mean squared gap to the centroid of each class over its own panel, if squared terms are drawn towards the
        nearest disjoint centroid.
    owners : array of shape (n_picks,)
        Class of each pick.
    """

    z: FloatArray | None
    gaps: FloatArray | None
    distances: FloatArray | None
    owners: IntArray


@dataclass(frozen=True)
class Observations:
    """Samples of a training part, for regressions with several penalties.

    Attributes
    ----------
    columns : Columns
        Their columns.
    codes, weights : arrays of shape (n_samples,)
        Their classes and weights.
    """

    columns: Columns
    codes: IntArray
    weights: FloatArray

    @cached_property
    def shares(self) -> FloatArray:
        """Weights that sum to one."""
        shares: FloatArray = self.weights / self.weights.sum()
        return shares

    @cached_property
    def moments(self) -> FloatArray:
        """Weighted second moments of z."""
        assert self.columns.z is not None
        weighted = np.sqrt(self.shares)[:, None] * self.columns.z
        moments: FloatArray = weighted.T @ weighted
        return moments


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of the scores.

    Attributes
    ----------
    linear : array of shape (n_picks, n_classes)
        Coefficients of z; zero where a class does not read.
    squared : array of shape (n_picks,)
        Coefficients of the squared gaps in the score of the owner.
    distance : float
        Coefficient of minus the mean squared gap over the own panel, the same for all classes.
    intercepts : array of shape (n_classes,)
    """

    linear: FloatArray
    squared: FloatArray
    distance: float
    intercepts: FloatArray


def fit_logistic(
    observed: Observations,
    known: BoolArray,
    *,
    penalty: float,
    own: bool,
    start: Coefficients | None = None,
    slope: float = EXACT,
) -> Coefficients:
    """Minimise the weighted mean of -log softmax(scores) at the own class plus half ``penalty`` times all squares.

    Parameters
    ----------
    observed : Observations
        The samples. With ``distances``, the squares of the coefficients of ``gaps`` and of the intercepts are
        penalised, so that a large penalty gives the nearest disjoint centroid; without, intercepts are free.
    known : boolean array of shape (n_classes,)
        Classes that take part; the others get coefficients of zero.
    penalty : float
        Ridge penalty.
    own : bool
        True if a class reads its own z only.
    start : Coefficients, default=None
        Where to begin.
    slope : float, default=EXACT
        Largest slope at the end.
    """
    problem = _Problem(observed, known, penalty, own=own)
    begin = problem.parameters(start)
    options = {"maxiter": _STEPS, "maxfun": 2 * _STEPS, "gtol": slope, "ftol": 0.0, "maxcor": 20}
    found = minimize(problem.loss, begin, jac=True, method="L-BFGS-B", options=options)
    return problem.coefficients(_polished(problem, found.x, slope))


class _Problem:
    """Loss as a function of one vector: linear coefficients, squared ones, that of the distances, intercepts.

    Linear coefficients are searched for in another basis, if every class reads all columns: see ``_root_of``.
    Scores have one line per class, which is the faster layout for products with few classes and for sums over them.
    """

    def __init__(self, observed: Observations, known: BoolArray, penalty: float, *, own: bool) -> None:
        self.columns = columns = observed.columns
        self.z = columns.z
        self.root = None if columns.z is None or own else _root_of(observed.moments, penalty)
        self.codes, self.shares = np.searchsorted(np.flatnonzero(known), observed.codes), observed.shares
        self.known, self.n_classes = np.flatnonzero(known), int(known.sum())
        self.n_picks, self.n_in_all = columns.owners.size, known.size
        owners = np.searchsorted(self.known, columns.owners)
        self.member = np.zeros((self.n_picks, self.n_classes))
        self.member[np.arange(self.n_picks), owners] = 1.0
        self.mask = self.member if own else np.ones_like(self.member)
        sizes = (
            self.n_picks * self.n_classes if columns.z is not None else 0,
            self.n_picks if columns.gaps is not None else 0,
            1 if columns.distances is not None else 0,
            self.n_classes,
        )
        self.ends = np.cumsum(sizes).tolist()
        self.distances = None if columns.distances is None else columns.distances[:, self.known].T.copy()
        self.penalties = np.full(self.ends[-1], penalty)
        if columns.distances is None:
            self.penalties[self.ends[2] :] = 0.0
        self.penalties[self.ends[1] : self.ends[2]] = _DISTANCE_PENALTY

    def split(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        a, b, c, _ = self.ends
        return parameters[:a].reshape(-1, self.n_classes), parameters[a:b], parameters[b:c], parameters[c:]

    def parameters(self, start: Coefficients | None) -> FloatArray:
        """Zeros, or the coefficients to begin with."""
        begin = np.zeros(self.ends[-1])
        if start is None:
            return begin
        linear, squared, distance, intercepts = self.split(begin)
        if linear.size:
            at = start.linear[:, self.known]
            whole = np.zeros_like(linear)
            whole[: len(at)] = at
            linear[:] = whole if self.root is None else self.root @ whole
        squared[: start.squared.size] = start.squared[: squared.size]
        distance[:] = start.distance
        intercepts[:] = start.intercepts[self.known]
        return begin

    def coefficients(self, parameters: FloatArray) -> Coefficients:
        linear, squared, distance, intercepts = self.split(self._on_columns(parameters))
        of_all, free = np.zeros((self.n_picks, self.n_in_all)), np.zeros(self.n_in_all)
        if linear.size:
            of_all[:, self.known] = linear * self.mask
        # Without a penalty, adding a number to all intercepts changes nothing.
        free[self.known] = intercepts if self.distances is not None else intercepts - intercepts.mean()
        return Coefficients(
            of_all,
            squared if squared.size else np.zeros(self.n_picks),
            float(distance[0]) if distance.size else 0.0,
            free,
        )

    def _on_columns(self, parameters: FloatArray) -> FloatArray:
        """Turn parameters in the basis of the search into coefficients on the columns."""
        return self._changed(parameters, "N")

    def _in_basis(self, slopes: FloatArray) -> FloatArray:
        """Turn slopes in the coefficients on the columns into slopes in the basis of the search."""
        return self._changed(slopes, "T")

    def _changed(self, vector: FloatArray, trans: str) -> FloatArray:
        if self.root is None:
            return vector
        linear = self.split(vector)[0]
        solved = solve_triangular(self.root, linear, lower=False, trans=trans, check_finite=False)
        return np.concatenate([solved.ravel(), vector[self.ends[0] :]])

    def _scores(self, coefficients: FloatArray) -> FloatArray:
        """Scores of all samples by coefficients on the columns, (n_classes, n_samples)."""
        linear, squared, distance, intercepts = self.split(coefficients)
        scores = np.repeat(intercepts[:, None], self.codes.size, axis=1)
        if self.z is not None:
            scores += (linear * self.mask).T @ self.z.T
        if self.columns.gaps is not None:
            scores += (squared[:, None] * self.member).T @ self.columns.gaps.T
        if self.distances is not None:
            scores -= distance[0] * self.distances
        return scores

    def loss(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Loss and its slopes."""
        coefficients = self._on_columns(parameters)
        logs = log_softmax(self._scores(coefficients))
        rows = np.arange(self.codes.size)
        slopes = np.exp(logs)
        slopes[self.codes, rows] -= 1.0
        value = -float(self.shares @ logs[self.codes, rows]) + 0.5 * float(self.penalties @ coefficients**2)
        return value, self._collected(slopes, coefficients)

    def curvature(self, parameters: FloatArray) -> LinearOperator:
        """Second derivatives, as an operator on steps of the parameters."""
        shares = np.exp(log_softmax(self._scores(self._on_columns(parameters))))

        def change_of_slopes(step: FloatArray) -> FloatArray:
            changes = self._on_columns(step)
            moved = shares * self._scores(changes)
            return self._collected(moved - shares * moved.sum(axis=0), changes)

        return LinearOperator((parameters.size, parameters.size), matvec=change_of_slopes, dtype=np.float64)

    def _collected(self, by_sample: FloatArray, coefficients: FloatArray) -> FloatArray:
        """Sum slopes (n_classes, n_samples) over the samples for every parameter, and add the slope of the penalty."""
        by_sample = self.shares * by_sample
        parts = []
        if self.z is not None:
            parts.append(((by_sample @ self.z).T * self.mask).ravel())
        if self.columns.gaps is not None:
            parts.append(((by_sample @ self.columns.gaps).T * self.member).sum(axis=1))
        if self.distances is not None:
            parts.append(np.array([-float((by_sample * self.distances).sum())]))
        parts.append(by_sample.sum(axis=1))
        return self._in_basis(np.concatenate(parts) + self.penalties * coefficients)


def _root_of(moments: FloatArray, penalty: float) -> FloatArray:
    """Basis in which the loss curves about alike in all directions.

    With R the upper Cholesky factor of the columns' second moments plus the penalty, the search is for R times the
    coefficients on the columns.
    """
    curved = moments.copy()
    curved[np.diag_indices(len(curved))] += 2.0 * penalty + _JITTER * max(float(np.trace(moments)), 1.0)
    return np.asarray(np.linalg.cholesky(curved).T, dtype=np.float64)


def _polished(problem: _Problem, parameters: FloatArray, slope: float) -> FloatArray:
    """Take Newton's steps where the loss is too flat for a line search."""
    slopes = problem.loss(parameters)[1]
    for _ in range(_NEWTON_STEPS):
        if np.abs(slopes).max() <= slope:
            break
        step, _ = cg(problem.curvature(parameters), -slopes, rtol=1e-6, maxiter=parameters.size)
        new_slopes = problem.loss(parameters + step)[1]
        if np.abs(new_slopes).max() >= np.abs(slopes).max():
            break
        parameters, slopes = parameters + step, new_slopes
    return parameters
