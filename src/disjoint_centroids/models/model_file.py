"""Saving and loading of models, without executing anything that is in a file."""

from __future__ import annotations

import json
import os
import platform
import warnings
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from disjoint_centroids._whole_file import write_whole
from disjoint_centroids.base import PartitionedClassifier
from disjoint_centroids.fitted import fitted_pipeline
from disjoint_centroids.models import archive
from disjoint_centroids.models.archive import Refused, shown
from disjoint_centroids.models.stored_model import Stored, restore
from disjoint_centroids.models.table_samples import features_in_use, first_step, table_features
from disjoint_centroids.models.training_rows import TrainingRows
from disjoint_centroids.pipeline import as_seen

if TYPE_CHECKING:
    import pandas as pd

    from disjoint_centroids.tables import LabelledTable

FORMAT = 2
"""Raised when a release writes files that releases before it cannot read.

Format 2: the coefficients of panels have a row per class.
"""

_RELEASE = "disjoint-centroids"
_LIBRARIES = (_RELEASE, "numpy", "pandas", "scikit-learn", "scipy", "skops")
_STEPS = (SimpleImputer, KNNImputer, FunctionTransformer, StandardScaler)
_SAME_ANSWER = 1e-6
_GAPS = 20  # imputing from neighbours takes time for every column


@dataclass(frozen=True, slots=True)
class SavedModel:
    """A model that was read from a file.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Imputation, transform and classifier, fitted; the classifier is ``pipeline[-1]``.
    feature_names : list of str
        The columns that the pipeline takes.
    classes : list
        Class labels, in the order of ``pipeline.classes_``.
    versions : dict
        Release of each library that the model was saved with, and of Python.
    settings : dict
        Settings that were given to :func:`save_model`: how the model was made.
    checksum : str or None
        Of the training table, see :attr:`disjoint_centroids.tables.LabelledTable.checksum`.
    created : str
        Date and time of saving, ISO 8601, UTC.
    left_out : dict
        Parameters of the classifier that a file cannot hold (functions, splitters of one's own), as text. Predictions
        do not depend on them; a new fit does.
    training_rows : TrainingRows or None
        Hashes of the rows of the training table; None if it was not given to :func:`save_model`, or the file is of a
        release that kept none.

    Examples
    --------
    >>> from disjoint_centroids.models import SavedModel
    >>> [name for name in SavedModel.__slots__ if name.startswith("c")]
    ['classes', 'checksum', 'created']
    """

    pipeline: Pipeline
    feature_names: list[str]
    classes: list[Any]
    versions: dict[str, str]
    settings: dict[str, Any]
    checksum: str | None
    created: str
    left_out: dict[str, str] = field(default_factory=dict)
    training_rows: TrainingRows | None = None

    def in_training(self, values: pd.DataFrame) -> np.ndarray | None:
        """Recognise samples of the training table: in any order, with columns in any order.

        Parameters
        ----------
        values : pandas.DataFrame
            Samples in rows. They are compared in all features of the model if these are there, else in those that it
            uses, to the seven digits of single precision.

        Returns
        -------
        boolean array of shape (n_samples,) or None
            True for samples that were in the training table. None if that is not known.
        """
        return None if self.training_rows is None else self.training_rows.seen(values)


def save_model(
    model: BaseEstimator,
    path: str | os.PathLike[str],
    *,
    table: LabelledTable | None = None,
    settings: dict[str, Any] | None = None,
    force: bool = False,
) -> Path:
    """Write a fitted model to a file: whole, or not at all.

    Parameters
    ----------
    model : sklearn.pipeline.Pipeline or a classifier of this package
        Fitted. A pipeline as :func:`disjoint_centroids.pipeline.model_pipeline` makes it.
    path : path
        File to write; by custom its name ends in ``.ndc``.
    table : LabelledTable, default=None
        Table that the model was fitted on. Its content is not kept, but its checksum and, for
        :meth:`SavedModel.in_training`, a one-way hash of every row (see Notes).
    settings : dict, default=None
        Settings that the model was made with, in terms of JSON: numbers, texts, lists, dicts.
    force : bool, default=False
        Replace a file that is there.

    Returns
    -------
    pathlib.Path
        The file.

    Notes
    -----
    Of every row of ``table`` two hashes of 64 bits are kept, over all features and over those that the model uses, in
    ascending order. Values cannot be read off them. Whoever has all values of a sample can tell from the file whether
    it was in the training table, and where few features with few different values are in use, one can try them all.
    Leave ``table`` out if that must not be.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_wine
    >>> from disjoint_centroids import DisjointPanelClassifier
    >>> from disjoint_centroids.models import load_model, save_model
    >>> from disjoint_centroids.pipeline import model_pipeline
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = model_pipeline(DisjointPanelClassifier(rounds=2, random_state=0), impute="median").fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     saved = load_model(save_model(model, Path(folder) / "wine.ndc", settings={"impute": "median"}))
    >>> saved.settings, bool((saved.pipeline.predict(X) == model.predict(X)).all())
    ({'impute': 'median'}, True)
    """
    target = Path(path)
    _check_may_write(target, force)
    pipeline = fitted_pipeline(model, "save_model")
    try:
        data = _to_bytes(pipeline, table, settings or {})
    except Refused as error:
        raise ValueError(f"This model cannot be saved: it {error}.") from error
    write_whole(target, lambda part: part.write_bytes(data), replace=force)
    return target


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model file. Nothing in the file is executed, whoever made it.

    Parameters
    ----------
    path : path
        A file that :func:`save_model` or ``ndc fit`` wrote.

    Returns
    -------
    SavedModel
        The pipeline, and information on its origin.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    ValueError
        The file is no model file, was altered or cut short, holds a type that models have no use for (the message
        names it), or was written by a release that this one cannot read (the message says which).

    Examples
    --------
    >>> from disjoint_centroids.models import load_model
    >>> load_model("nowhere.ndc")
    Traceback (most recent call last):
        ...
    FileNotFoundError: There is no file nowhere.ndc: name a model file, as `ndc fit` and save_model write it.
    """
    try:
        return _from_bytes(archive.read_sealed(Path(path)))
    except Refused as error:
        raise ValueError(f"{path} {str(error).rstrip('.')}.") from error


def _check_may_write(target: Path, force: bool) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; a model needs the name of a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} cannot be written: there is no folder {target.parent}. Make it first.")
    if target.exists() and not force:
        raise FileExistsError(f"{target} exists. Give another name, or force=True to replace it.")


def _to_bytes(pipeline: Pipeline, table: LabelledTable | None, settings: dict[str, Any]) -> bytes:
    try:
        settings = json.loads(json.dumps(settings))
    except (TypeError, ValueError) as error:
        raise TypeError(f"settings must be what JSON can hold (numbers, texts, lists, dicts): {error}.") from error
    stored = Stored(pipeline)
    members = archive.dump(stored.pipeline)
    _check_steps(stored.pipeline)
    answers = _answers(pipeline)
    if np.isnan(answers).any():
        raise Refused("has scores that are not numbers")
    metadata = {
        "format": FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "settings": settings,
        "checksum": None if table is None else table.checksum,
        "rows": None if table is None else _hashed_rows(pipeline, table.values),
        "classes": [str(label) for label in pipeline[-1].classes_],
        "names": stored.names,
        "names_of_step": stored.names_of_step,
        "left_out": stored.left_out,
        "answers": answers,
    }
    return archive.seal(metadata, members)


def _from_bytes(data: bytes) -> SavedModel:
    members = archive.members_of(data)
    metadata = _read_metadata(members[archive.METADATA])
    try:
        archive.check_content(members)
    except Refused as error:
        raise Refused(f"{error}: nothing of it was loaded ({_who_wrote(metadata)})") from error
    except Exception as error:
        raise Refused(f"is damaged: its {archive.SCHEMA} cannot be read ({_who_wrote(metadata)})") from error
    try:
        with warnings.catch_warnings():
            # Whether another scikit-learn wrote it does not matter if it answers as it did then, which is checked.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            pipeline = archive.build(data)
        _check_steps(pipeline)
        _check_n_features(pipeline, len(data))
        restore(pipeline, metadata)
        _check_answers(pipeline, metadata["answers"])
        return SavedModel(
            pipeline=pipeline,
            feature_names=[str(name) for name in table_features(pipeline)],
            classes=pipeline[-1].classes_.tolist(),
            versions=metadata["versions"],
            settings=dict(metadata["settings"]),
            checksum=metadata["checksum"],
            created=str(metadata["created"]),
            left_out=dict(metadata["left_out"]),
            training_rows=_read_rows(pipeline, metadata.get("rows")),
        )
    except Refused as error:
        raise Refused(f"{error} ({_who_wrote(metadata)})") from error
    except Exception as error:  # a file can be wrong in more ways than can be listed
        raise Refused(
            f"cannot be read as a model ({type(error).__name__}): fit it again, or install the release that wrote it "
            f"({_who_wrote(metadata)})"
        ) from error


def _hashed_rows(pipeline: Pipeline, values: pd.DataFrame) -> dict[str, str] | None:
    """Hashes of the rows of a table; None if it is not one that the model can have been fitted on."""
    names = table_features(pipeline)
    if not names.isin(values.columns).all():
        return None
    return TrainingRows.of(values[list(names)], names[features_in_use(pipeline)]).packed()


def _read_rows(pipeline: Pipeline, packed: Any) -> TrainingRows | None:
    if packed is None:
        return None
    names = table_features(pipeline)
    try:
        return TrainingRows.unpacked(packed, names, names[features_in_use(pipeline)])
    except ValueError as error:
        raise Refused("is damaged: what it keeps of the training table cannot be read") from error


def _read_metadata(text: bytes) -> dict[str, Any]:
    try:
        metadata = json.loads(text)
        written, release = int(metadata["format"]), shown(metadata["versions"][_RELEASE])
    except Exception as error:
        raise Refused(f"is damaged: its {archive.METADATA} cannot be read") from error
    if written > FORMAT:
        raise Refused(
            f"was written by {_RELEASE} {release} in format {written}, and this release, {version(_RELEASE)}, reads "
            f"formats up to {FORMAT}: install {_RELEASE} {release} or later"
        )
    return metadata


def _versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}


def _who_wrote(metadata: dict[str, Any]) -> str:
    written, here = metadata["versions"], _versions()
    return "; ".join(
        f"{verb} {_RELEASE} {shown(releases.get(_RELEASE))} with scikit-learn {shown(releases.get('scikit-learn'))}"
        for verb, releases in (("written by", written), ("this is", here))
    )


def _check_steps(pipeline: Any) -> None:
    """Refuse steps that are not in their place; their types are allowed by now."""
    if type(pipeline) is not Pipeline or pipeline.memory is not None:
        raise Refused("does not hold a pipeline of this package")
    for _, step in pipeline.steps[:-1]:
        if step != "passthrough" and not isinstance(step, _STEPS):
            raise Refused(f"holds a {shown(type(step).__name__)} where a model imputes or transforms")
    if not isinstance(pipeline[-1], PartitionedClassifier):
        raise Refused(f"ends in a {shown(type(pipeline[-1]).__name__)}, which is no classifier of this package")


def _check_n_features(pipeline: Pipeline, size: int) -> None:
    """Refuse more features than the file has bytes, before memory for a row of them is allocated."""
    claimed = max(first_step(pipeline).n_features_in_, pipeline[-1].n_features_in_)
    if claimed > size:
        raise Refused("is damaged: it claims more features than it has bytes")


def _probe(pipeline: Pipeline) -> Any:
    """Transform a row of ones, and one with gaps if there is an imputer, by all steps before the classifier."""
    first = first_step(pipeline)
    values: Any = np.ones((2 if isinstance(first, SimpleImputer | KNNImputer) else 1, first.n_features_in_))
    values[1:, :: max(1, first.n_features_in_ // _GAPS)] = np.nan
    if hasattr(first, "feature_names_in_"):
        import pandas as pd

        values = pd.DataFrame(values, columns=first.feature_names_in_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return as_seen(pipeline, values)


def _answers(pipeline: Pipeline) -> list[list[float]]:
    """Compute the scores of the rows of ``_probe``, by the classifier and by the models of its folds."""
    values = _probe(pipeline)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [pipeline[-1]._scores(values)]
    scores += [fold.model.scores(np.asarray(values))[:, fold.known] for fold in pipeline[-1]._fold_models()]
    answers: list[list[float]] = np.hstack(scores).tolist()
    return answers


def _check_answers(pipeline: Pipeline, expected: list[list[float]]) -> None:
    found, known = np.array(_answers(pipeline)), np.array(expected, dtype=np.float64)
    # Scores are sums that may cancel: what is lost to rounding goes with the largest.
    largest = np.abs(known[np.isfinite(known)]).max(initial=0.0)
    if found.shape != known.shape or not np.allclose(found, known, rtol=_SAME_ANSWER, atol=_SAME_ANSWER * largest):
        raise Refused("answers differently from when it was saved: fit it again, or install the release that wrote it")
    _check_predictions(pipeline)


def _check_predictions(pipeline: Pipeline) -> None:
    """Call every prediction method: parts that the scores do not need must fit together as well."""
    classifier, values = pipeline[-1], _probe(pipeline)
    folds = classifier._fold_models()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.predict(values)
        classifier.predict_proba(values)
        classifier._measured(values)
        classifier.get_params(deep=False)
        if len(folds):
            classifier.predict_set(values)
            classifier.typicality(values)
    sets = classifier.feature_sets_
    fits = (
        len(sets) == len(classifier.classes_)
        and all(_are_positions(features, classifier.n_features_in_) for features in sets)
        and all(figures.dtype.kind == "f" for fold in folds for figures in (fold.own, fold.far, fold.weights))
        and (classifier._kind != "panel" or _are_panels(classifier))
    )
    if not fits:
        raise Refused("is damaged: its parts are of different models")


def _are_positions(features: np.ndarray, n_features: int) -> bool:
    return features.ndim == 1 and features.dtype.kind in "iu" and bool(np.isin(features, np.arange(n_features)).all())


def _are_panels(classifier: Any) -> bool:
    """True if coefficients have a row per class, and no feature is owned twice, in the models of the folds too."""
    n_classes, n_features = len(classifier.classes_), classifier.n_features_in_
    models = [classifier._model(), *(fold.model for fold in classifier._fold_models())]
    return classifier.coef_.shape == classifier.curvature_.shape == (n_classes, n_features) and all(
        model.weight.shape == (n_classes, model.features.size) and np.unique(model.features).size == model.features.size
        for model in models
    )
