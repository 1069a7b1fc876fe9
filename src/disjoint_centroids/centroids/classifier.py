"""The nearest disjoint centroid classifier: Algorithms 1 and 2 of the paper."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from disjoint_centroids._scikit import HasMethods, Interval, StrOptions, available_if, fit_context
from disjoint_centroids.centroids import search
from disjoint_centroids.centroids.base import DisjointCentroidBase, refuse_small_lam
from disjoint_centroids.centroids.batches import Stream, announced_classes, codes_among
from disjoint_centroids.centroids.compressed import compress
from disjoint_centroids.centroids.cross_fit import cross_fit
from disjoint_centroids.centroids.cross_validation import choose_kind, lowest_error
from disjoint_centroids.centroids.problems import problem_of
from disjoint_centroids.centroids.second_look import second_look
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.folds import inner_folds
from disjoint_centroids.rows.training import is_lazy, read_batch, shared_mask

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


def _can_stream(classifier: NearestDisjointCentroid) -> bool:
    """Whether its parameters ask for nothing that needs all samples: those who cannot do it do not have it."""
    wanting = {
        "init='auto' chooses by cross-validation": is_auto(classifier.init),
        "refine=True moves single features over all samples": bool(classifier.refine),
        "shared_features is a selector to be fitted": hasattr(classifier.shared_features, "get_support"),
    }
    for what, is_so in wanting.items():
        if is_so:
            raise AttributeError(f"There is no partial_fit where {what}: it keeps no samples. Use fit.")
    return True


class NearestDisjointCentroid(DisjointCentroidBase):
    r"""Nearest disjoint centroid classifier (NDC), with feature selection if ``lam`` is given (NDC-S).

    The features are split into disjoint sets :math:`I_1, \dots, I_k`, one a class. A class's centroid
    :math:`c_j` lives on its own features only, and a sample goes to the class whose centroid is nearest there:

    .. math:: \hat y(x) = \arg\min_j \frac{1}{|I_j|} \sum_{f \in I_j} (x_f - c_{jf})^2 .

    The sets come from k-means on the columns, adapted so that the cluster of class j looks at the samples of class j
    only. With ``lam`` there is one more cluster, :math:`I_0`, that looks at all samples; its distance is multiplied
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
    The method looks at the *values* of features, so the scale of the table matters: take the logarithm of raw
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
        if is_lazy(X):
            return self._fit_lazily(X, y, sample_weight)
        training = self._read_training(X, y, sample_weight)
        problem = problem_of(training)
        lams = None if self.lam is None else np.array([self.lam], dtype=np.float64)
        init = self.init
        # One draw, so that a RandomState instance gives every kind of start the same seed.
        first = "k-means" if is_auto(init) else init
        settings = self._settings(training, first, has_pool=lams is not None, refine=self.refine)
        if is_auto(init):
            folds = inner_folds(training.codes, settings.seed)
            n_fits = len(folds) * len(search.KINDS)
            with Progress("kinds of start", n_fits, enabled=self.verbose > 0) as bar:
                init, _ = choose_kind(training, problem, folds, lams, settings, self._judge(training, lams), bar.tick)
            settings = settings.with_init(init)
        (partition,) = search.fit_partitions(problem, lams, settings)
        self._refuse_if_lost(problem, settings, partition)
        self.init_ = init
        held_out = self._hold_out(training, problem, partition, self.lam, settings)
        self._adopt(training, problem, partition, self.lam, held_out)
        self._warn(training, partition)
        return self

    def _fit_lazily(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """The same on a dask table: two passes over it, whatever is searched in between."""
        rows, labels = self._read_lazily(X, y, sample_weight)
        lams = None if self.lam is None else np.array([self.lam], dtype=np.float64)
        settings = self._settings(labels, "k-means" if is_auto(self.init) else self.init, has_pool=lams is not None)
        folds = inner_folds(labels.codes[labels.rows], settings.seed) if is_auto(self.init) else []
        searches = [settings.with_init(kind) for kind in search.KINDS] if folds else [settings]
        divided, seed = self._is_divided(), settings.seed
        training = compress(self, rows, labels, folds, self.compression, divided=divided, seed=seed)
        problem = training.problem()
        found = cross_fit(training, problem, lams, searches)
        best = min(range(len(searches)), key=lambda at: lowest_error(found.errors[at])) if folds else 0
        partition = found.partitions[best][0]
        self._refuse_if_lost(problem, settings, partition)
        self.init_ = searches[best].init if is_auto(self.init) else self.init
        held_out = self._hold_out(training, problem, partition, self.lam, searches[best])
        if training.sketch is not None:
            partition, problem = second_look(training, problem, partition, self.lam)
        self._adopt(training, problem, partition, self.lam, held_out)
        self._warn(training, partition)
        return self

    @available_if(_can_stream)
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
        self._forget()
        self._stream = stream
        return self

    def _forget(self) -> None:
        """Drop what was learnt from earlier batches; it is learnt anew when it is asked for."""
        for name in [name for name in vars(self) if is_fitted_name(name)]:
            delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        """Fitted attributes after ``partial_fit``: the search runs when the first of them is asked for."""
        if is_fitted_name(name) and "_stream" in self.__dict__ and "owner_" not in self.__dict__:
            self._fit_stream(self._stream)
            return object.__getattribute__(self, name)
        if name == "partial_fit":
            _can_stream(self)  # says why there is none
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _fit_stream(self, stream: Stream) -> None:
        """Search on the sums over all batches so far."""
        problem = stream.problem()
        lams = None if self.lam is None else np.array([self.lam], dtype=np.float64)
        settings = replace(self._settings(stream, self.init, has_pool=lams is not None), by_error=False)
        found = search.search_partitions(problem, lams, settings)
        (partition,) = found.partitions(np.zeros(len(found.owners)))
        self._refuse_if_lost(problem, settings, partition)
        self.init_ = self.init
        held_out = self._hold_out(stream, problem, partition, self.lam, settings)
        self._adopt(stream, problem, partition, self.lam, held_out)
        self._warn(stream, partition)

    def _refuse_if_lost(self, problem: search.Problem, settings: search.Settings, partition: search.Partition) -> None:
        if self.lam is not None and partition.n_restarts == 0:
            refuse_small_lam(problem, settings, self.lam, "NearestDisjointCentroidCV, which finds it")


def is_fitted_name(name: str) -> bool:
    """Whether an attribute is learnt from the samples' values: features' names and number are known before."""
    return name.endswith("_") and not name.startswith("_") and name not in {"n_features_in_", "feature_names_in_"}


def is_auto(init: Any) -> bool:
    """Whether cross-validation chooses the kind of start."""
    return isinstance(init, str) and init == "auto"
