"""One batch of damaged files in a process of its own, watched: what it raises, writes, executes and takes of memory."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from damaged_tables import GENES, frame, is_usable
from disjoint_centroids import (
    DisjointKNeighborsClassifier,
    DisjointLogisticRegression,
    DisjointPanelClassifier,
    NearestDisjointCentroid,
    NearestDisjointCentroidCV,
    OverlappingCentroidClassifier,
)
from disjoint_centroids.cli import main
from disjoint_centroids.models.model_file import load_model, save_model
from disjoint_centroids.models.prediction import predict_table
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.tables import LabelledTable, TableProblems, read_table
from fuzz.cases import Case, ModelCases, TableCases

KINDS = {"tables": "tables", "models": "model files", "commands": "commands"}
LIMIT_MIB = 1024
"""Memory that a worker may take beyond its start, whatever it is given."""
_SECONDS = 300  # after which a case counts as one that does not end
_LONGEST = 4000
_LAST = "overlapping.ndc"  # of the whole models, in the order in which they are written


@dataclass
class Found:
    """Outcome of a batch."""

    answered: int = 0
    refused: int = 0
    done: int = 0
    peak_mib: float = 0.0
    failures: list[str] = field(default_factory=list)


class NotAsPromised(Exception):
    """A case did something that no damaged file may do."""


class Corpus:
    """All cases, and the whole files that they are grown from."""

    def __init__(self, scratch: Path, seed: int, kept: Path) -> None:
        self.root = scratch
        self.inner = scratch / "watched" / "inner"
        self.marker = self.inner / "executed"
        self.inner.mkdir(parents=True)
        self._sources = scratch / "whole"
        self._sources.mkdir()
        # Members of a model file are named by where they were in memory: the same files again are the same cases again.
        if not (kept / _LAST).exists():
            kept.mkdir(parents=True, exist_ok=True)
            _write_models(kept)
        whole = {path.stem: path.read_bytes() for path in sorted(kept.glob("*.ndc"))}
        for name, content in whole.items():
            (self._sources / f"{name}.ndc").write_bytes(content)
        # Used once here, so that what they need is compiled once for all workers.
        for name in whole:
            predict_table(load_model(self._sources / f"{name}.ndc"), frame()[GENES])
        frame().to_csv(self._sources / "whole.csv", index=False)
        self.tables = TableCases(self._sources, seed)
        self.models = ModelCases(whole, self.marker, seed)

    def run(self, kind: str, number: int) -> bool:
        """Run one case; True if it was answered, False if refused."""
        before = self.watched()
        outcome, written = getattr(self, f"_run_{kind}")(number)
        appeared = sorted(self.watched() - before - written)
        for path in written:
            (self.root / path).unlink(missing_ok=True)
        if appeared:
            raise NotAsPromised(f"written: {appeared}")
        return outcome

    def watched(self) -> set[str]:
        """Everything in the folder around the one that the cases work in."""
        return {str(path.relative_to(self.root)) for path in (self.root / "watched").rglob("*")}

    def show(self, kind: str, number: int) -> int:
        """Run one case in this process, and keep its file."""
        if kind not in KINDS:
            raise SystemExit(f"There are {', '.join(KINDS)}, and no {kind!r}.")
        os.chdir(self.inner)
        case = self._command_case(number)[0] if kind == "commands" else getattr(self, kind).case(number)
        kept = Path(os.environ.get("PWD", ".")) / f"fuzz-{kind}-{number}-{case.name}"
        kept.write_bytes(case.content)
        print(f"{case.how}; {case.options}; written to {kept}")
        print("answered" if self.run(kind, number) else "refused")
        return 0

    def _put(self, case: Case) -> tuple[Path, set[str]]:
        file = self.inner / case.name
        file.write_bytes(case.content)
        return file, {str(file.relative_to(self.root))}

    def _run_tables(self, number: int) -> tuple[bool, set[str]]:
        case = self.tables.case(number)
        file, written = self._put(case)
        try:
            table = read_table(file, **case.options)
        except TableProblems as error:
            if not error.problems or any(len(problem) > _LONGEST for problem in error.problems):
                raise NotAsPromised(f"problems of {[len(p) for p in error.problems]} characters") from error
            return False, written
        if "impute" not in case.options and not is_usable(table):
            raise NotAsPromised("read as a table that cannot be used")
        model = load_model(self._sources / "panel.ndc")
        try:
            predict_table(model, table.values)
        except ValueError as error:
            _check_sentence(error)
        return True, written

    def _run_models(self, number: int) -> tuple[bool, set[str]]:
        file, written = self._put(self.models.case(number))
        try:
            model = load_model(file)
        except ValueError as error:
            _check_sentence(error)
            return False, written
        try:
            predict_table(model, frame()[GENES])
        except ValueError as error:
            _check_sentence(error)
        return True, written

    def _command_case(self, number: int) -> tuple[Case, list[str]]:
        """Every other command gets a damaged table, the rest a damaged model."""
        table, model = str(self._sources / "whole.csv"), str(self._sources / "panel.ndc")
        if number % 2:
            case = self.models.case(10**6 + number)
            given = str(self.inner / case.name)
            words = [
                ["predict", given, table],
                ["features", given],
                ["explain", given, table, "--sample", "0"],
                ["predict", given, table, "--target", "class"],
            ]
        else:
            case = self.tables.case(10**6 + number)
            given = str(self.inner / case.name)
            quick = ["--method", "panel", "--rounds", "1", "--terms", "linear"]
            output = str(self.inner / "out.ndc")
            words = [
                ["predict", model, given],
                ["fit", given, "--target", "class", "-o", output, *quick],
                ["explain", model, given, "--sample", "0"],
                ["predict", model, given, "--target", "class", "--id", "id"],
            ]
        return case, words[number // 2 % 4]

    def _run_commands(self, number: int) -> tuple[bool, set[str]]:
        case, words = self._command_case(number)
        _, written = self._put(case)
        said, code = io.StringIO(), 0
        os.chdir(self.inner)
        with redirect_stdout(said), redirect_stderr(said):
            try:
                main(words)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
        text = said.getvalue()
        if code not in (0, 2) or "Traceback" in text or "\x1b" in text:
            raise NotAsPromised(f"ndc {' '.join(words[:1])} ended with {code}: {text[-500:]!r}")
        if code == 0 and words[0] == "fit":
            written.add(str((self.inner / "out.ndc").relative_to(self.root)))
        return code == 0, written


def _check_sentence(error: ValueError) -> None:
    text = str(error)
    if not text.strip() or len(text) > _LONGEST:
        raise NotAsPromised(f"a refusal of {len(text)} characters") from error


def _write_models(folder: Path) -> None:
    """A model file of every kind of classifier, fitted to the table that the damaged ones are grown from."""
    rng = np.random.default_rng(0)
    table = pd.concat([frame()] * 4, ignore_index=True)
    values, labels = table[GENES] + rng.normal(size=(len(table), len(GENES))), table["class"]
    quick = {"n_init": 3, "random_state": 0}
    inner = NearestDisjointCentroid(**quick)
    classifiers: dict[str, Any] = {
        "ndc": inner,
        "ndc-s": NearestDisjointCentroidCV(n_lams=3, cv=3, **quick),
        "panel": DisjointPanelClassifier(rounds=2, terms="both", cv=3, random_state=0),
        "neighbours": DisjointKNeighborsClassifier(n_neighbors=3, estimator=inner, random_state=0),
        "logistic": DisjointLogisticRegression(estimator=inner, random_state=0),
        "overlapping": OverlappingCentroidClassifier(lam=1.5, **quick),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, classifier in classifiers.items():
            model = model_pipeline(classifier, transform="log1p" if name == "ndc-s" else "none", impute="median")
            model.fit(values.abs(), labels)
            training = LabelledTable(values.abs(), labels, "whole.csv")
            save_model(model, folder / f"{name}.ndc", table=training, force=True)


def run_batch(corpus: Corpus, kind: str, numbers: range) -> Found:
    """Run cases in a forked process; one that ends the process is a failure, and the next batch begins after it."""
    reader, writer = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(reader)
        _work(corpus, kind, numbers, writer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "r") as answers:
        said = answers.read().splitlines()
    _, status = os.waitpid(worker, 0)
    found = Found(**json.loads(said[-1])) if said else Found()
    if status != 0:
        found.failures.append(f"{kind} {numbers.start + found.done}: the process ended with status {status}")
        found.done += 1
    if corpus.marker.exists():
        corpus.marker.rmdir()
    return found


def _memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _work(corpus: Corpus, kind: str, numbers: range, writer: int) -> None:
    """Run the cases, and report after each of them: the last report counts."""
    signal.signal(signal.SIGALRM, _overdue)
    os.chdir(corpus.inner)
    found, start = Found(), _memory_mib()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in numbers:
            signal.alarm(_SECONDS)
            try:
                answered = corpus.run(kind, number)
                found.answered += answered
                found.refused += not answered
                if corpus.marker.exists():
                    raise NotAsPromised("something in the file was executed")
                if _memory_mib() - start > LIMIT_MIB:
                    raise NotAsPromised(f"took {_memory_mib() - start:.0f} MiB")
            except BaseException as error:  # whatever it is, it is the finding
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(where.filename).name}:{where.lineno}"
                found.failures.append(f"{kind} {number}: {type(error).__name__} at {place}: {str(error)[:600]}")
            signal.alarm(0)
            found.done += 1
            found.peak_mib = max(0.0, _memory_mib() - start)
            os.write(writer, (json.dumps(asdict(found)) + "\n").encode())


def _overdue(*_: object) -> None:
    raise NotAsPromised(f"not done after {_SECONDS} s")
