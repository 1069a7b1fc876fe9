"""Scores of samples by models that did not see them: the candidates, fitted in every fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.path import Path
from disjoint_centroids.rows.folds import Fold


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
        For each candidate (n_times, n_samples, n_classes), with n_times the number of folds that hold a sample out: 1,
        or as many as folds are repeated. NaN where a sample was held out fewer times, -inf for a class that the
        training part of the fold did not have.
    models : dict
        For each candidate its model in every fold.
    """

    def __init__(self, path: Path, n_threads: int = 1) -> None:
        self.path, self._n_threads = path, n_threads
        self.folds = path.parts.division.folds
        self._times = _times_held_out(self.folds, path.parts.division.codes.size)
        self.scores: dict[Candidate, np.ndarray] = {}
        self.models: dict[Candidate, list[PanelModel]] = {}

    def add(self, wanted: Sequence[Candidate], tick: Callable[[], None] = lambda: None) -> None:
        """Fit candidates in every fold; each fit starts from the one before, panels only growing."""
        self.path.prepare(wanted)
        division = self.path.parts.division
        n_times = max((int(times.max(initial=0)) for times in self._times), default=0) + 1
        shape = (n_times, division.codes.size, division.balance.size)
        for candidate in wanted:
            self.scores[candidate] = np.full(shape, np.nan)
            self.models[candidate] = []
        pool = Parallel(n_jobs=self._n_threads, prefer="threads", return_as="generator")
        fits = pool(delayed(self._fit_fold)(at, wanted) for at in range(len(self.folds)))
        for at, models in enumerate(fits):
            known, test = self.path.standard(at).known, division.held_out(at)
            for candidate, model in zip(wanted, models, strict=True):
                self.scores[candidate][self._times[at][test], test] = widened(self._score(model, test), known)
                self.models[candidate].append(model)
            tick()

    def _fit_fold(self, at: int, wanted: Sequence[Candidate]) -> list[PanelModel]:
        found: dict[Candidate, PanelModel] = {}
        starts: dict[tuple[str, str], drafting.Coefficients] = {}
        for candidate in sorted(wanted, key=lambda c: (c.rounds, -c.penalty)):
            line = candidate.family
            found[candidate], starts[line] = self.path.fit(at, candidate, start=starts.get(line))
        return [found[candidate] for candidate in wanted]

    def _score(self, model: PanelModel, rows: np.ndarray) -> np.ndarray:
        return model.scores_of(self.standardised(model, rows))

    def standardised(self, model: PanelModel, rows: np.ndarray) -> np.ndarray:
        """Standardised values of the features of a model in some of the samples that are kept."""
        z: np.ndarray = (self.path.parts.columns(rows, model.features) - model.center) / model.scale
        return z


def _times_held_out(folds: Sequence[Fold], n_samples: int) -> list[np.ndarray]:
    """For every fold, the number of earlier folds that held out each sample, (n_samples,)."""
    found, so_far = [], np.zeros(n_samples, dtype=np.intp)
    for _, test in folds:
        found.append(so_far.copy())
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
