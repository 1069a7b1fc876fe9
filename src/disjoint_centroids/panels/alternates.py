"""Replacements for the features of a fitted panel, and what each would cost, for when a probe fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import log_softmax

from disjoint_centroids._listed import listed
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.calibration import Calibration
from disjoint_centroids.panels.design import read_rules
from disjoint_centroids.panels.held_out import Samples
from disjoint_centroids.panels.judged import calibrated
from disjoint_centroids.panels.path import DRAFT_PENALTY
from disjoint_centroids.panels.swaps import Swaps
from disjoint_centroids.panels.training_parts import Division, Parts, divide, parts_in_memory
from disjoint_centroids.panels.within_batches import Batches, batch_folds, parts_within_batches, read_batches
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.content_order import by_content
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds
from disjoint_centroids.rows.training import read_samples

if TYPE_CHECKING:
    import pandas as pd

_AT_ONCE = 8
"""Features whose replacements are looked for in one product with the table."""

_LEAST_PROBABILITY = 1e-5
_LEAST_VARIANCE = 1e-12  # of a standardised feature: a variance below this is rounding


def alternates_table(
    model: Any, X: Any, y: Any, n_alternates: int, batch: Any = None, *, verbose: int = 0
) -> pd.DataFrame:
    """Tabulate alternates as :meth:`DisjointPanelClassifier.alternates` describes them."""
    import pandas as pd

    if n_alternates < 1:
        raise ValueError(f"n_alternates must be 1 or more; got {n_alternates}.")
    values = read_samples(model, X, accept_sparse=True)
    codes = _codes(model, y)
    panel = _Panel(model, values, codes, batch)
    # The panel as it is and the panels with swaps of every feature are scored in every fold.
    steps = panel.features.size + panel.n_tests * (1 + panel.features.size)
    with Progress("replacements", steps, enabled=verbose > 0) as bar:
        found = panel.shortlist(n_alternates + max(n_alternates, 3), bar.tick)
        base, swaps = panel.judged(found, bar.tick)
    names = getattr(model, "feature_names_in_", np.arange(model.n_features_in_))
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
    cure = "Give the samples that the model was fitted to, or others of the same classes."
    if strange:
        raise ValueError(
            f"there are labels that are no classes of the model: {listed(strange, 5)}. Its classes are "
            f"{listed(place, 5)}. {cure}"
        )
    if absent:
        raise ValueError(f"there are classes of the model without samples: {listed(absent, 5)}. {cure}")
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

    @property
    def n_tests(self) -> int:
        """Number of folds that judge."""
        return sum(1 for _ in self._tests())

    def shortlist(self, n_wanted: int, tick: Callable[[], None]) -> list[np.ndarray]:
        """Features that gain most for the owner of each feature, if that feature is lost.

        A feature that does not vary cannot replace any, nor can one that gains nothing: where features must be higher
        in their class, that is one whose coefficient would not be positive.
        """
        whole, source = self.division.n_parts - 1, self.parts.source
        standard = source.standards[whole]
        picked = self._entered(whole, self.features)
        swaps = self._swaps(picked, standard, self.owners)
        n_known = int(standard.known.sum())
        divisors = ((n_known - 1) / n_known if self._own else 1.0) * standard.variance + self._penalty
        may_own = self._rules.may_own(standard) & (standard.variance > _LEAST_VARIANCE)
        may_own[:, self.features] = False
        found = []
        for begin in range(0, self.features.size, _AT_ONCE):
            some = range(begin, min(begin + _AT_ONCE, self.features.size))
            fits = [(picked, self._centred(swaps.without(at), standard.known)) for at in some]
            for at, left in zip(some, source.left(fits), strict=True):
                owner = self.owners[at]
                products = np.maximum(left.linear[owner], 0.0) if self._rules.upward else left.linear[owner]
                gains = np.where(may_own[owner], products**2 / divisors, 0.0)
                best = np.argsort(-gains, kind="stable")[:n_wanted]
                found.append(best[gains[best] > 0.0])
                tick()
        return found

    def judged(
        self, shortlist: list[np.ndarray], tick: Callable[[], None]
    ) -> tuple[tuple[float, float], list[list[tuple[int, float, float]]]]:
        """Held-out error and loss of the panel, and of the panel without each feature and with each replacement.

        The latter are lists of (replacement or -1 for none, error, loss), one list per feature.
        """
        calibration = self._calibration()
        counts = np.zeros(self._n_classes)
        n_panels = 1 + sum(1 + len(others) for others in shortlist)
        wrong, losses = np.zeros((2, n_panels, self._n_classes))
        for fold, test in self._tests():
            for codes, panels in self._scored(fold, test, shortlist):
                counts += np.bincount(codes, minlength=self._n_classes)
                at = 0
                for scores in panels:
                    for one in scores:
                        logits = calibration.temperature * (one + calibration.offsets)
                        logs = log_softmax(logits, axis=1)[np.arange(codes.size), codes]
                        lost = -np.maximum(logs, np.log(_LEAST_PROBABILITY))
                        losses[at] += np.bincount(codes, lost, self._n_classes)
                        wrong[at] += np.bincount(codes, logits.argmax(axis=1) != codes, self._n_classes)
                        at += 1
                    tick()
        known = counts > 0
        errors = wrong.sum(axis=1) / counts.sum()
        means = (losses[:, known] / counts[known]).mean(axis=1)
        base, *rest = zip(errors.tolist(), means.tolist(), strict=True)
        figures = iter(rest)
        swaps = [[(other, *next(figures)) for other in (-1, *others.tolist())] for others in shortlist]
        return base, swaps

    def _tests(self) -> Iterator[tuple[int, np.ndarray]]:
        """Folds whose training parts have all classes, with the samples that they hold out."""
        for fold in range(len(self.division.folds)):
            test = self.division.held_out(fold)
            if test.size and self.parts.source.standards[fold].known.all():
                yield fold, test

    def _calibration(self) -> Calibration:
        """Calibration of the panel as it is, which one feature more or less hardly changes."""
        told = [(codes, next(panels)[0]) for fold, test in self._tests() for codes, panels in self._scored(fold, test)]
        if not told:
            raise ValueError(
                "no fold can judge alternates: every fold trains without some class. Give more samples of every class."
            )
        codes = np.concatenate([some for some, _ in told])
        samples = Samples(codes, np.ones(codes.size), self._n_classes)
        return calibrated(samples, np.concatenate([scores for _, scores in told])[None], self._prior)

    def _scored(
        self, fold: int, test: np.ndarray, shortlist: Sequence[np.ndarray] = ()
    ) -> Iterator[tuple[np.ndarray, Iterator[list[np.ndarray]]]]:
        """Held-out samples of a fold, some at a time: their classes, and their scores by all panels.

        The latter come as lists: of the panel as it is, then for every feature of the panel without it and of those
        with each replacement.
        """
        owners = np.repeat(self.owners[: len(shortlist)], [len(others) for others in shortlist])
        pairs = np.column_stack([owners, np.concatenate([np.empty(0, dtype=np.intp), *shortlist])])
        others, at_other = np.unique(pairs, axis=0, return_inverse=True)
        columns = np.concatenate([self.features, others[:, 1]])
        owners = np.concatenate([self.owners, others[:, 0]])
        standard = self.parts.source.standards[fold]
        swaps = self._swaps(self._entered(fold, columns), standard, owners)
        ends = np.cumsum([0, *(len(others) for others in shortlist)])
        places = [at_other.ravel()[begin:end] for begin, end in pairwise(ends)]

        def panels(rows: np.ndarray) -> Iterator[list[np.ndarray]]:
            scores = swaps.scores(standard.of(self.parts.columns(rows, columns), columns))
            yield [scores.whole]
            for at, own in enumerate(places):
                without = scores.without(at)
                yield [without, *(scores.swapped(at, other, without) for other in own)]

        wide = columns.size * (self._n_classes if self._own else 1)
        for rows in np.array_split(test, -(-test.size * wide // get_sizes().dense_at_once)):
            yield self.division.codes[rows], panels(rows)

    def _swaps(self, picked: drafting.Picked, standard: drafting.Standard, owners: np.ndarray) -> Swaps:
        """Regression on the panel's columns, which come first, with others that may take their place."""
        system, right = drafting.system_of(picked.gram, picked.right, owners, owners, standard.known, own=self._own)
        system[np.diag_indices(len(system))] += self._penalty * standard.total
        return Swaps(system, right, owners, self.features.size, self._n_classes, own=self._own)

    def _entered(self, part: int, columns: np.ndarray) -> drafting.Picked:
        source = self.parts.source
        picked = source.open(part, columns.size, with_squares=False)
        source.enter([(picked, drafting.NewColumns(columns, np.ones(columns.size), np.zeros(columns.size)))])
        return picked

    def _centred(self, coefficients: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Coefficients of the scores, less their mean over the classes if a class reads its own columns only."""
        if not self._own:
            return coefficients
        coefficients = drafting.spread_out(coefficients, self.owners, self._n_classes)
        coefficients[:, known] -= coefficients.sum(axis=1, keepdims=True) / known.sum()
        return coefficients


def _folds(model: Any, values: Any, codes: np.ndarray, batches: Batches | None) -> list[Fold]:
    """Folds as a fit of the model makes them."""
    if not isinstance(model.cv, Integral):
        return user_folds(model.cv, values, model.classes_[codes], None, np.arange(codes.size))
    if batches is not None:
        return batch_folds(codes, batches, model.classes_, 0, int(model.cv))
    return inner_folds(codes, 0, int(model.cv), by_content(values))
