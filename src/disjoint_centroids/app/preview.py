"""Preview of a table, before anything is fitted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.app.drafts import Draft
from disjoint_centroids.app.words import Cure, cures_of, in_words
from disjoint_centroids.evaluation.methods import INNER_FOLDS
from disjoint_centroids.report.data_warnings import data_warnings
from disjoint_centroids.report.formatting import written
from disjoint_centroids.tables import LabelledTable
from disjoint_centroids.tables.examination import Examined, examine_table
from disjoint_centroids.tables.table_settings import names_listed

_ROWS, _COLUMNS, _CHOICES = 5, 6, 2000
_LIKELY = ("class", "label", "labels", "diagnosis", "type", "group", "subtype", "disease", "condition", "status")


def preview_of(draft: Draft) -> dict[str, Any]:
    """Describe a table as it is understood now; the column of labels is guessed once, if nothing says which it is."""
    found = examine_table(draft.file, draft.reading, batch=draft.batch)
    if not draft.guessed and draft.reading.target is None and found.likely_labels:
        draft.guessed = True
        target = _best(found.likely_labels)
        draft.groups = [name for name in found.likely_labels if name != target]
        draft.reading = replace(draft.reading, target=target)
        found = examine_table(draft.file, draft.reading, batch=draft.batch)
    shown = {
        "problems": [_with_cures(text, draft) for text in found.problems],
        "warnings": [_with_cures(text, draft) for text in found.remarks],
        "ids": found.ids,
        "label_choices": _choices(found),
        "batch_choices": _batches(found, draft),
        "labels_inside": found.labels_inside,
        "id_choices": [] if draft.reading.features_in_rows else found.columns[:_CHOICES],
        "feature_choices": [
            name for name in found.columns[:_CHOICES] if name not in (draft.reading.target, draft.batch, found.ids)
        ],
        "readable": bool(found.columns),
        "left_out": names_listed(draft.reading.drop),
        "usable": found.table is not None,
    }
    return shown | (_facts(found.table, draft) if found.table is not None else {})


def _best(likely: list[str]) -> str:
    """Column that is most likely meant by its name, else the first."""
    named = [name for name in likely if name.strip().lower() in _LIKELY]
    return (named or likely)[0]


def _choices(found: Examined) -> list[str]:
    """Columns that may hold labels, the likely ones first."""
    return list(dict.fromkeys([*found.likely_labels, *found.label_choices]))[:_CHOICES]


def _batches(found: Examined, draft: Draft) -> list[str]:
    """Columns that may hold batches, those first that look like groups of samples."""
    choices = list(dict.fromkeys([*draft.groups, *found.label_choices]))
    return [name for name in choices if name not in (draft.reading.target, found.ids)][:_CHOICES]


def _facts(table: LabelledTable, draft: Draft) -> dict[str, Any]:
    assert table.labels is not None
    transformed = draft.question.transform != "none"
    found = data_warnings(table.values, table.labels, transformed=transformed, inner_folds=INNER_FOLDS)
    counts = table.labels.value_counts()
    return {
        "n_samples": len(table.values),
        "n_features": table.values.shape[1],
        "classes": [{"class": str(label), "samples": int(n)} for label, n in counts.items()],
        "data_warnings": [_with_cures(one["text"], draft) | {"kind": one["kind"]} for one in found],
        "scale": _scale(table.values.to_numpy()),
        "head": _head(table),
        "features": table.values.columns.tolist(),
        "batches": [] if table.batch is None else list(table.batch.value_counts(sort=False).items()),
    }


def _scale(numbers: np.ndarray) -> dict[str, Any]:
    finite = numbers[np.isfinite(numbers)]
    middle = float(np.median(finite)) if finite.size else None
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    return {
        "low": written(low),
        "middle": written(middle),
        "high": written(high),
        "missing": int(np.isnan(numbers).sum()),
    }


def _head(table: LabelledTable) -> dict[str, Any]:
    """Upper left corner of the table."""
    part = table.values.iloc[:_ROWS, :_COLUMNS]
    assert table.labels is not None
    return {
        "columns": [str(name) for name in part.columns],
        "rows": [
            [str(name), str(label), *(_cell(value) for value in row)]
            for name, label, row in zip(part.index, table.labels, part.to_numpy(), strict=False)
        ],
        "more_rows": len(table.values) - len(part),
        "more_columns": table.values.shape[1] - part.shape[1],
    }


def _cell(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.5g}"


def _with_cures(message: str, draft: Draft) -> dict[str, Any]:
    """Sentence and buttons of a message about a table."""
    cures = [cure for cure in cures_of(message) if not _is_set(cure, draft)]
    # A column with text that is repeated may say where the samples come from.
    dropped = [cure.changes["drop"][0] for cure in cures if len(cure.changes.get("drop", ())) == 1]
    if draft.batch is None:
        cures += [Cure(f"“{name}” is the batch", {"batch": name}) for name in dropped if name in draft.groups]
    return {"text": in_words(message), "cures": [{"label": cure.label, "changes": cure.changes} for cure in cures]}


def _is_set(cure: Cure, draft: Draft) -> bool:
    """True if a cure would change nothing."""
    return all(_value(name, draft) == value for name, value in cure.changes.items())


def _value(name: str, draft: Draft) -> Any:
    return draft.question.transform if name == "transform" else getattr(draft.reading, name, None)
