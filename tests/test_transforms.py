import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from disjoint_centroids.transforms import TRANSFORMS, transform_steps

pytestmark = pytest.mark.filterwarnings("error")

VALUES = np.array([[1.0, 8.0], [2.0, 16.0], [4.0, 64.0]])
EXPECTED = {
    "none": VALUES,
    "log2": [[0, 3], [1, 4], [2, 6]],
    "log1p": np.log1p(VALUES),
    "standardize": (VALUES - VALUES.mean(axis=0)) / VALUES.std(axis=0),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_values(name):
    pipeline = make_pipeline(*transform_steps(name), "passthrough")
    np.testing.assert_allclose(pipeline.fit_transform(VALUES), EXPECTED[name])


def test_both_steps_learn_from_the_training_part_only():
    pipeline = make_pipeline(*transform_steps("log2-standardize")).fit(VALUES)
    new = pipeline.transform([[2.0, 2.0 ** (13 / 3)]])
    np.testing.assert_allclose(new, [[0.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize(("name", "lowest"), [("log2", 0.0), ("log2-standardize", -1.0), ("log1p", -1.0)])
def test_values_without_a_logarithm_are_named_with_a_cure(name, lowest):
    with pytest.raises(ValueError, match=rf"smallest is {lowest:g}\. "):
        make_pipeline(*transform_steps(name)).fit_transform([[lowest, 1.0]])


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=", ".join(TRANSFORMS)):
        transform_steps("log10")
