"""Names are data: what a user's file calls features, classes and samples is printed as it is, and obeyed by nobody."""

import json
import os
import subprocess
import sys
import unicodedata
from io import StringIO

import pandas as pd
import pytest
from rich.console import Console

from disjoint_centroids._literal import literal
from disjoint_centroids.cli.output import Grid

FEATURES = [
    "glucose [mmol/l]",
    "flow [/h]",
    "[bold red]x[/bold red]",
    "\x1b]0;title\x07\x1b[31mred",
    "two\nlines",
    "\u202egnp.exe",
    "\N{GRINNING FACE}\N{WOMAN}\u200d\N{MICROSCOPE}",
    ":smile:",
    "שלום عربي",
    "x" * 10_000,
    "\x9b31m",
    "tab\there",
    "=1+1",
]
CLASSES = ["[/b]\x1b[2J", "two\n\u202elines [x]", "c" * 10_000]
FILE = "[bold]\x1b[31m\u202e.csv"
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINER = "\u200d"


@pytest.fixture(scope="module")
def awkward(table):
    """The table of the other tests under these names."""
    values = table.drop(columns="kind").set_axis(FEATURES, axis=1)
    values.index = [f"[/s{at}]\x1b[31m\n{at}" for at in range(len(table))]
    return values.assign(kind=[CLASSES[int(label[-1])] for label in table["kind"]]).rename_axis("sample")


@pytest.fixture(scope="module")
def folder(awkward, ndc, tmp_path_factory):
    """The table in a file with such a name, and a model of each kind."""
    folder = tmp_path_factory.mktemp("names")
    awkward.to_csv(folder / FILE)
    for name, method in {"panel.ndc": ("--rounds", 4), "paper.ndc": ("--method", "ndc", "--restarts", 2)}.items():
        result = ndc("fit", folder / FILE, "-t", "kind", *method, "-o", folder / name)
        assert result.exit_code == 0, result.output
        harmless(result)
    return folder


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def harmless(result):
    """Nothing that a terminal obeys has been printed, and no line is endless."""
    for text in (result.stdout, result.stderr):
        obeyed = {sign for sign in text if unicodedata.category(sign) in OBEYED} - {"\n", JOINER}
        assert not obeyed
        assert max(map(len, text.split("\n"))) < 2500


def test_who_owns_what(ndc):
    seen = set()
    for model in ("panel.ndc", "paper.ndc"):
        result = ndc("features", model)
        assert result.exit_code == 0
        harmless(result)
        assert r"[/b]\x1b[2J" in result.stdout
        assert f"{'c' * 50}…{'c' * 20}" in result.stdout
        answer = json.loads(ndc("features", model, "--json").stdout)
        assert list(answer["features"]) == sorted(CLASSES)
        for names in answer["features"].values():
            assert set(names) <= set(FEATURES)
            assert all(literal(name, 100) in result.stdout for name in names[:8])
        seen.update(*answer["features"].values())
    assert seen == set(FEATURES)


def test_predictions_are_exact_for_programs(ndc, awkward, folder):
    result = ndc("predict", "panel.ndc", FILE, "--target", "kind")
    assert result.exit_code == 0
    read = pd.read_csv(pd.io.common.StringIO(result.stdout))
    assert read["sample"].tolist() == awkward.index.tolist()
    assert set(read["label"]) <= set(CLASSES)
    rows = json.loads(ndc("predict", "panel.ndc", FILE, "--json").stdout)
    assert [row["sample"] for row in rows] == awkward.index.tolist()
    assert f"probability_{CLASSES[2]}" in rows[0]


@pytest.mark.parametrize("model", ["panel.ndc", "paper.ndc"])
def test_an_explanation(ndc, awkward, model, tmp_path):
    result = ndc("explain", model, FILE, "--sample", awkward.index[3], "-o", tmp_path / "x.png")
    assert result.exit_code == 0, result.output
    harmless(result)
    assert r"[/s3]\x1b[31m\n3: " in result.stdout


def test_comparison_stability_and_report(ndc, tmp_path):
    for asked in (
        ("compare", FILE, "-t", "kind", "--methods", "NC", "--repeats", 1, "-o", tmp_path / "c.csv"),
        ("stability", FILE, "-t", "kind", "--rounds", 2, "--resamples", 4, "-o", tmp_path / "s.png"),
        ("report", "panel.ndc", FILE, "-t", "kind", "-o", tmp_path / "r.html"),
    ):
        result = ndc(*asked)
        assert result.exit_code == 0, result.output
        harmless(result)


@pytest.mark.parametrize(
    "asked",
    [
        ("fit", FILE, "-t", "kinds"),
        ("fit", FILE, "-t", "kind", "--exclude", "\x1b[31m[/h]\n"),
        ("fit", FILE, "-t", "kind", "--require", f"{FEATURES[3]}:\x1b[31mno class"),
        ("fit", "text.csv", "-t", "kind"),
        ("fit", FILE, "-t", "kind", "-o", "\x1b[31m/model.ndc"),
        ("predict", "panel.ndc", "less.csv"),
        ("predict", "panel.ndc", FILE, "-o", "\x1b[31m.docx"),
        ("explain", "panel.ndc", FILE, "--sample", "\x1b[31m[/h]"),
        ("compare", FILE, "-t", "kind", "--folds", 20),
        ("features", FILE),
        ("data", "get", "\x1b[31m[/h]"),
    ],
)
def test_errors(ndc, awkward, folder, asked):
    if not (folder / "text.csv").exists():
        awkward.assign(**{FEATURES[1]: "\x1b[31mtext", FEATURES[9]: "text"}).to_csv(folder / "text.csv")
        awkward.drop(columns=FEATURES[:10]).to_csv(folder / "less.csv")
    result = ndc(*asked)
    assert result.exit_code == 2
    assert result.stderr.startswith("ndc: ")
    harmless(result)


@pytest.mark.skipif(os.name != "posix", reason="terminals as POSIX has them")
def test_a_terminal_is_sent_no_command(awkward, folder):
    import pty

    asked = [["features", "panel.ndc"], ["predict", "panel.ndc", FILE], ["predict", "panel.ndc", "nowhere\x1b]0;x.csv"]]
    code = (
        "import json, sys; from disjoint_centroids.cli import app\n"
        "for asked in json.loads(sys.argv[1]):\n"
        "    try: app(asked)\n"
        "    except SystemExit: pass\n"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code, json.dumps(asked)], stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # as Linux says that the other side has closed
            break
        if not more:
            break
        said += more
    assert process.wait() == 0
    os.close(ours)
    text = said.decode()
    assert r"\x1b]0;title\x07" in text
    assert r"[/s3]\x1b[31m\n3" in text
    assert r"nowhere\x1b]0;x.csv" in text
    for command in ("\x1b]", "\x1b[2J", "\x1b[31m", "\x07", "\x9b", "\u202e"):
        assert command not in text
    assert "x" * 200 not in text
    assert "c" * 200 not in text


def test_a_narrow_terminal_gets_every_letter_of_a_name():
    grid = Grid("class", title="names")
    grid.add_column("value", justify="right")
    grid.add_row("ENSG00000000001|isoform-of-a-gene-with-a-very-long-name_1", "0.123456789")
    printed = StringIO()
    Console(file=printed, width=30).print(grid)
    letters = "".join(line[1:-1].split("│")[0].strip() for line in printed.getvalue().splitlines() if "│" in line)
    assert letters == "ENSG00000000001|isoform-of-a-gene-with-a-very-long-name_1"


def test_what_is_visible_and_what_stays():
    assert literal("\x1b[31m\r\n\t\u2028\u202e\u2066\udcff\x00") == r"\x1b[31m\r\n\t\u2028\u202e\u2066\udcff\x00"
    for name in (FEATURES[0], FEATURES[6], FEATURES[8], "\N{NO-BREAK SPACE}é", "می\u200cخورم", r"C:\new [x]"):
        assert literal(name) == name
        assert literal(literal(name)) == literal(name)
    assert literal("a" * 40 + "b" * 40, 10) == "aaaaaa…bbb"
    assert len(literal("\x1b" * 1000, 10)) == 10


def test_a_terminal_without_these_letters_gets_their_numbers():
    code = "from disjoint_centroids.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "features", "panel.ndc"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert rb"\u05e9\u05dc\u05d5\u05dd" in run.stdout
