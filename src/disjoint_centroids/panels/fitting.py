"""Steps of a fit of a panel classifier: folds, training parts, candidates, the choice, and the fitted attributes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_consistent_length

from disjoint_centroids._listed import listed
from disjoint_centroids.base import checked_priors
from disjoint_centroids.numerics import default_threads, one_thread_a_product
from disjoint_centroids.numerics.sizes import get_sizes
from disjoint_centroids.panels import drafting
from disjoint_centroids.panels.calibration import Calibration
from disjoint_centroids.panels.candidates import (
    FEW_CLASSES,
    Candidate,
    Options,
    is_wide,
    list_candidates,
    most_rounds,
)
from disjoint_centroids.panels.conformal import FoldModel
from disjoint_centroids.panels.design import check_enough, check_ownable, check_reachable, read_rules
from disjoint_centroids.panels.from_sums import PartsFromSums
from disjoint_centroids.panels.held_out import HeldOut, Samples, last_scores, widened
from disjoint_centroids.panels.in_blocks import PartsInBlocks
from disjoint_centroids.panels.judged import calibrated
from disjoint_centroids.panels.model import PanelModel
from disjoint_centroids.panels.search import How, joined_results, search
from disjoint_centroids.panels.table_sums import TableSums
from disjoint_centroids.panels.tables import margins, reads_all_panels
from disjoint_centroids.panels.training_parts import Division, Parts, is_small, parts_in_memory
from disjoint_centroids.panels.within_batches import Batches, batch_folds, parts_within_batches, read_batches
from disjoint_centroids.progress import Progress
from disjoint_centroids.rows.blocks import BlockedTable, in_memory, read_rows
from disjoint_centroids.rows.content_order import blocks_by_content, by_content
from disjoint_centroids.rows.folds import Fold, inner_folds, user_folds, warn_of_groups
from disjoint_centroids.rows.training import UNUSED, TrainingSet, check_two_classes, is_lazy, read_training_set


def read(model: Any, X: Any, y: Any, sample_weight: Any) -> TrainingSet | BlockedTable:
    """Validate the table, in memory or not."""
    if is_lazy(X):
        return read_rows(model, X, y, sample_weight, None)
    return read_training_set(model, X, y, sample_weight, accept_sparse=True)


def batches_of(batch: Any, X: Any, table: TrainingSet | BlockedTable) -> Batches | None:
    """Batches of the samples that count; None if none were given, or all samples are of one."""
    if batch is None:
        return None
    if isinstance(table, BlockedTable):
        raise ValueError(
            "batch= needs the table in memory, and X is a dask collection. Give X.compute(), or leave batch= out."
        )
    check_consistent_length(X, batch)
    return read_batches(batch, table.rows, table.codes, table.classes)


def folds_of(
    model: Any,
    X: Any,
    y: Any,
    groups: Any,
    table: TrainingSet | BlockedTable,
    seed: int,
    batches: Batches | None = None,
) -> list[Fold]:
    """Folds of the user's splitter, ones that hold batches out, or stratified ones.

    There are none if every class has only one sample.
    """
    if isinstance(table, BlockedTable):
        y, groups = in_memory(y), None if groups is None else in_memory(groups)
        X = np.zeros((len(y), 1))  # splitters read the number of rows
    if not isinstance(model.cv, Integral):
        return user_folds(model.cv, X, y, groups, table.rows)
    warn_of_groups(model.cv, X, groups)
    if batches is not None:
        return batch_folds(table.codes, batches, table.classes, seed, int(model.cv))
    order = None
    if is_small(table.codes.size):
        order = blocks_by_content(model, table) if isinstance(table, BlockedTable) else by_content(table.values)
    return inner_folds(table.codes, seed, int(model.cv), order)


def terms_to_try(n_samples: int) -> Sequence[str]:
    """Kinds of terms that "auto" stands for."""
    return drafting.TERMS if is_small(n_samples) else ("linear",)


def candidates(model: Any, rules: drafting.Rules, n_samples: int, every: Sequence[str]) -> list[Candidate]:
    """Candidates that are tried: the parameters given, and the values that "auto" stands for."""
    overdraft = None if model.overdraft == "auto" else int(model.overdraft)
    if overdraft is None and (model.max_features is not None or np.isfinite(rules.budget)):
        overdraft = 1  # a draft that goes beyond these bounds cannot be cut back to them class by class
    options = Options(
        every if model.terms == "auto" else (model.terms,),
        None if model.regression == "auto" else model.regression,
        None if model.rounds == "auto" else int(model.rounds),
        None if model.penalty == "auto" else float(model.penalty),
        most_rounds(rules),
        is_wide(rules),
        overdraft,
        rules.least,
    )
    return list_candidates(options, n_samples)


def parts_of(
    model: Any,
    table: TrainingSet | BlockedTable,
    division: Division,
    wanted: list[Candidate],
    unit: float,
    batches: Batches | None = None,
) -> Parts:
    """Training parts, as sums and inner products of their columns."""
    kinds = {c.terms for c in wanted}
    what = {"with_squares": kinds != {"linear"}, "with_zeros": model.direction == "up"}
    if isinstance(table, BlockedTable):
        return PartsInBlocks(model, table, division, unit=unit, **what)
    if batches is not None:
        return parts_within_batches(table.values, division, batches, **what)
    longest = max(c.rounds * c.overdraft for c in wanted)
    return parts_in_memory(table.values, division, n_rounds=longest, n_kinds=len(kinds), **what)


def fit_parts(model: Any, parts: Parts, classes: np.ndarray, wanted: list[Candidate], rules: drafting.Rules) -> None:
    """Choose a candidate by cross-validation, fit it to the whole, and set the fitted attributes."""
    check_ownable(model, classes, rules, parts.source.standards[-1])
    check_reachable(model, classes, rules, parts.source.standards[-1])
    n_threads = _fold_threads(model, parts.division, wanted)
    with one_thread_a_product():
        _choose_and_fit(model, parts, classes, wanted, rules, n_threads)
    check_enough(model, rules)


def _choose_and_fit(
    model: Any,
    parts: Parts,
    classes: np.ndarray,
    wanted: list[Candidate],
    rules: drafting.Rules,
    n_threads: int,
) -> None:
    division = parts.division
    kept = division.kept
    samples = Samples(division.codes[kept], (division.weights * division.factors)[kept], len(classes))
    shares = np.bincount(division.codes, division.weights, len(classes)) / division.weights.sum()
    model.class_prior_ = checked_priors(model.priors, shares)
    ways, wide = ways_of_reading(model, rules, division.codes.size), is_wide(rules)
    with _progress(model, wanted, len(division.folds), len(ways)) as bar:
        found = [
            search(
                parts,
                wanted,
                rules,
                samples,
                How(own, model.class_prior_, model.rule, wide, n_threads, bar.tick),
            )
            for own in ways
        ]
    best = min(found, key=lambda one: one.loss if np.isfinite(one.loss) else np.inf)
    model.reads_ = "own" if best.own else "all"
    fitted, _ = best.held_out.path.fit(best.held_out.path.whole, best.chosen, slope=drafting.EXACT)
    model.classes_ = classes
    model.cv_results_ = joined_results(found, best)
    calibration = calibrated(samples, best.held_out.scores[best.chosen], model.class_prior_)
    _remember(model, best.held_out, calibration, best.chosen, samples)
    _adopt(model, fitted.shifted(calibration.offsets), best.held_out, samples)


def _fold_threads(model: Any, division: Division, wanted: list[Candidate]) -> int:
    """Threads for the folds: those asked for, or all if a fit takes long enough for threads not to wait for Python."""
    if model.n_jobs is not None:
        return int(effective_n_jobs(model.n_jobs))
    n_classes = division.balance.size
    n_columns = min(model.n_features_in_, n_classes * max(c.rounds for c in wanted))
    large = division.kept.sum() * n_columns * n_classes >= get_sizes().thread_operations
    return default_threads() if large else 1


def check_sums_suffice(model: Any) -> None:
    """Raise an error if the parameters ask for what sums do not hold."""
    if model.terms not in ("auto", "linear") or model.regression == "logistic":
        raise ValueError(
            f"terms={model.terms!r} with regression={model.regression!r} needs the samples, and sums do not hold "
            "them. Give terms='linear' and regression='ridge', or fit the pooled table."
        )


def fit_to_sums(model: Any, whole: TableSums) -> None:
    """Fit to sums alone: linear terms, by ridge regression. The model knows its features already."""
    check_sums_suffice(model)
    check_two_classes(model, whole.classes)
    rules = read_rules(model, whole.classes, model.n_features_in_)
    parts = PartsFromSums(whole)
    linear = candidates(model, rules, int(whole.counts.sum()), ("linear",))
    fit_parts(model, parts, whole.classes, [c for c in linear if c.family == ("linear", "ridge")], rules)
    # Stand-ins are no samples: nothing that compares samples with them may be asked.
    model.fold_models_, model.train_error_ = [], np.nan
    model.batches_, model.new_batch_share_ = None, None
    model.held_out_scores_ = np.empty((0, len(whole.classes)))
    warn_of_empty_panels(model, rules)


def ways_of_reading(model: Any, rules: drafting.Rules, n_samples: int) -> list[bool]:
    """Ways of reading to try: False for all panels, True for the own one only.

    Reading its own panel only spares a class coefficients, which tables with many samples can afford.
    """
    if model.reads != "auto":
        return [model.reads == "own"]
    few = 2 < len(rules.forced) <= FEW_CLASSES
    return [False, True] if few and is_small(n_samples) and not is_wide(rules) else [False]


def in_units_of(model: Any, unit: float) -> None:
    """Turn what was fitted to a table divided by ``unit`` into the units of the table."""
    powers = {"center_": 1, "scale_": 1, "centroids_": 1, "variances_": 2}
    with np.errstate(over="ignore", under="ignore"):
        for name, power in powers.items():
            for _ in range(power):
                setattr(model, name, getattr(model, name) * unit)
    model.fold_models_ = [replace(fold, model=fold.model.in_units_of(unit)) for fold in model.fold_models_]


def warn_of_empty_panels(model: Any, rules: drafting.Rules) -> None:
    """Warn of classes that own no feature."""
    empty = [str(c) for c, own in zip(model.classes_, model.feature_sets_, strict=True) if own.size == 0]
    if empty:
        bounds = [f"{name}=" for name in ("budget", "max_features") if getattr(model, name) is not None]
        cure = f"Raise {' or '.join(bounds)}" if bounds else "Give more features, or fewer classes"
        if not bounds and not rules.allowed.all():
            cure = "Allow more features, or exclude fewer"
        read_others = reads_all_panels(model) and len(empty) < len(model.classes_)
        same = "" if read_others else " and always have the same score"
        others = " Their scores use the features of the others." if read_others else ""
        warnings.warn(
            f"{len(empty)} of {len(model.classes_)} classes own no feature{same}: {listed(empty)}.{others} {cure}.",
            UserWarning,
            stacklevel=4,  # past fit and its validation, to the line that called fit
        )


def _progress(model: Any, wanted: list[Candidate], n_folds: int, n_readings: int) -> Progress:
    """Bar over the rounds of the longest draft and the fits of the folds."""
    longest = [max(c.rounds * c.overdraft for c in wanted if c.terms == kind) for kind in {c.terms for c in wanted}]
    steps = sum(longest) + len(longest) + n_folds * len({c.family for c in wanted})
    return Progress("cross-validation", steps * n_readings, enabled=model.verbose > 0)


def _remember(model: Any, held_out: HeldOut, calibration: Calibration, chosen: Candidate, samples: Samples) -> None:
    """Keep the held-out scores and fold models of the chosen candidate."""
    model.terms_, model.rounds_, model.penalty_ = chosen.terms, chosen.rounds, chosen.penalty
    model.regression_ = chosen.regression
    division = held_out.path.parts.division
    model.held_out_scores_ = np.full((division.codes.size, samples.n_classes), np.nan)
    model.held_out_scores_[division.kept] = last_scores(held_out.scores[chosen]) + calibration.offsets
    model.temperature_ = calibration.temperature
    model.fold_models_, place = [], division.place
    for at, raw in enumerate(held_out.models[chosen]):
        standard, test = held_out.path.standard(at), division.held_out(at)
        codes, weights = samples.codes[place[test]], samples.weights[place[test]]
        fitted, known = raw.shifted(calibration.offsets), np.flatnonzero(standard.known)
        centroids = standard.centroids[np.ix_(known, fitted.features)]
        z = held_out.standardised(fitted, test)
        # Scores of this very model: what was held out twice has the other fold's in held_out_scores_.
        scores = widened(fitted.scores_of(z), standard.known)
        own = model._conformity(scores)[np.arange(test.size), codes]
        far = fitted.distances_of(z, centroids)
        model.fold_models_.append(FoldModel(fitted, known, centroids, codes, own, far, weights))


def _adopt(model: Any, fitted: PanelModel, held_out: HeldOut, samples: Samples) -> None:
    """Set the fitted attributes."""
    standard, kept = held_out.path.standard(held_out.path.whole), held_out.path.parts.division.kept
    model.center_, model.scale_ = standard.center, standard.scale
    owner = np.full(model.n_features_in_, UNUSED, dtype=np.intp)
    owner[fitted.features] = fitted.owners
    coef, curvature = np.zeros((2, samples.n_classes, model.n_features_in_))
    coef[:, fitted.features], curvature[:, fitted.features] = fitted.weight, fitted.curvatures()
    model.feature_sets_, model.coef_, model.curvature_ = list(fitted.panels), coef, curvature
    model.intercept_ = fitted.intercept
    model.centroids_, model.variances_ = standard.means, standard.variances
    model.margin_ = margins(fitted, standard)
    rows = np.flatnonzero(kept)
    predicted = np.argmax(model._with_ties(fitted.scores_of(held_out.standardised(fitted, rows))), axis=1)
    model.train_error_ = float(np.average(predicted != samples.codes, weights=samples.weights))
    model.owner_ = owner
