"""Predictions of ``ndc predict``: as rows of a table, and counted block by block."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from disjoint_centroids.cli.output import remark
from disjoint_centroids.cli.translation import in_options

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from disjoint_centroids.models.model_file import SavedModel
    from disjoint_centroids.models.training_rows import TrainingRows


@dataclass(slots=True)
class Overlap:
    """Labelled samples that the model was trained on, and the errors among the others; ``rows`` None: not known."""

    rows: TrainingRows | None
    samples: int = 0
    seen: int = 0
    wrong_of_new: int = 0
    n_compared: int | None = None

    def add(self, values: pd.DataFrame, wrong: np.ndarray) -> None:
        """Count some more samples, with their values as they stand in the table."""
        seen = None if self.rows is None else self.rows.seen(values)
        if self.rows is None or seen is None:
            self.rows = None
            return
        self.n_compared = self.rows.n_compared(values)
        self.samples += len(wrong)
        self.seen += int(seen.sum())
        self.wrong_of_new += int(wrong[~seen].sum())

    def sentence(self) -> str:
        """Number of samples that the model was trained on, and its error on the others, in words."""
        from disjoint_centroids.models.training_rows import overlap_sentence

        if self.rows is None:
            return "whether these samples were in the training table is not known: the model file keeps nothing of it."
        found = overlap_sentence(self.seen, self.samples, n_compared=self.n_compared)
        if self.seen == self.samples:
            return f"{found}: expect more errors on new samples. 'ndc compare' has the honest error."
        if not self.seen:
            return f"{found}."
        new, wrong = self.samples - self.seen, self.wrong_of_new
        others, differ = "other" if new == 1 else "others", "differs" if wrong == 1 else "differ"
        return f"{found}; of the {new} {others} {wrong} {differ} (error {wrong / new:.3f})."


@dataclass(slots=True)
class Tally:
    """Counts over all predictions, for the remarks at the end, whether they come at once or block by block."""

    overlap: Overlap
    samples: int = 0
    unlabelled: int = 0
    given: int = 0
    wrong: int = 0
    held: int = 0
    set_sizes: Counter[int] = field(default_factory=Counter)
    typicality: list[np.ndarray] = field(default_factory=list)
    said: dict[str, None] = field(default_factory=dict)

    def add(self, answer: pd.DataFrame, labels: pd.Series | None, values: pd.DataFrame) -> None:
        """Count some more answers, and how they compare with the labels if these are known."""
        self.samples += len(answer)
        self.unlabelled += int((answer["label"].isna() | (answer["label"] == "")).sum())
        if labels is not None:
            wrong = (answer["label"].astype(str) != labels).to_numpy()
            self.given += len(labels)
            self.wrong += int(wrong.sum())
            self.overlap.add(values, wrong)
        if "set" in answer:
            self._add_sets(answer["set"], labels)
        if "typicality" in answer:
            self.typicality.append(answer["typicality"].to_numpy())

    @contextmanager
    def keeping_warnings(self) -> Iterator[None]:
        """Keep the warnings of the library, to print each once; those about typicality are counted instead."""
        from disjoint_centroids.models.prediction import UnlikeTrainingWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", UnlikeTrainingWarning)
            yield
        self.said |= dict.fromkeys(in_options(str(warning.message)) for warning in caught)

    def _add_sets(self, sets: pd.Series, labels: pd.Series | None) -> None:
        self.set_sizes.update(len(held) for held in sets)
        if labels is not None:
            self.held += sum(label in map(str, held) for label, held in zip(labels, sets, strict=True))

    def remark(self, model: SavedModel, *, tolerated: bool, confidence: float | None) -> None:
        """Print the remarks on standard error."""
        for sentence in self.said:
            remark(sentence)
        if tolerated and self.unlabelled:
            remark(
                f"{self.unlabelled} of {self.samples} samples have less than half of some class's features and get no "
                "label."
            )
        if self.given:
            share = self.wrong / self.given
            remark(f"{self.wrong} of {self.given} labels differ from the given ones (error {share:.3f}).")
            remark(self.overlap.sentence())
        if confidence is not None:
            self._remark_on_sets(confidence)
        if self.typicality:
            self._remark_on_typicality(model)

    def _remark_on_typicality(self, model: SavedModel) -> None:
        import numpy as np

        from disjoint_centroids.models.prediction import unlike_training

        known = np.concatenate(self.typicality)
        lost = int(np.isnan(known).sum())
        if lost:
            remark(
                f"whether they are like the training samples cannot be said of {lost} of {self.samples} samples: they "
                "lack features that only cross-validation used (empty cells in the column typicality)."
            )
        sentence = unlike_training(model, known)
        if sentence is not None:
            remark(sentence)

    def _remark_on_sets(self, confidence: float) -> None:
        one, none = self.set_sizes[1], self.set_sizes[0]
        remark(
            f"at confidence {confidence:g}, {one} of {self.samples} samples have one class, "
            f"{self.samples - one - none} several, {none} none"
            f"{' (no class fits them well)' if none else ''}."
        )
        if self.given:
            share = self.held / self.samples
            remark(f"the set holds the given label for {self.held} of {self.samples} samples ({share:.3f}).")
