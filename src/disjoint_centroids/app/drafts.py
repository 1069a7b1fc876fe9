"""Tables that were brought and not yet fitted, with the answers to the questions about them."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from disjoint_centroids.app.commands import fit_and_report
from disjoint_centroids.app.words import LISTS
from disjoint_centroids.evaluation.method_settings import MethodSettings
from disjoint_centroids.tables.table_settings import TableSettings

METHODS = {"panel": "Disjoint panels", "ndc-s": "Nearest disjoint centroids (NDC-S)", "ndc": "NDC, all features"}
TRANSFORMS = {
    "none": "As they are",
    "log2": "Logarithm (log2)",
    "log1p": "Logarithm of 1 + value (log1p)",
    "standardize": "Standardise every column",
    "log2-standardize": "Logarithm, then standardise",
}
READS = {"": "Automatic", "all": "The features of all classes", "own": "Its own features only"}
STABILITY = 100
_PANEL = ("max_features_per_class", "max_features", "reads", "exclude", "require", "costs", "budget")


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be fitted.

    Attributes
    ----------
    method : MethodSettings
        Classifier and its parameters.
    transform : str
        Change of scale.
    seed : int
        Of the random numbers.
    stability : int
        Fits on halves of the samples; 0 for none.
    repeats : int
        Of the cross-validation that measures the error.
    """

    method: MethodSettings = field(default_factory=MethodSettings)
    transform: str = "none"
    seed: int = 0
    stability: int = 0
    repeats: int = 5

    @classmethod
    def of_form(cls, form: dict[str, str], costs: Path | None) -> Question:
        """Read a form; a value that makes no sense raises a ValueError that names it."""
        method = form.get("method", "panel")
        given: dict[str, Any] = {"method": method if method in METHODS and method != "panel" else None}
        given["rule"] = "1se" if form.get("rule") == "1se" else "min"
        if given["method"] is None:
            given |= {
                "max_features_per_class": _whole(form, "max_features_per_class", "Features per class"),
                "max_features": _whole(form, "max_features", "Features in all"),
                "reads": form.get("reads") if form.get("reads") in ("all", "own") else None,
                "exclude": _lines(form.get("exclude", "")) or None,
                "require": _lines(form.get("require", "")) or None,
                "budget": _number(form, "budget", "Budget"),
                "costs": costs,
            }
            if costs is not None and given["budget"] is None:
                raise ValueError("Prices change nothing without a budget. Give a budget, or remove the file of prices.")
            if costs is None and given["budget"] is not None:
                raise ValueError("A budget needs a file of prices. Add one, or clear the budget.")
        if method == "ndc":
            given["rule"] = "min"
        transform = form.get("transform", "none")
        return cls(
            MethodSettings(**given),
            transform if transform in TRANSFORMS else "none",
            _whole(form, "seed", "Seed", least=0) or 0,
            STABILITY if form.get("stability") else 0,
        )


@dataclass(slots=True)
class Draft:
    """A table of the user's.

    Attributes
    ----------
    id : str
        Its name in addresses.
    folder : pathlib.Path
        Folder of its own.
    file : pathlib.Path
        The table.
    name : str
        Name that the user's file had.
    reading : TableSettings
        How it is read.
    question : Question
        What is to be fitted.
    names : dict
        Names that further files of the user's had, by the setting that they belong to.
    guessed : bool
        True once the column of labels was guessed.
    preview : dict or None
        What is shown of it, computed when it is first asked for.
    problem : str
        What was wrong with the last form.
    """

    id: str
    folder: Path
    file: Path
    name: str
    reading: TableSettings = field(default_factory=TableSettings)
    question: Question = field(default_factory=Question)
    names: dict[str, str] = field(default_factory=dict)
    guessed: bool = False
    preview: dict[str, Any] | None = None
    problem: str = ""

    def change(self, **values: Any) -> None:
        """Read the table in another way."""
        self.reading = replace(self.reading, **values)
        self.preview = None

    def apply(self, changes: dict[str, Any]) -> None:
        """Do what a button says; names are added to lists, everything else is set."""
        known = {field.name for field in fields(TableSettings)}
        if changes.get("transform") in TRANSFORMS:
            self.question = replace(self.question, transform=changes["transform"])
        wanted = {name: value for name, value in changes.items() if name in known and name not in ("labels", "costs")}
        for name in LISTS:
            if name in wanted:
                added = [str(value) for value in wanted[name]]
                wanted[name] = list(dict.fromkeys([*(getattr(self.reading, name) or []), *added]))
        if "features_in_rows" in wanted and "target" not in wanted:
            wanted["target"], self.guessed = None, False
        self.change(**wanted)

    def commands(self) -> list[str]:
        """Commands that do the same."""
        question = self.question
        return fit_and_report(
            self.name,
            self.reading,
            question.method,
            transform=question.transform,
            seed=question.seed,
            stability=question.stability,
            names=self.names,
        )

    def job(self) -> tuple[dict[str, Path], dict[str, Any]]:
        """Files and facts of a run."""
        question, files = self.question, {self.file.name: self.file}
        for path in (self.reading.labels, question.method.costs):
            if path is not None:
                files[path.name] = path
        return files, {
            "file": self.file.name,
            "name": self.name,
            "reading": _plain(self.reading),
            "method": _plain(question.method),
            "transform": question.transform,
            "seed": question.seed,
            "stability": question.stability,
            "repeats": question.repeats,
            "commands": self.commands(),
            "shown": shown_settings(question, self.reading),
        }


class Drafts:
    """All tables that were brought to this server; they are gone when it ends."""

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="ndc-app-", ignore_cleanup_errors=True)
        self.folder = Path(self._scratch.name)
        self._known: dict[str, Draft] = {}

    def new_folder(self) -> Path:
        """Make a folder for files of the user's."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def add(self, folder: Path, file: Path, name: str) -> Draft:
        """Keep a table."""
        draft = Draft(secrets.token_hex(8), folder, file, name)
        self._known[draft.id] = draft
        return draft

    def get(self, draft_id: str) -> Draft | None:
        """Find a table."""
        return self._known.get(draft_id)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._scratch.cleanup()


def shown_settings(question: Question, reading: TableSettings) -> list[list[str]]:
    """Settings in words, for the list of runs."""
    method = question.method
    words = [["Method", METHODS[method.chosen]], ["Scale", TRANSFORMS[question.transform]]]
    words += [["Labels", reading.target]] if reading.target else []
    words += [["Missing values", str(reading.impute)]] if reading.impute else []
    for name in _PANEL:
        value = getattr(method, name)
        if value not in (None, []):
            text = ", ".join(value) if isinstance(value, list) else getattr(value, "name", str(value))
            words.append([name.replace("_", " ").capitalize(), text])
    words += [["Rule", "fewest features within one standard error"]] if method.rule == "1se" else []
    return [*words, ["Seed", str(question.seed)]]


def _plain(settings: Any) -> dict[str, Any]:
    """Settings as JSON can hold them; files by their names in the folder of the run."""
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value.name if isinstance(value, Path) else value for name, value in values.items()}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _whole(form: dict[str, str], name: str, shown: str, *, least: int = 1) -> int | None:
    number = _number(form, name, shown)
    if number is not None and (number != int(number) or number < least):
        raise ValueError(f"{shown} takes a whole number from {least} up; got “{form[name]}”.")
    return None if number is None else int(number)


def _number(form: dict[str, str], name: str, shown: str) -> float | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{shown} takes a number; got “{text}”.") from None
    if not 0 <= number < float("inf"):
        raise ValueError(f"{shown} takes a number from 0 up; got “{text}”.")
    return number
