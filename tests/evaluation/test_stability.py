from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from disjoint_centroids import DisjointPanelClassifier, NearestDisjointCentroid, NearestDisjointCentroidCV
from disjoint_centroids.datasets import make_blocks
from disjoint_centroids.evaluation import stability
from disjoint_centroids.evaluation.false_selections import false_selection_bounds
from disjoint_centroids.evaluation.resampling import (
    HalfFit,
    KeptOwners,
    complementary_halves,
    draw_resamples,
    fingerprint,
    fit_half,
    refers_to_positions,
)
from disjoint_centroids.evaluation.stability import OwnershipStability
from disjoint_centroids.report.stability import bound_sentence

pytestmark = pytest.mark.filterwarnings("error")


class HighestMean(ClassifierMixin, BaseEstimator):
    """Each feature to the class with the highest mean, to nobody if the next is near, to all if it is constant."""

    def __init__(self, gap=0.5, random_state=None):
        self.gap = gap
        self.random_state = random_state

    def fit(self, X, y):
        values = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        means = np.stack([values[y == label].mean(axis=0) for label in self.classes_])
        first, second = np.sort(means, axis=0)[[-1, -2]]
        self.owner_ = np.where(first - second < self.gap, -1, means.argmax(axis=0))
        self.owner_[np.ptp(values, axis=0) == 0] = -2
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(scope="module")
def blocks():
    X, y = make_blocks(k=3, n=11, d=4, mu=(1.5, 0.0), sigma=(1.0, 1.5), irrelevant=6, random_state=0)
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(18)]), np.array(["b", "a", "c"])[y]


@pytest.fixture(scope="module")
def found(blocks):
    return OwnershipStability(HighestMean(), n_resamples=20, random_state=3).fit(*blocks)


def plain_rand_index(one, other):
    """Adjusted Rand index from all pairs of features, one by one."""
    both = first = second = pairs = 0
    for f, g in combinations(range(len(one)), 2):
        first += one[f] == one[g]
        second += other[f] == other[g]
        both += one[f] == one[g] and other[f] == other[g]
        pairs += 1
    by_chance = first * second / pairs
    return (both - by_chance) / ((first + second) / 2 - by_chance)


@pytest.mark.parametrize(
    "model",
    [HighestMean(), NearestDisjointCentroid(lam=1.0, init="variance"), NearestDisjointCentroid(init="variance")],
    ids=["means", "NDC-S", "NDC"],  # none of which draws anything
)
def test_it_is_what_plain_loops_count(model, blocks):
    X, y = blocks
    found = OwnershipStability(model, n_resamples=8, cutoff=0.75, random_state=5).fit(X, y)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    owners = [clone(model).fit(X.iloc[half.rows], y[half.rows]).owner_ for half in draw_resamples(y, 8, seed)]
    classes = ["a", "b", "c"]
    stable = {label: [] for label in classes}
    for f, name in enumerate(X.columns):
        times = {"a": 0, "b": 0, "c": 0, "nobody": 0}
        for owner in owners:
            times["nobody" if owner[f] == -1 else classes[owner[f]]] += 1
        assert found.probabilities_.loc[name].to_dict() == {who: count / 8 for who, count in times.items()}
        assert found.selection_frequency_[name] == 1 - times["nobody"] / 8
        for label in classes:
            stable[label] += [(-times[label], f, name)] if times[label] >= 6 else []
    expected = {label: [name for *_, name in sorted(those)] for label, those in stable.items()}  # the surest first
    assert {label: list(names) for label, names in found.stable_features_.items()} == expected
    scores = [plain_rand_index(owners[at], owners[at + 1]) for at in range(0, 8, 2)]
    np.testing.assert_allclose(found.pair_stability_, scores)
    assert found.stability_ == pytest.approx(np.mean(scores))


def test_every_fit_is_a_clone_on_half_of_each_class_with_a_seed_of_its_own(blocks, monkeypatch):
    X, y = blocks
    seen = []
    fit = HighestMean.fit

    def watched(self, X, y):
        seen.append((self.random_state, list(X.index), list(y)))
        return fit(self, X, y)

    monkeypatch.setattr(HighestMean, "fit", watched)
    model = HighestMean()
    OwnershipStability(model, n_resamples=6, random_state=0).fit(X, y)
    assert len({seed for seed, _, _ in seen}) == 6
    for (_, rows, labels), (_, others, _) in zip(seen[::2], seen[1::2], strict=True):
        assert not set(rows) & set(others)
        assert labels == list(y[rows])
        assert sorted(labels) == ["a"] * 5 + ["b"] * 5 + ["c"] * 5  # 11 samples each, one stays out
    assert model.random_state is None
    assert not hasattr(model, "owner_")


def by_hand(tmp_path, cutoff=0.75):
    """Four fits of four features by two classes, put into a results file: nothing is left to be fitted."""
    X, y = pd.DataFrame(np.arange(32.0).reshape(8, 4), columns=list("pqrs")), np.array([1, 2] * 4)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    (tmp_path / "owners.csv").unlink(missing_ok=True)
    kept = KeptOwners(tmp_path / "owners.csv", fingerprint(HighestMean(), X, y, seed), 4, 2)
    for at, owner in enumerate([[0, 1, -1, -2], [0, 1, 1, -2], [0, 0, -1, -2], [0, 1, -1, -2]]):
        kept.add(HalfFit(at, np.array(owner), []))
    kept.write()
    search = OwnershipStability(
        HighestMean(), n_resamples=4, cutoff=cutoff, random_state=0, results=tmp_path / "owners.csv"
    )
    return search, X, y


def test_by_hand(tmp_path, monkeypatch):
    search, X, y = by_hand(tmp_path)

    def never(self, X, y):
        raise AssertionError("all fits are in the file")

    monkeypatch.setattr(HighestMean, "fit", never)
    found = search.fit(X, y)
    expected = {1: [1, 0.25, 0, 0], 2: [0, 0.75, 0.25, 0], "nobody": [0, 0, 0.75, 0], "shared": [0, 0, 0, 1]}
    pd.testing.assert_frame_equal(
        found.probabilities_, pd.DataFrame(expected, index=list("pqrs"), dtype=float), check_names=False
    )
    assert found.selection_frequency_.to_dict() == {"p": 1, "q": 1, "r": 0.25, "s": 1}
    assert found.owner_.tolist() == [0, 1, -1, -2]
    assert {label: list(names) for label, names in found.stable_features_.items()} == {1: ["p"], 2: ["q"]}
    # First pair: four sets against {p}, {q, r}, {s}: no pair of features is together in both. Second pair likewise.
    assert found.pair_stability_.tolist() == [0, 0]
    bound = found.false_selection_bound()
    assert bound.index.tolist() == [1, 2, "in use"]
    assert bound["mean_selected"].tolist() == [1.25, 1.0, 3.25]
    assert bound["stable"].tolist() == [1, 1, 3]
    assert bound["meinshausen_buhlmann"].tolist() == pytest.approx([1.25**2 / 2, 1 / 2, 4])  # 3.25²/2 is more than 4
    pd.testing.assert_frame_equal(bound, found.expected_false_selections_)
    table = found.table()
    assert table.columns.tolist()[:6] == ["feature", "role", "owner", "probability", "stable", "selection_frequency"]
    assert table["role"].tolist() == ["owned", "owned", "unused", "shared"]
    assert table["owner"].tolist() == [1, 2, None, None]
    assert table["probability"].tolist() == [1, 0.75, 0.75, 1]
    assert table["stable"].tolist() == [True, True, False, False]
    assert table["probability_2"].tolist() == [0, 0.75, 0.25, 0]
    assert table["probability_nobody"].tolist() == [0, 0, 0.75, 0]


def test_a_higher_cut_off_keeps_fewer_and_expects_fewer_by_chance(found):
    low, high = found.false_selection_bound(), found.false_selection_bound(0.95)
    assert (high["stable"] <= low["stable"]).all()
    assert high["stable"].sum() < low["stable"].sum()
    for name in ("meinshausen_buhlmann", "unimodal", "r_concave"):
        assert (high[name] < low[name]).all()
    q = (found.owners_ == 1).sum(axis=1).mean()
    assert low.loc["b", "r_concave"] == false_selection_bounds(q, 18, 10, 0.6).r_concave
    again = OwnershipStability(HighestMean(), n_resamples=20, cutoff=0.95, random_state=3)
    with pytest.raises(ValueError, match="cutoff must be above"):
        found.false_selection_bound(0.4)
    with pytest.raises(NotFittedError):
        again.false_selection_bound()


def test_a_model_that_uses_all_features_has_bounds_for_its_classes(blocks):
    found = OwnershipStability(NearestDisjointCentroid(init="variance"), n_resamples=20, random_state=0).fit(*blocks)
    bound = found.false_selection_bound(0.9)
    assert (found.selection_frequency_ == 1).all()
    assert bound.loc["in use"].tolist() == [18, 18, 18, 18, 18]
    assert bound["mean_selected"].iloc[:3].sum() == pytest.approx(18)
    assert (bound["r_concave"].iloc[:3] < 18 / 3).all()


def same(one, other):
    np.testing.assert_array_equal(one.owners_, other.owners_)
    pd.testing.assert_frame_equal(one.table(), other.table())
    assert one.stability_ == other.stability_


def test_the_same_seed_is_the_same_answer_for_any_number_of_jobs(blocks):
    model = NearestDisjointCentroid(lam=1.0, n_init=3)
    first, second = (
        OwnershipStability(model, n_resamples=6, random_state=1, n_jobs=jobs).fit(*blocks) for jobs in (None, 2)
    )
    same(first, second)
    other = OwnershipStability(model, n_resamples=6, random_state=2).fit(*blocks)
    assert (first.owners_ != other.owners_).any()


def test_more_resamples_begin_with_the_same(blocks, found):
    few = OwnershipStability(HighestMean(), n_resamples=6, random_state=3).fit(*blocks)
    np.testing.assert_array_equal(few.owners_, found.owners_[:6])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interruption_keeps_what_is_done(blocks, found, tmp_path, monkeypatch, ending):
    search = clone(found).set_params(results=tmp_path / f"owners.{ending}")
    calls = []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return fit_half(*args)

    monkeypatch.setattr(stability, "fit_half", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*blocks)
    calls[:] = [1] * 8
    same(search.fit(*blocks), found)
    assert len(calls) == 8 + 13
    calls[:] = [1] * 8
    fewer = clone(search).set_params(n_resamples=10).fit(*blocks)  # all of it is there already, and more
    assert len(calls) == 8
    np.testing.assert_array_equal(fewer.owners_, found.owners_[:10])


def test_what_changes_no_answer_may_differ_from_the_file(blocks, tmp_path):
    model = make_pipeline(StandardScaler(), NearestDisjointCentroid(lam=1.0, n_init=2, n_jobs=1, random_state=4))
    file = tmp_path / "owners.csv"
    first = OwnershipStability(model, n_resamples=4, random_state=0, results=file).fit(*blocks)
    written = file.read_bytes()
    model = clone(model).set_params(nearestdisjointcentroid__n_jobs=2, nearestdisjointcentroid__verbose=1)
    again = OwnershipStability(model, n_resamples=4, random_state=0, results=str(file)).fit(*blocks)
    same(again, first)
    assert file.read_bytes() == written


def test_a_file_of_something_else_is_refused(blocks, tmp_path):
    X, y = blocks
    search = OwnershipStability(HighestMean(), n_resamples=4, random_state=0, results=tmp_path / "owners.csv")
    search.fit(X, y)
    before = (tmp_path / "owners.csv").read_bytes()
    changed = X.copy()
    changed.iloc[0, 0] += 1
    for table, labels in ((changed, y), (X.rename(columns={"g0": "h"}), y), (X, np.roll(y, 1))):
        with pytest.raises(ValueError, match=r"owners.csv holds fits of something else: its data differ.*another"):
            clone(search).fit(table, labels)
    with pytest.raises(ValueError, match="its estimator differ"):
        clone(search).set_params(estimator__gap=0.6).fit(X, y)
    with pytest.raises(ValueError, match="its estimator, seed differ"):
        clone(search).set_params(estimator__gap=0.6, random_state=1).fit(X, y)
    assert (tmp_path / "owners.csv").read_bytes() == before


def test_a_damaged_file_is_refused(tmp_path):
    for row, text in ((0, "0 1 -1"), (1, "0 1 -1 2"), (2, "0 1 x 1"), (3, None)):
        search, X, y = by_hand(tmp_path)
        rows = pd.read_csv(tmp_path / "owners.csv")
        rows.loc[row, "owner"] = text
        rows.to_csv(tmp_path / "owners.csv", index=False)
        with pytest.raises(ValueError, match=r"owners.csv is damaged: a row does not hold 4 owners"):
            search.fit(X, y)
    rows.drop(columns="resample").to_csv(tmp_path / "owners.csv", index=False)
    with pytest.raises(ValueError, match="lacks resample"):
        search.fit(X, y)


def test_renamed_classes_own_the_same_features(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(init="variance")
    plain = OwnershipStability(model, n_resamples=10, random_state=0).fit(X, y)
    renamed = {"a": "z", "b": "a", "c": "m"}
    other = OwnershipStability(model, n_resamples=10, random_state=0).fit(X, np.array([renamed[label] for label in y]))
    np.testing.assert_array_equal(
        other.probabilities_[["z", "a", "m", "nobody"]], plain.probabilities_[["a", "b", "c", "nobody"]]
    )
    assert other.stability_ == pytest.approx(plain.stability_)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    sizes=st.lists(st.integers(4, 9), min_size=2, max_size=4),
    n_features=st.integers(1, 8),
    pairs=st.integers(1, 4),
    cutoff=st.floats(0.501, 1.0),
)
def test_shares_sum_to_one_and_no_feature_is_stable_for_two(seed, sizes, n_features, pairs, cutoff):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(y), n_features))
    X[:, rng.random(n_features) < 0.2] = 1.0
    found = OwnershipStability(HighestMean(), n_resamples=2 * pairs, cutoff=cutoff, random_state=seed).fit(X, y)
    shares = found.probabilities_
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(found.selection_frequency_, 1 - shares["nobody"])
    stable = [name for names in found.stable_features_.values() for name in names]
    assert len(stable) == len(set(stable)) == found.table()["stable"].sum()
    assert -1 <= found.stability_ <= 1
    columns = [*range(len(sizes)), -1, -2]
    top = shares.to_numpy().max(axis=1)
    for f in range(n_features):
        assert shares.iloc[f, columns.index(found.owner_[f])] == top[f]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=8, max_size=40), st.integers(0, 100))
def test_halves_are_alike_and_share_no_sample(labels, seed):
    labels = np.array([*labels, *[0, 1, 2, 3] * 4])
    first, second = complementary_halves(labels, np.random.default_rng(seed))
    assert not set(first) & set(second)
    for label in range(4):
        assert (labels[first] == label).sum() == (labels[second] == label).sum() == (labels == label).sum() // 2
    words = np.array(["d", "b", "c", "a"])[labels]  # what classes are called changes nothing
    for half, other in zip((first, second), complementary_halves(words, np.random.default_rng(seed)), strict=True):
        np.testing.assert_array_equal(half, other)


def test_columns_that_a_step_drops_are_nobodys(blocks):
    X, y = blocks
    chosen = SelectKBest(k=5).set_output(transform="pandas")
    found = OwnershipStability(make_pipeline(chosen, HighestMean(gap=0.0)), n_resamples=6, random_state=0).fit(X, y)
    assert (found.owners_ >= 0).sum(axis=1).tolist() == [5] * 6
    seed = np.random.RandomState(0).randint(2**31 - 1)
    for owner, half in zip(found.owners_, draw_resamples(y, 6, seed), strict=True):
        kept = SelectKBest(k=5).fit(X.iloc[half.rows], y[half.rows]).get_support()
        np.testing.assert_array_equal(owner >= 0, kept)


def test_arrays_and_steps_without_names(blocks):
    X, y = blocks
    framed = OwnershipStability(HighestMean(), n_resamples=4, random_state=0).fit(X, y)
    for table in (X.to_numpy(), X.to_numpy().tolist()):
        bare = OwnershipStability(HighestMean(), n_resamples=4, random_state=0).fit(table, y)
        assert bare.probabilities_.index.tolist() == [f"x{f}" for f in range(18)]
        assert not hasattr(bare, "feature_names_in_")
        np.testing.assert_array_equal(bare.owners_, framed.owners_)
    unnamed = make_pipeline(FunctionTransformer(np.negative), FunctionTransformer(np.negative), HighestMean())
    found = OwnershipStability(unnamed, n_resamples=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(found.owners_, framed.owners_)


def test_features_made_by_a_step_are_refused(blocks):
    for step, message in (
        (PCA(3), r"make features of their own \(pca0, pca1, pca2\).*keep, rescale or drop"),
        (FunctionTransformer(lambda X: np.asarray(X)[:, :4]), r"4 features of 18.*get_feature_names_out"),
    ):
        with pytest.raises(ValueError, match=message):
            OwnershipStability(make_pipeline(step, HighestMean()), n_resamples=2).fit(*blocks)


def test_what_fits_warn_of_is_said_once(blocks):
    model = NearestDisjointCentroid(n_init=1, max_iter=1, init="random")
    with pytest.warns(UserWarning, match=r"\d of 6 fits on halves warned: .*max_iter=1") as caught:
        OwnershipStability(model, n_resamples=6, random_state=0).fit(*blocks)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_fit_that_fails_says_on_what(blocks):
    X, y = blocks
    with pytest.raises(
        ValueError, match=r"half 0, with 15 of the 33 samples, failed: at lam=1e-06.*half of the samples"
    ):
        OwnershipStability(NearestDisjointCentroid(lam=1e-6, n_init=2), n_resamples=2).fit(X, y)


def test_a_choice_of_lambda_within_each_half(blocks):
    model = NearestDisjointCentroidCV(n_lams=3, n_init=2, cv=2, verbose=1)
    found = OwnershipStability(model, n_resamples=4, random_state=0).fit(*blocks)
    assert 0 < found.selection_frequency_.mean() <= 1


def test_one_progress_bar(blocks, capsys):
    model = NearestDisjointCentroidCV(n_lams=2, n_init=1, cv=2, verbose=1)
    OwnershipStability(model, n_resamples=2, random_state=0, verbose=1).fit(*blocks)
    out, err = capsys.readouterr()
    assert not out
    assert "fits on halves" in err
    assert "2/2" in err
    assert "cross-validation" not in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_resamples": 5}, "n_resamples=5 is odd.*Give 4 or 6"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"cutoff": 0.5}, "cutoff"),
        ({"cutoff": 1.1}, "cutoff"),
        ({"results": "owners.csv"}, "random_state=None. Give an int"),
        ({"results": "owners.txt", "random_state": 0}, r"\.csv or a \.parquet"),
        ({"estimator": "NDC"}, "estimator"),
        ({"estimator": NearestCentroid()}, "NearestCentroid says of no feature who owns it"),
    ],
)
def test_settings_that_make_no_sense(blocks, tmp_path, monkeypatch, change, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        OwnershipStability(HighestMean(), n_resamples=4).set_params(**change).fit(*blocks)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0, 1, 1, 2, 0], "a class needs 4: '0' has 3, '1' has 2, '2' has 1. .*leave such classes out"),
        ([0] * 6, "only one class"),
        (["nobody", "nobody", "a", "a", "a", "a"], "called 'nobody'.*rename"),
        ([0, 0, 1, 1], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_cannot_be_halved(labels, message):
    with pytest.raises(ValueError, match=message):
        OwnershipStability(HighestMean(), n_resamples=2).fit(np.zeros((6, 3)), labels)
    with pytest.raises(ValueError, match=r"got an array of shape \(6,\)"):
        OwnershipStability(HighestMean(), n_resamples=2).fit(np.zeros(6), [0, 1] * 3)


# ---------------------------------------------------------------------------------------------- noise and ties


def noise(n_samples, n_features, seed):
    return np.random.default_rng(seed).normal(size=(n_samples, n_features)), np.arange(n_samples) % 2


NOISE_MODELS = {
    "Panel": DisjointPanelClassifier(rounds=3, terms="linear"),
    "NDC-S": NearestDisjointCentroid(lam=0.85, init="variance"),
}


@pytest.mark.parametrize("model", NOISE_MODELS.values(), ids=NOISE_MODELS.keys())
@pytest.mark.parametrize("shape", [(8, 2000), (20, 500), (200, 50)])
def test_noise_is_stable_no_more_often_than_the_bound_says(shape, model):
    """The bound is one on an expected number: counts and bounds of several tables, added up."""
    model = clone(model)
    if shape == (200, 50) and hasattr(model, "lam"):
        model.lam = 0.95  # below it some class has no feature left in some half
    stable = bound = 0.0
    for seed in range(3):
        found = OwnershipStability(model, n_resamples=10, cutoff=0.7, random_state=seed).fit(*noise(*shape, seed))
        rows = found.expected_false_selections_.loc[[0, 1]]
        stable += rows["stable"].sum()
        bound += rows["unimodal"].sum()
        said = bound_sentence(found)
        assert ("may be chance" in said) == (0 < rows["stable"].sum() <= rows["unimodal"].sum())
    assert stable <= bound


@pytest.mark.parametrize("model", NOISE_MODELS.values(), ids=NOISE_MODELS.keys())
def test_three_samples_of_a_class_are_refused(model):
    X, y = noise(6, 2000, seed=0)
    with pytest.raises(ValueError, match=r"a class needs 4: '0' has 3, '1' has 3\. .*Give more samples"):
        OwnershipStability(model, n_resamples=4, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="'4' has 1 and 4 more have fewer than 4"):
        complementary_halves(np.array(["7"] * 4 + list("123456890")), np.random.default_rng(0))


def test_the_order_of_columns_decides_no_tie():
    """Copies of one column tie in every half: by their order the same few would be drafted every time."""
    X, y = noise(24, 1, seed=0)
    table = pd.DataFrame(np.repeat(X + y[:, None], 60, axis=1), columns=[f"g{f}" for f in range(60)])
    model = DisjointPanelClassifier(rounds=2, terms="linear")
    for given_table in (table, table.to_numpy()):
        found = OwnershipStability(model, n_resamples=20, random_state=0).fit(given_table, y)
        assert (found.owners_ >= 0).sum(axis=1).min() >= 2
        assert found.selection_frequency_.max() < 0.6
        assert not any(len(names) for names in found.stable_features_.values())


@pytest.mark.parametrize(
    ("model", "positional"),
    [
        (DisjointPanelClassifier(priors=[0.5, 0.5], forced=["g1"], cv=[([0], [1])]), False),
        (DisjointPanelClassifier(feature_costs={"g1": 2.0}), False),
        (DisjointPanelClassifier(feature_costs=np.ones(3)), True),
        (NearestDisjointCentroid(shared_features=np.array([True, False])), True),
        (NearestDisjointCentroid(init=[[0, 1, 1]]), True),
        (make_pipeline(FunctionTransformer(np.log1p), NearestDisjointCentroid()), False),
        (make_pipeline(FunctionTransformer(lambda X: X[:, :2]), NearestDisjointCentroid()), True),
        (make_pipeline(ColumnTransformer([("a", StandardScaler(), ["g1"])]), HighestMean()), False),
        (make_pipeline(ColumnTransformer([("a", StandardScaler(), [0, 2])]), HighestMean()), True),
        (make_pipeline(ColumnTransformer([("a", StandardScaler(), slice(0, 2))]), HighestMean()), True),
    ],
)
def test_parameters_that_speak_of_positions_keep_the_order(model, positional):
    assert refers_to_positions(model) is positional


def test_features_shared_by_position_stay_shared(blocks):
    X, y = blocks
    model = NearestDisjointCentroid(lam=1.0, init="variance", shared_features=[2, 5])
    found = OwnershipStability(model, n_resamples=4, random_state=0).fit(X, y)
    assert np.flatnonzero((found.owners_ == -2).all(axis=0)).tolist() == [2, 5]
