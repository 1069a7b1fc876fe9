"""Classifier with disjoint panels of features and one score per class, which reads the panels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import Interval, StrOptions, fit_context
from disjoint_centroids.base import checked_priors
from disjoint_centroids.panels import drafting, search
from disjoint_centroids.panels.answers import ConformalAnswers
from disjoint_centroids.panels.calibration import Calibration
from disjoint_centroids.panels.chosen import rounds_table
from disjoint_centroids.panels.conformal import FoldModel
from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.from_sums import PartsFromSums
from disjoint_centroids.panels.in_blocks import PartsInBlocks, blocks_in_moderate_units
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import Candidate, as_counts
from disjoint_centroids.panels.table_sums import TableSums, pooled
from disjoint_centroids.panels.tables import contribution_table, margins, own_coefficients, panel_table, picks
from disjoint_centroids.panels.training_parts import (
    Division,
    Parts,
    divide,
    in_moderate_units,
    is_small,
    parts_in_memory,
)
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.blocks import BlockedTable, in_memory, read_rows
from disjoint_centroids.rows.content_order import blocks_by_content, by_content
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds, warn_of_groups
from disjoint_centroids.rows.training import (
    UNUSED,
    TrainingSet,
    is_lazy,
    read_samples,
    read_training_set,
    refuse_one_class,
)

if TYPE_CHECKING:
    import pandas as pd

LINEAR = ("linear",)


class DisjointPanelClassifier(ConformalAnswers):
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
        What a feature adds to the scores. "auto": linear terms, unless others have the lower held-out loss by three
        standard errors; with more than 50 000 samples, linear terms.
    reads : {"auto", "all", "own"}, default="auto"
        "all": the score of a class reads the features of all panels. "own": it reads its own panel only, so that a
        class is judged by its own features alone; the error is larger where classes are many. "auto": all panels; in a
        table of three to eight classes with no more than 50 features per class, the way of lower held-out loss.
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
        Threads for the regressions of the folds, as joblib understands it. The answer does not depend on it.
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
        Class means and variances of all features, in the units of the table.
    margin_ : array of shape (n_features,)
        Mean contribution of a feature to the score of its class in the class itself, minus that in the other classes
        on average. NaN for features not used.
    rounds_, terms_, reads_, regression_, penalty_ : int, str, str, str, float
        As chosen.
    cv_results_ : dict of arrays
        For every candidate ``terms``, ``regression``, ``rounds``, ``penalty``, and held out ``loss``, ``error`` and
        ``gap_error``: the standard error of the gap between its loss and that of the candidate of ``rule="min"``.
    held_out_scores_ : array of shape (n_samples, n_classes)
        Scores of the training samples while each was held out (by the last of the folds that did); NaN where a
        sample was never held out.
    fold_models_ : list
        The model of every fold, the classes it knows, and the training samples it held out.
    temperature_ : float
        Factor on the scores in ``predict_proba``, fitted to the held-out scores.
    class_prior_ : array of shape (n_classes,) or None
        Priors, normalised.
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
        self.cv = cv
        self.rule = rule
        self.priors = priors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose how to draft by cross-validation, then draft and fit on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, dask table} of shape (n_samples, n_features)
            Training samples. Sparse ones are not made dense. A dask array or frame is not loaded, and gives the model
            of the same table in memory: two passes order the samples for the folds of an int ``cv``, one adds up
            products of the columns (one pass per round, where these would not fit into memory), and one or a few take
            the picked columns of at most about 50 000 samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 0 is removal, a whole number is repetition within a fold. Weights that are not all whole numbers
            say only how samples compare, and are scaled to a mean of one.
        groups : array-like of shape (n_samples,), default=None
            Passed to the splitter.

        Returns
        -------
        self : DisjointPanelClassifier
            The fitted classifier.
        """
        table = self._read(X, y, sample_weight)
        weights = as_counts(table.weights)
        rules = read_rules(self, table.classes, self.n_features_in_)
        unit = 1.0
        if isinstance(table, TrainingSet):
            table, unit = in_moderate_units(table)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        folds = self._folds(X, y, groups, table, seed)
        if isinstance(table, BlockedTable):
            table, unit = blocks_in_moderate_units(table)
        every = drafting.TERMS if is_small(table.codes.size) else LINEAR
        wanted = self._candidates(rules, table.codes.size, every)
        division = divide(table.codes, weights, len(table.classes), folds, seed)
        with self._progress(wanted, len(folds), len(self._ways_of_reading(rules))) as bar:
            self._fit_parts(self._parts(table, division, wanted, unit), table.classes, wanted, rules, bar.tick)
        if unit != 1.0:
            self._in_units_of(unit)
        self._warn(rules)
        return self

    def fit_sums(self, sums: TableSums | Sequence[TableSums]) -> Self:
        """Fit linear panels from sums over samples, such as those of sites that may not share the samples.

        Panels and coefficients are those of the pooled table. How many rounds, and the calibration of probabilities,
        are taken from stand-ins for the samples with the same means and covariances. ``predict_set`` and
        ``typicality`` need samples that were held out, and are not available.

        Parameters
        ----------
        sums : TableSums or sequence of TableSums
            Sums, one per site.

        Returns
        -------
        self : DisjointPanelClassifier
            The fitted classifier.
        """
        if self.terms not in ("auto", "linear") or self.regression == "logistic":
            raise ValueError(
                f"terms={self.terms!r} with regression={self.regression!r} needs the samples, and sums do not hold "
                "them. Give terms='linear' and regression='ridge', or fit the pooled table."
            )
        whole = pooled([sums] if isinstance(sums, TableSums) else list(sums))
        refuse_one_class(self, whole.classes)
        self.n_features_in_ = whole.n_features
        self.__dict__.pop("feature_names_in_", None)
        if whole.feature_names is not None:
            self.feature_names_in_ = np.array(whole.feature_names, dtype=object)
        rules = read_rules(self, whole.classes, self.n_features_in_)
        parts = PartsFromSums(whole)
        wanted = [
            c for c in self._candidates(rules, int(whole.counts.sum()), LINEAR) if c.family == ("linear", "ridge")
        ]
        with self._progress(wanted, len(whole.counts), len(self._ways_of_reading(rules))) as bar:
            self._fit_parts(parts, whole.classes, wanted, rules, bar.tick)
        # Stand-ins are no samples: nothing that compares samples with them may be asked.
        self.fold_models_, self.train_error_ = [], np.nan
        self.held_out_scores_ = np.empty((0, len(whole.classes)))
        self._warn(rules)
        return self

    def feature_table(self) -> pd.DataFrame:
        """Tabulate the features: owner, coefficients, and class means and variances, one row per feature.

        Returns
        -------
        pandas.DataFrame
            ``feature`` (its name), ``role`` ("owned" or "unused"), ``owner`` (a class label, missing if unused),
            ``direction`` ("up" if its mean is higher in the owner than in the other classes on average, "down" if
            lower, else ""), ``pick`` (1 = the first that its class picked), ``margin``, ``coef`` and ``curvature``
            (coefficients in the score of the owner), and for every class ``mean_<class>`` and ``variance_<class>``.
        """
        check_is_fitted(self)
        return panel_table(self)

    def explain(self, X: Any) -> pd.DataFrame:
        """Compute the contribution of each owned feature to the score of each class that reads it, for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. The index of a pandas frame names them.

        Returns
        -------
        pandas.DataFrame
            A row for every sample, class and feature that the class reads: ``sample``, ``class``, ``feature``,
            ``owner``, ``value``, ``centroid`` (of the class), ``contribution``. Contributions add up, over the rows of
            a sample and a class, to the class's score without its intercept.
        """
        check_is_fitted(self)
        index = np.asarray(X.index) if hasattr(X, "index") and not callable(X.index) else None
        values = read_samples(self, X, accept_sparse=True)
        return contribution_table(self, values, np.arange(values.shape[0]) if index is None else index)

    def rounds_table(self) -> pd.DataFrame:
        """Held-out loss and error of every candidate that cross-validation compared.

        Returns
        -------
        pandas.DataFrame
            One row per candidate: ``line`` (the candidates that differ in their rounds only, as a name), ``terms``,
            ``regression``, ``rounds``, ``penalty``, ``loss``, ``error``, ``chosen`` (True for the fitted one) and
            ``mark`` (reason for the fitted one; "as well or better" for fewer rounds with no higher loss; else "").
            Sorted by line, rounds increasing.
        """
        check_is_fitted(self)
        return rounds_table(self)

    def _ranked_sets(self, by: str) -> list[np.ndarray]:
        return list(self.feature_sets_)

    def _listed(self) -> np.ndarray:
        """All features, panel after panel, then those not used."""
        return np.concatenate([*self.feature_sets_, np.flatnonzero(self.owner_ == UNUSED)])

    def _figures(self) -> dict[str, np.ndarray]:
        unused = self.owner_ == UNUSED
        coef, curvature = own_coefficients(self, self.coef_), own_coefficients(self, self.curvature_)
        found = {"pick": picks(self), "margin": self.margin_, "coef": np.where(unused, np.nan, coef)}
        return found if self.terms_ == "linear" else found | {"curvature": np.where(unused, np.nan, curvature)}

    def _readings(self, features: np.ndarray) -> list[str]:
        coef, curvature = own_coefficients(self, self.coef_), own_coefficients(self, self.curvature_)
        pairs = zip(coef[features], curvature[features], strict=True)
        return [
            ("high" if linear > 0 else "low") if linear else ("near" if squared < 0 else "far")
            for linear, squared in pairs
        ]

    def _chosen(self) -> dict[str, Any]:
        error = float(self.rounds_table().query("chosen")["error"].iloc[0])
        return {
            "rounds": int(self.rounds_),
            "terms": str(self.terms_),
            "reads": str(self.reads_),
            "regression": str(self.regression_),
            "penalty": float(self.penalty_),
            "cv_error": None if np.isnan(error) else error,
            "n_candidates": len(self.cv_results_["error"]),
        }

    def _fold_models(self) -> list[FoldModel]:
        return self.fold_models_

    def _held_out_errors(self, y: Any) -> tuple[float | None, float | None]:
        seen = ~np.isnan(self.held_out_scores_).any(axis=1)
        if not seen.any():
            return None, None
        true, told = np.asarray(y)[seen], self.classes_[self.held_out_scores_[seen].argmax(axis=1)]
        return float(np.mean(told != true)), 1.0 - float(balanced_accuracy_score(true, told))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _progress(self, wanted: list[Candidate], n_folds: int, n_readings: int) -> Progress:
        """Bar over the rounds of the longest draft and the fits of the folds."""
        longest = [max(c.rounds * c.overdraft for c in wanted if c.terms == kind) for kind in {c.terms for c in wanted}]
        steps = sum(longest) + len(longest) + n_folds * len({c.family for c in wanted})
        steps *= n_readings
        return Progress("cross-validation", steps, enabled=self.verbose > 0)

    def _fit_parts(
        self,
        parts: Parts,
        classes: np.ndarray,
        wanted: list[Candidate],
        rules: drafting.Rules,
        tick: Callable[[], None],
    ) -> None:
        """Choose a candidate by cross-validation, fit it to the whole, and set the fitted attributes."""
        division = parts.division
        samples = search.Samples(division.codes, division.weights * division.factors, len(classes))
        shares = np.bincount(division.codes, division.weights, len(classes)) / division.weights.sum()
        self.class_prior_ = checked_priors(self.priors, shares)
        found = [
            search.search(parts, wanted, rules, samples, self._how(own, rules, tick))
            for own in self._ways_of_reading(rules)
        ]
        best = min(found, key=lambda one: one.loss if np.isfinite(one.loss) else np.inf)
        self.reads_ = "own" if best.own else "all"
        model, _ = best.held_out.path.fit(best.held_out.path.whole, best.chosen, slope=drafting.EXACT)
        self.classes_ = classes
        self.cv_results_ = best.results
        calibration = search.calibrated(samples, best.held_out.scores[best.chosen], self.class_prior_)
        self._remember(best.held_out, calibration, best.chosen, samples)
        self._adopt(model.shifted(calibration.offsets), best.held_out, samples)

    def _ways_of_reading(self, rules: drafting.Rules) -> list[bool]:
        """Ways of reading to try: False for all panels, True for the own one only."""
        if self.reads != "auto":
            return [self.reads == "own"]
        few = 2 < len(rules.forced) <= search.FEW_CLASSES
        return [False, True] if few and not search.is_wide(rules) else [False]

    def _how(self, own: bool, rules: drafting.Rules, tick: Callable[[], None]) -> search.How:
        return search.How(own, self.class_prior_, self.rule, search.is_wide(rules), self.n_jobs, tick)

    def _in_units_of(self, unit: float) -> None:
        """Turn what was fitted to a table divided by ``unit`` into the units of the table."""
        powers = {"center_": 1, "scale_": 1, "centroids_": 1, "variances_": 2}
        with np.errstate(over="ignore", under="ignore"):
            for name, power in powers.items():
                for _ in range(power):
                    setattr(self, name, getattr(self, name) * unit)
        self.fold_models_ = [replace(fold, model=fold.model.in_units_of(unit)) for fold in self.fold_models_]

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingSet | BlockedTable:
        """Validate the table, in memory or not."""
        if is_lazy(X):
            return read_rows(self, X, y, sample_weight, None)
        return read_training_set(self, X, y, sample_weight, accept_sparse=True)

    def _parts(
        self, table: TrainingSet | BlockedTable, division: Division, wanted: list[Candidate], unit: float
    ) -> Parts:
        """Training parts, as sums and inner products of their columns."""
        kinds = {c.terms for c in wanted}
        with_squares = kinds != {"linear"}
        if isinstance(table, BlockedTable):
            return PartsInBlocks(self, table, division, with_squares=with_squares, unit=unit)
        longest = max(c.rounds * c.overdraft for c in wanted)
        return parts_in_memory(table.values, division, with_squares=with_squares, n_rounds=longest, n_kinds=len(kinds))

    def _folds(self, X: Any, y: Any, groups: Any, table: TrainingSet | BlockedTable, seed: int) -> list[Fold]:
        """Folds of the user's splitter, or stratified ones; none if every class has only one sample."""
        if isinstance(table, BlockedTable):
            y, groups = in_memory(y), None if groups is None else in_memory(groups)
            X = np.zeros((len(y), 1))  # splitters read the number of rows
        if not isinstance(self.cv, Integral):
            return user_folds(self.cv, X, y, groups, table.rows)
        warn_of_groups(self.cv, X, groups)
        order = None
        if is_small(table.codes.size):
            order = blocks_by_content(self, table) if isinstance(table, BlockedTable) else by_content(table.values)
        return inner_folds(table.codes, seed, int(self.cv), order)

    def _warn(self, rules: drafting.Rules) -> None:
        """Warn of classes that own no feature."""
        empty = [str(c) for c, own in zip(self.classes_, self.feature_sets_, strict=True) if own.size == 0]
        if empty:
            bound = np.isfinite(rules.budget) or self.max_features is not None
            cure = "Raise budget or max_features" if bound else "Give more features, or fewer classes"
            warnings.warn(
                f"{len(empty)} of {len(self.classes_)} classes own no feature and always have the same score: "
                f"{listed(empty)}. {cure}.",
                UserWarning,
                stacklevel=4,  # past fit and its validation, to the line that called fit
            )

    def _candidates(self, rules: drafting.Rules, n_samples: int, every: Sequence[str]) -> list[Candidate]:
        """Candidates that are tried: the parameters given, and the values that "auto" stands for."""
        overdraft = None if self.overdraft == "auto" else int(self.overdraft)
        if overdraft is None and (self.max_features is not None or np.isfinite(rules.budget)):
            overdraft = 1  # a draft that goes beyond these bounds cannot be cut back to them class by class
        options = search.Options(
            every if self.terms == "auto" else (self.terms,),
            None if self.regression == "auto" else self.regression,
            None if self.rounds == "auto" else int(self.rounds),
            None if self.penalty == "auto" else float(self.penalty),
            search.most_rounds(rules),
            search.is_wide(rules),
            overdraft,
        )
        return search.candidates(options, n_samples)

    def _remember(
        self, held_out: search.HeldOut, calibration: Calibration, chosen: Candidate, samples: search.Samples
    ) -> None:
        """Keep the held-out scores and fold models of the chosen candidate."""
        self.terms_, self.rounds_, self.penalty_ = chosen.terms, chosen.rounds, chosen.penalty
        self.regression_ = chosen.regression
        self.held_out_scores_ = search.last_scores(held_out.scores[chosen]) + calibration.offsets
        self.temperature_ = calibration.temperature
        self.fold_models_ = []
        for at, raw in enumerate(held_out.models[chosen]):
            standard, test = held_out.path.standard(at), held_out.path.parts.division.held_out(at)
            model, known = raw.shifted(calibration.offsets), np.flatnonzero(standard.known)
            centroids = standard.centroids[np.ix_(known, model.features)]
            z = held_out.standardised(model, test)
            # Scores of this very model: what was held out twice has the other fold's in held_out_scores_.
            scores = search.widened(model.scores_of(z), standard.known)
            own = self._conformity(scores)[np.arange(test.size), samples.codes[test]]
            far = model.distances_of(z, centroids)
            self.fold_models_.append(
                FoldModel(model, known, centroids, samples.codes[test], own, far, samples.weights[test])
            )

    def _adopt(self, model: PanelModel, held_out: search.HeldOut, samples: search.Samples) -> None:
        """Set the fitted attributes from a model."""
        standard, kept = held_out.path.standard(held_out.path.whole), held_out.path.parts.division.kept
        self.center_, self.scale_ = standard.center, standard.scale
        self.owner_ = np.full(self.n_features_in_, UNUSED, dtype=np.intp)
        self.owner_[model.features] = model.owners
        self.feature_sets_ = list(model.panels)
        self.coef_, self.curvature_ = np.zeros((2, samples.n_classes, self.n_features_in_))
        self.coef_[:, model.features], self.curvature_[:, model.features] = model.weight, model.curvatures()
        self.intercept_ = model.intercept
        self.centroids_, self.variances_ = standard.means, standard.variances
        self.margin_ = margins(model, standard)
        rows = np.flatnonzero(kept)
        predicted = np.argmax(self._with_ties(model.scores_of(held_out.standardised(model, rows))), axis=1)
        self.train_error_ = float(np.average(predicted != samples.codes[rows], weights=samples.weights[rows]))

    def _model(self) -> PanelModel:
        """Fitted scores as one object."""
        features = np.concatenate(self.feature_sets_)
        owners = self.owner_[features]
        center, scale = self.center_[features], self.scale_[features]
        return PanelModel(
            tuple(self.feature_sets_),
            center,
            scale,
            self.coef_[:, features],
            self.curvature_[owners, features],
            (self.centroids_[owners, features] - center) / scale,
            self.intercept_,
        )

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._with_ties(self._model().scores(read_samples(self, X, accept_sparse=True)))
