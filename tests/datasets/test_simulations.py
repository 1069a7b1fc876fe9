import numpy as np
import pytest

from disjoint_centroids.datasets import SIMULATIONS, make_blocks, simulation

pytestmark = pytest.mark.filterwarnings("error")


def test_blocks_have_their_means_and_spreads():
    X, y = make_blocks(k=3, n=4000, d=2, mu=(2.0, -1.0), sigma=(0.5, 1.5), irrelevant=1, random_state=0)
    assert X.shape == (12_000, 7)
    for label in range(3):
        for feature in range(7):
            values = X[y == label, feature]
            own = feature // 2 == label
            mean, spread = (0.0, 1.0) if feature == 6 else (2.0, 0.5) if own else (-1.0, 1.5)
            assert values.mean() == pytest.approx(mean, abs=0.1)
            assert values.std() == pytest.approx(spread, abs=0.06)


def test_the_same_seed_is_the_same_table():
    np.testing.assert_array_equal(make_blocks(random_state=3)[0], make_blocks(random_state=3)[0])
    assert not np.array_equal(make_blocks(random_state=3)[0], make_blocks(random_state=4)[0])


def test_the_paper_has_36_settings():
    assert len(SIMULATIONS) == len({setting.name for setting in SIMULATIONS}) == 36


# Means and standard deviations on the diagonal and off it, as the paper's sections 7.1 to 7.4 give them.
@pytest.mark.parametrize(
    ("setting", "mu", "sigma", "n_features"),
    [
        (simulation(1, d=10, value=0.9), (0.9, 0.0), (1.0, 1.0), 40),
        (simulation(2, d=3, value=0.6), (0.0, 0.0), (1.0, 1.6), 12),
        (simulation(3, d=5, value=0.3), (0.3, 0.0), (1.0, 1.3), 20),
        (simulation(4, d=5, value=0.9, irrelevant=80), (0.9, 0.0), (1.0, 1.9), 100),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_settings_draw_what_the_paper_says(setting, mu, sigma, n_features):
    X, y = setting.draw(random_state=0)
    assert X.shape == (1000, n_features)
    own, other = X[y == 0, : setting.d], X[y == 1, : setting.d]
    assert (own.mean(), other.mean()) == pytest.approx(mu, abs=0.15)
    assert (own.std(), other.std()) == pytest.approx(sigma, abs=0.12)


def test_a_setting_the_paper_does_not_have():
    with pytest.raises(ValueError, match="no simulation 4 with d=3"):
        simulation(4, d=3, value=0.6, irrelevant=20)


def test_classes_of_different_sizes():
    X, y = make_blocks(k=3, n=(40, 2, 10), d=2, random_state=0)
    assert np.bincount(y).tolist() == [40, 2, 10]
    assert X.shape == (52, 6)
    with pytest.raises(ValueError, match="one for each of the 3; got 2"):
        make_blocks(k=3, n=(40, 2))
