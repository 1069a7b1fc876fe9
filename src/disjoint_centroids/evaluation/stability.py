"""Stability of owners: share of the fits on halves of the samples in which each class owns each feature."""

from __future__ import annotations

import warnings
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._scikit import HasMethods, Interval, fit_context
from disjoint_centroids.evaluation.false_selections import false_selection_bounds, runs_needed
from disjoint_centroids.evaluation.resampling import KeptOwners, Resample, draw_resamples, fingerprint, fit_half
from disjoint_centroids.evaluation.resumable import remaining, run_jobs
from disjoint_centroids.rows.training import SHARED, UNUSED

if TYPE_CHECKING:
    import pandas as pd

NOBODY_COLUMN, SHARED_COLUMN = "nobody", "shared"
"""Columns of ``probabilities_`` beside the classes."""
IN_USE = "in use"
"""Row of ``expected_false_selections_`` about being used by any class."""
_CALLER = 4  # from a warning, past fit and its validation, to the line that called fit
_MESSAGES = 3


class OwnershipStability(MetaEstimatorMixin, BaseEstimator):
    r"""Share of the fits on random halves of the samples in which each class owns each feature.

    The samples are split into two halves ``n_resamples / 2`` times (complementary pairs, Shah and Samworth 2013), and
    the model is fitted on every half. A feature that a class owns in nearly all fits belongs to it; one that changes
    hands was given to its owner by chance, or by a hair.

    Parameters
    ----------
    estimator : classifier, or Pipeline that ends in one
        Anything that has ``owner_`` once it is fitted: :class:`NearestDisjointCentroid`,
        :class:`NearestDisjointCentroidCV` and their kin. It is cloned, and every clone gets a seed of its own. Steps
        before it may rescale, impute or drop columns (a dropped one has no owner in that fit); they must keep names.
    n_resamples : int, default=100
        Number of fits, two for every pair of halves: an even number.
    cutoff : float, default=0.6
        Share of the fits in which a class must own a feature for it to be stable; above 0.5 and at most 1.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same answer every time, whatever ``n_jobs`` is. With the same int, more resamples go on
        where fewer ended.
    n_jobs : int, default=None
        Processes, as joblib understands it.
    results : path, default=None
        A .csv or .parquet file that gets the owners of every fit as they come. If it exists, what is in it is not
        done again; a file of other data, another estimator or another seed is refused. Needs an int as seed.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Attributes
    ----------
    probabilities_ : pandas.DataFrame of shape (n_features, n_classes + 1 or 2)
        Share of the fits in which each feature is owned by each class, by ``"nobody"``, and, if the model has such
        features, is ``"shared"`` by all. Rows sum to one; the index holds the features' names.
    selection_frequency_ : pandas.Series of length n_features
        Share of the fits in which each feature is in use, owned or shared.
    owner_ : array of shape (n_features,)
        The most frequent owner, coded as in ``NearestDisjointCentroid``: the index of a class, -1 for nobody, -2 for
        all. Ties go to the class that comes first, and to a class rather than to nobody.
    stable_features_ : dict
        For every class the names of the features that it owns in a share of at least ``cutoff`` of the fits, the most
        frequent first.
    expected_false_selections_ : pandas.DataFrame
        Bounds of :meth:`false_selection_bound` at ``cutoff``.
    stability_ : float
        Mean agreement of the partitions of the two halves of a pair: their adjusted Rand index (1 for the same
        partition, about 0 for partitions at random; unused features are a set like the others), averaged
        over the pairs. Only halves of one pair are compared, because they share no sample.
    pair_stability_ : array of shape (n_resamples / 2,)
        The same, pair by pair.
    owners_ : array of shape (n_resamples, n_features)
        Owners in every fit; fits 0 and 1 are the first pair, and so on.
    classes_ : array of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, if X had string column names.

    See Also
    --------
    disjoint_centroids.plots.StabilityDisplay : The picture.

    Notes
    -----
    A half holds ``n // 2`` of the n samples of every class, so that both halves are alike; of a class with an odd
    number of samples another one stays out in each pair. A class therefore needs four samples at least, two for each
    half: one sample has no spread, and every feature would tie. The cut-off refers to models fitted on half of
    the data, which vary more than the one fitted on all of it.

    Every fit gets the columns in an order of its own, drawn with its seed, so that ties between features are not
    decided by the order of the columns. The order stays only where a parameter of the estimator refers to
    columns by position (``shared_features=[0, 3]``, an array of costs).

    Examples
    --------
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> from disjoint_centroids.datasets import make_blocks
    >>> from disjoint_centroids.evaluation.stability import OwnershipStability
    >>> X, y = make_blocks(k=2, n=40, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=8, random_state=0)
    >>> model = NearestDisjointCentroid(lam=0.8, n_init=10)
    >>> stability = OwnershipStability(model, n_resamples=20, random_state=0).fit(X, y)
    >>> {label: list(names) for label, names in stability.stable_features_.items()}
    {0: ['x2', 'x0', 'x1', 'x3'], 1: ['x6', 'x4', 'x5', 'x7']}
    >>> bool(stability.stability_ > 0.6)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        "estimator": [HasMethods(["fit", "get_params"])],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "cutoff": [Interval(Real, 0.5, 1.0, closed="right")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "results": [str, Path, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        n_resamples: int = 100,
        cutoff: float = 0.6,
        random_state: Any = None,
        n_jobs: int | None = None,
        results: str | Path | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.cutoff = cutoff
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.results = results
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model on every half, and count the owners of every feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : OwnershipStability
            Fitted.
        """
        self._check_settings()
        table = X if hasattr(X, "shape") else np.asarray(X)
        labels = column_or_1d(np.asarray(y))
        check_consistent_length(table, labels)
        check_classification_targets(labels)
        self.classes_: np.ndarray = np.unique(labels)
        self._check_labels()
        self._read_names(table)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        resamples = draw_resamples(labels, self.n_resamples, seed)
        self.owners_ = self._fit_halves(table, labels, resamples, seed)
        self._count()
        return self

    def false_selection_bound(self, cutoff: float | None = None) -> pd.DataFrame:
        r"""Bound the expected number of features that reach a cut-off by chance.

        A fit selects for class j the features that it gives to j. A feature counts
        as falsely selected if a fit on half of the data gives it to j no more often than an average feature,
        :math:`\theta_j = q_j/p` of the times, where :math:`q_j` is the mean number of features that j owns and p the
        number of all features. So there is an answer for a model that uses all features, too. The last row,
        ``"in use"``, is about being selected for any class; if every fit uses every feature, it is p. The formulas are
        those of :func:`disjoint_centroids.evaluation.false_selections.false_selection_bounds`, with :math:`\pi` the
        cut-off:

        .. math:: E(V_j) \le \frac{q_j^2}{(2\pi - 1)\,p}

        (Meinshausen and Bühlmann), and two of Shah and Samworth's, which are lower and assume something of how
        frequencies are distributed. The commands and the report print the ``unimodal`` one: on tables of noise, NDC-S
        has been seen to exceed the ``r_concave`` one where classes own more than a tenth of the features. A bound as
        large as the number of features found says nothing; then raise the cut-off, or let the model choose fewer
        features. Bounds of the classes may be added up.

        Parameters
        ----------
        cutoff : float, default=None
            Above 0.5 and at most 1. None: the ``cutoff`` of this object.

        Returns
        -------
        pandas.DataFrame
            One row per class, then ``"in use"``: ``mean_selected`` (:math:`q_j`), ``stable`` (features that reach the
            cut-off), ``meinshausen_buhlmann``, ``unimodal`` and ``r_concave``, upper bounds on the expected number of
            false ones among them.

        Examples
        --------
        >>> from disjoint_centroids import NearestDisjointCentroid
        >>> from disjoint_centroids.datasets import make_blocks
        >>> from disjoint_centroids.evaluation.stability import OwnershipStability
        >>> X, y = make_blocks(k=2, n=40, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=8, random_state=0)
        >>> model = NearestDisjointCentroid(lam=0.8, n_init=10)
        >>> stability = OwnershipStability(model, n_resamples=20, random_state=0).fit(X, y)
        >>> stability.false_selection_bound(0.9)["stable"].to_dict()
        {0: 3, 1: 4, 'in use': 7}
        """
        check_is_fitted(self)
        import pandas as pd

        cutoff = self.cutoff if cutoff is None else cutoff
        n_fits, n_features = self.owners_.shape
        hits = [*((self.owners_ == j) for j in range(len(self.classes_))), self.owners_ != UNUSED]
        rows = []
        for hit in hits:
            q = float(hit.sum(axis=1).mean())
            bounds = false_selection_bounds(q, n_features, n_fits // 2, cutoff)
            stable = int((hit.sum(axis=0) >= runs_needed(cutoff, n_fits)).sum())
            rows.append([q, stable, bounds.meinshausen_buhlmann, bounds.unimodal, bounds.r_concave])
        names = ["mean_selected", "stable", "meinshausen_buhlmann", "unimodal", "r_concave"]
        index = pd.Index([*self.classes_.tolist(), IN_USE], name="selected", dtype=object)
        return pd.DataFrame(rows, index=index, columns=names).astype({"stable": int})

    def table(self) -> pd.DataFrame:
        """Tabulate the features: owner, probability and stability, one row per feature in the order of X.

        Returns
        -------
        pandas.DataFrame
            ``feature``, ``role`` ("owned", "unused" or "shared", whichever is most frequent), ``owner`` (the class
            that owns it most often, missing if it is unused or shared), ``probability`` (share of the fits in
            which that is so), ``stable`` (true if a class owns it in enough fits), ``selection_frequency``, and
            ``probability_<class>`` for every class, for nobody, and, if there are such features, for shared.
        """
        import pandas as pd

        check_is_fitted(self)
        shares = self.probabilities_
        labels = np.asarray(self.classes_, dtype=object)
        enough = (self.owners_ == self.owner_).sum(axis=0) >= runs_needed(self.cutoff, len(self.owners_))
        table = {
            "feature": shares.index.to_numpy(),
            "role": np.select([self.owner_ == SHARED, self.owner_ == UNUSED], ["shared", "unused"], "owned"),
            "owner": pd.Series(np.where(self.owner_ >= 0, labels[np.maximum(self.owner_, 0)], None), dtype=object),
            "probability": shares.max(axis=1).to_numpy(),
            "stable": enough & (self.owner_ >= 0),
            "selection_frequency": self.selection_frequency_.to_numpy(),
        }
        return pd.DataFrame(table | {f"probability_{column}": shares[column].to_numpy() for column in shares})

    def _check_settings(self) -> None:
        if self.n_resamples % 2:
            raise ValueError(
                f"n_resamples={self.n_resamples} is odd, but halves come in pairs. "
                f"Give {self.n_resamples - 1} or {self.n_resamples + 1}."
            )
        if self.results is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"A results file can only be continued with the same seed; got random_state={self.random_state!r}. "
                "Give an int."
            )

    def _check_labels(self) -> None:
        taken = {NOBODY_COLUMN, SHARED_COLUMN, IN_USE} & {str(label) for label in self.classes_}
        if len(self.classes_) < 2 or taken:
            given = f"a class called {sorted(taken)[0]!r}" if taken else f"only one class, {self.classes_[0]!r}"
            cure = "That name is taken by a column of the answer: rename the class." if taken else "Give two or more."
            raise ValueError(f"y has {given}. {cure}")

    def _read_names(self, table: Any) -> None:
        if len(table.shape) != 2:
            raise ValueError(f"X must be a table of samples and features; got an array of shape {table.shape}.")
        self.n_features_in_ = int(table.shape[1])
        columns = list(getattr(table, "columns", []))
        if columns and all(isinstance(name, str) for name in columns):
            self.feature_names_in_ = np.asarray(columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _names(self) -> np.ndarray:
        numbered = np.asarray([f"x{f}" for f in range(self.n_features_in_)], dtype=object)
        return getattr(self, "feature_names_in_", numbered)

    def _fit_halves(self, table: Any, labels: np.ndarray, resamples: list[Resample], seed: int) -> np.ndarray:
        """Owners in every fit; those in the results file are not fitted again."""
        made_of = "" if self.results is None else fingerprint(self.estimator, table, labels, seed)
        kept = KeptOwners(self.results, made_of, self.n_features_in_, len(self.classes_))
        jobs = remaining(resamples, kept)
        fit = partial(fit_half, clone(self.estimator), table, labels, self._names())
        run_jobs(jobs, fit, kept, label="fits on halves", n_jobs=self.n_jobs, verbose=self.verbose > 0)
        for message, count in kept.warnings.most_common(_MESSAGES):
            warnings.warn(f"{count} of {len(jobs)} fits on halves warned: {message}", UserWarning, stacklevel=_CALLER)
        return np.stack([kept.owners[at] for at in range(self.n_resamples)])

    def _count(self) -> None:
        """Set the fitted attributes from the owners in every fit."""
        import pandas as pd

        n_fits, names = len(self.owners_), pd.Index(self._names(), name="feature")
        codes = np.array([*range(len(self.classes_)), UNUSED, SHARED])
        counts = np.stack([(self.owners_ == code).sum(axis=0) for code in codes], axis=1)
        columns = pd.Index([*self.classes_.tolist(), NOBODY_COLUMN, SHARED_COLUMN], dtype=object)
        shares = pd.DataFrame(counts / n_fits, index=names, columns=columns)
        self.probabilities_ = shares if counts[:, -1].any() else shares.drop(columns=SHARED_COLUMN)
        self.selection_frequency_ = pd.Series(
            (self.owners_ != UNUSED).mean(axis=0), index=names, name="selection_frequency"
        )
        self.owner_ = codes[np.argmax(counts, axis=1)]
        enough = runs_needed(self.cutoff, n_fits)
        self.stable_features_: dict[Any, np.ndarray] = {}
        for j, label in enumerate(self.classes_.tolist()):
            often = np.argsort(-counts[:, j], kind="stable")
            self.stable_features_[label] = names.to_numpy()[often[counts[often, j] >= enough]]
        self.pair_stability_: np.ndarray = np.array(
            [adjusted_rand_score(*pair) for pair in self.owners_.reshape(-1, 2, self.n_features_in_)]
        )
        self.stability_ = float(self.pair_stability_.mean())
        self.expected_false_selections_ = self.false_selection_bound()
