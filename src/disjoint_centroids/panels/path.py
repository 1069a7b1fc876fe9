"""Fits of candidates on a training part: ridge regressions along its drafts, and logistic ones on their picks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.candidates import Candidate
from disjoint_centroids.panels.model import PanelModel, as_model
from disjoint_centroids.panels.training_parts import Parts

DRAFT_PENALTY = 1.0
"""Penalty of the regressions that guide the picks, in units of the number of samples.

It is strong, so that a class also picks features that are correlated with those it has: their mean is less noisy than
one of them alone.
"""


LastObservations = dict[tuple[str, bytes], drafting.Observations]
"""Samples of the last logistic regression on a part, by its terms and picks."""


def as_counts(weights: np.ndarray) -> np.ndarray:
    """Turn sample weights into numbers of samples: whole numbers are kept, others are scaled to a mean of one.

    Calibration and prediction sets count samples: weights such as 1/n would count as a single sample in all.
    """
    if (weights == np.round(weights)).all():
        return weights
    return weights / weights.mean()


class Path:
    """Drafts of all training parts, from which candidates are fitted.

    Parameters
    ----------
    parts : Parts
        The training parts.
    candidates : sequence of Candidate
        All candidates that may be asked for.
    rules : Rules
        Rules of the drafts.
    own : bool
        True if a class reads its own panel only.
    class_weights : array of shape (n_classes,) or None
        Weight of each class in logistic regressions; None: all alike.
    tick : callable, default does nothing
        Called after every round.
    """

    def __init__(
        self,
        parts: Parts,
        candidates: Sequence[Candidate],
        rules: drafting.Rules,
        *,
        own: bool,
        class_weights: np.ndarray | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.parts, self._rules, self._own = parts, rules, own
        division = parts.division
        balanced = division.balanced * division.factors
        self._fit_weights = balanced if class_weights is None else balanced * class_weights[division.codes]
        over = max(c.overdraft for c in candidates)
        self._longer = rules if over == 1 else drafting.with_longer_panels(rules, over)
        self._tick = tick
        self._drafts: dict[drafting.TermsKind, list[drafting.Draft]] = {}
        self._solvers: dict[tuple[int, drafting.TermsKind, float], drafting.RidgeSolver] = {}
        self._places: dict[tuple[int, drafting.TermsKind, int], dict[int, np.ndarray]] = {}
        self._sizes: dict[tuple[drafting.TermsKind, int], set[int]] = {}
        for c in candidates:
            self._sizes.setdefault((c.terms, c.overdraft), set()).add(c.rounds)

    def prepare(self, candidates: Sequence[Candidate]) -> None:
        """Run the drafts that candidates need, for all training parts at once; those that are long enough stay."""
        for kind in dict.fromkeys(c.terms for c in candidates):
            n_rounds = max(c.rounds * c.overdraft for c in candidates if c.terms == kind)
            if kind in self._drafts and self._drafts[kind][0].plan.n_rounds >= n_rounds:
                continue
            own = self._own or kind == "squared"
            plans = [
                drafting.Plan(part, kind, own, DRAFT_PENALTY, n_rounds) for part in range(self.parts.division.n_parts)
            ]
            self._drafts[kind] = drafting.run_drafts(self.parts.source, plans, self._longer, self._tick)
            self._solvers = {key: solver for key, solver in self._solvers.items() if key[1] != kind}
            self._places = {key: places for key, places in self._places.items() if key[1] != kind}
            self.parts.keep(np.unique(np.concatenate([draft.features for draft in self._drafts[kind]])))

    def fit(
        self,
        part: int,
        candidate: Candidate,
        *,
        start: drafting.Coefficients | None = None,
        slope: float = drafting.ROUGH,
        last: LastObservations | None = None,
    ) -> tuple[PanelModel, drafting.Coefficients]:
        """Fit a candidate on a training part: the model, and its coefficients as a start for others.

        ``last`` keeps the samples of a logistic regression for the next one on the same part, which often has the same
        picks and another penalty.
        """
        draft = self._drafts[candidate.terms][part]
        picks = self._picks(part, candidate)
        last = {} if last is None else last
        first = found = self._fitted(draft, picks, candidate, start if candidate.overdraft == 1 else None, slope, last)
        refused = np.zeros(draft.features.size, dtype=bool)
        while not (stays := self._stays(draft, picks, found)).all():
            refused[picks[~stays]] = True
            # Other picks of a draft that is cut back take their place.
            picks = picks[stays] if candidate.overdraft == 1 else self._cut(part, candidate, refused)[candidate.rounds]
            found = self._fitted(draft, picks, candidate, None, slope, last)
        return self._model(draft, picks, found), first

    @property
    def whole(self) -> int:
        """Position of the whole table among the training parts."""
        return self.parts.division.n_parts - 1

    def standard(self, part: int) -> drafting.Standard:
        """Standardisation of a training part."""
        return self.parts.source.standards[part]

    def _fitted(
        self,
        draft: drafting.Draft,
        picks: np.ndarray,
        candidate: Candidate,
        start: drafting.Coefficients | None,
        slope: float,
        last: LastObservations,
    ) -> drafting.Coefficients:
        if candidate.regression == "ridge":
            return self._ridge(draft, picks, candidate)
        return self._logistic(draft, picks, candidate, start, slope, last)

    def _stays(self, draft: drafting.Draft, picks: np.ndarray, found: drafting.Coefficients) -> np.ndarray:
        """Mask of the picks that the rules let stay, now that their coefficients are known.

        A feature that must be higher in its class has a positive coefficient there, beside the mean of all classes; a
        later pick can turn its sign. Those forced stay.
        """
        if not self._rules.upward or draft.plan.terms == "squared":
            return np.ones(picks.size, dtype=bool)
        own = drafting.own_coefficients(found.linear, draft.owners[picks], draft.ridge.known)
        return np.asarray((own >= 0.0) | (picks < draft.counts[0]))

    def _picks(self, part: int, candidate: Candidate) -> np.ndarray:
        """Positions of the picks of a candidate: the first ones, or those that a cut leaves."""
        draft = self._drafts[candidate.terms][part]
        if candidate.overdraft == 1:
            return np.arange(draft.n_picks(candidate.rounds))
        key = (part, candidate.terms, candidate.overdraft)
        if key not in self._places:
            self._places[key] = self._cut(part, candidate, np.zeros(draft.features.size, dtype=bool))
        return self._places[key][candidate.rounds]

    def _cut(self, part: int, candidate: Candidate, refused: np.ndarray) -> dict[int, np.ndarray]:
        """Positions of the picks that cuts of a draft leave, for each number of rounds; those refused go first."""
        draft = self._drafts[candidate.terms][part]
        sizes = sorted(self._sizes[candidate.terms, candidate.overdraft])
        n_forced = np.bincount(draft.owners[: draft.counts[0]], minlength=len(self._rules.forced))
        wanted = {size: np.minimum(size + n_forced, self._rules.per_class) for size in sizes}
        total = self.standard(part).total
        return drafting.cut_back(draft, wanted, total, upward=self._rules.upward, refused=refused)

    def _ridge(self, draft: drafting.Draft, picks: np.ndarray, candidate: Candidate) -> drafting.Coefficients:
        plan = draft.plan
        are_first = candidate.overdraft == 1 and bool((picks == np.arange(picks.size)).all())
        if are_first and candidate.penalty == plan.penalty:
            found = draft.ridge.coefficients(picks.size)  # the draft's own regression
        elif are_first:
            found = self._solver(draft, candidate.penalty).coefficients(picks.size)
        else:
            found = self._solver(draft, candidate.penalty, picks).coefficients()
        return drafting.Coefficients(found, np.zeros(picks.size), 0.0, np.zeros(found.shape[1]))

    def _solver(self, draft: drafting.Draft, penalty: float, picks: np.ndarray | None = None) -> drafting.RidgeSolver:
        """Regressions on some picks; those on the first picks of a draft share one."""
        key = (draft.plan.part, draft.plan.terms, penalty)
        if picks is None and key in self._solvers:
            return self._solvers[key]
        at = np.arange(draft.features.size) if picks is None else picks
        solver = drafting.RidgeSolver(
            draft.picked.gram[np.ix_(at, at)],
            draft.picked.right[at],
            draft.owners[at],
            draft.ridge.known,
            penalty,
            self.standard(draft.plan.part).total,
            own=self._own,
        )
        if picks is None:
            self._solvers[key] = solver
        return solver

    def _logistic(
        self,
        draft: drafting.Draft,
        picks: np.ndarray,
        candidate: Candidate,
        start: drafting.Coefficients | None,
        slope: float,
        last: LastObservations,
    ) -> drafting.Coefficients:
        key = candidate.terms, picks.tobytes()
        if key not in last:
            last.clear()
            last[key] = self._observed(draft, picks, candidate.terms)
        return drafting.fit_logistic(
            last[key],
            draft.ridge.known,
            penalty=candidate.penalty,
            own=self._own,
            start=start,
            slope=slope,
        )

    def _observed(self, draft: drafting.Draft, picks: np.ndarray, terms: drafting.TermsKind) -> drafting.Observations:
        part, division = draft.plan.part, self.parts.division
        kept = np.flatnonzero(division.kept)
        weights = division.times[part, division.cells[kept]] * self._fit_weights[kept]
        counted = np.flatnonzero(weights > 0)
        rows = kept[counted]
        columns = self._columns(part, terms, draft.features[picks], draft.owners[picks], rows)
        return drafting.Observations(columns, division.codes[rows], weights[counted])

    def _columns(
        self,
        part: int,
        terms: drafting.TermsKind,
        features: np.ndarray,
        owners: np.ndarray,
        rows: np.ndarray,
    ) -> drafting.Columns:
        standard = self.standard(part)
        z = standard.of(self.parts.trained_on(part, rows, features), features)
        if terms == "linear":
            return drafting.Columns(z, None, None, owners)
        gaps = self.parts.source.gaps
        assert gaps is not None
        squares = (z - standard.centroids[owners, features]) ** 2
        standardised = (squares - gaps[part].means[owners, features]) / gaps[part].scales[owners, features]
        if terms == "both":
            return drafting.Columns(z, standardised, None, owners)
        member = np.zeros((owners.size, standard.known.size))
        member[np.arange(owners.size), owners] = 1.0
        distances = squares @ (member / np.maximum(member.sum(axis=0), 1.0))
        return drafting.Columns(None, standardised, distances, owners)

    def _model(self, draft: drafting.Draft, picks: np.ndarray, found: drafting.Coefficients) -> PanelModel:
        part = draft.plan.part
        gaps = None if draft.plan.terms == "linear" else self.parts.source.gaps
        return as_model(
            self.standard(part),
            None if gaps is None else gaps[part],
            draft.features[picks],
            draft.owners[picks],
            found,
        )
