import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def blocks():
    X, y = make_blocks(k=3, n=15, d=4, mu=(2.0, 0.0), sigma=(1.0, 2.0), irrelevant=60, random_state=0)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="session")
def fitted(blocks):
    X, y = blocks
    return NearestDisjointCentroid(lam=1.0, n_init=20, shared_features=[0], random_state=0).fit(X, y), X, y


@pytest.fixture(scope="session")
def cv_model(blocks):
    return NearestDisjointCentroidCV(n_lams=8, n_init=10, cv=5, random_state=0).fit(*blocks)


@pytest.fixture(scope="session")
def panel(blocks):
    X, y = blocks
    return DisjointPanelClassifier(rounds=5, penalty=0.05, cv=3, random_state=0).fit(X, y), X, y


@pytest.fixture(scope="session")
def two_classes(blocks):
    X, y = blocks
    X, y = X[y != "c"], y[y != "c"]
    return X, y, DisjointPanelClassifier(rounds=3, terms="both", cv=3, random_state=0).fit(X, y)


@pytest.fixture(scope="session")
def named():
    """Fourteen classes and a hundred features, with names that a formula or a page would take apart."""
    X, y = make_blocks(k=14, n=4, d=6, mu=(3.0, 0.0), irrelevant=16, random_state=0)
    columns = [f"$gene_{c}^{{2}}$ <b>β</b> \\alpha {'very ' * 9}long {c}" for c in range(X.shape[1])]
    table = pd.DataFrame(X, columns=columns, index=[f"$s_{i}$" for i in range(len(X))])
    labels = np.array([f"$class_{j}$ \\frac{{ {'long ' * 6}\n{j}" for j in range(14)])[y]
    return NearestDisjointCentroidCV(n_lams=4, n_init=4, cv=2, random_state=0).fit(table, labels), table, labels
