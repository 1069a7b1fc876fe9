"""Model files, and predictions for new samples."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoint_centroids.models.class_sets import set_as_text, set_from_text, with_sets_as_text
    from disjoint_centroids.models.model_file import SavedModel, load_model, save_model
    from disjoint_centroids.models.prediction import (
        UnlikeTrainingWarning,
        model_columns,
        needed_features,
        predict_table,
        unlike_training,
    )
    from disjoint_centroids.models.training_rows import TrainingRows, overlap_sentence

__all__ = [
    "SavedModel",
    "TrainingRows",
    "UnlikeTrainingWarning",
    "load_model",
    "model_columns",
    "needed_features",
    "overlap_sentence",
    "predict_table",
    "save_model",
    "set_as_text",
    "set_from_text",
    "unlike_training",
    "with_sets_as_text",
]

_HOME = {
    "SavedModel": "model_file",
    "TrainingRows": "training_rows",
    "UnlikeTrainingWarning": "prediction",
    "load_model": "model_file",
    "model_columns": "prediction",
    "needed_features": "prediction",
    "overlap_sentence": "training_rows",
    "predict_table": "prediction",
    "save_model": "model_file",
    "set_as_text": "class_sets",
    "set_from_text": "class_sets",
    "unlike_training": "prediction",
    "with_sets_as_text": "class_sets",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the command line must not wait for scikit-learn."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
