"""The nearest disjoint centroid classifier: Algorithms 1 and 2 of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from disjoint_centroids._scikit import HasMethods, Interval, StrOptions, fit_context
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import DisjointCentroidBase, check_lam, is_auto
from disjoint_centroids.centroids.in_batches import Stream
from disjoint_centroids.centroids.training import Training
from disjoint_centroids.rows.batches import Learnt, announced_classes, codes_among, forget_learnt, without_all_samples
from disjoint_centroids.rows.folds import inner_folds
from disjoint_centroids.rows.training import read_batch, shared_mask

COMMON_CONSTRAINTS: dict[str, Any] = {
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "init": [StrOptions({*search.KINDS, "auto"}), "array-like"],
    "criterion": [StrOptions({"error", "risk"})],
    "norm": [StrOptions({"dn", "euclidean"})],
    "shared_features": ["array-like", HasMethods(["fit", "get_support"]), None],
    "refine": ["boolean"],
    "priors": [StrOptions({"empirical"}), "array-like", None],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "compression": [StrOptions({"auto", "exact", "sketch"}), Interval(Real, 0, 1, closed="neither")],
}


def _needs_all_samples(model: NearestDisjointCentroid) -> Iterator[str]:
    """Parameters that ask for all samples at once."""
    if is_auto(model.init):
        yield "init='auto' chooses by cross-validation"
    if model.refine:
        yield "refine=True moves single features over all samples"
    if hasattr(model.shared_features, "get_support"):
        yield "shared_features is a selector to be fitted"


class NearestDisjointCentroid(DisjointCentroidBase):
    r"""Nearest disjoint centroid classifier (NDC), with feature selection if ``lam`` is given (NDC-S).

    The features are split into disjoint sets :math:`I_1, \dots, I_k`, one per class. A class's centroid
    :math:`c_j` lives on its own features only, and a sample goes to the class whose centroid is nearest there:

    .. math:: \hat y(x) = \arg\min_j \frac{1}{|I_j|} \sum_{f \in I_j} (x_f - c_{jf})^2 .

    The sets come from k-means on the columns, adapted so that the cluster of class j uses the samples of class j
    only. With ``lam`` there is one more cluster, :math:`I_0`, on all samples; its distance is multiplied
    by ``lam``, and its features are used by nobody.

    Parameters
    ----------
    lam : float, default=None
        None is Algorithm 1: every feature is used. A positive number is Algorithm 2: the smaller it is, the more
        features are dropped; ``inf`` drops none. Which values make sense depends on the table:
        :class:`NearestDisjointCentroidCV` finds them.
    n_init : int, default=100
        Restarts that should count. Restarts in which a class loses its last feature are replaced, within a bound.
    init : {"k-means", "k-means++", "random", "variance", "auto"} or array-like, default="k-means"
        Where restarts begin. "k-means": k-means on the features, ending where no move of a single feature improves
        it (Hartigan and Wong), as in the paper. "k-means++": the same from seeds spread out. "random": random owners.
        "variance": each feature to the class in which it varies least (one start). "auto": the kind with the lowest
        cross-validated error on the training data. An array of shape (n_init, n_features): starting owners, indices
        into ``classes_``, and -1 for :math:`I_0`; its rows are the restarts.
    criterion : {"error", "risk"}, default="error"
        The best restart has the smallest training error (ties: the smaller risk), or the smallest risk.
    norm : {"dn", "euclidean"}, default="dn"
        "dn" divides squared distances by the number of features, and between features by the number of samples;
        "euclidean" does not, which favours small classes when sizes differ.
    shared_features : array-like or feature selector, default=None
        Features that every class's centroid has besides its own: names, indices, a mask, or an estimator with
        ``get_support`` (such as ``SelectKBest``) that is fitted on the training data.
    refine : bool, default=False
        Whether single features then move from class to class, as long as that lowers the training loss; with ``lam``
        also into :math:`I_0` and out of it (with ``lam=inf`` nothing else selects features). See Notes.
    priors : "empirical" or array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: the nearest centroid wins, as in the paper. They move the decision
        and the probabilities, not the choice of features.
    max_iter : int, default=300
        Bound on the steps of a restart, and on the sweeps of ``refine``.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same answer every time.
    n_jobs : int, default=None
        Threads. None: as many as the linear algebra library uses. The answer does not depend on it.
    verbose : int, default=0
        1 shows a progress bar on standard error while ``init="auto"`` compares the kinds of start, and over the blocks
        of a dask table.
    compression : {"auto", "exact", "sketch"} or float, default="auto"
        For dask tables only: what is kept of the rows between the passes over them. "exact": inner products of all
        pairs of features, class by class. "sketch": some rows for each class, random sums of the samples, for tables
        with so many features that those would not fit; a number is the standard deviation that a squared distance may
        have in the sketch, as a share of it ("sketch" is 0.1). "auto": exact up to 2 GiB.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Class labels.
    owner_ : array of shape (n_features,)
        Index of the class that owns each feature; -1 = :math:`I_0`, not used; -2 = shared by all.
    feature_sets_ : list of n_classes arrays
        Indices of each class's own features.
    centroids_ : array of shape (n_classes, n_features)
        Class means of all features.
    variances_ : array of shape (n_classes, n_features)
        Class variances of all features.
    risk_ : float
        Mean squared distance of the training samples to their own class's centroid.
    train_error_ : float
        Share of the training samples that are classified wrongly.
    margin_ : array of shape (n_features,)
        Distance of each feature to the second nearest centre minus that to the nearest, which with ``refine`` need not
        be its owner's. NaN for shared features.
    feature_distances_ : array of shape (n_classes, n_features)
        Distance of each feature to each class's centre.
    temperature_ : float
        Factor on squared distances in ``predict_proba``, fitted to distances of samples that were held out: the
        smallest that fits them as well as the best one within two standard errors.
    class_prior_ : array of shape (n_classes,) or None
        Priors, normalised.
    init_ : str or array
        The kind of start that was used.
    n_iter_ : int
        Steps of the best restart.
    n_moves_ : int
        Moves that ``refine`` made; a feature may have moved more than once. 0 without.
    n_restarts_used_ : int
        Restarts that counted. 0: none did, and the best was repaired.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, if X had string column names.

    See Also
    --------
    NearestDisjointCentroidCV : Chooses ``lam`` by cross-validation.
    disjoint_centroid_path : The partitions along a grid of ``lam``.

    Notes
    -----
    The method uses the *values* of features, so the scale of the table matters: take the logarithm of raw
    intensities, and standardise columns that are measured in different units.

    ``refine`` starts from the best restart and lowers the cross-entropy of the training labels and
    :math:`\mathrm{softmax}_j(-t D_{ij})`, with :math:`D_{ij}` the squared distance of sample i to centroid j. In each
    sweep every feature, in random order, makes the move that lowers it most; t is fitted anew before each sweep, as it
    is for ``predict_proba``; the search ends with a sweep that finds no move. Moving f from class a to class b changes
    the distances to these two only, by :math:`(x_{if} - c_{af})^2` and :math:`(x_{if} - c_{bf})^2`, so a sweep takes
    one exponential and one logarithm for each sample, feature and class. A class keeps its last feature.

    Where features outnumber samples a loss can be lowered by noise. So a class is given a feature only if the loss
    falls by more than two standard errors of that fall over the samples, while dropping one needs no more than a fall;
    each sample is taken out of its own class's mean before its distance is measured; and the labels are smoothed as
    for ``temperature_``, so that nothing is gained by being certain. :class:`NearestDisjointCentroidCV` moreover lets
    its folds decide whether to refine at all.

    References
    ----------
    N. Fraiman and Z. Li, "Classification with Nearest Disjoint Centroids".

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from disjoint_centroids import NearestDisjointCentroid
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler().set_output(transform="pandas"), NearestDisjointCentroid(random_state=0))
    >>> model.fit(X, y).score(X, y) > 0.8
    True
    >>> [len(features) for features in model[-1].feature_sets_]  # disjoint, and 13 in all
    [7, 2, 4]

    Twenty features that matter among forty, found by single moves alone:

    >>> from disjoint_centroids.datasets import make_blocks
    >>> X, y = make_blocks(k=4, d=5, irrelevant=20, random_state=1)
    >>> selected = NearestDisjointCentroid(lam=float("inf"), refine=True, random_state=0).fit(X, y)
    >>> selected.owner_[:20]
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3])
    >>> bool((selected.owner_[20:] == -1).all())
    True
    """

    classes_: Any = Learnt()
    owner_: Any = Learnt()
    feature_sets_: Any = Learnt()
    centroids_: Any = Learnt()
    variances_: Any = Learnt()
    risk_: Any = Learnt()
    train_error_: Any = Learnt()
    margin_: Any = Learnt()
    feature_distances_: Any = Learnt()
    temperature_: Any = Learnt()
    class_prior_: Any = Learnt()
    init_: Any = Learnt()
    n_iter_: Any = Learnt()
    n_moves_: Any = Learnt()
    n_restarts_used_: Any = Learnt()

    _parameter_constraints: dict[str, Any] = {
        "lam": [Interval(Real, 0, None, closed="right"), None],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        lam: float | None = None,
        n_init: int = 100,
        init: Any = "k-means",
        criterion: str = "error",
        norm: str = "dn",
        shared_features: Any = None,
        refine: bool = False,
        priors: Any = None,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        compression: Any = "auto",
    ) -> None:
        self.lam = lam
        self.n_init = n_init
        self.init = init
        self.criterion = criterion
        self.norm = norm
        self.shared_features = shared_features
        self.refine = refine
        self.priors = priors
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.compression = compression

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find each class's features and centroid.

        Parameters
        ----------
        X : array-like, sparse matrix or dask table of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition.

        Returns
        -------
        self : NearestDisjointCentroid
            The fitted classifier.
        """
        self.__dict__.pop("_stream", None)
        table = self._read(X, y, sample_weight)
        settings = self._settings(table, has_pool=self.lam is not None, refine=self.refine)
        folds = inner_folds(table.codes, settings.seed) if is_auto(self.init) else []
        searches = [settings.with_init(kind) for kind in search.KINDS] if folds else [settings]
        training = self._keep(table, folds, settings)
        self._warn(training, self._fit_to(training, searches))
        return self

    def _fit_to(self, training: Training, searches: list[search.Settings]) -> search.Partition:
        """Fit to what is kept of the rows, in the way that did best on the folds."""
        lams = None if self.lam is None else np.array([self.lam], dtype=np.float64)
        found, settings = self._cross_fit(training, lams, searches, progress="kinds of start")
        (partition,) = found.partitions
        if self.lam is not None and partition.n_restarts == 0:
            check_lam(training.problem, settings, self.lam, "NearestDisjointCentroidCV, which finds it")
        return self._adopt(training, partition, self.lam, settings)

    @without_all_samples(_needs_all_samples)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of samples and forget it: for streams, and for files that are read piece by piece.

        What is kept are sums that add up over batches, and a sample of the rows for ``temperature_`` and
        ``train_error_`` (all of them, as long as they take no more than 16 MiB). The search runs when the model is next
        asked for something, on all batches so far. The best restart is the one of smallest risk, whatever ``criterion``
        says: after the last batch the model is that of ``fit`` with ``criterion="risk"`` on all batches together.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come: needed in the first call, unless the model was fitted before. Batches
            begin anew then, with the classes of that fit.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : NearestDisjointCentroid
            The classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from disjoint_centroids import NearestDisjointCentroid
        >>> from disjoint_centroids.datasets import make_blocks
        >>> X, y = make_blocks(k=3, n=200, d=4, random_state=0)
        >>> model = NearestDisjointCentroid(random_state=0)
        >>> for batch in np.array_split(np.arange(len(y)), 10):
        ...     model = model.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
        >>> whole = NearestDisjointCentroid(random_state=0, criterion="risk").fit(X, y)
        >>> bool((model.owner_ == whole.owner_).all())
        True
        """
        stream: Stream | None = self.__dict__.get("_stream")
        X, y, weights = read_batch(self, X, y, sample_weight, reset=stream is None)
        if stream is None:
            shared = shared_mask(self, self.shared_features, X, y)
            known = self.__dict__.get("classes_") if classes is None else classes
            stream = Stream(announced_classes(known), shared, self._is_divided())
        stream.add(self, X, codes_among(stream.classes, classes, y), weights)
        forget_learnt(self)
        self._stream = stream
        return self

    def _fit_batches(self) -> None:
        """Fit the model to all batches so far; the restart of least risk is the best."""
        training = self._stream.rows()
        settings = replace(self._settings(training, has_pool=self.lam is not None), by_error=False)
        self._warn(training, self._fit_to(training, [settings]))
