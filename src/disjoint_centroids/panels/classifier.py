"""Classifier with disjoint panels of features and one score per class, which reads the panels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags, check_random_state

from disjoint_centroids._scikit import Interval, StrOptions, fit_context
from disjoint_centroids.panels import drafting, fitting
from disjoint_centroids.panels.described import DescribedPanels
from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.in_batches import PanelStream
from disjoint_centroids.panels.in_blocks import blocks_in_moderate_units
from disjoint_centroids.panels.path import as_counts
from disjoint_centroids.panels.sites import pool_sites, tables_of
from disjoint_centroids.panels.table_sums import TableSums
from disjoint_centroids.panels.training_parts import divide, in_moderate_units
from disjoint_centroids.panels.within_batches import share_of_new_batches
from disjoint_centroids.rows.batches import Learnt, announced_classes, codes_among, forget_learnt, without_all_samples
from disjoint_centroids.rows.blocks import BlockedTable
from disjoint_centroids.rows.training import TrainingSet, read_batch


def _needs_all_samples(model: DisjointPanelClassifier) -> Iterator[str]:
    """Parameters that ask for all samples at once."""
    if model.terms not in ("auto", "linear"):
        yield f"terms={model.terms!r} is fitted by logistic regression"
    if model.regression == "logistic":
        yield "regression='logistic' fits to single samples"
    if not isinstance(model.cv, Integral):
        yield "cv is a splitter or a list of folds"


class DisjointPanelClassifier(DescribedPanels):
    r"""Disjoint panels of features, drafted by the classes, with one score per class that reads the panels.

    Every class owns a panel :math:`I_j`: the features that it drafted because they tell it from the others. No feature
    is owned twice. The largest score wins:

    .. math:: s_j(x) = b_j + \sum_f w_{jf} z_f + \sum_{f \in I_j} v_f (z_f - c_{jf})^2,

    with :math:`z` the standardised features and :math:`c_j` the centroid of the class. The first sum is over the
    features of all panels, or with ``reads="own"`` over :math:`I_j` only. Linear terms see that a class lies elsewhere,
    squared terms that it is tighter; a squared term says how typical a sample is of one class, and enters the score of
    that class alone. Nearest disjoint centroids are the case :math:`w = 0`, :math:`v_f = -1/|I_j|`, :math:`b = 0`.

    Panels come from a draft. In every round each class gets one feature: the one that lowers its loss most where the
    present scores still err, the classes being matched with features so that the sum of the gains is largest. The
    coefficients are then fitted for all classes together: linear terms by ridge regression of the class indicators, or
    by logistic regression where there are many samples; squared terms by logistic regression, drawn towards the nearest
    disjoint centroid. How many rounds, and whether squared terms enter, is chosen by cross-validation.

    Parameters
    ----------
    rounds : "auto" or int, default="auto"
        Features that every class picks. "auto": 50, or as many as ``max_features_per_class`` or ``max_features``
        allow, unless a smaller number has the lower held-out loss by four standard errors; in a table with no more
        than 50 features per class, the number of least loss.
    terms : {"auto", "linear", "squared", "both"}, default="auto"
        What a feature adds to the scores. "auto": linear terms, unless others have the lower held-out loss by four
        standard errors; with more than 50 000 samples, linear terms.
    reads : {"auto", "all", "own"}, default="auto"
        "all": the score of a class reads the features of all panels. "own": it reads its own panel only, so that a
        class is judged by its own features alone; the error is larger where classes are many. "auto": all panels; in a
        table of three to eight classes with no more than 50 features per class and 50 000 samples, the way of lower
        held-out loss.
    regression : {"auto", "ridge", "logistic"}, default="auto"
        How the coefficients of linear terms are fitted. "auto": by ridge regression, with 500 samples or more by the
        one of lower held-out loss. Squared terms are always fitted by logistic regression.
    overdraft : "auto" or int, default="auto"
        Factor on the number of rounds of the draft. With more than 1, panels are then cut back to size, the features
        that add least first, which makes short panels better. "auto": 2 for panels of at most 20 features per class
        with linear terms, else 1; always 1 with ``max_features`` or ``budget``, which hold for the long draft too.
    penalty : "auto" or float, default="auto"
        Ridge penalty on the coefficients, in units of the number of samples. "auto": for ridge regression 2, unless a
        weaker one has the lower held-out loss by four standard errors (in a table with no more than 50 features per
        class: the one of least loss); for logistic regression one of two.
    max_features_per_class, max_features : int, default=None
        Bounds on a panel, and on all of them together.
    feature_costs : array-like of shape (n_features,) or mapping from names, default=None
        What each feature costs. With a budget, classes pick by what a feature brings for its cost.
    budget : float, default=None
        What all panels together may cost.
    forced : array-like or mapping, default=None
        Features that must be used: names, indices or a mask for features that any class may take, or a mapping from
        class labels to the features of each class.
    excluded : array-like, default=None
        Features that must not be used: names, indices or a mask.
    allowed : array-like, default=None
        Features that may be used: names, indices or a mask. None: all that are not excluded.
    min_features_per_class : int, default=None
        Features that every class gets, even if they gain nothing: no class picks what another needs for them. ``fit``
        raises an error where rules stand in the way.
    direction : {"any", "up"}, default="any"
        "up": a class may own only features whose mean is higher in it than in the other classes on average and that are
        not zero more often in its samples than in all others. Each raises the score of its class: a pick whose linear
        coefficient turns out negative beside others gives way, unless forced, and where no other is left the panel is
        shorter. With two classes, a feature belongs to the class in which it is higher. Zeros are not counted by
        ``fit_sums`` and ``partial_fit``.
    detection : pair of floats, default=None
        Smallest and largest mean (low, high) that a feature may have in the class that owns it, in the units of the
        table: what is too weak to be seen, or too strong. With batches it is the mean of the values as they are.
    cv : int, splitter or iterable, default=5
        Folds to choose by, to calibrate probabilities with, and for ``predict_set``. An int means stratified folds,
        shuffled, no more than the largest class has samples. Samples are dealt out by content, so that the order of
        the rows decides nothing; with more than 50 000 samples, by position.
    rule : {"min", "1se"}, default="min"
        "1se": the fewest rounds whose held-out loss is within one standard error of that of the chosen ones.
    priors : "empirical" or array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: all alike, so that an error in a rare class counts as much as in a
        frequent one; "empirical": their shares among the training samples, for the fewest errors in all.
    random_state : int, RandomState instance or None, default=None
        For the folds. Nothing else is random.
    n_jobs : int, default=None
        Threads for the regressions of the folds, as joblib understands it; None takes as many as the linear algebra
        library would, where fits are large enough. The answer does not depend on it.
    verbose : int, default=0
        1 shows a progress bar over the folds on standard error.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Class labels.
    owner_ : array of shape (n_features,)
        Index of the class that owns each feature; -1 = not used.
    feature_sets_ : list of n_classes arrays
        Each class's features, in the order of picking.
    coef_, curvature_ : arrays of shape (n_classes, n_features)
        Coefficients :math:`w` and :math:`v`; zero where a class does not read.
    intercept_ : array of shape (n_classes,)
        Coefficients :math:`b`, fitted to the held-out scores together with ``temperature_``.
    center_, scale_ : arrays of shape (n_features,)
        Standardisation of the features: about the mean of the class means, by the pooled standard deviation within
        classes plus half its median over the features (over all samples where that is zero).
    centroids_, variances_ : arrays of shape (n_classes, n_features)
        Class means and variances of all features, in the units of the table; with batches, of the values less the
        effects of the batches.
    margin_ : array of shape (n_features,)
        Mean contribution of a feature to the score of its class in the class itself, minus that in the other classes
        on average. NaN for features not used.
    rounds_, terms_, reads_, regression_, penalty_ : int, str, str, str, float
        As chosen.
    cv_results_ : dict of arrays
        For every candidate ``reads``, ``terms``, ``regression``, ``rounds``, ``penalty``, and held out ``loss``,
        ``error`` and ``gap_error``: the standard error of the gap between its loss and that of the candidate of
        ``rule="min"``; NaN for candidates that read otherwise than it does.
    held_out_scores_ : array of shape (n_samples, n_classes)
        Scores of the training samples while each was held out (by the last of the folds that did); NaN where a
        sample was never held out.
    fold_models_ : list
        The model of every fold, the classes it knows, and the training samples it held out.
    temperature_ : float
        Factor on the scores in ``predict_proba``, fitted to the held-out scores.
    class_prior_ : array of shape (n_classes,) or None
        Priors, normalised.
    batches_ : array of shape (n_batches,) or None
        Names of the batches within which features were judged; None if none were given.
    new_batch_share_ : float or None
        Share of the held-out samples whose whole batch was held out with them: with 1.0 held-out errors are errors on
        batches not seen, with 0.0 (such as where every class is in one batch only) all batches were seen. None without
        batches, and in models from files of earlier releases.
    train_error_ : float
        Share of the training samples that are classified wrongly.
    n_features_in_, feature_names_in_
        Number of features, and their names if X had string column names.

    See Also
    --------
    NearestDisjointCentroidCV : The paper's classifier with feature selection.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = DisjointPanelClassifier(rounds=3, random_state=0).fit(X, y)
    >>> [len(panel) for panel in model.feature_sets_]
    [3, 3]
    >>> model.score(X, y) > 0.93
    True
    """

    classes_: Any = Learnt()
    owner_: Any = Learnt()
    feature_sets_: Any = Learnt()
    coef_: Any = Learnt()
    curvature_: Any = Learnt()
    intercept_: Any = Learnt()
    center_: Any = Learnt()
    scale_: Any = Learnt()
    centroids_: Any = Learnt()
    variances_: Any = Learnt()
    margin_: Any = Learnt()
    rounds_: Any = Learnt()
    terms_: Any = Learnt()
    reads_: Any = Learnt()
    regression_: Any = Learnt()
    penalty_: Any = Learnt()
    cv_results_: Any = Learnt()
    held_out_scores_: Any = Learnt()
    fold_models_: Any = Learnt()
    temperature_: Any = Learnt()
    class_prior_: Any = Learnt()
    batches_: Any = Learnt()
    new_batch_share_: Any = Learnt()
    train_error_: Any = Learnt()

    _kind = "panel"
    _path = "rounds"
    _parameter_constraints: dict[str, Any] = {
        "rounds": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "terms": [StrOptions({"auto", *drafting.TERMS})],
        "reads": [StrOptions({"auto", "all", "own"})],
        "regression": [StrOptions({"auto", "ridge", "logistic"})],
        "overdraft": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "penalty": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "max_features_per_class": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "feature_costs": ["array-like", Mapping, None],
        "budget": [Interval(Real, 0, None, closed="left"), None],
        "forced": ["array-like", Mapping, None],
        "excluded": ["array-like", None],
        "allowed": ["array-like", None],
        "min_features_per_class": [Interval(Integral, 1, None, closed="left"), None],
        "direction": [StrOptions({"any", "up"})],
        "detection": "no_validation",  # by the rules, which say what a window is
        "cv": ["cv_object"],
        "rule": [StrOptions({"min", "1se"})],
        "priors": [StrOptions({"empirical"}), "array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        rounds: int | str = "auto",
        terms: str = "auto",
        reads: str = "auto",
        regression: str = "auto",
        overdraft: int | str = "auto",
        penalty: float | str = "auto",
        max_features_per_class: int | None = None,
        max_features: int | None = None,
        feature_costs: Any = None,
        budget: float | None = None,
        forced: Any = None,
        excluded: Any = None,
        allowed: Any = None,
        min_features_per_class: int | None = None,
        direction: str = "any",
        detection: Any = None,
        cv: Any = 5,
        rule: str = "min",
        priors: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rounds = rounds
        self.terms = terms
        self.reads = reads
        self.regression = regression
        self.overdraft = overdraft
        self.penalty = penalty
        self.max_features_per_class = max_features_per_class
        self.max_features = max_features
        self.feature_costs = feature_costs
        self.budget = budget
        self.forced = forced
        self.excluded = excluded
        self.allowed = allowed
        self.min_features_per_class = min_features_per_class
        self.direction = direction
        self.detection = detection
        self.cv = cv
        self.rule = rule
        self.priors = priors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, batch: Any = None) -> Self:
        """Choose how to draft by cross-validation, then draft and fit on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, dask table} of shape (n_samples, n_features)
            Training samples. Sparse ones are not made dense. A dask array or frame is not loaded, and gives the model
            of the same table in memory: two passes order the samples for the folds of an int ``cv``, one adds up
            products of the columns (one pass per round, where these would not fit into memory), and one or a few take
            the picked columns of all samples, or of about 10 000 if there are more than 50 000.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition within a fold. Weights that are not all whole numbers
            say only how samples compare, and are scaled to a mean of one.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.
        batch : array-like of shape (n_samples,), default=None
            Batch (donor, plate, run) of each sample. Features are then judged within batches: class means and variances
            are those of the values less the effects of the batches. Folds of an int ``cv`` hold whole batches out;
            other splitters get the batches as ``groups``, unless these are given. New samples need no batch. Needs a
            table in memory.

        Returns
        -------
        self : DisjointPanelClassifier
            The fitted classifier.
        """
        self.__dict__.pop("_stream", None)
        table = fitting.read(self, X, y, sample_weight)
        weights = as_counts(table.weights)
        rules = read_rules(self, table.classes, self.n_features_in_)
        unit = 1.0
        if isinstance(table, TrainingSet):
            table, unit = in_moderate_units(table)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        batches = fitting.batches_of(batch, X, table)
        if groups is None and batches is not None and not isinstance(self.cv, Integral):
            groups = batch
        folds = fitting.folds_of(self, X, y, groups, table, seed, batches)
        if isinstance(table, BlockedTable):
            table, unit = blocks_in_moderate_units(table)
        rules = drafting.rules_in_units_of(rules, unit)
        n_samples = table.codes.size
        wanted = fitting.candidates(self, rules, n_samples, fitting.terms_to_try(n_samples))
        division = divide(table.codes, weights, len(table.classes), folds, seed)
        self.batches_ = None if batches is None else batches.names
        self.new_batch_share_ = None if batches is None else share_of_new_batches(folds, batches.codes)
        parts = fitting.parts_of(self, table, division, wanted, unit, batches)
        fitting.fit_parts(self, parts, table.classes, wanted, rules)
        if unit != 1.0:
            fitting.in_units_of(self, unit)
        fitting.warn_of_empty_panels(self, rules)
        return self

    def fit_sums(self, sums: TableSums | Sequence[TableSums]) -> Self:
        """Fit linear panels from sums over samples, such as those of sites that may not share the samples.

        With given ``rounds``, ``penalty`` and ``reads``, panels and coefficients are those of the pooled table. Those
        of the three that are "auto", and the calibration of probabilities (``intercept_``, ``temperature_``), are
        chosen by stand-ins for the samples: normally distributed rows with the means and covariances of every class
        and fold. A fit to the pooled table may choose others. ``predict_set`` and ``typicality`` need samples that were
        held out, and are not available.

        Parameters
        ----------
        sums : TableSums or sequence of TableSums
            Sums, one per site.

        Returns
        -------
        self : DisjointPanelClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            Sites have other features, transforms or kinds of labels, or spellings of a class; or two of them hold sums
            of the same samples.

        Warns
        -----
        UserWarning
            If a class is of one site only, or values of sites seem to be on different scales.
        """
        fitting.check_sums_suffice(self)
        tables = tables_of(sums)
        whole, doubts = pool_sites(tables, [f"site {at}" for at in range(1, len(tables) + 1)])
        for doubt in doubts:
            warnings.warn(doubt, UserWarning, stacklevel=2)
        self.__dict__.pop("_stream", None)
        self.n_features_in_ = whole.n_features
        self.__dict__.pop("feature_names_in_", None)
        if whole.feature_names is not None:
            self.feature_names_in_ = np.array(whole.feature_names, dtype=object)
        fitting.fit_to_sums(self, whole)
        return self

    @without_all_samples(_needs_all_samples)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of samples and forget it: for streams, and for files that are read piece by piece.

        What is kept are sums that add up over batches: counts, means and products of all pairs of features, for every
        class and fold. The draft and its fits run when the model is next asked for something, on all batches so far.
        The model is that of :meth:`fit_sums` on all samples together, however they were divided into batches. With
        given ``rounds``, ``penalty`` and ``reads``, panels and coefficients are those of ``fit`` with
        ``terms="linear"`` and ``regression="ridge"``. Those of the three that are "auto", and the calibration, are
        chosen by stand-ins for the samples, and ``fit`` may choose others. Available only if the parameters ask for
        nothing that needs all samples at once: squared terms, logistic regression, a splitter as ``cv``.

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
        self : DisjointPanelClassifier
            The classifier.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from disjoint_centroids import DisjointPanelClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> mixed = np.random.default_rng(0).permutation(len(y))
        >>> model = DisjointPanelClassifier(rounds=1, penalty=0.5)
        >>> for batch in np.array_split(mixed, 10):
        ...     model = model.partial_fit(X[batch], y[batch], classes=[0, 1, 2])
        >>> whole = DisjointPanelClassifier(rounds=1, penalty=0.5, terms="linear", reads=model.reads_).fit(X, y)
        >>> bool((model.owner_ == whole.owner_).all() and np.allclose(model.coef_, whole.coef_))
        True
        """
        stream: PanelStream | None = self.__dict__.get("_stream")
        X, y, weights = read_batch(self, X, y, sample_weight, reset=stream is None)
        if stream is None:
            known = announced_classes(self.__dict__.get("classes_") if classes is None else classes)
            stream = PanelStream(known, int(self.cv), np.zeros(known.size, dtype=np.intp))
        stream.add(self, X, codes_among(stream.classes, classes, y), weights)
        forget_learnt(self)
        self._stream = stream
        return self

    def _fit_batches(self) -> None:
        """Fit the model to all batches so far."""
        fitting.fit_to_sums(self, self._stream.sums())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
