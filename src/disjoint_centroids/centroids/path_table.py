"""Table of what cross-validation found along the lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def path_table(
    lams: np.ndarray, cv_errors: np.ndarray, n_selected: np.ndarray, *, lam: float, lam_1se: float
) -> pd.DataFrame:
    """Average the held-out errors of every lambda over the folds.

    Parameters
    ----------
    lams : array of shape (n_lams,)
        Lambdas, increasing; the last may be infinity.
    cv_errors : array of shape (n_lams, n_folds)
        Held-out errors.
    n_selected : array of shape (n_lams,)
        Features in use.
    lam, lam_1se : float
        Two of ``lams``: the chosen one, and the one of the 1-SE rule.

    Returns
    -------
    pandas.DataFrame
        One row per lambda: ``lam``, ``error``, ``standard_error`` (NaN with one fold), ``n_features``, ``chosen`` and
        ``one_se``.

    Examples
    --------
    >>> import numpy as np
    >>> from disjoint_centroids.centroids.path_table import path_table
    >>> path_table(np.array([0.5, 1.0]), np.array([[0.2, 0.4], [0.1, 0.1]]), np.array([3, 9]), lam=1.0, lam_1se=1.0)
       lam  error  standard_error  n_features  chosen  one_se
    0  0.5    0.3             0.1           3   False   False
    1  1.0    0.1             0.0           9    True    True
    """
    import pandas as pd

    errors, n_folds = np.asarray(cv_errors, dtype=np.float64), np.shape(cv_errors)[1]
    spread = errors.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.full(len(errors), np.nan)
    return pd.DataFrame(
        {
            "lam": np.asarray(lams, dtype=np.float64),
            "error": errors.mean(axis=1),
            "standard_error": spread,
            "n_features": np.asarray(n_selected),
            "chosen": np.asarray(lams) == lam,
            "one_se": np.asarray(lams) == lam_1se,
        }
    )
