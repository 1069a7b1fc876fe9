"""Times of L1 logistic paths: glmnet, scikit-learn, skglm and celer on the paper's tables.

``python benchmarks/l1_paths.py`` needs ``pip install python-glmnet``; another solver that is not installed is left out
(``pip install skglm celer``). All solve glmnet's penalties on standardised columns. The objective at the last penalty
says whether they solved it. skglm and celer know two classes only, so they take part where there are two; celer fits no
intercept.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from disjoint_centroids.datasets import fetch_compcancer, simulation

N_PENALTIES = 100
Answer = tuple[np.ndarray, np.ndarray]  # coefficients (n_classes or 1, n_features), intercepts


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    X, y = simulation(4, d=5, value=0.6, irrelevant=80).draw(0)
    golub = fetch_compcancer("golub-1999-v1")
    return {
        "1000 x 100, four classes": (X, y),
        "500 x 100, two classes": (X[:500], y[:500]),
        "golub-1999-v1, 72 x 1868, two classes": (golub.data, np.unique(golub.target, return_inverse=True)[1]),
    }


def glmnet_path(X: np.ndarray, y: np.ndarray, ratio: float) -> tuple[np.ndarray, Answer]:
    try:
        from glmnet import LogitNet
    except ImportError:
        raise SystemExit("This compares with glmnet, which is not installed: pip install python-glmnet") from None

    model = LogitNet(n_splits=0, n_lambda=N_PENALTIES, min_lambda_ratio=ratio, standardize=False).fit(X, y)
    return model.lambda_path_, (np.atleast_2d(model.coef_path_[..., -1]), np.atleast_1d(model.intercept_path_[..., -1]))


def scikit_path(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> Answer:
    model = LogisticRegression(l1_ratio=1.0, solver="saga", warm_start=True, tol=1e-4, max_iter=2000)
    for penalty in penalties:
        model.set_params(C=1.0 / (len(y) * penalty)).fit(X, y)
    return model.coef_, model.intercept_


def skglm_path(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> Answer:
    from skglm import SparseLogisticRegression

    model = SparseLogisticRegression(warm_start=True, tol=1e-4)
    for penalty in penalties:
        model.set_params(alpha=penalty).fit(X, y)
    return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)


def celer_path(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> Answer:
    from celer import celer_path as path

    _, coefficients, _ = path(X, 2.0 * y - 1.0, pb="logreg", alphas=penalties * len(y), tol=1e-4)
    return coefficients[:, -1][None], np.zeros(1)


def objective(X: np.ndarray, y: np.ndarray, answer: Answer, penalty: float) -> float:
    coefficients, intercepts = answer
    scores = X @ coefficients.T + intercepts
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    return float(-log_softmax(scores, axis=1)[np.arange(len(y)), y].mean() + penalty * np.abs(coefficients).sum())


def timed(work: Callable[[], Answer], repeats: int = 3) -> tuple[float, Answer]:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - began)
    return min(seconds), answer


def main() -> None:
    warnings.simplefilter("ignore")  # of convergence: the objective tells
    for name, (values, y) in tables().items():
        X = StandardScaler().fit_transform(values)
        ratio = 1e-2 if X.shape[0] < X.shape[1] else 1e-4
        penalties, _ = glmnet_path(X, y, ratio)
        base, answer = timed(lambda X=X, y=y, ratio=ratio: glmnet_path(X, y, ratio)[1])
        print(f"{name}: {len(penalties)} penalties")
        print(f"  glmnet        {base:7.3f} s        objective {objective(X, y, answer, penalties[-1]):.6f}")
        rivals = {"scikit-learn": scikit_path}
        if len(np.unique(y)) == 2:
            rivals |= {"skglm": skglm_path, "celer": celer_path}
        for rival, path in rivals.items():
            try:
                path(X[:, :20], y, penalties[:2])  # compiles what is compiled
            except ImportError:
                print(f"  {rival:<13} not installed")
                continue
            repeats = 1 if rival == "scikit-learn" else 3
            seconds, answer = timed(lambda path=path, X=X, y=y, at=penalties: path(X, y, at), repeats)
            value = objective(X, y, answer, penalties[-1])
            print(f"  {rival:<13} {seconds:7.3f} s {seconds / base:5.1f} x objective {value:.6f}")


if __name__ == "__main__":
    main()
