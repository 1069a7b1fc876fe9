"""More than 200 damaged files: each is read as a table that can be used or refused with TableProblems, nothing else."""

import pytest

from damaged_tables import (
    LABELS,
    OPTIONS,
    cut_and_flipped,
    frame,
    is_usable,
    other_damage,
    text_damage,
    whole_files,
)
from disjoint_centroids.tables import TableProblems, read_table


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> list[tuple[str, str, bytes]]:
    damaged = [*text_damage(), *other_damage()]
    for name, whole in whole_files(tmp_path_factory.mktemp("whole")).items():
        damaged += cut_and_flipped(name, whole)
    return damaged


@pytest.mark.parametrize("options", OPTIONS, ids=["target", "target and id", "features in rows", "nothing"])
def test_damaged_files_are_tables_or_problems(tmp_path, corpus, options):
    assert len(corpus) >= 200
    refused = 0
    for how, name, content in corpus:
        file = tmp_path / name
        file.write_bytes(content)
        try:
            table = read_table(file, **options)
        except TableProblems as error:
            refused += 1
            assert error.problems, (how, name)
            assert all(len(problem) < 3000 for problem in error.problems), (how, name)
        except BaseException as error:
            raise AssertionError(f"{name}, {how}: {type(error).__name__} {error}") from error
        else:
            assert is_usable(table), (how, name)
    assert refused >= 100


def test_damaged_label_files_are_labels_or_problems(tmp_path):
    table = tmp_path / "t.csv"
    frame().drop(columns="class").to_csv(table, index=False)
    whole = {
        "l.cls": ("8 2 1\n# ALL AML\n" + " ".join("01" * 4) + "\n").encode(),
        "l.csv": frame()[["id", "class"]].to_csv(None, index=False).encode(),
        "l.txt": "\n".join(LABELS).encode(),
    }
    refused = 0
    for name, content in whole.items():
        for how, _, damaged in cut_and_flipped(name, content):
            file = tmp_path / name
            file.write_bytes(damaged)
            try:
                found = read_table(table, labels=file)
            except TableProblems as error:
                refused += 1
                assert error.problems, (how, name)
            else:
                assert is_usable(found), (how, name)
    assert refused >= 50


def test_whole_files_are_read(tmp_path):
    for name, content in whole_files(tmp_path).items():
        file = tmp_path / name
        file.write_bytes(content)
        target = None if name == "set.txt" else "class"
        if name == "t.gct":
            with pytest.raises(TableProblems, match="nothing called 'class'"):
                read_table(file, target=target)
        else:
            assert is_usable(read_table(file, target=target)), name
