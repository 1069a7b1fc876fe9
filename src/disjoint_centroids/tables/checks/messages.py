"""Messages on what is wrong with a table, one sentence per problem with its cure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from disjoint_centroids._listed import listed
from disjoint_centroids.tables.cells.cell_rules import NOT_DETECTED, CellRules, states_limit
from disjoint_centroids.tables.cells.file_cells import FileCells
from disjoint_centroids.tables.nearest_names import nearest_names

SHOWN = 10
_FEWEST = 3
_COMMA_NUMBER = re.compile(r"[+-]?\d+(?:,\d+)+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def drop_option(names: Sequence[str]) -> str:
    """Write the parameter that leaves these columns out."""
    more = ", …" if len(names) > SHOWN else ""
    return f"drop=[{', '.join(repr(name) for name in names[:SHOWN])}{more}]"


def not_there(name: str, option: str, names: Iterable[str]) -> str:
    """Report a name that an option gives and the table does not have."""
    near = nearest_names(name, names) or " Check the spelling."
    return f"there is nothing called {name!r}, which {option} names.{near}"


def which_labels(what: str, likely: Sequence[str]) -> str:
    """Ask for the column of labels, naming those that may be meant."""
    hint = f" (it may be {listed([repr(name) for name in likely])})" if likely else ""
    return f"nothing says which {what} holds the labels. Name it: target=NAME{hint}; or give a file: labels=FILE"


def names_not_there(given: Collection[str], option: str, names: Collection[str]) -> list[str]:
    """Report columns that an option names and the table does not have."""
    lost = [name for name in given if name not in names]
    if not lost:
        return []
    near = nearest_names(lost[0], names) or " Check the spelling."
    return [f"{option} names what is not there: {listed([repr(name) for name in lost])}.{near}"]


def sample_numbers(name: str) -> str:
    """Ask about a column that may number the samples."""
    return (
        f"the column {name!r} holds a different whole number for each sample: does it number the samples, or is it a "
        f"feature? Say which: sample_id={name!r} or drop=[{name!r}] for sample numbers, keep=[{name!r}] for a feature."
    )


def other_sheets(names: Sequence[str]) -> list[str]:
    """Mention sheets that are not read."""
    if not names:
        return []
    shown = listed([repr(name) for name in names])
    return [f"the file has {_count(len(names), 'other sheet')}: {shown}. To read it: sheet={names[0]!r}"]


def columns_of_words(
    cells: FileCells, columns: Sequence[int], *, imputed: bool = False, can_impute: bool = True
) -> list[str]:
    """Report columns that hold cells which are not numbers."""
    found = {at: words for at in columns if (words := cells.column_words(at))}
    if not found:
        return []
    names = [cells.names[at] for at in found]
    shown = [f"{cells.names[at]!r} ({_example(words, cells.n_rows)})" for at, words in found.items()]
    cure = f"Correct these cells, or leave out: {drop_option(names)}"
    if all(_COMMA_NUMBER.fullmatch(words[0]) for words in found.values()):
        cure = (
            "The commas may be decimal commas, or separate thousands: write numbers with a decimal point and nothing "
            "between thousands. (Decimal commas are understood where tabs or semicolons separate the cells and all "
            f"numbers have them.) Or leave out: {drop_option(names)}"
        )
    filled = "" if imputed or not can_impute else " impute='median'"
    cures = [*_one_option(cells, found, filled), *_ids_among(cells, found), cure]
    return [
        f"{_count(len(found), 'column')} {_verb(len(found), 'holds', 'hold')} text where numbers are needed: "
        f"{listed(shown)}. {' '.join(cures)}"
    ]


def _one_option(cells: FileCells, found: dict[int, list[str]], filled: str) -> list[str]:
    """The option that makes numbers of all odd cells among numbers: stated limits, or words for missing values."""
    odd = {
        word: None
        for at, words in found.items()
        if 2 * len(words) <= cells.n_rows
        for word in words
        if not _COMMA_NUMBER.fullmatch(word)
    }
    if not odd:
        return []
    if all(states_limit(word) for word in odd):
        without = [word for word in odd if word.casefold() in NOT_DETECTED]
        also = f"{filled} ({listed([repr(word) for word in without])}: missing values)" if without else ""
        return [f"For cells that state a limit give limits='half'{also}; '<0.5' is then 0.25, and '>100' is 100."]
    if len(odd) > SHOWN:
        return []
    return [f"If these cells are missing values, give na_values={list(odd)}{filled}."]


def _ids_among(cells: FileCells, found: dict[int, list[str]]) -> list[str]:
    """The option for columns that name the samples."""
    names = [cells.names[at] for at, words in found.items() if len(set(words)) == len(words) == cells.n_rows >= _FEWEST]
    if not names:
        return []
    which = "names the samples" if len(names) == 1 else "name the samples"
    shown = listed([repr(name) for name in names])
    return [f"{shown}: different for each sample. If it {which}, give sample_id={names[0]!r}."]


def _example(words: Sequence[str], n_rows: int) -> str:
    where = "" if len(words) == n_rows else f" in {_count(len(words), 'cell')} of {n_rows}"
    example = words[0] if len(words[0]) <= 30 else words[0][:29] + "…"
    return f"such as {example!r}{where}" if len(set(words)) > 1 else f"{example!r}{where}"


def unusable_numbers(
    cells: FileCells, columns: Sequence[int], *, imputed: bool = False, missing: bool = False, can_impute: bool = True
) -> list[str]:
    """Report missing cells, unless these may stay (``missing``), and infinite ones, in columns without words."""
    plain = [at for at in columns if not cells.words.get(at)]  # a word is not a missing value as well
    numbers = cells.numbers if len(plain) == len(cells.names) else cells.numbers[:, plain]
    names = [cells.names[at] for at in plain]
    problems = [] if missing else missing_values(numbers, names, imputed=imputed, can_impute=can_impute)
    return problems + infinite_values(numbers, names, can_impute=can_impute)


def missing_values(numbers: np.ndarray, names: Sequence[str], *, imputed: bool, can_impute: bool = True) -> list[str]:
    """Report missing cells, worst columns first; with imputation only columns that have no value at all."""
    by_column = np.isnan(numbers).sum(axis=0)
    empty = [name for name, n in zip(names, by_column, strict=True) if n == len(numbers)]
    if imputed:
        if not empty:
            return []
        return [
            f"{_count(len(empty), 'column')} without any value: {listed([repr(n) for n in empty])}. "
            f"There is nothing to impute from; leave out: {drop_option(empty)}"
        ]
    worst = _worst_first(by_column)
    if not worst:
        return []
    total = int(by_column.sum())
    shown = listed([f"{names[at]!r} ({by_column[at]})" for at in worst])
    where = f"in {_count(len(worst), 'column')}: {shown}"
    cure = "Fill them in" + (" with impute='median' or impute='knn'" if can_impute else "")
    also = (
        f" (columns without any value must go: {drop_option(empty)})"
        if empty
        else f", or leave columns out: {drop_option([names[at] for at in worst[:3]])}"
    )
    return [f"{_count(total, 'cell')} of {numbers.size} {_verb(total, 'is', 'are')} missing, {where}. {cure}{also}"]


def infinite_values(numbers: np.ndarray, names: Sequence[str], *, can_impute: bool = True) -> list[str]:
    """Report infinite cells, worst columns first."""
    by_column = np.isinf(numbers).sum(axis=0)
    worst = _worst_first(by_column)
    if not worst:
        return []
    total = int(by_column.sum())
    shown = listed([f"{names[at]!r} ({by_column[at]})" for at in worst])
    empty = ", or leave them empty and give impute='median'" if can_impute else ""
    return [
        f"{_count(total, 'cell')} {_verb(total, 'is', 'are')} infinite, or too large for a number, in "
        f"{_count(len(worst), 'column')}: {shown}. Correct them{empty}; or leave columns out: "
        f"{drop_option([names[at] for at in worst])}"
    ]


def bad_feature_names(names: Sequence[str], positions: Sequence[int]) -> list[str]:
    """Report feature names that come more than once, and features without a name."""
    problems = []
    again = [f"{name!r} ({n} times)" for name, n in Counter(name for name in names if name).items() if n > 1]
    if again:
        problems.append(
            f"{_count(len(again), 'feature name')} {_verb(len(again), 'comes', 'come')} more than once: "
            f"{listed(again)}. Give each feature a name of its own."
        )
    unnamed = [str(at + 1) for at, name in zip(positions, names, strict=True) if not name]
    if unnamed:
        problems.append(f"{_count(len(unnamed), 'feature')} without a name, at position {listed(unnamed)}. Name them.")
    return problems


def sample_ids(ids: Sequence[str], where: str) -> list[str]:
    """Report sample ids that come more than once, and samples without one."""
    problems = []
    again = [f"{name!r} ({n} times)" for name, n in Counter(name for name in ids if name).items() if n > 1]
    if again:
        problems.append(
            f"{_count(len(again), 'sample id')} in {where} {_verb(len(again), 'comes', 'come')} more than once: "
            f"{listed(again)}. Give each sample an id of its own, name another column with ids (sample_id=NAME), or "
            "leave out a column that is not one (drop=[NAME])."
        )
    empty = [str(at + 1) for at, name in enumerate(ids) if not name]
    if empty:
        problems.append(
            f"{_count(len(empty), 'sample')} without an id in {where}: number {listed(empty)}. Fill them in."
        )
    return problems


def class_labels(labels: Sequence[str], ids: Iterable[str], *, training: bool, rules: CellRules) -> list[str]:
    """Report missing labels; for training also labels with one sample, and fewer than two classes."""
    problems = []
    missing = [repr(name) for name, label in zip(ids, labels, strict=True) if rules.is_missing_label(label)]
    if missing:
        problems.append(
            f"{_count(len(missing), 'sample')} without a label: {listed(missing)}. Fill the labels in, or leave these "
            "samples out: unlabelled='drop'"
        )
    counts = Counter(label for label in labels if not rules.is_missing_label(label))
    if not training or not counts:
        return problems
    single = [repr(label) for label, n in counts.items() if n == 1]
    if len(counts) == 1:
        problems.append(
            f"all samples have the label {next(iter(counts))!r}. There must be at least two classes; is it "
            "the right column? Another one: target=NAME"
        )
    elif len(single) == len(counts):
        problems.append(
            f"every label belongs to one sample only ({listed(single)}). A class needs two or more; is it the "
            "right column? Another one: target=NAME"
        )
    elif single:
        problems.append(
            f"{_count(len(single), 'label')} with one sample only: {listed(single)}. A class needs two or more: "
            "take the sample out, or give it the label of another class."
        )
    return problems


def _worst_first(by_column: np.ndarray) -> list[int]:
    return [int(at) for at in np.argsort(-by_column, kind="stable") if by_column[at]]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _verb(n: int, one: str, several: str) -> str:
    return one if n == 1 else several
