"""Methods of the comparison at equal size: one fit to a training part that gives a rule for every size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from disjoint_centroids import DisjointPanelClassifier
from disjoint_centroids.evaluation.peers.logistic_path import l1_logistic_path, smallest_share
from disjoint_centroids.evaluation.peers.shrunken_centroids import class_deviations
from real_data_study.clanc import own_gene_centroids
from real_data_study.equal_size import orders
from real_data_study.methods import INNER_FOLDS, TREES


@dataclass(frozen=True, slots=True)
class Task:
    """A training part, with classes 0 … k - 1, and the sizes asked for: features per class, increasing."""

    X: np.ndarray
    codes: np.ndarray
    sizes: tuple[int, ...]
    seed: int

    @property
    def totals(self) -> list[int]:
        """Features in all, for methods that know no classes when they select."""
        n_classes = int(self.codes.max()) + 1
        return [size * n_classes for size in self.sizes]


@dataclass(frozen=True, slots=True)
class Rule:
    """What was fitted at one size: the features that it reads, and class codes for the rows of a whole table."""

    features: np.ndarray
    predict: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class SizedMethod:
    """A method: the rules of a task, one for each size, and the words of the page about it."""

    fit: Callable[[Task], Iterator[Rule]]
    about: str


def _panels(task: Task, *, reads: str) -> Iterator[Rule]:
    for size in task.sizes:
        model = DisjointPanelClassifier(rounds=size, reads=reads, cv=INNER_FOLDS, random_state=task.seed)
        model.fit(task.X, task.codes)
        yield Rule(np.flatnonzero(model.owner_ >= 0), model.predict)


def _first_of(order: orders.Order, model: ClassifierMixin) -> Callable[[Task], Iterator[Rule]]:
    """Fit of a classifier to the first features of an order, on standardised columns."""

    def fit(task: Task) -> Iterator[Rule]:
        Z = StandardScaler().fit_transform(task.X)
        ordered = order(Z, task.codes, task.totals[-1], task.seed)
        for total in task.totals:
            yield _on(ordered[:total], task, model)

    return fit


def _on(features: np.ndarray, task: Task, model: ClassifierMixin) -> Rule:
    last: BaseEstimator = clone(model)
    if "random_state" in last.get_params():
        last.set_params(random_state=task.seed)
    fitted = make_pipeline(StandardScaler(), last).fit(task.X[:, features], task.codes)
    return Rule(features, lambda X: fitted.predict(X[:, features]))


def _l1(task: Task) -> Iterator[Rule]:
    path = l1_logistic_path(task.X, task.codes, smallest_share(*task.X.shape))
    used = path.coefs.any(axis=1)
    counts = used.sum(axis=1)
    for total in task.totals:
        largest = counts[counts <= total].max()
        at = int(np.flatnonzero(counts == largest)[-1])  # of several with as many features, the least shrunken
        yield Rule(path.features[used[at]], partial(_largest_score, path.scores, at))


def _largest_score(scores: Callable[[np.ndarray], np.ndarray], at: int, X: np.ndarray) -> np.ndarray:
    return scores(X)[at].argmax(axis=1)


def _shrunken(task: Task) -> Iterator[Rule]:
    measured = class_deviations(task.X, task.codes)
    peaks = np.abs(measured.deviations).max(axis=0)
    falling = np.append(-np.sort(-peaks), 0.0)  # the last threshold keeps all
    for total in task.totals:
        threshold = float(falling[total])
        yield Rule(np.flatnonzero(peaks > threshold), partial(measured.nearest, threshold=threshold))


def _clanc(task: Task) -> Iterator[Rule]:
    for rule in own_gene_centroids(task.X, task.codes, task.sizes):
        yield Rule(rule.features, partial(_nearest, rule.scores))


def _nearest(scores: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
    return scores(X).argmax(axis=1)


SVM = SVC(kernel="linear", C=0.1)
SVM_WORDS = "a linear SVM (standardised columns, C = 0.1)"
RIDGE = RidgeClassifier(alpha=10.0)
"""The default, 1, overfits where there are about as many features as samples."""

STEPS = (
    "the features with the smallest weights are dropped and the model is fitted again; half of the features at a time "
    "as long as this leaves at least the largest number asked for, then one at a time"
)

OURS: dict[str, SizedMethod] = {
    "Panels, reading all": SizedMethod(
        partial(_panels, reads="all"),
        "`DisjointPanelClassifier(rounds=s)`: every class reads the panels of all classes",
    ),
    "Panels, reading own": SizedMethod(
        partial(_panels, reads="own"),
        '`DisjointPanelClassifier(rounds=s, reads="own")`: every class reads its own panel only',
    ),
}

RIVALS: dict[str, SizedMethod] = {
    "SVM-RFE": SizedMethod(
        _first_of(orders.elimination(SVM), SVM), f"recursive elimination with {SVM_WORDS}: {STEPS}; then that SVM"
    ),
    "Ridge elimination": SizedMethod(
        _first_of(orders.elimination(RIDGE), RIDGE),
        "the same with scikit-learn's `RidgeClassifier` (standardised columns, alpha = 10)",
    ),
    "ANOVA + SVM": SizedMethod(_first_of(orders.anova, SVM), f"the largest F statistics, then {SVM_WORDS}"),
    "mRMR + SVM": SizedMethod(
        _first_of(orders.mrmr, SVM),
        "one feature after the other, the one with the largest F statistic over its mean absolute correlation with "
        f"those before it; then {SVM_WORDS}",
    ),
    "L1 logistic": SizedMethod(
        _l1,
        "multinomial logistic regression with an L1 penalty: the model on glmnet's path with the most features, but no "
        "more than the size allows",
    ),
    "NSC": SizedMethod(_shrunken, "nearest shrunken centroids, with the threshold that leaves as many features"),
    "ClaNC": SizedMethod(_clanc, "class-specific genes without overlap, nearest centroid on all of them"),
    "Random forest": SizedMethod(
        _first_of(orders.forest, RandomForestClassifier(TREES, n_jobs=1)),
        f"the features with the largest importance in a random forest of {TREES} trees, then another forest on them",
    ),
}

METHODS: dict[str, SizedMethod] = OURS | RIVALS
