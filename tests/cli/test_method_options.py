"""Which classifier `ndc fit` fits, and every option of it."""

import json

import numpy as np
import pandas as pd
import pytest

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.cli.owners import show_owners, summary
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.models.model_file import load_model


@pytest.fixture
def fit(ndc, here):
    """Fit with options: the answer, and the fitted classifier."""

    def run(*arguments):
        result = ndc("fit", "blocks.csv", "-t", "kind", "--json", "--force", *arguments)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout), load_model(here / "model.ndc").pipeline[-1]

    return run


LINEAR = ("--terms", "linear")  # where the choice of terms is not what is tested


def expected(table, **options):
    values, labels = table.drop(columns="kind"), table["kind"]
    return DisjointPanelClassifier(**{"random_state": 0} | options).fit(values, labels)


def test_panels_unless_told(fit, table):
    answer, model = fit()
    same = expected(table)
    np.testing.assert_array_equal(model.owner_, same.owner_)
    assert answer["method"] == "panel"
    assert (answer["rounds"], answer["terms"]) == (same.rounds_, same.terms_)
    assert answer["train_error"] == same.train_error_
    at = (same.cv_results_["rounds"] == same.rounds_) & (same.cv_results_["terms"] == same.terms_)
    assert answer["cv_error"] == same.cv_results_["error"][at & (same.cv_results_["penalty"] == same.penalty_)][0]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("--rounds", 2), {"rounds": 2}),
        (("--terms", "both"), {"terms": "both"}),
        (("--terms", "auto", "--rule", "1se", "--method", "panel"), {"terms": "auto", "rule": "1se"}),
        (("--max-features-per-class", 2), {"max_features_per_class": 2}),
        (("--max-features", 5), {"max_features": 5}),
        (("--require", "g12", "--require", "g11"), {"forced": ["g12", "g11"]}),
        (("--require", "g12:class 1", "--require", "g0:class 2"), {"forced": {"class 1": ["g12"], "class 2": ["g0"]}}),
        (("--exclude", "g0", "--exclude", "g4"), {"excluded": ["g0", "g4"]}),
        (("--allow", "g0", "--allow", "g4, g9"), {"allowed": ["g0", "g4", "g9"]}),
        (("--require", "g12:class 1,g0:class 2"), {"forced": {"class 1": ["g12"], "class 2": ["g0"]}}),
        (("--direction", "up"), {"direction": "up"}),
        (("--detection", "-0.5", "inf"), {"detection": (-0.5, np.inf)}),
        (("--min-features-per-class", 3), {"min_features_per_class": 3}),
        (("--seed", 3), {"random_state": 3}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_options_reach_the_panels(fit, table, arguments, options):
    answer, model = fit(*([] if "terms" in options else LINEAR), *arguments)
    same = expected(table, **{"terms": "linear"} | options)
    np.testing.assert_array_equal(model.owner_, same.owner_)
    assert (model.rounds_, model.terms_) == (same.rounds_, same.terms_)
    names = np.array([f"g{c}" for c in range(13)])
    for label, own in zip(same.classes_, same.feature_sets_, strict=True):
        assert answer["features"][label] == names[own].tolist()
        assert answer["margins"][label] == pytest.approx(same.margin_[own])


def test_costs_and_a_budget(fit, here, table):
    costs = {f"g{c}": float(1 + c % 4) for c in range(13)}
    rows = [*costs.items(), ("gene of another table", 7.0)]
    pd.DataFrame(rows[::-1], columns=["Feature", "Cost"]).to_csv(here / "costs.csv", index=False)
    answer, model = fit("--costs", "costs.csv", "--budget", 6, *LINEAR)
    same = expected(table, feature_costs=costs, budget=6.0, terms="linear")
    np.testing.assert_array_equal(model.owner_, same.owner_)
    assert 0 < sum(costs[name] for names in answer["features"].values() for name in names) <= 6
    pd.DataFrame(rows, columns=["feature", "cost"]).to_csv(here / "costs.tsv", index=False, sep="\t")
    assert fit("--costs", "costs.tsv", "--budget", 6, *LINEAR)[0]["features"] == answer["features"]


def test_costs_are_needed_for_what_may_be_used(ndc, here, table):
    (here / "stock.txt").write_text("g0\ng4\ng9\ng10\n")
    (here / "costs.csv").write_text("Gene name;Price (EUR)\ng0;1,5\ng4;2,5\ng9;1,25\n")
    asked = (
        "fit",
        "blocks.csv",
        "-t",
        "kind",
        "--costs",
        "costs.csv",
        "--budget",
        4,
        "--allow-file",
        "stock.txt",
        *LINEAR,
    )
    result = ndc(*asked)
    assert result.exit_code == 2
    assert "has no cost for some features that may be used (1): g10." in result.stderr
    result = ndc(*asked, "--exclude", "g10")
    assert result.exit_code == 0, result.output
    model = load_model(here / "model.ndc").pipeline[-1]
    costs = np.full(13, np.nan)
    costs[[0, 4, 9]] = 1.5, 2.5, 1.25
    np.testing.assert_array_equal(model.feature_costs, costs)
    assert sum(costs[own].sum() for own in model.feature_sets_) <= 4
    table.to_csv(here / "again.csv")
    assert ndc("alternates", "model.ndc", "again.csv", "-t", "kind").exit_code == 0


def test_a_budget_of_nothing_is_said(ndc, here):
    (here / "costs.csv").write_text("feature,cost\n" + "".join(f"g{c},1\n" for c in range(13)))
    result = ndc("fit", "blocks.csv", "-t", "kind", "--costs", "costs.csv", "--budget", 0, *LINEAR)
    assert "Raise --budget." in result.stderr
    assert "always have the same score" in result.stderr


def test_names_in_a_file_are_excluded(fit, ndc, here, table):
    (here / "names.txt").write_text("\ufeffg1\n\n  g2 \nMALAT1\n", encoding="utf-8")
    answer, model = fit("--exclude-file", "names.txt", "--exclude", "g3", *LINEAR)
    same = expected(table, excluded=["g1", "g2", "g3"], terms="linear")
    np.testing.assert_array_equal(model.owner_, same.owner_)
    assert not {"g1", "g2", "g3"} & {name for names in answer["features"].values() for name in names}
    said = ndc("fit", "blocks.csv", "-t", "kind", "--exclude-file", "names.txt", "--force", *LINEAR).stderr
    assert "1 of 3 names in names.txt are not features of the table: MALAT1" in said


def test_names_in_a_file_are_the_only_ones_allowed(fit, ndc, here, table):
    (here / "stock.txt").write_text("g1\ng2\ng7\nMALAT1\n")
    answer, model = fit("--allow-file", "stock.txt", "--allow", "g3", *LINEAR)
    same = expected(table, allowed=["g1", "g2", "g3", "g7"], terms="linear")
    np.testing.assert_array_equal(model.owner_, same.owner_)
    assert {name for names in answer["features"].values() for name in names} <= {"g1", "g2", "g3", "g7"}
    (here / "stock.txt").write_text("\n")
    result = ndc("fit", "blocks.csv", "-t", "kind", "--allow-file", "stock.txt", "--force")
    assert "stock.txt is empty. Give one name of a feature per line." in result.stderr
    (here / "stock.txt").write_text("MALAT1\n")
    result = ndc("fit", "blocks.csv", "-t", "kind", "--allow-file", "stock.txt", "--force")
    assert result.exit_code == 2
    assert "stock.txt names no feature of the table, so that none may be used. Correct its names." in result.stderr


@pytest.mark.parametrize(
    ("content", "forced"),
    [
        ("g12\ng11\n", ["g12", "g11"]),
        ("Gene\ng12\ng11\n", ["g12", "g11"]),
        ("class,feature\nclass 1,g12\nclass 2,g11\n", {"class 1": ["g12"], "class 2": ["g11"]}),
        ("feature,owner\ng12,class 1\ng3,\ng11,class 2\n", {"class 1": ["g12"], "class 2": ["g11"]}),
    ],
)
def test_a_list_is_kept_and_extended(fit, here, table, content, forced):
    (here / "mine.csv").write_text(content)
    answer, model = fit("--extend", "mine.csv", "--to", 7, *LINEAR)
    same = expected(table, forced=forced, max_features=7, rounds=5, terms="linear")
    np.testing.assert_array_equal(model.owner_, same.owner_)
    names = [name for names in answer["features"].values() for name in names]
    assert {"g12", "g11"} < set(names)
    assert len(names) == 7
    if isinstance(forced, dict):
        assert "g12" in answer["features"]["class 1"]
    answer, _ = fit("--extend", "mine.csv", "--to", 2, *LINEAR)
    assert {name for names in answer["features"].values() for name in names} == {"g12", "g11"}


@pytest.mark.filterwarnings("ignore:.*own no feature")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("g1\nG2\ng77\n", "names features that the table does not have (2 of 3): G2, g77. Did you mean 'g2' for 'G2'"),
        ("g1\ng2\ng1\n", "names features more than once (1): g1. Name each once"),
        ("feature,class\ng1,class 9\n", "names classes that the table does not have: class 9. The classes are class 0"),
        ("feature,class\ng1,class 0\ng2,\n", "names no class for 1 of 2 features: g2. Give every feature a class"),
        ("a,b\ng1,class 0\n", "has several columns, and none is called feature or gene. Its first line must be"),
        ("\n\n", "is empty. Give one name of a feature per line."),
        ("g1\ng2\ng3\ng4\ng5\n", "has 5 names already, more than --to 4. Raise it."),
    ],
)
def test_lists_that_cannot_be_extended(ndc, here, content, message):
    (here / "mine.csv").write_text(content)
    result = ndc("fit", "blocks.csv", "-t", "kind", "--extend", "mine.csv", "--to", 4)
    assert result.exit_code == 2
    assert f"mine.csv {message}" in result.stderr


def test_what_keeps_a_list_short_is_said(ndc, here):
    (here / "mine.csv").write_text("feature,class\ng0,class 0\ng12,class 1\n")
    (here / "stock.txt").write_text("".join(f"g{c}\n" for c in (0, 1, 2, 3, 12)))
    asked = ("fit", "blocks.csv", "-t", "kind", "--extend", "mine.csv", *LINEAR, "--force")
    for options, why in (
        (("--to", 40), "only 13 of 40 features in all, 2 of them given: the table has no other"),
        (
            ("--to", 9, "--allow-file", "stock.txt"),
            "only 5 of 9 features in all, 2 of them given: no other may be used",
        ),
        (
            ("--to", 9, "--max-features-per-class", 2),
            "only 6 of 9 features in all, 2 of them given: every class has the --max-features-per-class 2",
        ),
    ):
        result = ndc(*asked, *options)
        assert result.exit_code == 0, result.output
        assert f"note: {why}" in " ".join(result.stderr.split())
        assert why in " ".join(result.stdout.split())
    reached = ndc(*asked, "--to", 8)
    assert "only" not in reached.stderr.replace("batches with one class only", "")
    assert "8 features in all, 2 of them given, as asked for" in " ".join(reached.stdout.split())
    (here / "stock.txt").write_text("g0\ng1\n")
    refused = ndc(*asked, "--to", 9, "--allow-file", "stock.txt")
    assert refused.exit_code == 2
    cure = "--extend names what --allow-file does not: g12. Add it to --allow-file, or leave it out of --extend."
    assert cure in " ".join(refused.stderr.split())


def test_given_features_are_not_said_to_have_been_picked(ndc, fit, here):
    (here / "mine.csv").write_text("feature,class\ng0,class 0\ng12,class 1\n")
    answer, model = fit("--extend", "mine.csv", "--to", 7, *LINEAR)
    assert answer["given"] == ["g0", "g12"]
    found = model.feature_table().set_index("feature")
    assert found.index[found["role"] == "given"].tolist() == ["g0", "g12"]
    assert found.loc[["g0", "g12"], "pick"].tolist() == [0.0, 0.0]
    for panel in model.feature_sets_:
        picked = [pick for pick in found["pick"].iloc[panel] if pick > 0]
        assert picked == list(range(1, len(picked) + 1))
    shown = ndc("fit", "blocks.csv", "-t", "kind", "--extend", "mine.csv", "--to", 7, *LINEAR, "--force").stdout
    assert "(given, " in shown
    assert "given ones first, in the order of picking" in " ".join(shown.split())
    asked = ("--extend", "mine.csv", "--to", 7, *LINEAR, "--methods", "NC", "--repeats", 1)
    assert ndc("report", "blocks.csv", "-t", "kind", *asked).exit_code == 0
    page = (here / "blocks-report.html").read_text()
    assert "0 marks features that were given" in page
    assert "that were given, or picked first" in page


def test_an_unbiased_error_is_promised_by_a_command_that_has_the_options(ndc, here):
    plain = ndc("fit", "blocks.csv", "-t", "kind").stdout
    assert "(ndc compare gives an unbiased one)" in " ".join(plain.split())
    ruled = ndc("fit", "blocks.csv", "-t", "kind", "--direction", "up", "--force").stdout
    assert "(ndc report TABLE with the same options gives an unbiased one)" in " ".join(ruled.split())


def test_batches_are_for_panels_in_a_report_too(ndc, here, table):
    table.assign(donor=["a", "b"] * (len(table) // 2)).to_csv(here / "donors.csv")
    result = ndc("report", "donors.csv", "-t", "kind", "--batch", "donor", "--method", "ndc")
    assert result.exit_code == 2
    assert "--batch is for panels, and this is NDC: leave one of them out." in result.stderr


def test_a_column_that_is_not_there_is_not_told_as_text_too(ndc, here, table):
    table.assign(donor=["a", "b"] * (len(table) // 2)).to_csv(here / "donors.csv")
    for options in (("-t", "kinds", "--drop", "donor"), ("-t", "kind", "--batch", "donr")):
        result = ndc("fit", "donors.csv", *options)
        assert result.exit_code == 2
        assert "there is nothing called" in result.stderr
        assert "text where numbers are needed" not in result.stderr


def test_sums_hold_no_zeros(ndc, here):
    assert ndc("sums", "blocks.csv", "-t", "kind", "-o", "a.sums").exit_code == 0
    result = ndc("fit", "--from-sums", "a.sums", "--direction", "up")
    assert result.exit_code == 0, result.output
    assert "note: files of sums hold no zeros: --direction up asks only" in result.stderr
    assert "unbiased" not in result.stdout


def test_a_colon_may_be_part_of_a_name(ndc, here, table):
    table.rename(columns={"g0": "chr1:12", "g1": "chr1"}).assign(
        kind=table["kind"].replace({"class 0": "12", "class 1": "a:b"})
    ).to_csv(here / "colons.csv")
    asked = ("fit", "colons.csv", "-t", "kind", "--rounds", 1, "--force", *LINEAR)
    for text, forced in (
        ("chr1:12", ["chr1:12"]),  # a feature, though there is a feature chr1 and a class 12
        ("chr1:12:12", {"12": ["chr1:12"]}),
        ("chr1:a:b", {"a:b": ["chr1"]}),
        ("g5:12", {"12": ["g5"]}),
    ):
        result = ndc(*asked, "--require", text)
        assert result.exit_code == 0, result.output
        assert load_model(here / "model.ndc").pipeline[-1].forced == forced


@pytest.mark.parametrize(
    ("arguments", "kind", "method"),
    [
        (("--method", "ndc-s"), NearestDisjointCentroidCV, "ndc-s"),
        (("--method", "ndc", "--refine"), NearestDisjointCentroid, "ndc"),
        (("--method", "ndc-s", "--lam", "1.0"), NearestDisjointCentroid, "ndc-s"),
        (("--method", "ndc", "--lam", "none"), NearestDisjointCentroid, "ndc"),
        (("--lam", "1.0", "--refine"), NearestDisjointCentroid, "ndc-s"),
        (("--lam", "none"), NearestDisjointCentroid, "ndc"),
        ((), NearestDisjointCentroidCV, "ndc-s"),
        (("--refine",), NearestDisjointCentroidCV, "ndc-s"),
    ],
)
def test_the_papers_classifiers_are_one_option_away(fit, arguments, kind, method):
    answer, model = fit(*arguments, "--restarts", 4, "--seed", 2)
    assert type(model) is kind
    assert (answer["method"], model.n_init, model.random_state) == (method, 4, 2)
    assert model.refine is ("--refine" in arguments)
    assert ("cv_error" in answer) == (kind is NearestDisjointCentroidCV)
    if kind is NearestDisjointCentroid:
        assert model.lam == (1.0 if "1.0" in arguments else None)
        assert answer["n_unused"] == (0 if model.lam is None else (model.owner_ == -1).sum())
        assert sum(map(len, answer["features"].values())) + answer["n_unused"] == 13


@pytest.mark.parametrize("option", [("--restarts", 3), ("--lam", "1.0"), ("--lam", "inf"), ("--refine",)])
def test_an_option_of_the_papers_classifiers_says_what_it_means(ndc, here, option):
    result = ndc("fit", "blocks.csv", "-t", "kind", *option)
    assert result.exit_code == 0, result.output
    assert f"{option[0]} is an option of the paper's classifiers: this is NDC-S." in result.stderr
    result = ndc("fit", "blocks.csv", "-t", "kind", "--method", "ndc-s", *option, "--force")
    assert "is an option of" not in result.stderr


REFUSED = [
    (("--lam", "abc"), "--lam takes a positive number or 'none'; got 'abc'"),
    (("--lam=-1",), "--lam must be positive"),
    (("--lam", "0"), "--lam must be positive"),
    (("--lam", "nan"), "--lam must be positive"),
    (("--method", "panel", "--lam", "1"), "panels have no --lam: leave it out, or give --method ndc-s"),
    (("--method", "panel", "--restarts", "5"), "panels have no --restarts"),
    (("--method", "panel", "--refine"), "panels have no --refine"),
    (("--method", "ndc", "--rounds", "5"), "--rounds is for panels: leave it out, or give --method panel"),
    (("--method", "ndc-s", "--max-features-per-class", "5"), "--max-features-per-class is for panels"),
    (("--method", "ndc-s", "--exclude", "g1"), "--exclude is for panels"),
    (("--rounds", "5", "--lam", "1"), "--rounds is for panels and --lam for the paper's classifiers"),
    (("--method", "ndc", "--lam", "1"), "give --method ndc-s"),
    (("--method", "ndc-s", "--lam", "none"), "give --method ndc"),
    (("--method", "svm"), "'svm' is not one of"),
    (("--terms", "cubic"), "'cubic' is not one of"),
    (("--rounds", "0"), "greater than or equal to 1"),
    (("--require", "g77"), "--require g77: the table has no such feature"),
    (("--require", "G1"), "Did you mean 'g1'?"),
    (("--require", "g1:class 9"), "no class 'class 9'. The classes are class 0, class 1, class 2"),
    (("--require", "g99:class 1"), "--require g99: the table has no such feature"),
    (("--require", "g1", "--require", "g2:class 1"), "none for 'g1': give a class with each, as g1:class 0"),
    (
        ("--require", "g1", "--exclude", "g1"),
        "--require and --exclude both name g1. Leave what must be used out of --exclude.",
    ),
    (("--exclude", "kind"), "--exclude kind: the table has no such feature"),
    (("--exclude-file", "nowhere.txt"), "nowhere.txt cannot be used: there is no such file."),
    (("--allow", "g77"), "--allow g77: the table has no such feature"),
    (("--direction", "down"), "'down' is not one of"),
    (("--detection", "3", "1"), "--detection 3 1 is no window: it needs two numbers, the lower one first"),
    (("--detection", "99", "inf", "--direction", "up"), "--direction up and --detection 99 inf would leave too few"),
    (("--min-features-per-class", "3", "--rounds", "2"), "--min-features-per-class 3 is more than --rounds 2 allows"),
    (("--method", "ndc", "--direction", "up"), "--direction is for panels"),
    (("--to", "9"), "--to 9 needs --extend, a file with the list to extend"),
    (("--extend", "mine.csv"), "--extend mine.csv needs --to, the number of features in all"),
    (("--extend", "mine.csv", "--to", "9", "--rounds", "3"), "--extend and --to say what --rounds does: leave it out"),
    (("--budget", "3"), "--budget 3 needs --costs"),
    (("--budget", "0"), "--budget 0 needs --costs"),
    (("--costs", "costs.csv"), "--costs costs.csv changes nothing without a --budget"),
    (("--costs", "nowhere.csv", "--budget", "3"), "nowhere.csv cannot be used: there is no such file."),
]


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [("fit", *refused) for refused in REFUSED] + [("stability", *refused) for refused in REFUSED[::5]],
)
def test_what_is_refused(ndc, here, files, command, arguments, message):
    result = ndc(command, "blocks.csv", "-t", "kind", *arguments)
    assert result.exit_code == 2
    said = " ".join(result.stderr.replace("│", " ").split())
    assert message in said
    assert "Traceback" not in said
    assert files() == ["blocks.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("gene,worth\ng0,1\n", "needs the columns feature and cost; it has 'gene', 'worth'"),
        ("", "needs the columns feature and cost; it has none"),
        ("feature,cost\ng0,1\ng1,2,5\n", "has 2 columns, and line 3 has 3 cells"),
        ("feature,cost\ng0,1\n", "has no cost for some features that may be used (12): g1, g2, g3, g4, g5 and 7 more"),
        ("feature,cost\ng0,1\ng0,2\n", "names features more than once (1): g0"),
        ("feature,cost\ng0,cheap\ng1,-1\ng2,inf\ng3,\n", "has costs that are no numbers from 0 up (4): g0, g1, g2, g3"),
    ],
)
def test_costs_that_are_none(ndc, here, content, message):
    (here / "costs.csv").write_text(content)
    result = ndc("fit", "blocks.csv", "-t", "kind", "--costs", "costs.csv", "--budget", 3)
    assert result.exit_code == 2
    assert f"costs.csv {message}" in result.stderr


def test_a_list_of_names_that_is_no_text(ndc, here):
    (here / "names.txt").write_bytes(b"\xff\xfe\x00g")
    result = ndc("fit", "blocks.csv", "-t", "kind", "--exclude-file", "names.txt")
    assert result.exit_code == 2
    assert "names.txt cannot be used: it is UTF-16 text, not UTF-8." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (),
            [
                "in the order of picking",
                "a class owns the features that it picked; the score of a class uses its own features only",
                "the number with the least held-out loss",
                "ridge regression with penalty",
                "held-out error",
                "optimistic",
                "ndc compare",
            ],
        ),
        (
            ("--rounds", 1, "--terms", "linear"),
            [
                "1 feature per class, as asked for",
                "linear terms, as asked for; held-out error",
                "ridge regression with penalty",
                "which had the least held-out loss",
                "optimistic",  # the penalty was chosen
            ],
        ),
        (("--reads", "all", "--rounds", 2, *LINEAR), ["the score of every class uses the features of all classes"]),
        (
            ("--reads", "own", "--regression", "logistic", *LINEAR),
            ["the score of a class uses its own features only", "logistic regression (as asked for) with penalty"],
        ),
        (("--method", "ndc-s", "--restarts", 3), ["nearest to its centre first", "lambda ", "optimistic"]),
        (("--method", "ndc", "--restarts", 3), ["nearest to its centre first", "error on the training samples"]),
    ],
)
def test_what_is_said_of_a_model(ndc, here, arguments, said):
    result = ndc("fit", "blocks.csv", "-t", "kind", *arguments)
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert [words for words in said if words not in shown] == []


def test_penalty_and_priors_reach_the_model(ndc, here):
    asked = ("--rounds", 1, "--terms", "linear", "--penalty", 0.7, "--priors", "empirical")
    said = ndc("fit", "blocks.csv", "-t", "kind", *asked)
    assert said.exit_code == 0, said.output
    assert "penalty 0.7, as asked for" in " ".join(said.stdout.split())
    saved = load_model(here / "model.ndc")
    model = saved.pipeline[-1]
    assert (model.penalty_, model.priors) == (0.7, "empirical")
    assert (saved.settings["penalty"], saved.settings["priors"]) == (0.7, "empirical")
    ndc("fit", "blocks.csv", "-t", "kind", "--priors", "none", "--rounds", 1, "--force")
    assert load_model(here / "model.ndc").pipeline[-1].priors is None
    refused = ndc("fit", "blocks.csv", "-t", "kind", "--penalty", 0, "--force")
    assert refused.exit_code == 2
    assert "--penalty must be positive; got 0." in refused.stderr


def test_what_classes_read_and_how_terms_are_fitted_reaches_the_model(ndc, here):
    for reads, regression in (("all", "logistic"), ("own", "ridge")):
        asked = ("--reads", reads, "--regression", regression, "--rounds", 2, "--terms", "linear", "--force")
        answer = json.loads(ndc("fit", "blocks.csv", "-t", "kind", *asked, "--json").stdout)
        assert (answer["reads"], answer["regression"]) == (reads, regression)
        saved = load_model(here / "model.ndc")
        model = saved.pipeline[-1]
        assert (saved.settings["reads"], saved.settings["regression"]) == (reads, regression)
        assert (model.reads, model.regression, model.regression_) == (reads, regression, regression)
        elsewhere = (model.owner_ >= 0) & (model.owner_ != np.arange(3)[:, None])
        assert model.coef_[elsewhere].any() == (reads == "all")
    result = ndc("fit", "blocks.csv", "-t", "kind", "--method", "ndc", "--reads", "own", "--force")
    assert result.exit_code == 2
    assert "--reads is for panels: leave it out, or give --method panel." in result.stderr


@pytest.mark.parametrize(
    ("rule", "rounds", "gap_errors", "said", "fact"),
    [
        (
            "min",
            5,
            [0.4, 0.2, 0.1, 0.05, 0.0, 0.1],
            "--rule 1se would take 3 features per class, the fewest within one standard error; held-out error 0.300",
            {"rule": "1se", "rounds": 3, "error": 0.3},
        ),
        (
            "1se",
            3,
            [0.4, 0.2, 0.1, 0.05, 0.0, 0.1],
            "--rule min would take 5 features per class; held-out error 0.100",
            {},
        ),
        ("min", 5, [0.1, 0.1, 0.01, 0.01, 0.0, 0.1], "--rule 1se would take the same number", {}),
    ],
)
def test_what_the_other_rule_would_take_is_said_too(rule, rounds, gap_errors, said, fact, capsys):
    """By hand: losses 1.0, 0.6, 0.3, 0.3, 0.2 after one to five rounds, and the errors of their differences to 0.2."""
    X, y = make_blocks(k=2, n=10, d=6, random_state=0)
    model = DisjointPanelClassifier(rounds=rounds, terms="linear", penalty=2.0, rule=rule, cv=2).fit(X, y)
    model.rounds = "auto"
    model.cv_results_ = {
        "terms": np.array(["linear"] * 5 + ["both"]),
        "regression": np.array(["ridge"] * 5 + ["logistic"]),
        "rounds": np.array([1, 2, 3, 4, 5, 1]),
        "penalty": np.full(6, 2.0),
        "loss": np.array([1.0, 0.6, 0.3, 0.3, 0.2, 0.2]),
        "error": np.array([0.5, 0.4, 0.3, 0.2, 0.1, 0.1]),
        "gap_error": np.array(gap_errors),
    }
    show_owners(model)
    assert said in " ".join(capsys.readouterr().out.split())
    if fact:
        assert summary(model)["other_rule"] == fact
    del model.cv_results_["gap_error"]  # as in the files of earlier releases
    show_owners(model)
    assert "would take" not in capsys.readouterr().out


def test_a_class_that_went_without_a_feature_is_named(ndc, here):
    result = ndc("fit", "blocks.csv", "-t", "kind", "--max-features", 2, *LINEAR)
    assert result.exit_code == 0, result.output
    assert "1 of 3 classes own no feature" in result.stderr
    assert "Raise --max-features." in result.stderr
    (here / "mine.txt").write_text("g0\ng3\n")
    result = ndc("fit", "blocks.csv", "-t", "kind", "--extend", "mine.txt", "--to", 2, "--force", *LINEAR)
    assert "own no feature" in result.stderr
    assert "Raise --to." in result.stderr


def test_settings_are_kept_with_the_model(ndc, here):
    ndc("fit", "blocks.csv", "-t", "kind", "--max-features", 6, "--exclude", "g0", "--rule", "1se", *LINEAR)
    settings = load_model(here / "model.ndc").settings
    assert settings.items() >= {"method": "panel", "max_features": 6, "exclude": ["g0"], "rule": "1se"}.items()
    assert settings.items() >= {"seed": 0, "table": "blocks.csv", "target": "kind", "transform": "none"}.items()
    assert "lam" not in settings


@pytest.mark.parametrize("impute", [(), ("--impute", "median")])
def test_one_sample_of_a_class_in_a_fold(ndc, here, table, impute):
    table.groupby("kind").head(2).to_csv(here / "two.csv")
    result = ndc("fit", "two.csv", "-t", "kind", *impute)
    assert result.exit_code == 0, result.output
    assert "held-out error" in result.stdout
