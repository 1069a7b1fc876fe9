"""Classifier with disjoint panels of features and one score per class, which reads the panel of the class only."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from disjoint_centroids import numerics
from disjoint_centroids._listed import listed
from disjoint_centroids._scikit import Interval, StrOptions, fit_context
from disjoint_centroids.base import checked_priors
from disjoint_centroids.panels import drafting, search
from disjoint_centroids.panels.answers import ConformalAnswers
from disjoint_centroids.panels.calibration import Calibration
from disjoint_centroids.panels.chosen import rounds_table
from disjoint_centroids.panels.conformal import FoldModel
from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import Candidate, as_counts, fit_candidates
from disjoint_centroids.panels.tables import contribution_table, margins, panel_table, picks
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.folds import Fold, by_content, inner_folds, user_folds, warn_of_groups
from disjoint_centroids.rows.training import UNUSED, TrainingSet, read_samples, read_training_set

if TYPE_CHECKING:
    import pandas as pd


class DisjointPanelClassifier(ConformalAnswers):
    r"""Disjoint panels of features, drafted by the classes, with one score per class that reads its own panel only.

    Every class has a panel :math:`I_j` that no other class shares; the largest score wins:

    .. math:: s_j(x) = b_j + \sum_{f \in I_j} \left[ w_f z_f + v_f (z_f - c_{jf})^2 \right],

    with :math:`z` the standardised features and :math:`c_j` the centroid of the class. Linear terms see that a class
    lies elsewhere, squared terms that it is tighter. Nearest disjoint centroids are the case :math:`w = 0`,
    :math:`v = -1/|I_j|`, :math:`b = 0`.

    Panels come from a draft. In every round each class gets one feature: the one that lowers its loss most where its
    present score still errs, the classes being matched with features so that the sum of the gains is largest. The
    coefficients are then fitted for all classes together with a ridge penalty: linear terms alone by regression of the
    class indicators, squared ones by multinomial logistic regression. How many rounds, and whether squared terms
    enter, is chosen by cross-validation.

    Parameters
    ----------
    rounds : "auto" or int, default="auto"
        Features that every class picks. "auto": 50, or as many as ``max_features_per_class`` or ``max_features``
        allow, unless another number up to 100 (or the bound) has the lower held-out loss by three standard errors; in
        a table with no more than 50 features per class, the number of least loss.
    terms : {"auto", "linear", "squared", "both"}, default="auto"
        What a feature adds to the score of its class. "auto": linear terms, unless others have the lower held-out
        loss by three standard errors.
    overdraft : "auto" or int, default="auto"
        Factor on the number of rounds of the draft. With more than 1, panels are then cut back to size, the features
        that add least first, which makes short panels better. "auto": 3 for panels of at most 20 features per class
        with linear terms, else 1; always 1 with ``max_features`` or ``budget``, which hold for the long draft too.
    penalty : "auto" or float, default="auto"
        Ridge penalty on the coefficients, in units of the number of samples. "auto": 0.5; with both terms the better
        of 0.5 and 0.005.
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
        shuffled, no more than the largest class has samples.
    rule : {"min", "1se"}, default="min"
        "1se": the fewest rounds whose held-out loss is within one standard error of that of the chosen ones.
    priors : "empirical" or array-like of shape (n_classes,), default=None
        Prior probabilities of the classes. None: all alike, so that an error in a rare class counts as much as in a
        frequent one; "empirical": their shares among the training samples, for the fewest errors in all.
    random_state : int, RandomState instance or None, default=None
        For the folds. Nothing else is random.
    n_jobs : int, default=None
        Processes for the folds, as joblib understands it. The answer does not depend on it.
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
    coef_, curvature_ : arrays of shape (n_features,)
        Coefficients :math:`w` and :math:`v`; zero for features not used.
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
    rounds_, terms_, penalty_ : int, str, float
        As chosen.
    cv_results_ : dict of arrays
        For every candidate ``terms``, ``rounds``, ``penalty``, ``loss`` and ``error``, held out.
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
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples. Sparse ones are not made dense.
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
        training = read_training_set(self, X, y, sample_weight, accept_sparse=True)
        training = replace(training, weights=as_counts(training.weights))
        rules = read_rules(self, training.classes, self.n_features_in_)
        folds = self._folds(X, y, groups, training)
        wanted = self._candidates(rules)
        shares = np.bincount(training.codes, training.weights, len(training.classes)) / training.weights.sum()
        self.class_prior_ = checked_priors(self.priors, shares)
        with Progress("cross-validation", len(folds), enabled=self.verbose > 0) as bar:
            held_out = search.hold_out(training, folds, wanted, rules, n_jobs=self.n_jobs, tick=bar.tick)
        judged = search.Judged(training, held_out)
        chosen = search.choose(judged, wanted, self.rule, wide=search.is_wide(rules))
        fitted = fit_candidates(training, [chosen], rules, slope=drafting.EXACT)
        self.classes_ = training.classes
        self.cv_results_ = judged.results()
        calibration = search.calibrated(training, held_out.scores[chosen], self.class_prior_)
        self._remember(held_out, calibration, chosen, training)
        model = fitted.models[chosen].shifted(calibration.offsets)
        self._adopt(model, fitted.standard, training)
        self._warn(rules)
        return self

    def feature_table(self) -> pd.DataFrame:
        """Tabulate the features: owner, coefficients, and class means and variances, one row per feature.

        Returns
        -------
        pandas.DataFrame
            ``feature`` (its name), ``role`` ("owned" or "unused"), ``owner`` (a class label, missing if unused),
            ``direction`` ("up" if its mean is higher in the owner than in the other classes on average, "down" if
            lower, else ""), ``pick`` (1 = the first that its class picked), ``margin``, ``coef``, ``curvature``, and
            for every class ``mean_<class>`` and ``variance_<class>``.
        """
        check_is_fitted(self)
        return panel_table(self)

    def explain(self, X: Any) -> pd.DataFrame:
        """Compute the contribution of each owned feature to the score of its class, for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. The index of a pandas frame names them.

        Returns
        -------
        pandas.DataFrame
            A row for every sample and owned feature: ``sample``, ``class``, ``feature``, ``value``, ``centroid``,
            ``contribution``. Contributions add up, over the rows of a sample and a class, to the class's score
            without its intercept.
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
            ``rounds``, ``penalty``, ``loss``, ``error``, ``chosen`` (True for the fitted one) and ``mark`` (reason for
            the fitted one; "as well or better" for fewer rounds with no higher loss; else ""). Sorted by line, rounds
            increasing.
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
        found = {"pick": picks(self), "margin": self.margin_, "coef": np.where(unused, np.nan, self.coef_)}
        return found if self.terms_ == "linear" else found | {"curvature": np.where(unused, np.nan, self.curvature_)}

    def _readings(self, features: np.ndarray) -> list[str]:
        pairs = zip(self.coef_[features], self.curvature_[features], strict=True)
        return [
            ("high" if linear > 0 else "low") if linear else ("near" if squared < 0 else "far")
            for linear, squared in pairs
        ]

    def _chosen(self) -> dict[str, Any]:
        error = float(self.rounds_table().query("chosen")["error"].iloc[0])
        return {
            "rounds": int(self.rounds_),
            "terms": str(self.terms_),
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

    def _folds(self, X: Any, y: Any, groups: Any, training: TrainingSet) -> list[Fold]:
        """Folds of the user's splitter, or stratified ones; none if every class has only one sample."""
        if isinstance(self.cv, Integral):
            warn_of_groups(self.cv, X, groups)
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            return inner_folds(training.codes, seed, int(self.cv), by_content(training.values))
        return user_folds(self.cv, X, y, groups, training.rows)

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

    def _candidates(self, rules: drafting.Rules) -> list[Candidate]:
        """Candidates that are tried: the parameters given, and the values that "auto" stands for."""
        overdraft = None if self.overdraft == "auto" else int(self.overdraft)
        if overdraft is None and (self.max_features is not None or np.isfinite(rules.budget)):
            overdraft = 1  # a draft that goes beyond these bounds cannot be cut back to them class by class
        return search.candidates(
            drafting.TERMS if self.terms == "auto" else (self.terms,),
            None if self.rounds == "auto" else int(self.rounds),
            None if self.penalty == "auto" else float(self.penalty),
            search.most_rounds(rules),
            overdraft,
        )

    def _remember(
        self, held_out: search.HeldOutScores, calibration: Calibration, chosen: Candidate, training: TrainingSet
    ) -> None:
        """Keep the held-out scores and fold models of the chosen candidate."""
        self.terms_, self.rounds_, self.penalty_ = chosen.terms, chosen.rounds, chosen.penalty
        self.held_out_scores_ = held_out.scores[chosen] + calibration.offsets
        self.temperature_ = calibration.temperature
        self.fold_models_ = []
        folds = zip(held_out.models[chosen], held_out.folds, held_out.standards, strict=True)
        for (raw, known), (_, test), standard in folds:
            model = raw.shifted(calibration.offsets[known])
            centroids = standard.centroids[:, model.features]
            # Scores of this very model: what was held out twice has the other fold's in held_out_scores_.
            scores = search.widened(model.scores(training.values[test]), known, len(training.classes))
            own = self._conformity(scores)[np.arange(test.size), training.codes[test]]
            far = model.distances(training.values[test], centroids)
            self.fold_models_.append(
                FoldModel(model, known, centroids, training.codes[test], own, far, training.weights[test])
            )

    def _adopt(self, model: PanelModel, standard: drafting.Standard, training: TrainingSet) -> None:
        """Set the fitted attributes from a model."""
        self.center_, self.scale_ = standard.center, standard.scale
        self.owner_ = np.full(self.n_features_in_, UNUSED, dtype=np.intp)
        self.owner_[model.features] = model.owners
        self.feature_sets_ = list(model.panels)
        self.coef_, self.curvature_ = np.zeros(self.n_features_in_), np.zeros(self.n_features_in_)
        self.coef_[model.features], self.curvature_[model.features] = model.weight, model.curvature
        self.intercept_ = model.intercept
        moments = numerics.class_moments(training.values, training.codes, training.weights, len(training.classes))
        self.centroids_, self.variances_ = moments.means, moments.variances
        self.margin_ = margins(model, training, self.n_features_in_)
        predicted = np.argmax(self._with_ties(model.scores(training.values)), axis=1)
        self.train_error_ = float(np.average(predicted != training.codes, weights=training.weights))

    def _model(self) -> PanelModel:
        """Fitted scores as one object."""
        features = np.concatenate(self.feature_sets_)
        owners = self.owner_[features]
        center, scale = self.center_[features], self.scale_[features]
        return PanelModel(
            tuple(self.feature_sets_),
            center,
            scale,
            self.coef_[features],
            self.curvature_[features],
            (self.centroids_[owners, features] - center) / scale,
            self.intercept_,
        )

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._with_ties(self._model().scores(read_samples(self, X, accept_sparse=True)))
