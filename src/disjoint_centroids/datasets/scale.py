"""Whether numbers look like raw intensities, on which a logarithm matters more than the method."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

_DECADES = 100.0


def raw_intensities(values: pd.DataFrame | ArrayLike) -> str | None:
    """A recommendation, if no value is negative and the positive ones range over more than two decades.

    Parameters
    ----------
    values : DataFrame or array of shape (n_samples, n_features)
        The table before any transform; missing values are passed over.

    Returns
    -------
    str or None
        What was seen and what to do; None if the values do not look raw.

    Examples
    --------
    >>> from disjoint_centroids.datasets import raw_intensities
    >>> print(raw_intensities([[10.0, 16000.0], [250.0, 31.5]]))
    The values range from 10 to 16000 and none is negative: they look like raw intensities. On such data the scale
    matters more than the method. Unless they are logarithms already, give --transform log2.
    >>> raw_intensities([[-1.2, 0.3], [2.5, 0.1]]) is None
    True
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size == 0 or numbers.min() < 0:
        return None
    positive = numbers[numbers > 0]
    if positive.size == 0 or positive.max() / _DECADES <= positive.min():
        return None
    zeros = positive.size < numbers.size
    transform = "log1p (log2 cannot take the zeros)" if zeros else "log2"
    return (
        f"The values range from {numbers.min():.6g} to {numbers.max():.6g} and none is negative: they look like raw "
        "intensities. On such data the scale matters more than the method. Unless they are logarithms already, give "
        f"--transform {transform}."
    )
