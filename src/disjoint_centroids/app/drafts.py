"""Tables that were brought and not yet fitted, with the answers to the questions about them."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from disjoint_centroids.app.commands import alternates_command, evaluate_command, fit_and_report
from disjoint_centroids.app.question import DEFAULTS, TRANSFORMS, Question
from disjoint_centroids.app.words import LISTS, error_in_words, in_words
from disjoint_centroids.tables.table_settings import TableSettings, listed_name


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
    batch : str or None
        Column with the batch of each sample.
    form : dict
        Fields of the form as they were last sent, whether they make a question or not.
    files : dict
        Further files of the user's, by the setting that they belong to, whether they are used or not.
    names : dict
        Names that those files had.
    guessed : bool
        True once the column of labels was guessed.
    groups : list of str
        Other columns that look like labels, and so may hold batches.
    corrected : bool
        True once something was chosen otherwise: the choices stay open.
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
    batch: str | None = None
    form: dict[str, str] = field(default_factory=lambda: dict(DEFAULTS))
    files: dict[str, Path] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    guessed: bool = False
    groups: list[str] = field(default_factory=list)
    corrected: bool = False
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
            self.form["transform"] = changes["transform"]
            self.question = replace(self.question, transform=changes["transform"])
        wanted = {name: value for name, value in changes.items() if name in known and name not in ("labels", "costs")}
        for name in LISTS:
            if name in wanted:
                added = [listed_name(str(value)) if name != "na_values" else str(value) for value in wanted[name]]
                wanted[name] = list(dict.fromkeys([*(getattr(self.reading, name) or []), *added]))
        if "features_in_rows" in wanted and "target" not in wanted:
            wanted["target"], self.guessed = None, False
        if "batch" in changes:
            self.batch = str(changes["batch"] or "") or None
        self.change(**wanted)

    def keep_file(self, kind: str, path: Path, name: str) -> None:
        """Take a further file, which is used from now on."""
        self.names[kind] = name
        if kind == "labels":
            self.change(labels=path, target=None)
            self.guessed = True
        else:
            self.files[kind] = path
            self.form[f"keep_{kind}"] = "yes"

    def ask(self, form: dict[str, str]) -> None:
        """Take a form as the question; one that makes no sense raises a ValueError and is kept to be corrected."""
        for kind in set(self.files) - set(form.get("known_files", "").split()):
            form[f"keep_{kind}"] = self.form.get(f"keep_{kind}", "")  # it came after the page, which has no box for it
        self.form, self.problem = form, ""
        try:
            question = Question.of_form(form, {kind: self.files[kind] for kind in self._kept(form)})
            if self.batch is not None and question.method.chosen != "panel":
                raise ValueError("Batches are for disjoint panels. Choose this method, or no batches.")
        except ValueError as error:
            self.problem = in_words(str(error))
            raise ValueError(self.problem) from error
        if question.transform != self.question.transform:
            self.preview = None
        self.question = question

    def _kept(self, form: dict[str, str]) -> list[str]:
        """Kinds of the further files that a form asks for."""
        return [kind for kind in self.files if form.get(f"keep_{kind}")]

    @property
    def has_choices(self) -> bool:
        """True if anything but the scale was chosen in the form."""
        others = ("transform", "known_files", "keep_markers")
        form = {name: value for name, value in self.form.items() if value and name not in others}
        chosen = form != {name: value for name, value in DEFAULTS.items() if name != "transform"}
        return chosen or any(kind != "markers" for kind in self.files)

    def commands(self) -> list[str]:
        """Commands that do the same."""
        question = self.question
        return fit_and_report(
            self.name,
            self.reading,
            question.method,
            batch=self.batch,
            transform=question.transform,
            seed=question.seed,
            stability=question.stability,
            repeats=question.repeats,
            names=self.names,
        )

    def list_command(self) -> str:
        """Command that judges the list that was brought."""
        question = self.question
        return evaluate_command(
            self.names.get("markers", "list.csv"),
            self.name,
            self.reading,
            batch=self.batch,
            transform=question.transform,
            direction=question.method.direction,
            seed=question.seed,
            names=self.names,
        )

    def list_problem(self) -> str:
        """Reason why the list that was brought cannot be judged; nothing if it can."""
        from disjoint_centroids.evaluation.feature_lists import FeatureList

        found = self.preview or {}
        if "markers" not in self.files or not found.get("usable"):
            return ""
        path = self.files["markers"]
        try:
            FeatureList.read(path, found["features"]).check(
                found["features"], [row["class"] for row in found["classes"]]
            )
        except ValueError as error:
            return error_in_words(error, {str(path): self.names["markers"]})[0]
        return ""

    def job(self) -> tuple[dict[str, Path], dict[str, Any]]:
        """Files and facts of a fit."""
        question = self.question
        files, facts = self._facts(question.method.files)
        return files, facts | {
            "kind": "fit",
            "title": self.name,
            "method": _plain(question.method),
            "stability": question.stability,
            "repeats": question.repeats,
            "commands": self.commands(),
            "alternates_command": alternates_command(self.name, self.reading, batch=self.batch, names=self.names),
            "shown": [*question.shown(self.reading), *([["Batches", self.batch]] if self.batch else [])],
        }

    def list_job(self) -> tuple[dict[str, Path], dict[str, Any]]:
        """Files and facts of a run that judges a list."""
        files, facts = self._facts([self.files["markers"]])
        return files, facts | {
            "kind": "list",
            "title": f"{self.names['markers']} on {self.name}",
            "markers": self.files["markers"].name,
            "list_name": self.names["markers"],
            "direction": self.question.method.direction,
            "stability": 0,
            "commands": [self.list_command()],
            "shown": [
                ["List", self.names["markers"]],
                ["Scale", TRANSFORMS[self.question.transform]],
                *([["Labels", self.reading.target]] if self.reading.target else []),
                *([["Batches", self.batch]] if self.batch else []),
                ["Seed", str(self.question.seed)],
            ],
        }

    def _facts(self, others: Iterable[Path | None]) -> tuple[dict[str, Path], dict[str, Any]]:
        """Files and facts that all runs have; ``others`` are files beside the table and its labels."""
        files = {path.name: path for path in (self.file, self.reading.labels, *others) if path is not None}
        return files, {
            "file": self.file.name,
            "name": self.name,
            "names": {path.name: self.names[kind] for kind, path in self._named().items() if path.name in files},
            "reading": _plain(self.reading),
            "batch": self.batch,
            "transform": self.question.transform,
            "seed": self.question.seed,
        }

    def _named(self) -> dict[str, Path]:
        """Further files by their settings."""
        labels = self.reading.labels
        return self.files if labels is None else {**self.files, "labels": labels}


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


def _plain(settings: Any) -> dict[str, Any]:
    """Settings as JSON can hold them; files by their names in the folder of the run."""
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: _as_json(value) for name, value in values.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(one) for one in value]  # JSON knows no infinity
    return value.name if isinstance(value, Path) else value
