"""Tables that were brought and not yet fitted, with the answers to the questions about them."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from disjoint_centroids.app.commands import fit_and_report
from disjoint_centroids.app.question import DEFAULTS, TRANSFORMS, Question
from disjoint_centroids.app.words import LISTS, in_words
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
    form : dict
        Fields of the form as they were last sent, whether they make a question or not.
    costs : pathlib.Path or None
        File of prices, whether it is used or not.
    names : dict
        Names that further files of the user's had, by the setting that they belong to.
    guessed : bool
        True once the column of labels was guessed.
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
    form: dict[str, str] = field(default_factory=lambda: dict(DEFAULTS))
    costs: Path | None = None
    names: dict[str, str] = field(default_factory=dict)
    guessed: bool = False
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
        self.change(**wanted)

    def ask(self, form: dict[str, str]) -> None:
        """Take a form as the question; one that makes no sense raises a ValueError and is kept to be corrected."""
        self.form, self.problem = form, ""
        try:
            question = Question.of_form(form, self.costs if form.get("keep_costs") else None)
        except ValueError as error:
            self.problem = in_words(str(error))
            raise ValueError(self.problem) from error
        if question.transform != self.question.transform:
            self.preview = None
        self.question = question

    @property
    def has_choices(self) -> bool:
        """True if anything but the scale was chosen in the form."""
        form = {name: value for name, value in self.form.items() if value and name != "transform"}
        return form != {name: value for name, value in DEFAULTS.items() if name != "transform"} or bool(self.costs)

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
            repeats=question.repeats,
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
            "shown": question.shown(self.reading),
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


def _plain(settings: Any) -> dict[str, Any]:
    """Settings as JSON can hold them; files by their names in the folder of the run."""
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: _as_json(value) for name, value in values.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(one) for one in value]  # JSON knows no infinity
    return value.name if isinstance(value, Path) else value
