"""The algorithm as the paper states it: loops and plain differences, slow and easy to check by eye.

The fast engine is held against these functions, so nothing here may come from the package.
"""

from typing import NamedTuple

import numpy as np

TIE = 1e-9  # squared distances that agree to this share are equal, and the lower index wins
ZERO = (64 * np.finfo(np.float64).eps) ** 2  # below this share of a feature's own square, a distance is zero
ROUNDING = 1e-11  # a single move of k-means must gain more than this share of the feature's square
SAME_ERROR, SAME_RISK = 1e-12, 1e-9
SAME_LOSS = 1e-9  # falls of the loss that agree to this share of it are equal, and one below it is none
STANDARD_ERRORS = 2  # of a fall of the loss that gives a class a feature

SHARED = -2  # in class numbers: a feature that every class uses; -1 is a feature that nobody uses


def weights_or_ones(X, weights):
    """The sample weights, one each if there are none."""
    return np.ones(len(X)) if weights is None else np.asarray(weights, float)


def distances(X, samples_of_cluster, owner, weights=None, divided=True):
    """Squared distance (n_clusters, n_features) of each feature to each cluster's centre; infinite if it is empty."""
    weights = weights_or_ones(X, weights)
    d2 = np.full((len(samples_of_cluster), X.shape[1]), np.inf)
    for c, samples in enumerate(samples_of_cluster):
        members = np.flatnonzero(owner == c)
        if members.size == 0:
            continue
        centre = X[np.ix_(samples, members)].mean(axis=1)
        total = weights[samples].sum() if divided else 1.0
        gaps = X[samples] - centre[:, None]
        d2[c] = np.sum(weights[samples, None] * gaps**2, axis=0) / total
    return d2


def squares(X, samples_of_cluster, weights=None, divided=True):
    """For each feature, its largest squared length on any of the supports."""
    weights = weights_or_ones(X, weights)
    lengths = []
    for samples in samples_of_cluster:
        total = weights[samples].sum() if divided else 1.0
        lengths.append(weights[samples] @ X[samples] ** 2 / total)
    return np.max(lengths, axis=0)


def lowest_nearest(d2, scale):
    """The lowest cluster that is, to working precision, the nearest: one for each feature."""
    nearest = np.empty(d2.shape[1], int)
    for f in range(d2.shape[1]):
        bar = d2[:, f].min() * (1 + TIE) + ZERO * scale[f]
        nearest[f] = next(c for c in range(len(d2)) if d2[c, f] <= bar)
    return nearest


def lloyd(X, supports, owner, *, lam=None, weights=None, divided=True, max_iter=300, may_be_empty=False):
    """Alternate centres and owners until nothing changes: owner, assignment steps taken, whether every cluster lives.

    With ``lam`` cluster 0 is I_0: its distance is multiplied by lambda, and it may be empty.
    """
    owner = np.array(owner, int)
    required = range(0 if lam is None else 1, len(supports))

    def has_lost(owner):
        return not may_be_empty and any(not np.any(owner == c) for c in required)

    if has_lost(owner):
        return owner, 0, False
    scale = squares(X, supports, weights, divided)
    for n_iter in range(1, max_iter + 1):
        d2 = distances(X, supports, owner, weights, divided)
        if lam is not None:
            # Not inf * d2: even at distance zero nothing goes to I_0 when lambda is infinite.
            d2[0] = d2[0] * lam**2 if np.isfinite(lam) else np.inf
        new = lowest_nearest(d2, scale)
        settled = np.array_equal(new, owner)
        owner = new
        if has_lost(owner):
            return owner, n_iter, False
        if settled:
            break
    return owner, n_iter, True


def supports_of(y, with_all):
    """The samples of each class 0 … k-1, after all samples if there is an I_0."""
    classes = [np.flatnonzero(y == j) for j in range(y.max() + 1)]
    return [np.arange(y.size), *classes] if with_all else classes


def ndc(X, y, owner, lam=None, **options):
    """Algorithm 1 (owners 0 … k-1) or, with lambda, Algorithm 2 (0 is I_0, owners 1 … k)."""
    return lloyd(X, supports_of(y, lam is not None), owner, lam=lam, **options)


def best_move(X, owner, feature, k, weights=None):
    """Where one feature should go by Hartigan and Wong's rule; its own cluster if no move pays."""
    weights = weights_or_ones(X, weights)
    home = owner[feature]
    sizes = [np.sum(owner == c) for c in range(k)]
    if sizes[home] == 1:
        return home
    gap = [X[:, feature] - X[:, owner == c].mean(axis=1) for c in range(k)]
    d2 = [np.sum(weights * g**2) for g in gap]
    into = [np.inf if c == home else d2[c] * sizes[c] / (sizes[c] + 1) for c in range(k)]
    out = d2[home] * sizes[home] / (sizes[home] - 1)
    length = np.sum(weights * (X[:, feature] - X.mean(axis=1)) ** 2)

    def pays(there, here):
        return there < here * (1 - TIE) - ROUNDING * length

    target = home
    for c in range(k):  # of two clusters that are as good, the lower
        if c != home and (target == home or pays(into[c], into[target])):
            target = c
    return target if pays(into[target], out) else home


def k_means(X, seeds, weights=None, max_iter=300):
    """k-means on the features from one seed a cluster (others -1), then single moves until none pays: owner, alive."""
    k = int(np.max(seeds)) + 1
    owner, _, alive = lloyd(X, [np.arange(len(X))] * k, seeds, weights=weights, max_iter=max_iter)
    if not alive:
        return owner, False
    for _ in range(max_iter):
        violators = [f for f in range(X.shape[1]) if best_move(X, owner, f, k, weights) != owner[f]]
        n_moved = 0
        for f in violators:
            target = best_move(X, owner, f, k, weights)
            n_moved += target != owner[f]
            owner[f] = target
        if n_moved == 0:
            break
    return owner, True


def mean(X, weights):
    """Weighted mean of each column, as a step from the first row: equal numbers have exactly themselves as mean."""
    return X[0] + weights @ (X - X[0]) / weights.sum()


def variance(X, weights):
    """Weighted variance of each column."""
    return weights @ (X - mean(X, weights)) ** 2 / weights.sum()


def variance_start(X, y, lam=None, weights=None):
    """Each feature to the class in which it varies least; with lambda to I_0 if that is not little compared to all."""
    weights = weights_or_ones(X, weights)
    within = np.array([variance(X[y == j], weights[y == j]) for j in range(y.max() + 1)])
    owner = lowest_nearest(within, np.max(class_means(X, y, weights) ** 2, axis=0))
    if lam is None:
        return owner
    overall = variance(X, weights)
    for f in range(X.shape[1]):
        ratio = np.sqrt(within[:, f].min() / overall[f]) if overall[f] > 0 else 1.0
        owner[f] = 0 if ratio > lam * (1 + TIE) else owner[f] + 1
    return owner


def class_means(X, y, weights=None):
    """Weighted mean (n_classes, n_features) of every feature within every class."""
    weights = weights_or_ones(X, weights)
    return np.array([mean(X[y == j], weights[y == j]) for j in range(y.max() + 1)])


def sample_distances(X, means, owner, divided=True):
    """Squared distance (n_samples, n_classes) of samples to disjoint centroids; infinite for a class with nothing."""
    d2 = np.full((len(X), len(means)), np.inf)
    for j, centroid in enumerate(means):
        features = np.flatnonzero((owner == j) | (owner == SHARED))
        if features.size:
            gaps = X[:, features] - centroid[features]
            d2[:, j] = np.sum(gaps**2, axis=1) / (features.size if divided else 1)
    return d2


def classify(X, means, owner, divided=True):
    """The class of the nearest disjoint centroid, the lowest of those that tie; ``owner`` in class numbers."""
    d2 = sample_distances(X, means, owner, divided)
    return lowest_nearest(d2.T, np.zeros(len(X)))


def training_error(X, y, owner, weights=None, divided=True):
    """Weighted share of the training samples that their own centroids send to another class."""
    weights = weights_or_ones(X, weights)
    wrong = classify(X, class_means(X, y, weights), owner, divided) != y
    return weights[wrong].sum() / weights.sum()


def risk(X, y, owner, weights=None, divided=True):
    """Objective (1) over the number (weight) of samples; a class without features adds nothing."""
    weights = weights_or_ones(X, weights)
    d2 = sample_distances(X, class_means(X, y, weights), owner, divided)
    own = d2[np.arange(len(X)), y]
    return np.sum(weights * np.where(np.isfinite(own), own, 0.0)) / weights.sum()


class Best(NamedTuple):
    """The best restart, its owners in class numbers, and how many restarts there were to choose from."""

    owner: np.ndarray
    error: float
    risk: float
    n_iter: int
    n_alive: int


def best_restart(X, y, starts, lam=None, weights=None, divided=True, by_error=True):
    """Least training error, ties by risk, ties by order; None if every restart was abandoned."""
    best, n_alive = None, 0
    for start in starts:
        owner, n_iter, alive = ndc(X, y, start, lam, weights=weights, divided=divided)
        if not alive:
            continue
        n_alive += 1
        owner = owner if lam is None else owner - 1
        error = training_error(X, y, owner, weights, divided)
        cost = risk(X, y, owner, weights, divided)
        if best is None or _is_better(error if by_error else 0.0, cost, best.error if by_error else 0.0, best.risk):
            best = Best(owner, error, cost, n_iter, 0)
    return best and best._replace(n_alive=n_alive)


def _is_better(error, cost, best_error, best_cost):
    if abs(error - best_error) > SAME_ERROR:
        return error < best_error
    return cost < best_cost * (1 - SAME_RISK)


def squared_gaps(X, y, weights):
    """From sample i to the mean of class j in feature f, (n_samples, n_classes, n_features); i itself is left out.

    A class that weighs less than two is treated as if it weighed two.
    """
    means = class_means(X, y, weights)
    gaps = np.empty((len(X), len(means), X.shape[1]))
    for i in range(len(X)):
        for j, centroid in enumerate(means):
            if y[i] == j:
                total = max(weights[y == j].sum(), 2.0)
                centroid = centroid - (X[i] - centroid) / (total - 1)  # (total * centroid - X[i]) / (total - 1)
            gaps[i, j] = (X[i] - centroid) ** 2
    return gaps


def owned_distances(gaps, owner, divided=True):
    """Squared distance (n_samples, n_classes) from squared gaps; every class has a feature."""
    d2 = np.empty(gaps.shape[:2])
    for j in range(gaps.shape[1]):
        own = gaps[:, j, (owner == j) | (owner == SHARED)]
        d2[:, j] = own.mean(axis=1) if divided else own.sum(axis=1)
    return d2


def platt_targets(y, weights):
    """Smoothed labels: (n_j + 1) / (n_j + k) for the own class j, the rest spread evenly."""
    k = y.max() + 1
    targets = np.empty((y.size, k))
    for i, label in enumerate(y):
        total = weights[y == label].sum()
        targets[i] = 1 / (total + k)
        targets[i, label] = (total + 1) / (total + k)
    return targets


def cross_entropies(d2, targets, temperature):
    """Loss of each sample: between its target and softmax(-temperature * d2)."""
    logits = -temperature * d2
    peak = logits.max(axis=1, keepdims=True)
    log_shares = logits - peak - np.log(np.exp(logits - peak).sum(axis=1, keepdims=True))
    return -(targets * log_shares).sum(axis=1)


def best_temperature(d2, targets, weights):
    """Where the loss, which is convex in the temperature, has slope zero; or the nearer of two bounds. By halving."""
    if d2.mean() == 0:
        return 1.0
    low, high = 1e-3 / d2.mean(), 1e4 / d2.mean()

    def slope(temperature):
        shares = np.exp(-temperature * (d2 - d2.min(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        return weights @ ((targets - shares) * d2).sum(axis=1)

    if slope(low) >= 0:
        return low
    if slope(high) <= 0:
        return high
    for _ in range(200):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return middle


class Refined(NamedTuple):
    """Where single-feature moves ended, in class numbers, how many they were, and whether the last sweep had none."""

    owner: np.ndarray
    n_moves: int
    converged: bool


def refine(X, y, owner, *, has_pool, weights=None, divided=True, seed=0, max_iter=300):
    """Move single features as long as that lowers the loss, a random order a sweep; ``owner`` in class numbers."""
    weights = weights_or_ones(X, weights)
    owner = np.array(owner, int)
    gaps, targets = squared_gaps(X, y, weights), platt_targets(y, weights)
    free = np.flatnonzero(owner != SHARED)
    rng = np.random.default_rng(seed)
    n_moves = 0
    for _ in range(max_iter):
        temperature = best_temperature(owned_distances(gaps, owner, divided), targets, weights)

        def losses(owner, temperature=temperature):
            return cross_entropies(owned_distances(gaps, owner, divided), targets, temperature)

        moved = 0
        for f in free[rng.permutation(free.size)]:
            target = best_feature_move(losses, owner, f, weights, has_pool)
            moved += target != owner[f]
            owner[f] = target
        n_moves += moved
        if moved == 0:
            return Refined(owner, n_moves, True)
    return Refined(owner, n_moves, False)


def best_feature_move(losses, owner, feature, weights, has_pool):
    """The owner with which the loss is lowest: a class only if the fall is two standard errors; ties to the first."""
    home = owner[feature]
    if home >= 0 and np.sum(owner == home) == 1:
        return home
    before = losses(owner)
    noise = SAME_LOSS * (weights @ before)
    most, best = 0.0, home
    for target in range(-1 if has_pool else 0, owner.max() + 1):
        if target == home:
            continue
        changed = owner.copy()
        changed[feature] = target
        falls = before - losses(changed)
        fall = weights @ falls
        mean = fall / weights.sum()
        standard_error = np.sqrt(weights @ (falls - mean) ** 2)
        if (target < 0 or fall > STANDARD_ERRORS * standard_error) and fall > most + noise:
            most, best = fall, target
    return best
