"""New samples for a fitted model: labels, probabilities, sets of classes, and why."""

from __future__ import annotations

import io
import threading
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from disjoint_centroids.app.commands import predict_command
from disjoint_centroids.app.words import cures_of, in_words
from disjoint_centroids.exports.tables import write_table
from disjoint_centroids.models.explanation import explain_sample
from disjoint_centroids.models.model_file import SavedModel, load_model
from disjoint_centroids.models.prediction import model_columns, needed_features, predict_table, unlike_training
from disjoint_centroids.models.training_rows import overlap_sentence
from disjoint_centroids.tables.examination import examine_table
from disjoint_centroids.tables.table_settings import TableSettings

CONFIDENCES = (0.8, 0.9, 0.95)
"""Confidences of sets of classes to choose from."""
UNLIKE = 0.05
"""Typicality up to which a sample is unlike all training samples."""
SHOWN = 500
"""Rows of the answer that the page shows; files have all."""
_FEATURES = 10
_drawing = threading.Lock()


@dataclass(slots=True)
class NewSamples:
    """A table of new samples, and how it is read.

    Attributes
    ----------
    id, run : str
        Its name, and that of the run with the model.
    file : pathlib.Path
        The table.
    name : str
        Name that the user's file had.
    reading : TableSettings
        How it is read.
    tolerate : bool
        True: features of the model may be missing.
    confidence : float
        Confidence of the sets of classes.
    found : Predicted or None
        The answer, computed when it is first asked for.
    """

    id: str
    run: str
    file: Path
    name: str
    reading: TableSettings = field(default_factory=TableSettings)
    tolerate: bool = False
    confidence: float = 0.9
    found: Predicted | None = None

    def apply(self, changes: dict[str, Any]) -> None:
        """Do what a button says."""
        if changes.get("missing") == "tolerate":
            self.tolerate = True
        self.confidence = {str(one): one for one in CONFIDENCES}.get(str(changes.get("confidence")), self.confidence)
        wanted = {n: v for n, v in changes.items() if n in ("features_in_rows", "sheet", "skip_rows", "sample_id")}
        for name in ("na_values", "keep", "drop"):
            if name in changes:
                wanted[name] = [*(getattr(self.reading, name) or []), *map(str, changes[name])]
        if "limits" in changes:
            wanted["limits"] = changes["limits"]
        self.reading = replace(self.reading, **wanted)
        self.found = None


@dataclass(frozen=True, slots=True)
class Predicted:
    """Answer for a table of new samples.

    Attributes
    ----------
    problems : list of dict
        Sentences with buttons, if there is no answer.
    notes : list of str
        What to know before believing the answer.
    answer : pandas.DataFrame or None
        As :func:`disjoint_centroids.models.predict_table` returns it.
    values : pandas.DataFrame or None
        The samples.
    command : str
        Command that does the same.
    """

    problems: list[dict[str, Any]]
    notes: list[str]
    answer: pd.DataFrame | None
    values: pd.DataFrame | None
    command: str

    def rows(self) -> list[dict[str, Any]]:
        """First rows for the page: sample, label, probability, set, whether it is unlike the training samples."""
        if self.answer is None:
            return []
        return [_row(at, sample, row) for at, (sample, row) in enumerate(self.answer.head(SHOWN).iterrows())]


def predict(samples: NewSamples, model_file: Path) -> Predicted:
    """Predict new samples with the model of a run."""
    saved = load_model(model_file)
    # Missing values stay: the model's own imputation fills them in, or their place is named.
    reading = replace(samples.reading.for_model(saved.settings), impute="median")
    confidence = samples.confidence if hasattr(saved.pipeline[-1], "predict_set") else None
    command = predict_command(samples.name, samples.reading, confidence, tolerate=samples.tolerate)
    found = examine_table(samples.file, reading, need_labels=False, only=list(saved.feature_names))
    if found.table is None:
        return Predicted([_with_cures(text) for text in found.problems], [], None, None, command)
    values = found.table.values
    try:
        answer, notes = _answer(saved, values, confidence, tolerate=samples.tolerate)
    except ValueError as error:
        return Predicted([_with_cures(str(error))], [], None, None, command)
    return Predicted(
        [], [*map(in_words, found.remarks), *notes, *_about_training(saved, values)], answer, values, command
    )


def _answer(
    saved: SavedModel, values: pd.DataFrame, confidence: float | None, *, tolerate: bool
) -> tuple[pd.DataFrame, list[str]]:
    """Predictions and notes; sets of classes only if the table has every feature that they need."""
    notes = []
    if confidence is not None and not set(needed_features(saved, sets=True)) <= set(values.columns):
        confidence = None
        notes.append(
            "Sets of classes and the check against the training samples are left out: the table lacks features."
        )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        answer = predict_table(saved, values, missing="tolerate" if tolerate else "error", confidence=confidence)
    notes += [in_words(str(one.message)) for one in said]
    if "typicality" in answer and not any("unlike all training" in note for note in notes):
        sentence = unlike_training(saved, answer["typicality"].to_numpy())
        notes += [in_words(sentence)] if sentence is not None else []
    unlabelled = int((answer["label"].astype(str) == "").sum())
    if unlabelled:
        notes.append(f"{unlabelled} samples have less than half of some class's features and get no label.")
    return answer, list(dict.fromkeys(notes))


def _about_training(saved: SavedModel, values: pd.DataFrame) -> list[str]:
    seen = saved.in_training(values)
    if seen is None or not seen.any():
        return []
    sentence = overlap_sentence(int(seen.sum()), len(seen))
    return [f"{sentence[0].upper()}{sentence[1:]}: their labels say little about new samples."]


def _with_cures(message: str) -> dict[str, Any]:
    return {"text": in_words(message), "cures": [cure._asdict() for cure in cures_of(message)]}


def _row(at: int, sample: Any, row: pd.Series) -> dict[str, Any]:
    label = str(row["label"])
    likely = row.get(f"probability_{row['label']}")
    typicality = row.get("typicality")
    return {
        "at": at,
        "sample": str(sample),
        "label": label,
        "probability": None if likely is None or pd.isna(likely) else float(likely),
        "set": ", ".join(map(str, row["set"])) if "set" in row else None,
        "unlike": bool(typicality is not None and typicality <= UNLIKE),
    }


def write_predictions(found: Predicted, path: Path) -> None:
    """Write the answer as ``ndc predict`` does."""
    assert found.answer is not None
    write_table(path, [found.answer.rename_axis("sample").reset_index()])


def explained(found: Predicted, model_file: Path, at: int) -> dict[str, Any]:
    """Explain why a sample got its label: totals of the classes, and the features that count most."""
    saved, row = load_model(model_file), _sample(found, model_file, at)
    why = explain_sample(saved.pipeline, row)
    by_score = why.measure == "score"
    classes = []
    for label, total in why.totals.items():
        own = why.contributions[why.contributions["class"] == label].head(_FEATURES)
        classes.append({"class": str(label), "total": float(total), "features": own.to_dict("records")})
    return {"sample": str(why.sample), "by_score": by_score, "classes": classes}


def picture(found: Predicted, model_file: Path, at: int) -> bytes:
    """Draw the explanation as ``ndc explain`` does."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from disjoint_centroids.plots import ExplanationDisplay

    saved, row = load_model(model_file), _sample(found, model_file, at)
    drawn = io.BytesIO()
    with _drawing, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that no font can write
        display = ExplanationDisplay.from_estimator(saved.pipeline, row)
        display.figure_.savefig(drawn, format="png", dpi=130)
        plt.close(display.figure_)
    return drawn.getvalue()


def _sample(found: Predicted, model_file: Path, at: int) -> pd.DataFrame:
    if found.values is None or not 0 <= at < len(found.values):
        raise ValueError("There is no such sample.")
    return model_columns(load_model(model_file), found.values.iloc[[at]])
