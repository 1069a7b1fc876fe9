"""Files that commands write: never one that they read, checked before the work, and the answer if all that fails."""

import csv
import gzip
import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.models.model_file import load_model

# What each command reads beside what it writes; the last word is the option that takes the output.
COMMANDS = {
    "fit": "fit table.csv --labels labels.csv --costs costs.csv --budget 2 --exclude-file no.csv --output",
    "predict": "predict model.csv table.csv --labels labels.csv --output",
    "features": "features model.csv --output",
    "explain": "explain model.png table.png --sample s1 --output",
    "compare": "compare table.csv --labels labels.csv --output",
    "stability": "stability table.csv --labels labels.csv --costs costs.csv --budget 2 --exclude-file no.csv --output",
    "stability results": "stability table.csv --labels labels.csv --results",
    "report": "report table.csv --labels labels.csv --output",
    "report of a model": "report model.csv table.csv --output",
    "data get": "data get golub-1999-v1 --wheel wheel.csv --output",
}
CASES = [(name, at) for name, words in COMMANDS.items() for at, word in enumerate(words.split()) if word[-4:-3] == "."]


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """Files of any content: what is refused is refused before anything is read."""
    monkeypatch.chdir(tmp_path)
    for word in {word for words in COMMANDS.values() for word in words.split() if word[-4:-3] == "."}:
        (tmp_path / word).write_text("precious")
    return tmp_path


def other_names(folder, name):
    """The same file by other names."""
    (folder / "linked").mkdir()
    os.link(folder / name, folder / "linked" / f"hard{name[-4:]}")
    (folder / "linked" / f"soft{name[-4:]}").symlink_to(folder / name)
    (folder / "again").symlink_to(folder, target_is_directory=True)
    hard, soft = (f"linked/{kind}{name[-4:]}" for kind in ("hard", "soft"))
    return [name, f"linked/../{name}", str(folder / name), f"again/{name}", hard, soft]


@pytest.mark.parametrize(("command", "at"), CASES)
def test_no_command_writes_over_what_it_reads(ndc, inputs, command, at):
    words = COMMANDS[command].split()
    names = other_names(inputs, words[at])
    # Every file that a command reads is looked at in the same way: all names once per command, then one other name.
    names = names if (command, at) == next(case for case in CASES if case[0] == command) else names[-2:]
    for name, force in [(names[0], ()), *((name, ("--force",)) for name in names)]:
        result = ndc(*words, name, *force)
        assert result.exit_code == 2, name
        assert f"{name} is the file {words[at]} that this command reads" in result.stderr
        assert (inputs / words[at]).read_text() == "precious"


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_to_a_folder_a_device_or_a_link(ndc, inputs, command, force):
    words = COMMANDS[command].split()
    ending = words[1][-4:] if words[0] == "explain" else ".csv"
    places = {f"{kind}{ending}": said for kind, said in (("folder", "a folder"), ("pipe", "a device or a pipe"))}
    places |= {f"{kind}{ending}": "a symbolic link" for kind in ("link", "dangling")} | {"/dev/null": "a device"}
    (inputs / f"folder{ending}").mkdir()
    os.mkfifo(inputs / f"pipe{ending}")
    (inputs / "aim").write_text("precious")
    (inputs / f"link{ending}").symlink_to(inputs / "aim")
    (inputs / f"dangling{ending}").symlink_to(inputs / "nothing")
    before = sorted(path.name for path in inputs.iterdir())
    for place, said in places.items():
        result = ndc(*words, place, *force)
        assert result.exit_code == 2, place
        assert f"{place} is {said}" in result.stderr
    assert (inputs / "aim").read_text() == "precious"
    assert sorted(path.name for path in inputs.iterdir()) == before


def test_the_picture_of_compare_is_guarded_too(ndc, inputs):
    (inputs / "table.png").write_text("precious")
    result = ndc("compare", "table.png", "-t", "kind", "-o", "table.csv", "--force")
    assert result.exit_code == 2
    assert "table.png is the file table.png that this command reads" in result.stderr
    assert (inputs / "table.png").read_text() == (inputs / "table.csv").read_text() == "precious"


def test_a_table_in_parts_gets_no_further_part(ndc, inputs):
    (inputs / "parts" / "deep").mkdir(parents=True)
    (inputs / "parts" / "part-0.parquet").write_text("precious")
    for name in ("parts/part-0.parquet", "parts/new.parquet", "parts/deep/new.parquet"):
        result = ndc("predict", "model.csv", "parts", "--engine", "dask", "-f", "-o", name)
        assert result.exit_code == 2
        assert f"{name} is in the folder parts that this command reads" in result.stderr
    assert (inputs / "parts" / "part-0.parquet").read_text() == "precious"


def test_no_file_is_written_twice(ndc, inputs):
    asked = ("stability", "table.csv", "-t", "kind", "-o", "new.csv")
    for again in (("-o", "./new.csv"), ("--results", "new.csv")):
        result = ndc(*asked, *again)
        assert result.exit_code == 2
        assert "new.csv is to be written twice" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_written_is_known_before_anything_is_read(ndc, inputs, command):
    words = COMMANDS[command].split()
    ending = ".png" if words[0] == "explain" else ".csv"
    protected = inputs / f"protected{ending}"
    protected.write_text("precious")
    protected.chmod(0o444)
    too_long = f"{'n' * 300}{ending}"
    expected = {
        f"no/such{ending}": "the folder no does not exist. Create it",
        protected.name: f"{protected.name} is write-protected",
        f"{words[1]}/x{ending}" if words[0] == "fit" else f"protected{ending}/x{ending}": "does not exist",
        too_long: f"cannot write {too_long}: ",
    }
    if os.path.isdir("/proc/self"):  # where even the superuser can create nothing
        expected[f"/proc/self/x{ending}"] = f"cannot write /proc/self/x{ending}: "
    for name, said in expected.items():
        result = ndc(*words, name, "--force")
        assert result.exit_code == 2, name
        assert said in result.stderr
    assert protected.read_text() == "precious"
    assert not [path for path in inputs.iterdir() if ".part" in path.name]


@pytest.fixture
def full_disk():
    """A context in which no file can become longer than a hundred bytes."""
    resource = pytest.importorskip("resource")
    from contextlib import contextmanager

    @contextmanager
    def full():
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return full


QUICK_FIT = ("fit", "blocks.csv", "-t", "kind", "--rounds", 1, "--terms", "linear")
QUICK_COMPARISON = ("compare", "blocks.csv", "-t", "kind", "--methods", "NC", "--repeats", 1)
QUICK_STABILITY = ("stability", "blocks.csv", "-t", "kind", "--rounds", 1, "--terms", "linear", "--resamples", 2)
ANSWERS = {
    "fit": (QUICK_FIT, ("-o", "x.ndc"), "What each class owns"),
    "features": (("features", "MODEL"), ("-o", "x.csv"), "What each class owns"),
    "gene sets": (("features", "MODEL"), ("-o", "x.gmt"), "What each class owns"),
    "predict": (("predict", "MODEL", "blocks.csv"), ("-o", "x.csv"), "sample,label,"),
    **{
        f"predict {ending}": (
            ("predict", "MODEL", "blocks.csv"),
            ("-o", f"x{ending}"),
            "sample,label,",
        )
        for ending in (".tsv", ".xlsx", ".json", ".parquet")
    },
    "explain": (("explain", "MODEL", "blocks.csv", "--sample", "s3"), ("-o", "x.png"), "What each feature adds"),
    "compare": (QUICK_COMPARISON, ("-o", "x.csv"), "Held-out error, the lowest first"),
    "stability": (QUICK_STABILITY, ("-o", "x.csv"), "Features that a class owns most often"),
    "stability results": (QUICK_STABILITY, ("--results", "x.csv"), "Features that a class owns most often"),
    "report": (("report", "MODEL", "blocks.csv", "-t", "kind"), ("-o", "x.html"), "The model misclassifies"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_disk_that_is_full_costs_the_file_but_not_the_answer(ndc, here, panel_file, files, full_disk, name):
    command, output, answer = ANSWERS[name]
    asked = [panel_file if word == "MODEL" else word for word in (*command, *output)]
    path = here / output[1]
    path.write_text("precious")
    force = () if output[0] == "--results" or name == "compare" else ("--force",)
    if not force:
        path.unlink()
    before = files()
    with full_disk():
        result = ndc(*asked, *force)
    assert result.exit_code == 2, result.output
    assert answer in result.stdout
    assert f"cannot write {path.name}: File too large" in result.stderr
    assert "Traceback" not in result.stderr
    assert files() == before
    assert not force or path.read_text() == "precious"


def test_a_disk_that_is_full_is_told_to_machines(ndc, here, panel_file, full_disk):
    with full_disk():
        fitted = ndc(*QUICK_FIT, "-o", "x.ndc", "--json")
        predicted = ndc("predict", panel_file, "blocks.csv", "-o", "x.csv", "--json")
        compared = ndc(*QUICK_COMPARISON, "-o", "x.csv", "--json")
    assert [result.exit_code for result in (fitted, predicted, compared)] == [2, 2, 2]
    assert json.loads(fitted.stdout)["model"] is None
    assert len(json.loads(predicted.stdout)) == 36
    assert {json.loads(compared.stdout)[what] for what in ("results", "predictions", "picture")} == {None}
    assert sorted(path.name for path in here.iterdir()) == ["blocks.csv"]


def test_json_and_a_file_are_both_written(ndc, here, panel_file):
    result = ndc("predict", panel_file, "blocks.csv", "-o", "x.csv", "--json")
    assert result.exit_code == 0, result.output
    assert [row["label"] for row in json.loads(result.stdout)] == pd.read_csv(here / "x.csv")["label"].tolist()


def test_a_file_that_came_into_being_during_the_work_stays(tmp_path):
    outputs = Outputs(force=False)
    path = tmp_path / "new.csv"
    outputs.claim(path)

    def write(part):
        path.write_text("somebody else's")
        part.write_text("ours")

    assert not outputs.write(path, write)
    with pytest.raises(FileExistsError, match=r"new\.csv has come into being in the meantime"):
        outputs.finish()
    assert path.read_text() == "somebody else's"
    assert [file.name for file in tmp_path.iterdir()] == ["new.csv"]


def test_replacing_with_force_works_and_leaves_one_file(ndc, here, files):
    (here / "x.ndc").write_text("old")
    assert ndc(*QUICK_FIT, "-o", "x.ndc", "--force").exit_code == 0
    assert files() == ["blocks.csv", "x.ndc"]
    load_model(here / "x.ndc")


def test_a_comparison_of_odd_names_goes_on(ndc, here, table):
    odd = table.assign(kind=[f"{label}\rx" for label in table["kind"]])
    odd.index = [f"{name}\rx" for name in odd.index]
    odd.to_csv(here / "odd.csv", quoting=csv.QUOTE_ALL)
    asked = ("compare", "odd.csv", "-t", "kind", "--methods", "NC", "-o", "x.csv")
    assert ndc(*asked, "--repeats", 1).exit_code == 0
    result = ndc(*asked, "--repeats", 2, "--resume")
    assert result.exit_code == 0, result.output
    assert len(pd.read_csv(here / "x-predictions.csv")) == 2 * len(odd)


PROBE = """
import json, re, sys
from pathlib import Path
from disjoint_centroids.cli import main
for asked in json.loads(sys.argv[1]):
    try: main(asked)
    except SystemExit: pass
# The peak of this program alone: getrusage would count what its parent had in memory when it was started.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
OTHER_FILES = {
    "costs": (*QUICK_FIT, "--budget", 2, "--costs"),
    "exclude file": (*QUICK_FIT, "--exclude-file"),
    "results": (*QUICK_STABILITY, "--results"),
    "resume": (*QUICK_COMPARISON, "--resume", "-o"),
    "labels": ("fit", "blocks.csv", "--labels"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory in the units of Linux")
def test_other_files_are_bounded_as_tables_are(here):
    with (here / "line.csv").open("wb") as file:
        file.write(b"feature,cost\n")
        for _ in range(100):
            file.write(b"1," * 2**19)
    asked = json.dumps([[str(word) for word in (*words, "line.csv")] for words in OTHER_FILES.values()])
    run = subprocess.run([sys.executable, "-c", PROBE, asked], cwd=here, capture_output=True, text=True, check=True)
    assert run.stderr.count("line 2 is longer than 67.1 MB") == len(OTHER_FILES)
    assert (here / "line.csv").stat().st_size > 100 * 2**20
    # The page on the command line states 300 MB; compiled kernels and libraries of a fit are beside them.
    assert int(run.stdout.split()[-1]) < 500


def test_other_files_that_cannot_be_unpacked(ndc, here):
    (here / "cut.csv.gz").write_bytes(gzip.compress(b"feature,cost\n" * 1000)[:-12])
    for name in ("costs", "exclude file", "labels"):
        result = ndc(*OTHER_FILES[name], "cut.csv.gz")
        assert result.exit_code == 2
        assert "it cannot be unpacked as gzip" in result.stderr


def test_the_demo_replaces_no_file_but_its_own(ndc, here, files):
    (here / "blocks.csv").unlink()
    (here / "report.html").write_text("precious")
    result = ndc("demo", "-o", ".")
    assert result.exit_code == 2
    assert "exists. Give --force" in result.stderr
    assert (here / "report.html").read_text() == "precious"
    assert files() == ["report.html"]
