"""Pictures of a report: PNGs in data addresses, with descriptions."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from disjoint_centroids.rows.training import UNUSED

_FRAMED = {"panel": "stand out from the other classes", "centroids": "are alike among its samples"}
_BARS = 6  # features per class
_IN_A_ROW = 3  # classes; with more, their names could not be read in the page


def heat_map_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, str | None]:
    """Draw the table sorted into blocks."""
    from matplotlib.figure import Figure

    from disjoint_centroids.plots import PartitionDisplay
    from disjoint_centroids.plots.partition import height_for

    values, known = _known(model, prepared, labels)
    figure = Figure(figsize=(9, 0.4 + height_for(len(model.classes_))), layout="constrained")
    note = noted(lambda: PartitionDisplay.from_estimator(model, values, known, ax=figure.add_subplot()))
    counts = [f"{own.size} of {name}" for name, own in zip(model.classes_, model.feature_sets_, strict=True)]
    unused = int((model.owner_ == UNUSED).sum())
    text = (
        f"Heat map of {len(values)} samples, in rows, by class, and of the features, in columns, by the class that "
        f"owns them: {', '.join(counts)}; {unused} are unused. A class's own features, framed, {_FRAMED[model._kind]}."
    )
    return {"image": png(figure), "text": text, "note": note}


def centroid_facts(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> dict[str, str | None]:
    """Draw the features in which each class stands out most."""
    from matplotlib.figure import Figure

    from disjoint_centroids.plots import CentroidDisplay

    display = CentroidDisplay.of(model, *_known(model, prepared, labels), n_features=_BARS)
    size = display.figure_size(min(_IN_A_ROW, len(model.classes_)))
    note = noted(lambda: display.plot(figure=Figure(figsize=size, layout="constrained")))
    most = display.bars.groupby("class", sort=False)["feature"].first()
    first = ", ".join(f"{label}: {name}" for label, name in most.items())
    text = (
        f"Bars of the features in which each class's mean differs most from the other classes' means; in front are "
        f"{first}. The means are in the table above."
    )
    return {"image": png(display.figure_), "text": text, "note": note}


def noted(draw: Callable[[], Any]) -> str | None:
    """Draw, and return the warning about names that no font can write; None if there is none."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        draw()
    return " ".join(dict.fromkeys(str(warning.message) for warning in said)) or None


def png(figure: Any) -> str:
    """Encode a figure as a PNG in a data address; 256 colours take a third of the size."""
    from PIL import Image

    drawn, small = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=150)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode('ascii')}"


def _known(model: Any, prepared: pd.DataFrame, labels: pd.Series) -> tuple[pd.DataFrame, np.ndarray]:
    """Select the samples whose labels a model knows, and their labels as it spells them."""
    classes = {str(label): label for label in model.classes_}
    known = labels.isin(list(classes)).to_numpy()
    return prepared[known], np.array([classes[label] for label in labels[known]], dtype=model.classes_.dtype)
