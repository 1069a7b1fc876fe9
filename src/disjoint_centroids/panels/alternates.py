"""Replacements for the features of a fitted panel, and what each would cost, for when a probe fails."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import log_softmax

from disjoint_centroids._listed import listed
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.calibration import Calibration
from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.held_out import Samples
from disjoint_centroids.panels.judged import calibrated
from disjoint_centroids.panels.path import DRAFT_PENALTY
from disjoint_centroids.panels.training_parts import Division, Parts, divide, parts_in_memory
from disjoint_centroids.panels.within_batches import Batches, batch_folds, parts_within_batches, read_batches
from disjoint_centroids.rows.content_order import by_content
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds
from disjoint_centroids.rows.training import read_samples

if TYPE_CHECKING:
    import pandas as pd

_AT_ONCE = 8
"""Features whose replacements are looked for in one product with the table."""

_LEAST_PROBABILITY = 1e-5


def alternates_table(model: Any, X: Any, y: Any, n_alternates: int, batch: Any = None) -> pd.DataFrame:
    """Tabulate alternates as :meth:`DisjointPanelClassifier.alternates` describes them."""
    import pandas as pd

    if n_alternates < 1:
        raise ValueError(f"n_alternates must be 1 or more; got {n_alternates}.")
    values = read_samples(model, X, accept_sparse=True)
    codes = _codes(model, y)
    panel = _Panel(model, values, codes, batch)
    found = panel.shortlist(n_alternates + max(n_alternates, 3))
    names = getattr(model, "feature_names_in_", np.arange(model.n_features_in_))
    base, swaps = panel.judged(found)
    rows = []
    for at, (feature, owner) in enumerate(zip(panel.features, panel.owners, strict=True)):
        nothing, *others = swaps[at]
        ranked = [nothing, *sorted(others, key=lambda swap: (swap[2], swap[0]))[:n_alternates]]
        for rank, (other, error, loss) in enumerate(ranked):
            rows.append(
                {
                    "class": model.classes_[owner],
                    "feature": names[feature],
                    "rank": rank,
                    "alternate": None if other < 0 else names[other],
                    "error": error,
                    "error_change": error - base[0],
                    "loss": loss,
                    "loss_change": loss - base[1],
                }
            )
    table = pd.DataFrame(rows)
    table["alternate"] = pd.Series([row["alternate"] for row in rows], dtype=object)
    return table


def _codes(model: Any, y: Any) -> np.ndarray:
    """Classes of samples as positions among those of the model."""
    labels = np.asarray(y)
    place = {label: at for at, label in enumerate(model.classes_.tolist())}
    strange = [str(label) for label in np.unique(labels).tolist() if label not in place]
    absent = [str(label) for label in place if label not in set(labels.tolist())]
    if strange or absent:
        raise ValueError(
            f"the labels are not those of the model: "
            f"{listed(strange or absent, 5)} {'is not one of its classes' if strange else 'is missing'}. Give the "
            "samples that the model was fitted to, or others of the same classes."
        )
    return np.array([place[label] for label in labels.tolist()], dtype=np.intp)


class _Panel:
    """A fitted panel on labelled samples: its training parts, and columns in every part."""

    def __init__(self, model: Any, values: Any, codes: np.ndarray, batch: Any) -> None:
        self.features = np.concatenate(model.feature_sets_)
        self.owners = model.owner_[self.features]
        self._own = model.reads_ == "own"
        self._penalty = model.penalty_ if model.regression_ == "ridge" else DRAFT_PENALTY
        self._prior, self._n_classes = model.class_prior_, model.classes_.size
        rows = np.arange(codes.size)
        batches = None if batch is None else read_batches(batch, rows, codes, model.classes_)
        folds = _folds(model, values, codes, batches)
        self.division: Division = divide(codes, np.ones(codes.size), self._n_classes, folds)
        self.parts: Parts
        what = {"with_squares": False, "with_zeros": model.direction == "up"}
        if batches is None:
            longest = max(map(len, model.feature_sets_))
            self.parts = parts_in_memory(values, self.division, n_rounds=longest, n_kinds=1, **what)
        else:
            self.parts = parts_within_batches(values, self.division, batches, **what)
        self._rules = read_rules(model, model.classes_, model.n_features_in_)

    def shortlist(self, n_wanted: int) -> list[np.ndarray]:
        """Features that gain most for the owner of each feature, if that feature is lost."""
        whole, source = self.division.n_parts - 1, self.parts.source
        standard = source.standards[whole]
        picked = self._entered(whole, self.features)
        coefficients = list(self._without_each(picked, standard))
        n_known = int(standard.known.sum())
        divisors = ((n_known - 1) / n_known if self._own else 1.0) * standard.variance + self._penalty
        may_own = self._rules.may_own(standard)
        may_own[:, self.features] = False
        found = []
        for begin in range(0, self.features.size, _AT_ONCE):
            some = range(begin, min(begin + _AT_ONCE, self.features.size))
            for at, left in zip(some, source.left([(picked, coefficients[at]) for at in some]), strict=True):
                owner = self.owners[at]
                products = np.maximum(left.linear[owner], 0.0) if self._rules.upward else left.linear[owner]
                gains = np.where(may_own[owner], products**2 / divisors, -1.0)
                best = np.argsort(-gains, kind="stable")[:n_wanted]
                found.append(best[gains[best] >= 0.0])
        return found

    def judged(self, shortlist: list[np.ndarray]) -> tuple[tuple[float, float], list[list[tuple[int, float, float]]]]:
        """Held-out error and loss of the panel, and of the panel without each feature and with each replacement.

        The latter are lists of (replacement or -1 for none, error, loss), one list per feature.
        """
        pairs = [(at, int(other)) for at, others in enumerate(shortlist) for other in others]
        calibration = self._calibration()
        counts = np.zeros(self._n_classes)
        wrong, losses = np.zeros((2, 1 + self.features.size + len(pairs), self._n_classes))
        for fold, test in self._tests():
            codes = self.division.codes[test]
            counts += np.bincount(codes, minlength=self._n_classes)
            for at, scores in enumerate(self._fold_scores(fold, test, pairs)):
                logits = calibration.temperature * (scores + calibration.offsets)
                logs = log_softmax(logits, axis=1)[np.arange(codes.size), codes]
                lost = -np.maximum(logs, np.log(_LEAST_PROBABILITY))
                losses[at] += np.bincount(codes, lost, self._n_classes)
                wrong[at] += np.bincount(codes, logits.argmax(axis=1) != codes, self._n_classes)
        known = counts > 0
        errors = wrong.sum(axis=1) / counts.sum()
        means = (losses[:, known] / counts[known]).mean(axis=1)
        figures = list(zip(errors.tolist(), means.tolist(), strict=True))
        swaps: list[list[tuple[int, float, float]]] = [[(-1, *figures[1 + at])] for at in range(self.features.size)]
        for (at, other), found in zip(pairs, figures[1 + self.features.size :], strict=True):
            swaps[at].append((other, *found))
        return figures[0], swaps

    def _tests(self) -> Iterator[tuple[int, np.ndarray]]:
        """Folds whose training parts have all classes, with the samples that they hold out."""
        for fold in range(len(self.division.folds)):
            test = self.division.held_out(fold)
            if test.size and self.parts.source.standards[fold].known.all():
                yield fold, test

    def _calibration(self) -> Calibration:
        """Calibration of the panel as it is, which one feature more or less hardly changes."""
        held_out = [(test, next(self._fold_scores(fold, test, []))) for fold, test in self._tests()]
        if not held_out:
            raise ValueError(
                "no fold can judge alternates: every fold trains without some class. Give more samples of every class."
            )
        codes = self.division.codes[np.concatenate([test for test, _ in held_out])]
        samples = Samples(codes, np.ones(codes.size), self._n_classes)
        return calibrated(samples, np.concatenate([scores for _, scores in held_out])[None], self._prior)

    def _fold_scores(self, fold: int, test: np.ndarray, pairs: list[tuple[int, int]]) -> Iterator[np.ndarray]:
        """Scores of held-out samples: of the panel, without each feature, and with each replacement."""
        standard, m = self.parts.source.standards[fold], self.features.size
        new = np.array([other for _, other in pairs], dtype=np.intp)
        columns = np.concatenate([self.features, new])
        owners = np.concatenate([self.owners, self.owners[[at for at, _ in pairs]]]) if pairs else self.owners
        picked = self._entered(fold, columns)
        system, right = drafting.system_of(picked.gram, picked.right, owners, owners, standard.known, own=self._own)
        system[np.diag_indices(len(system))] += self._penalty * standard.total
        z = standard.of(self.parts.columns(test, columns), columns)
        inverse = np.linalg.inv(system[:m, :m])
        whole = inverse @ right[:m]

        def scores(own: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
            spread = drafting.spread_out(coefficients, owners[own], self._n_classes) if self._own else coefficients
            return np.asarray(z[:, own] @ spread)

        yield scores(np.arange(m), whole)
        rest = [np.delete(np.arange(m), at) for at in range(m)]
        for at in range(m):
            yield scores(rest[at], _without(inverse, whole, at)[1])
        last, kept = -1, (inverse, whole)
        for place, (at, _) in enumerate(pairs, start=m):
            if at != last:
                last, kept = at, _without(inverse, whole, at)
            less, coefficients = kept
            beside = less @ system[rest[at], place]
            rest_of = system[place, place] - system[rest[at], place] @ beside
            own = (right[place] - system[rest[at], place] @ coefficients) / rest_of
            yield scores(np.append(rest[at], place), np.vstack([coefficients - np.outer(beside, own), own]))

    def _entered(self, part: int, columns: np.ndarray) -> drafting.Picked:
        source = self.parts.source
        picked = source.open(part, columns.size, with_squares=False)
        source.enter([(picked, drafting.NewColumns(columns, np.ones(columns.size), np.zeros(columns.size)))])
        return picked

    def _without_each(self, picked: drafting.Picked, standard: drafting.Standard) -> Iterator[np.ndarray]:
        """Coefficients of the scores without each feature, zero for that feature, less their mean over the classes."""
        m, known = self.features.size, standard.known
        system, right = drafting.system_of(picked.gram, picked.right, self.owners, self.owners, known, own=self._own)
        system[np.diag_indices(m)] += self._penalty * standard.total
        inverse = np.linalg.inv(system)
        whole = inverse @ right
        for at in range(m):
            coefficients = np.insert(_without(inverse, whole, at)[1], at, 0.0, axis=0)
            if self._own:
                coefficients = drafting.spread_out(coefficients, self.owners, self._n_classes)
                coefficients[:, known] -= coefficients.sum(axis=1, keepdims=True) / known.sum()
            yield coefficients


def _folds(model: Any, values: Any, codes: np.ndarray, batches: Batches | None) -> list[Fold]:
    """Folds as a fit of the model makes them."""
    if not isinstance(model.cv, Integral):
        return user_folds(model.cv, values, model.classes_[codes], None, np.arange(codes.size))
    if batches is not None:
        return batch_folds(codes, batches, model.classes_, 0, int(model.cv))
    return inner_folds(codes, 0, int(model.cv), by_content(values))


def _without(inverse: np.ndarray, coefficients: np.ndarray, at: int) -> tuple[np.ndarray, np.ndarray]:
    """Inverse of a system without one of its equations, and its solution, from those of the whole."""
    column = np.delete(inverse[:, at], at)
    less = np.delete(np.delete(inverse, at, axis=0), at, axis=1) - np.outer(column, column) / inverse[at, at]
    return less, np.delete(coefficients, at, axis=0) - np.outer(column, coefficients[at]) / inverse[at, at]
