"""Model files, and predictions for new samples."""

from typing import TYPE_CHECKING

from disjoint_centroids._lazy import lazy_names

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

_find = lazy_names(
    __name__,
    {
        "class_sets": ["set_as_text", "set_from_text", "with_sets_as_text"],
        "model_file": ["SavedModel", "load_model", "save_model"],
        "prediction": [
            "UnlikeTrainingWarning",
            "model_columns",
            "needed_features",
            "predict_table",
            "unlike_training",
        ],
        "training_rows": ["TrainingRows", "overlap_sentence"],
    },
)
if not TYPE_CHECKING:  # a type checker would believe every misspelt name
    __getattr__ = _find


def __dir__() -> list[str]:
    return __all__
