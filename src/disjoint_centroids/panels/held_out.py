"""Scores of samples by models that did not see them: the candidates, fitted in every fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import LastObservations, Path


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples to judge by: their classes, and weights as counts."""

    codes: np.ndarray
    weights: np.ndarray
    n_classes: int


class HeldOut:
    """Scores of samples by the models of the folds that held them out, computed for candidates as they are asked for.

    Parameters
    ----------
    path : Path
        Drafts of all training parts.
    n_threads : int
        Threads for the folds.

    Attributes
    ----------
    scores : dict
        For each candidate (n_times, n_kept, n_classes), for the samples that are kept, with n_times the number of folds
        that hold a sample out: 1, or as many as folds are repeated. NaN where a sample was held out fewer times, -inf
        for a class that the training part of the fold did not have.
    models : dict
        For each candidate its model in every fold.
    """

    def __init__(self, path: Path, n_threads: int = 1) -> None:
        self.path, self._n_threads = path, n_threads
        division = path.parts.division
        self.folds, place = division.folds, division.place
        self._tests = [division.held_out(at) for at in range(len(self.folds))]
        self._places = [place[test] for test in self._tests]
        self._times = _times_held_out(self._places, int(division.kept.sum()))
        self.scores: dict[Candidate, np.ndarray] = {}
        self.models: dict[Candidate, list[PanelModel]] = {}

    def add(self, wanted: Sequence[Candidate], tick: Callable[[], None] = lambda: None) -> None:
        """Fit candidates in every fold; each fit starts from the one before, panels only growing."""
        self.path.prepare(wanted)
        division = self.path.parts.division
        n_times = max((int(times.max(initial=0)) for times in self._times), default=0) + 1
        shape = (n_times, int(division.kept.sum()), division.balance.size)
        for candidate in wanted:
            self.scores[candidate] = np.full(shape, np.nan)
            self.models[candidate] = []
        pool = Parallel(n_jobs=self._n_threads, prefer="threads", return_as="generator")
        fits = pool(delayed(self._fit_fold)(at, wanted) for at in range(len(self.folds)))
        for at, models in enumerate(fits):
            known = self.path.standard(at).known
            for candidate, model, scores in zip(wanted, models, self._scores(at, models), strict=True):
                self.scores[candidate][self._times[at], self._places[at]] = widened(scores, known)
                self.models[candidate].append(model)
            tick()

    def _fit_fold(self, at: int, wanted: Sequence[Candidate]) -> list[PanelModel]:
        found: dict[Candidate, PanelModel] = {}
        starts: dict[tuple[str, str], drafting.Coefficients] = {}
        last: LastObservations = {}
        for candidate in sorted(wanted, key=lambda c: (c.rounds, -c.penalty)):
            line = candidate.family
            found[candidate], starts[line] = self.path.fit(at, candidate, start=starts.get(line), last=last)
        return [found[candidate] for candidate in wanted]

    def _scores(self, at: int, models: Sequence[PanelModel]) -> Iterator[np.ndarray]:
        """Scores of the samples that a fold holds out by each of its models, which have many features in common."""
        if not models:  # all that is asked for had been fitted before
            return
        standard = self.path.standard(at)
        union = np.unique(np.concatenate([model.features for model in models]))
        z = (self.path.parts.columns(self._tests[at], union) - standard.center[union]) / standard.scale[union]
        n_classes = standard.known.size
        at_once = max(1, get_sizes().dense_at_once // max(len(z) * n_classes, 1))
        for begin in range(0, len(models), at_once):
            some = models[begin : begin + at_once]
            weights = np.zeros((len(some), n_classes, union.size))
            places = [np.searchsorted(union, model.features) for model in some]
            for weight, model, place in zip(weights, some, places, strict=True):
                weight[:, place] = model.weight
            linear = (weights.reshape(len(some) * n_classes, union.size) @ z.T).reshape(len(some), n_classes, len(z))
            for sums, model, place in zip(linear, some, places, strict=True):
                scores = sums.T + model.intercept
                yield scores + model.squared_sums(z[:, place]) if model.curvature.any() else scores

    def standardised(self, model: PanelModel, rows: np.ndarray) -> np.ndarray:
        """Standardised values of the features of a model in some of the samples that are kept."""
        z: np.ndarray = (self.path.parts.columns(rows, model.features) - model.center) / model.scale
        return z


def _times_held_out(tests: Sequence[np.ndarray], n_samples: int) -> list[np.ndarray]:
    """For every sample that a fold holds out, the number of earlier folds that did."""
    found, so_far = [], np.zeros(n_samples, dtype=np.intp)
    for test in tests:
        found.append(so_far[test])
        so_far[test] += 1
    return found


def last_scores(scores: np.ndarray) -> np.ndarray:
    """Scores (n_samples, n_classes) of every sample by the last of the folds that held it out."""
    last = np.maximum((~np.isnan(scores).any(axis=2)).sum(axis=0) - 1, 0)
    return scores[last, np.arange(scores.shape[1])]


def widened(scores: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Scores with -inf for classes that are not known."""
    scores[:, ~known] = -np.inf
    return scores
