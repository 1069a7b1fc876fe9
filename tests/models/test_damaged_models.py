"""Files that are no models any more, or never were, or were made to do harm: one sentence, and nothing happens."""

import base64
import io
import json
import os
import pickle
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from disjoint_centroids import DisjointKNeighborsClassifier, DisjointPanelClassifier, NearestDisjointCentroidCV
from disjoint_centroids.models.model_file import load_model, save_model
from disjoint_centroids.pipeline import model_pipeline
from disjoint_centroids.tables import LabelledTable
from hostile_models import NUMBERS, PLACES, Touch, as_attribute, as_root, attributes, constant, hostile, node
from labelled import QUICK, pandas_frame, table
from model_bytes import changed, members, sealed

FIXTURES = Path(__file__).parent / "fixtures"
# Nothing, part of the first four bytes, parts of the members, of the mark and of the digits; `make fuzz` has thousands.
TRUNCATIONS = [0, 3, 4, 0.1, 0.5, 0.99, -96, -70, -1]
# First bytes, a local header, members, central directory, end record, mark and digits.
FLIPS = [0, 3, 10, 26, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, -110, -98, -80, -64, -1]


def written(classifier, folder):
    X, y = table((14, 11, 9))
    values = pandas_frame(np.exp2(X))
    model = model_pipeline(classifier, transform="log1p", impute="median").fit(values, y)
    training = LabelledTable(values, pd.Series(y, values.index), "t.csv")
    return save_model(model, folder / "m.ndc", table=training).read_bytes()


MODELS = {
    "NDC-S": NearestDisjointCentroidCV(n_lams=3, cv=3, **QUICK),
    "panel": DisjointPanelClassifier(rounds=2, terms="both", cv=3, random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def whole(request, tmp_path_factory):
    return written(MODELS[request.param], tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    return written(MODELS["panel"], tmp_path_factory.mktemp("model"))


def refusal(tmp_path, data):
    """The sentence that a file gets; any other exception, or none, is the test's failure."""
    path = tmp_path / "damaged.ndc"
    path.write_bytes(data)
    with pytest.raises(ValueError) as caught:
        load_model(path)
    message = str(caught.value)
    assert type(caught.value) is ValueError
    assert message.startswith(f"{path} ")
    assert message.endswith(".")
    assert not message.endswith("..")
    assert ". " not in message
    assert message.isprintable()
    return message.removeprefix(f"{path} ")


def position(where, data):
    return int(where * len(data)) if isinstance(where, float) else where % len(data)


def test_the_file_that_the_others_are_made_from_loads(whole, tmp_path):
    path = tmp_path / "m.ndc"
    path.write_bytes(whole)
    assert load_model(path).classes == [0, 1, 2]
    path.write_bytes(sealed(members(whole)))
    assert load_model(path).classes == [0, 1, 2]


def test_a_file_cut_short(whole, tmp_path):
    for where in TRUNCATIONS:
        assert "not a model file" in refusal(tmp_path, whole[: position(where, whole)])


def test_a_file_with_one_byte_altered(whole, tmp_path):
    for where in FLIPS:
        at = position(where, whole)
        altered = bytearray(whole)
        altered[at] ^= 1 << (at % 8)
        refusal(tmp_path, bytes(altered))


def test_a_file_with_a_tail_or_with_a_hole(whole, tmp_path):
    refusal(tmp_path, whole + b"\n")
    refusal(tmp_path, whole[:1000] + whole[1001:])
    refusal(tmp_path, whole[:1000] + b"\0" * 512 + whole[1512:])
    refusal(tmp_path, whole.replace(b"\n", b"\r\n"))  # copied as text


def _npz():
    file = io.BytesIO()
    np.savez(file, a=np.arange(3))
    return file.getvalue()


def _zip():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("letter.txt", "hello")
    return file.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"sample,gene\ns1,3\n",
    "zeros": bytes(4096),
    "random": np.random.default_rng(0).bytes(4096),
    "npz": _npz(),
    "another zip": _zip(),
    "empty zip": b"PK\x05\x06" + bytes(18),
    "pickle": pickle.dumps({"model": 1}),
    "html": b"<!doctype html><script>alert(1)</script>",
    "skops": skops.io.dumps(LogisticRegression()),
    "only the beginning of a zip": b"PK\x03\x04",
    "only the mark": b"PK\x03\x04" + b"disjoint-centroids model sha256 " + b"0" * 64,
}


def test_a_foreign_file(tmp_path):
    for content in FOREIGN.values():
        refusal(tmp_path, content)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*nowhere\.ndc: name a model file"):
        load_model(tmp_path / "nowhere.ndc")
    with pytest.raises(ValueError, match="is a folder"):
        load_model(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a system with named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="no regular file"):
        load_model(tmp_path / "pipe")


def test_each_member_removed_emptied_or_replaced_by_another(whole, tmp_path):
    parts = members(whole)
    arrays = [name for name in parts if name.endswith(".npy")]
    assert len(arrays) > 10
    for name in parts:
        assert name in refusal(tmp_path, sealed({n: c for n, c in parts.items() if n != name}))
        refusal(tmp_path, sealed(parts | {name: b""}))
        refusal(tmp_path, sealed(parts | {name: parts[name][: len(parts[name]) // 2]}))
        refusal(tmp_path, sealed(parts | {name: parts["schema.json" if name != "schema.json" else arrays[0]]}))
        renamed = {("9.npy" if n == name else n): c for n, c in parts.items()}
        refusal(tmp_path, sealed(renamed))


def test_a_pickle_is_no_member_of_a_model(whole, tmp_path):
    marker = tmp_path / "executed"
    payload = pickle.dumps(Touch(marker))
    assert "'model.pkl'" in refusal(tmp_path, sealed(members(whole) | {"model.pkl": payload}))
    for name in members(whole):
        refusal(tmp_path, sealed(members(whole) | {name: payload}))
    assert not marker.exists()
    pickle.loads(payload)  # the payload is live
    assert marker.exists()


def test_an_array_of_objects_is_not_unpickled(whole, tmp_path):
    marker = tmp_path / "executed"
    file = io.BytesIO()
    np.save(file, np.array([Touch(marker)], dtype=object), allow_pickle=True)
    name = next(name for name in members(whole) if name.endswith(".npy"))
    assert name in refusal(tmp_path, sealed(members(whole) | {name: file.getvalue()}))
    assert not marker.exists()
    file.seek(0)
    np.load(file, allow_pickle=True)
    assert marker.exists()


def test_parts_that_swell_are_refused_before_they_are_read(whole, tmp_path):
    bomb = sealed(members(whole) | {"1.npy": bytes(50_000_000)}, compression=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1_000_000
    assert "larger than the file" in refusal(tmp_path, bomb)
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"
    name = next(name for name in members(whole) if name.endswith(".npy"))
    boast = header.ljust(127) + b"\n" + bytes(64)
    assert "not what it says" in refusal(tmp_path, sealed(members(whole) | {name: boast}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(whole, tmp_path):
    parts = [*members(whole).items(), ("schema.json", b"{}")]
    assert "'schema.json'" in refusal(tmp_path, sealed(parts))


@pytest.mark.parametrize("place", PLACES)
def test_a_type_that_models_have_no_use_for_is_refused_by_name_and_nothing_runs(place, panel, tmp_path, monkeypatch):
    marker = tmp_path / "executed"
    (tmp_path / "import_me.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nclass Thing: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name, part in hostile(marker).items():
        message = refusal(tmp_path, changed(panel, "schema.json", lambda schema, part=part: place(schema, part)))
        assert f"holds {name}," in message
        assert "nothing of it was loaded" in message
        assert "written by disjoint-centroids" in message
        assert not marker.exists()
        assert "import_me" not in sys.modules


@pytest.mark.parametrize("name", ["os.mkdir", "import_me.Thing"])
def test_the_harm_would_be_done_if_the_types_were_trusted(name, panel, tmp_path, monkeypatch):
    """Without this the test above could pass because its payloads are duds."""
    marker = tmp_path / "executed"
    (tmp_path / "import_me.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nclass Thing: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    data = changed(panel, "schema.json", lambda schema: as_root(schema, hostile(marker)[name]))
    skops.io.loads(data, trusted=[name])
    sys.modules.pop("import_me", None)
    assert marker.exists()


def test_a_long_name_full_of_line_breaks_stays_one_short_line(panel, tmp_path):
    data = changed(
        panel, "schema.json", lambda schema: as_attribute(schema, node("TypeNode", "a\nb\x1b[31m", "c" * 5000))
    )
    assert len(refusal(tmp_path, data)) < 500


def test_allowed_types_in_the_wrong_place_are_refused(whole, tmp_path):
    def memory(schema):
        schema["content"]["content"]["memory"] = constant(str(tmp_path / "cache"))

    assert "pipeline" in refusal(tmp_path, changed(whole, "schema.json", memory))
    assert "pipeline" in refusal(
        tmp_path, changed(whole, "schema.json", lambda schema: as_root(schema, constant("hello")))
    )

    def reversed_steps(schema):
        schema["content"]["content"]["steps"]["content"].reverse()

    said = refusal(tmp_path, changed(whole, "schema.json", reversed_steps))
    assert "NearestDisjointCentroidCV where" in said or "DisjointPanelClassifier where" in said


def _without(name):
    return lambda folds: folds[0]["content"].pop(name)


def _of_something(name, part):
    return lambda folds: folds[0]["content"].update({name: part})


def _within(change):
    return lambda folds: change([folds[0]["content"]["model"]])


FOLDS = {
    "a part missing": _without("own"),
    "a part by another name": lambda folds: folds[0].update(
        content={"more" if name == "own" else name: part for name, part in folds[0]["content"].items()}
    ),
    "no model": _of_something("model", constant(None)),
    "text": _of_something("known", constant("abc")),
    "a class that is not there": _of_something("known", constant([0, 1, 7])),
    "a model of a part missing": _within(_without("scale")),
    "no panels": _within(_of_something("panels", constant([]))),
    "one panel": _within(lambda models: models[0]["content"]["panels"]["content"].pop()),
    "a panel twice": _within(
        lambda models: models[0]["content"]["panels"]["content"].__setitem__(
            0, models[0]["content"]["panels"]["content"][1]
        )
    ),
    "a panel of numbers": _within(
        lambda models: models[0]["content"]["panels"]["content"].__setitem__(0, models[0]["content"]["center"])
    ),
    "figures of other features": _within(
        lambda models: models[0]["content"].__setitem__("scale", models[0]["content"]["intercept"])
    ),
    "weights of other samples": lambda folds: folds[0]["content"].__setitem__("weights", folds[0]["content"]["known"]),
    "no fold": lambda folds: folds.clear(),
}


@pytest.fixture(params=["this format", "format 1"])
def any_format(request, panel):
    """Panels of this format, and of the one that is brought up while it is read."""
    return panel if request.param == "this format" else (FIXTURES / "panels-rare-class.ndc").read_bytes()


@pytest.mark.parametrize("kind", FOLDS)
def test_folds_that_do_not_fit_the_panels_are_refused(kind, any_format, tmp_path):
    def change(schema):
        FOLDS[kind](attributes(schema)["fold_models_"]["content"])

    refusal(tmp_path, changed(any_format, "schema.json", change))


RESTED_ON = [
    "feature_sets_",
    "classes_",
    "n_features_in_",
    "centroids_",
    "owner_",
    "temperature_",
    "coef_",
    "curvature_",
]


def test_panels_without_what_they_rest_on_are_refused(any_format, tmp_path):
    for name in RESTED_ON:
        lacking = changed(any_format, "schema.json", lambda schema, name=name: attributes(schema).pop(name) and None)
        refusal(tmp_path, lacking)
        new = {name: constant([1])}
        refusal(tmp_path, changed(any_format, "schema.json", lambda schema, new=new: attributes(schema).update(new)))


def test_panels_that_do_not_say_who_reads_are_refused(panel, tmp_path):
    refusal(tmp_path, changed(panel, "schema.json", lambda schema: attributes(schema).pop("reads") and None))


def test_panels_of_one_format_in_a_file_of_the_other_are_refused(any_format, tmp_path):
    def another(metadata):
        metadata["format"] = 3 - metadata["format"]

    refusal(tmp_path, changed(any_format, "model.json", another))


def test_coefficients_without_a_row_per_class_are_refused(panel, tmp_path):
    """One row for all classes would be spread over them by numpy."""
    schema = json.loads(members(panel)["schema.json"])
    for name in ("coef_", "curvature_"):
        member = attributes(schema)[name]["file"]
        array = np.load(io.BytesIO(members(panel)[member]))
        for wrong in (array[:1], array[:, :-1], np.vstack([array, array[:1]]), array[0]):
            file = io.BytesIO()
            np.save(file, wrong)
            refusal(tmp_path, sealed(members(panel) | {member: file.getvalue()}))


def test_more_features_than_bytes_are_refused_before_memory_is_asked_for(whole, tmp_path):
    def boast(schema):
        for part in schema["content"]["content"]["steps"]["content"]:
            part["content"][1]["content"]["content"]["n_features_in_"] = constant(10**13)

    assert "more features than" in refusal(tmp_path, changed(whole, "schema.json", boast))


def test_feature_sets_come_from_the_papers_classifiers_only(tmp_path):
    inner = NearestDisjointCentroidCV(n_lams=3, cv=3, **QUICK)
    data = written(DisjointKNeighborsClassifier(n_neighbors=3, estimator=inner, random_state=0), tmp_path)

    def itself(schema, renumbered):
        outer = json.dumps(schema["content"]["content"]["steps"]["content"][-1]["content"][1])
        if renumbered:
            outer = re.sub(r'"__id__": \d+', lambda _: f'"__id__": {next(NUMBERS)}', outer)
        attributes(schema)["estimator_"] = json.loads(outer)

    twice = changed(data, "schema.json", lambda schema: itself(schema, renumbered=True))
    assert "DisjointKNeighborsClassifier where" in refusal(tmp_path, twice)
    refusal(tmp_path, changed(data, "schema.json", lambda schema: itself(schema, renumbered=False)))  # for ever
    for name in ("estimator_", "samples_", "sample_codes_"):
        refusal(tmp_path, changed(data, "schema.json", lambda schema, name=name: attributes(schema).pop(name) and None))


NO_JSON = [b"", b"{", b"[]", b"null", b"{}", b'{"format": 1}', b"[" * 100_000, b"\xff\xfe", b'{"format": "x"}']


@pytest.mark.parametrize("member", ["model.json", "schema.json"])
def test_members_that_are_no_json_or_not_ours(member, panel, tmp_path):
    for text in NO_JSON:
        refusal(tmp_path, sealed(members(panel) | {member: text}))


def test_metadata_with_a_part_missing_or_nonsense(panel, tmp_path):
    for key in ("versions", "names", "names_of_step", "answers", "created", "settings", "left_out"):
        refusal(tmp_path, changed(panel, "model.json", lambda metadata, key=key: metadata.pop(key) and None))
        if key != "created":
            refusal(tmp_path, changed(panel, "model.json", lambda metadata, key=key: metadata.update({key: 7})))


def test_a_transform_that_is_none_of_ours_is_refused(panel, tmp_path):
    def change(schema, function):
        transform = schema["content"]["content"]["steps"]["content"][1]["content"][1]["content"]["content"]
        assert transform["func"]["content"] == '"log1p"'
        transform["func"] = constant(function)

    for function in ("os.system", "_log2", "sqrt", 7):
        said = refusal(tmp_path, changed(panel, "schema.json", lambda schema, f=function: change(schema, f)))
        assert f"transforms by {function}," in said
    for function in ([1], {"a": 1}):
        refusal(tmp_path, changed(panel, "schema.json", lambda schema, f=function: change(schema, f)))


GOOD = base64.b64encode(np.arange(1, 4, dtype="<u8").tobytes()).decode()
ROWS = {
    "a number": 7,
    "text": "abc",
    "a list": [GOOD, GOOD],
    "one part": {"all": GOOD},
    "a part more": {"all": GOOD, "used": GOOD, "more": GOOD},
    "no text": {"all": GOOD, "used": [1, 2, 3]},
    "no base64": {"all": GOOD, "used": "!" * 32},
    "letters of others": {"all": GOOD, "used": "ä" * 32},
    "half a hash": {"all": GOOD, "used": GOOD[:12]},
    "nothing": {"all": GOOD, "used": ""},
    "out of order": {"all": GOOD, "used": base64.b64encode(np.arange(4, 0, -1, dtype="<u8").tobytes()).decode()},
    "twice the same": {"all": GOOD, "used": base64.b64encode(np.ones(3, dtype="<u8").tobytes()).decode()},
}


def test_hashes_of_rows_that_are_none_are_refused(panel, tmp_path):
    for kind, rows in ROWS.items():
        said = refusal(tmp_path, changed(panel, "model.json", lambda metadata, rows=rows: metadata.update(rows=rows)))
        assert "what it keeps of the training table cannot be read" in said, kind


@pytest.mark.parametrize("member", ["model.json", "schema.json", "array"])
def test_a_byte_altered_and_the_file_sealed_again_is_a_sentence_or_a_model(member, whole, tmp_path):
    """Somebody who seals again may make another valid model, but never anything but a model or a refusal."""
    parts = members(whole)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(30):
        name = rng.choice([n for n in parts if n.endswith(".npy")]) if member == "array" else member
        content = bytearray(parts[name])
        content[rng.integers(len(content))] = rng.integers(256)
        path = tmp_path / "m.ndc"
        path.write_bytes(sealed(parts | {name: bytes(content)}))
        try:
            load_model(path)
        except ValueError as error:
            refused += 1
            assert str(error).startswith(f"{path} ")
    assert refused > 5


def test_figures_of_folds_that_are_no_numbers_are_refused(panel, tmp_path):
    """Scores do not need them, sets of classes and p-values do: no traceback when these are asked for."""
    schema = json.loads(members(panel)["schema.json"])
    for name in ("own", "far", "weights"):
        member = attributes(schema)["fold_models_"]["content"][0]["content"][name]["file"]
        array = np.load(io.BytesIO(members(panel)[member]))
        file = io.BytesIO()
        np.save(file, array.astype("<U5"))
        refusal(tmp_path, sealed(members(panel) | {member: file.getvalue()}))


def test_feature_sets_that_are_no_positions_are_refused(tmp_path):
    data = written(MODELS["NDC-S"], tmp_path)
    schema = json.loads(members(data)["schema.json"])
    member = attributes(schema)["feature_sets_"]["content"][0]["file"]
    for array in (np.array([0.0, 1.0]), np.array([9999]), np.array([[0, 1]])):
        file = io.BytesIO()
        np.save(file, array)
        refusal(tmp_path, sealed(members(data) | {member: file.getvalue()}))


def test_classes_or_feature_sets_of_another_number_are_refused(tmp_path):
    data = written(MODELS["NDC-S"], tmp_path)
    schema = json.loads(members(data)["schema.json"])
    file = io.BytesIO()
    np.save(file, np.arange(4))
    refusal(tmp_path, sealed(members(data) | {attributes(schema)["classes_"]["file"]: file.getvalue()}))

    def one_more(schema):
        sets = attributes(schema)["feature_sets_"]["content"]
        sets.append(sets[0] | {"__id__": next(NUMBERS)})

    refusal(tmp_path, changed(data, "schema.json", one_more))
    refusal(
        tmp_path,
        changed(data, "schema.json", lambda schema: attributes(schema)["feature_sets_"]["content"].pop() and None),
    )
