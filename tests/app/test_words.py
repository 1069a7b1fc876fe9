"""Messages of the library as sentences and buttons, forms as questions, questions as commands."""

import json
import math

import pytest
from typer.testing import CliRunner

from disjoint_centroids.app.commands import fit_and_report, option_words, predict_command
from disjoint_centroids.app.drafts import Draft, Drafts
from disjoint_centroids.app.forms import safe_ending, shown_name
from disjoint_centroids.app.preview import preview_of
from disjoint_centroids.app.question import DEFAULTS, Question
from disjoint_centroids.app.runs import RunFolder, new_id, write_json
from disjoint_centroids.app.words import cures_of, error_in_words, in_words
from disjoint_centroids.app.work import method_settings
from disjoint_centroids.app.worker import Told
from disjoint_centroids.cli.app import app
from disjoint_centroids.progress import Reached
from disjoint_centroids.tables.table_settings import TableSettings

FULL = DEFAULTS | {
    "max_features_per_class": "3",
    "min_features_per_class": "1",
    "max_features": "7",
    "reads": "own",
    "rule": "1se",
    "direction": "up",
    "detection_low": "-2.5",
    "exclude": " ACTB \r\n\r\nGAPDH, human",
    "require": "CD33:AML",
    "allow": "CD33\nCD19",
    "transform": "log2",
    "seed": "4",
    "repeats": "2",
    "stability": "yes",
}


def test_every_cure_of_a_message_is_a_button():
    message = (
        "2 columns hold missing values. Fill them in with impute='median' or impute='knn', leave the columns out: "
        "drop=['g1', 'g2'], or say that 'n/a' is none: na_values=['n/a']. If rows are features: features_in_rows=True"
    )
    found = cures_of(message)
    assert [cure.label for cure in found] == [
        "Fill in the median",
        "Fill in from similar samples",
        "Leave out these 2 columns",
        "“n/a”: a missing value",
        "Rows are features",
    ]
    assert found[2].changes == {"drop": ["g1", "g2"]}
    assert cures_of("Leave out features_in_rows=True.")[0].changes == {"features_in_rows": False}
    assert cures_of("Name it: target=NAME") == []
    assert in_words(message) == (
        "2 columns hold missing values. Fill them in with the median or values of similar samples, leave the columns "
        "out: “g1”, “g2”, or say that 'n/a' is none: “\u2018n/a\u2019: a missing value”. If rows are features: “Rows "
        "are features”"
    )


def test_parameters_that_are_fields_of_the_form_have_their_titles():
    said = in_words("max_features_per_class=3 is less than forced= asks for; rule='1se' would take 6")
    assert said == (
        "“Features per class, at most” 3 is less than “Features that must be used” asks for; "
        "“Fewer features, if nearly as good” would take 6"
    )
    assert in_words("Widen detection=, or give direction='any'.") == (
        "Widen “Its mean in its class is”, or give “Higher or lower”."
    )
    assert error_in_words(ValueError("/tmp/x/table.csv: no"), {"/tmp/x/table.csv": "my.csv"}) == ["“my.csv”: no"]
    assert "memory" in error_in_words(MemoryError())[0]


def test_a_form_becomes_a_question_and_the_question_a_command_that_is_understood(tmp_path):
    costs = tmp_path / "costs.csv"
    question = Question.of_form(FULL | {"budget": "30"}, {"costs": costs})
    assert question.method.exclude == ["ACTB", "GAPDH, human"]
    assert question.method.detection == (-2.5, math.inf)
    fit, report = fit_and_report(
        "-my table.csv", TableSettings(target="it's", drop=["-a"]), question.method, transform=question.transform,
        seed=question.seed, stability=question.stability, repeats=question.repeats,
        names={"costs": "prices of 2026.csv"},
    )  # fmt: skip
    for part in (
        "./-my table.csv", "it", "--drop=-a", "--transform log2", "--max-features-per-class 3", "--direction up",
        "--detection -2.5 inf", "--exclude ACTB --exclude 'GAPDH, human'", "--require CD33:AML", "--allow CD19",
        "'prices of 2026.csv'", "--budget 30.0", "--seed 4", "--min-features-per-class 1", "--reads own", "--rule 1se",
    ):  # fmt: skip
        assert part in fit
    assert "--repeats 2 --stability 100" in report
    assert "--repeats" not in fit
    shown = dict(question.shown(TableSettings(target="it's")))
    assert shown["Features per class, at most"] == "3"
    assert shown["Labels"] == "it's"


def test_commands_that_are_shown_have_options_that_exist():
    import shlex

    question = Question.of_form(FULL)
    fit, report = fit_and_report(
        "none.csv", TableSettings(target="y", impute="knn", features_in_rows=True, unlabelled="drop"), question.method,
        transform="log1p", seed=1, stability=100, repeats=1,
    )  # fmt: skip
    predict = predict_command("new.csv", TableSettings(features_in_rows=True), 0.9, tolerate=True)
    for command in (fit, report, predict):
        told = CliRunner().invoke(app, shlex.split(command)[1:])
        assert told.exit_code == 2
        assert "No such option" not in told.output
        assert "none.csv" in told.output or "model.ndc" in told.output  # it was understood, and there is no such file
    assert option_words(TableSettings()) == []


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("max_features_per_class", "0", "whole number from 1"),
        ("max_features", "2.5", "whole number"),
        ("seed", "-1", "from 0 up"),
        ("repeats", "many", "give a number"),
        ("budget", "5", "needs a file of prices"),
        ("detection_low", "nan", "give a number"),
    ],
)
def test_a_form_that_makes_no_sense_says_so_and_is_kept(tmp_path, field, value, words):
    with pytest.raises(ValueError, match=words):
        Question.of_form(DEFAULTS | {field: value})
    draft = Draft("id", tmp_path, tmp_path / "table.csv", "table.csv")
    with pytest.raises(ValueError, match=words):
        draft.ask(DEFAULTS | {field: value, "exclude": "ACTB"})
    assert draft.form["exclude"] == "ACTB"
    assert words in draft.problem
    assert draft.question == Question()
    draft.ask(dict(DEFAULTS))
    assert draft.problem == ""


def test_prices_need_a_budget_and_windows_their_order(tmp_path):
    with pytest.raises(ValueError, match="without a budget"):
        Question.of_form(DEFAULTS, {"costs": tmp_path / "costs.csv"})
    with pytest.raises(ValueError, match="how many features in all"):
        Question.of_form(DEFAULTS, {"extend": tmp_path / "list.csv"})
    with pytest.raises(ValueError, match="needs a list to extend"):
        Question.of_form(DEFAULTS | {"to": "9"})
    with pytest.raises(ValueError, match="Exchange them"):
        Question.of_form(DEFAULTS | {"detection_low": "2", "detection_high": "1"})
    # The paper's classifiers have no such rules: what the form still holds of them does no harm.
    assert Question.of_form(FULL | {"method": "ndc"}).method.given() == {"method": "ndc"}


def test_a_job_goes_through_json(tmp_path):
    file = tmp_path / "table.csv"
    draft = Draft("id", tmp_path, file, "my table.csv", TableSettings(target="y"))
    draft.ask(dict(FULL))
    files, facts = draft.job()
    write_json(tmp_path / "job.json", facts)
    read = json.loads((tmp_path / "job.json").read_text())
    assert files == {"table.csv": file}
    assert method_settings(read["method"], tmp_path) == draft.question.method


def test_a_preview_says_what_was_understood_and_offers_cures(tables):
    drafts = Drafts()
    try:
        good, missing, transposed = (
            drafts.add(drafts.new_folder(), tables[name], f"{name}.csv") for name in ("good", "missing", "transposed")
        )
        found = preview_of(good)
        assert (found["n_samples"], found["n_features"], found["ids"]) == (24, 9, "patient")
        assert [row["samples"] for row in found["classes"]] == [8, 8, 8]
        assert good.reading.target == "diagnosis"
        found = preview_of(missing)
        assert not found["usable"]
        cures = [cure for problem in found["problems"] for cure in problem["cures"]]
        assert "Fill in the median" in [cure["label"] for cure in cures]
        missing.apply(next(cure["changes"] for cure in cures if cure["label"] == "Fill in the median"))
        assert preview_of(missing)["usable"]
        assert "--impute median" in missing.commands()[0]
        found = preview_of(transposed)
        cures = [cure for problem in found["problems"] for cure in problem["cures"]]
        wanted = next(cure["changes"] for cure in cures if cure["changes"].get("features_in_rows"))
        transposed.apply(wanted)
        found = preview_of(transposed)
        assert (found["usable"], found["n_samples"], found["n_features"]) == (True, 24, 9)
    finally:
        drafts.close()
    assert not drafts.folder.exists()


def test_a_name_with_commas_is_left_out_and_put_into_the_command(tmp_path):
    file = tmp_path / "table.csv"
    rows = "".join(f"s{at},{'TN'[at % 2]},{at},{9 - at},x\n" for at in range(10))
    file.write_text('id,class,age,"IL-2, serum","site, room"\n' + rows)
    draft = Draft("id", tmp_path, file, "table.csv")
    found = preview_of(draft)
    cures = [cure for message in found["problems"] + found["warnings"] for cure in message["cures"]]
    draft.apply(next(cure["changes"] for cure in cures if cure["changes"] == {"drop": ["site, room"]}))
    draft.apply({"drop": ["IL-2, serum"]})
    found = preview_of(draft)
    assert (found["usable"], found["n_features"]) == (True, 1)
    assert found["left_out"] == ["site, room", "IL-2, serum"]
    assert """--drop '"site, room"'""" in draft.commands()[0]


def test_runs_are_there_when_they_are_finished_and_gone_when_deleted(tmp_path):
    runs = RunFolder(tmp_path / "new" / "runs")
    run_id = new_id()
    folder = runs.begin(run_id)
    write_json(folder / "run.json", {"kind": "fit"})
    assert runs.all() == []
    assert runs.get(run_id) is None
    runs.finish(run_id)
    assert [run.id for run in runs.all()] == [run_id]
    assert not list(runs.get(run_id).folder.glob("heartbeat"))
    for other in ("..", f"../runs/{run_id}", f".unfinished-{run_id}", "", run_id + "/"):
        assert runs.get(other) is None
        assert not runs.delete(other)
    (runs.get(run_id).folder / "run.json").write_text("{half")
    assert runs.all() == []
    write_json(tmp_path / "new" / "runs" / run_id / "run.json", {})
    assert runs.delete(run_id)
    assert list(runs.folder.iterdir()) == []


def test_the_bar_never_goes_back_and_ends_at_the_end(capsys):
    told = Told(halves=True)
    told.stage("Loading the program")
    told.stage("Fitting")
    told.stage("Comparing with other methods")
    for label in ("comparing", "cross-validation", "fits on halves"):
        for done in (0, 3, 6):
            told._last = ("", 0.0)
            told.step(Reached(label, done, 6, 1.0, 9.0))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    shares = [line["share"] for line in lines]
    assert shares[0] > 0
    assert shares == sorted(shares)
    assert shares[-1] == 0.97
    by_share = {line["share"]: line["left"] for line in lines}
    assert by_share[max(share for share in shares if share < 0.97)] == 9.0  # the last part of the work knows


@pytest.mark.parametrize(
    ("given", "shown", "ending"),
    [
        ("a/b\\c.CSV", "c.CSV", ".csv"),
        ("x.tsv.gz", "x.tsv.gz", ".tsv.gz"),
        ("\n", "table", ""),
        ("a\u202e.csv", "a.csv", ".csv"),
        ("a." + "x" * 300, "x" * 200, ""),
    ],
)
def test_names_of_files_are_shown_and_nothing_else(given, shown, ending):
    assert shown_name(given) == shown
    assert safe_ending(shown_name(given)) == ending
