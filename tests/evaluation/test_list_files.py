"""Lists of features as laboratories bring them: text of many programs, Excel, data frames."""

import pandas as pd
import pytest

from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.evaluation.panel_design import Listed, PanelDesign

FEATURES = ["G001", "G007", "G013", "CD3, membrane", "marker"]
TYPES = ["B cell", "T cell"]


def brought(folder, content, name="list.csv", **options):
    (folder / name).write_text(content, encoding="utf-8")
    return FeatureList.read(folder / name, FEATURES, **options)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.txt", "G001\n\n  G013 \nCD3, membrane\n"),
        ("list.txt", "\ufeffGene name\r\nG001\r\nG013\r\nCD3, membrane\r\n"),
        ("list.csv", 'G001\nG013\n"CD3, membrane"\n'),
        ("list.csv", 'G001,G013,"CD3, membrane"'),
        ("list.csv", '"feature","price","available"\n"G001",3.5,yes\n"G013",4,no\n"CD3, membrane",1,yes\n'),
        ("list.csv", "Symbol;Price (EUR)\nG001;3,5\nG013;4\nCD3, membrane;1\n"),
        ("list.txt", "number\tGENE_SYMBOL\n1\tG001\n2\tG013\n3\tCD3, membrane\n"),
        ("list.tsv", "G001\nG013\nCD3, membrane\n"),
        ("list.csv", "gene;feature\nCD28;G001\nCD19;G013\nCD3;CD3, membrane\n"),
        (
            "list.txt",
            '"feature" "x"\n'.replace(" ", "\t") + '"1"\t"G001"\t2\n"2"\t"G013"\t2\n"3"\t"CD3, membrane"\t1\n',
        ),
    ],
)
def test_names_are_found(tmp_path, name, content):
    assert brought(tmp_path, content, name).names == ("G001", "G013", "CD3, membrane")


def test_names_of_one_line(tmp_path):
    assert brought(tmp_path, "G001, G007, G013").names == ("G001", "G007", "G013")
    assert brought(tmp_path, "G001; G007\nG013; marker").names == ("G001", "G007", "G013", "marker")


def test_a_heading_that_is_a_feature_is_one(tmp_path):
    assert brought(tmp_path, "marker\nG001\n").names == ("marker", "G001")
    assert brought(tmp_path, "markers\nG001\n").names == ("G001",)


@pytest.mark.parametrize("heading", ["Cell type", "cell_type", "CLASS", "cluster-name", "owner"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_classes_are_found(tmp_path, heading, delimiter):
    rows = [["Gene name", heading], ["G001", "B cell"], ["G013", "T cell"]]
    found = brought(tmp_path, "\n".join(delimiter.join(row) for row in rows), "list.txt")
    assert found.by_class() == {"B cell": ["G001"], "T cell": ["G013"]}


def test_excel_and_frames_are_read_as_text_is(tmp_path):
    frame = pd.DataFrame({"Gene": ["G001", "G007", "G013"], "owner": ["B cell", None, "T cell"]})
    frame.to_excel(tmp_path / "list.xlsx", index=False)
    expected = {"B cell": ["G001"], "T cell": ["G013"]}
    assert FeatureList.read(tmp_path / "list.xlsx", FEATURES).by_class() == expected
    assert FeatureList.of(frame).by_class() == expected
    with pd.ExcelWriter(tmp_path / "two.xlsx") as book:
        frame.to_excel(book, sheet_name="mine", index=False)
        frame.to_excel(book, sheet_name="yours", index=False)
    with pytest.warns(UserWarning, match="the sheet 'mine' is read, the others are not: 'yours'"):
        FeatureList.read(tmp_path / "two.xlsx", FEATURES)


def test_costs_of_a_spreadsheet(tmp_path):
    (tmp_path / "costs.csv").write_text("Symbol;Price (EUR)\nG001;3,5\nG013;4\n")
    assert PanelDesign.read(["G001", "G013"], None, costs=tmp_path / "costs.csv").costs == {"G001": 3.5, "G013": 4.0}
    pd.DataFrame({"gene": ["G001", "G013"], "Cost": [3.5, 4]}).to_excel(tmp_path / "costs.xlsx", index=False)
    assert PanelDesign.read(["G001", "G013"], None, costs=tmp_path / "costs.xlsx").costs == {"G001": 3.5, "G013": 4.0}
    (tmp_path / "costs.csv").write_text('feature,cost\nG001,"1,200"\nG013,4\n')  # over a thousand?
    with pytest.raises(ValueError, match=r"costs that are no numbers from 0 up \(1\): G001"):
        PanelDesign.read(["G001", "G013"], None, costs=tmp_path / "costs.csv")


def test_an_owner_that_is_missing_takes_a_feature_off_the_list(tmp_path):
    content = "feature,owner\nG001,B cell\nG007,\n"
    assert brought(tmp_path, content).names == ("G001",)
    assert brought(tmp_path, content, with_classes=False).names == ("G001",)
    assert brought(tmp_path, content.replace("owner", "class"), with_classes=False).names == ("G001", "G007")
    with pytest.raises(ValueError, match="names no class for 1 of 2 features: G007"):
        brought(tmp_path, content.replace("owner", "class"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("G001\nXIST\ng013\n", r"\(2 of 3\): XIST, g013\. Did you mean 'G013' for 'g013'\? Correct"),
        ("Stain\nG001\nG013\n", r"\(1 of 3\): Stain\. Its first line looks like a heading: call it feature"),
        ("gene,type\nG001,t cell\nG013,b\n", r"T cell\. Did you mean 'T cell' for 't cell'\? Correct these"),
        ("gene,type\nG001,t cell\n", r"Did you mean 'T cell'\? Correct these"),
    ],
)
def test_what_is_nearly_right_is_said(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        brought(tmp_path, content).check(FEATURES, TYPES)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "list.json",
            '["G001"]',
            r"list\.json is a JSON file, which is not read as a list\. Save it as \.csv or \.xlsx",
        ),
        ("list.gmt", "B cell\tx\tG001", "is a file of gene sets, which is not read as a list"),
        ("list.csv", "a,b\nG001,B cell\n", "several columns, and none is called feature or gene"),
        ("list.csv", "gene,type\nG001,B cell,2\n", "has 2 columns, and line 2 has 3 cells"),
        ("list.csv", "type,gene\nB cell,G001\nT cell\n", "line 3 has no name in the column 'gene'"),
        ("list.csv", "\n \n", "list.csv is empty. Give one name of a feature per line"),
        ("list.txt", "PK\x03\x04", "it is an Excel file or another zip archive, whatever its name says"),
        ("list.xlsx", "G001", "damaged, or text"),
    ],
)
def test_what_is_no_list(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=message):
        brought(tmp_path, content, name)


def test_several_names_in_one_text():
    design = PanelDesign.read(FEATURES, TYPES, exclude=Listed(["G001,G007", '"CD3, membrane"']))
    assert design.excluded == ["G001", "G007", "CD3, membrane"]
    design = PanelDesign.read(FEATURES, TYPES, allow=Listed(["CD3, membrane"]), require=["G001,G007"])
    assert (design.allowed, design.required) == (["CD3, membrane"], ["G001", "G007"])
    with pytest.raises(ValueError, match=r"allow='g013': the table has no such feature\. Did you mean 'G013'"):
        PanelDesign.read(FEATURES, TYPES, allow=Listed(["G001,g013"]))


def test_a_file_of_what_may_be_used_says_what_it_leaves_out(tmp_path):
    (tmp_path / "stock.txt").write_text("Stain\nG001\nG007\ng013\nmarker\n")
    with pytest.warns(UserWarning, match="Stain, g013. Its first line looks like a heading.*'G013' for 'g013'"):
        assert Listed(file=tmp_path / "stock.txt").read(FEATURES, "allow") == ["G001", "G007", "marker"]


def test_lists_that_are_no_lists():
    with pytest.raises(TypeError, match=r"the list is the text 'G001', not a list of names\. Give \['G001'\]"):
        FeatureList.of("G001")
    with pytest.raises(TypeError, match=r"the text 'G001' for 'NK', not a list of names. Give \{'NK': \['G001'\]\}"):
        FeatureList.of({"NK": "G001"})
    with pytest.raises(ValueError, match="data frame without a column feature or gene; its columns are a, b"):
        FeatureList.of(pd.DataFrame({"a": ["G001"], "b": [1]}))
