"""The Discussion's classifiers in loops and plain differences. Nothing here may come from the package."""

import numpy as np
from scipy.optimize import minimize

import oracle

SAME = 1e-9  # separations, risks, margins and votes that agree this closely are equal


# Overlapping sets


def two_way(X, y, label, start, lam, weights=None, max_iter=300):
    """Cluster 0 uses all samples, cluster 1 one class's: owner, steps taken, whether the class keeps one."""
    supports = [np.arange(len(X)), np.flatnonzero(y == label)]
    return oracle.lloyd(X, supports, start, lam=lam, weights=weights, max_iter=max_iter)


def two_way_margins(X, y, label, owner, lam, weights=None):
    """Distance of each feature to the class's centre, and lambda times that to the other, minus it."""
    d2 = oracle.distances(X, [np.arange(len(X)), np.flatnonzero(y == label)], owner, weights)
    to_pool = [np.inf if np.isinf(lam) else lam * np.sqrt(d) for d in d2[0]]
    return np.sqrt(d2[1]), np.array(to_pool) - np.sqrt(d2[1])


def widest(distance, margin, owner, n_wanted):
    """The features of cluster 1 with the largest margins; of those that tie the nearest, then the first."""
    members = [f for f in range(owner.size) if owner[f] == 1]
    unit_margin = SAME * max((abs(margin[f]) for f in members if np.isfinite(margin[f])), default=0.0)
    unit_distance = SAME * max(abs(distance[f]) for f in members)

    def rank(f):
        wide = np.round(margin[f] / unit_margin) if unit_margin else margin[f]
        near = np.round(distance[f] / unit_distance) if unit_distance else distance[f]
        return (-wide, near, f)

    held = np.zeros(owner.size, bool)
    held[sorted(members, key=rank)[:n_wanted]] = True
    return held


def squared_on(X, centroid, held):
    """Squared dn distance of each sample to a centroid, on some features."""
    return np.array([np.mean((x[held] - centroid[held]) ** 2) for x in X])


def separation(squared, y, label, weights):
    """Share of pairs (a sample of the class, a sample of another) in which the first is nearer; ties count half."""
    won = total = 0.0
    for i in np.flatnonzero(y == label):
        for o in np.flatnonzero(y != label):
            pair = weights[i] * weights[o]
            total += pair
            low, high = sorted([squared[i], squared[o]])
            if high <= low * (1 + oracle.TIE):
                won += pair / 2
            elif squared[i] < squared[o]:
                won += pair
    return won / total


def best_set(X, y, label, starts, lam, max_features=None, weights=None):
    """The most separating set that the starts lead to, ties by the mean distance of the class, ties by order."""
    weights = oracle.weights_or_ones(X, weights)
    centroid = oracle.class_means(X, y, weights)[label]
    best = None
    for start in starts:
        owner, _, alive = two_way(X, y, label, start, lam, weights)
        if not alive:
            continue
        distance, margin = two_way_margins(X, y, label, owner, lam, weights)
        held = owner == 1 if max_features is None else widest(distance, margin, owner, max_features)
        squared = squared_on(X, centroid, held)
        own = y == label
        score, cost = separation(squared, y, label, weights), np.average(squared[own], weights=weights[own])
        if best is None or score > best[0] + SAME or (abs(score - best[0]) <= SAME and cost < best[1] * (1 - SAME)):
            best = score, cost, held, margin
    return best


def variance_start(X, y, label, lam, weights=None):
    """What varies within the class at most lambda times as much as over all samples (standard deviations)."""
    weights = oracle.weights_or_ones(X, weights)
    within = oracle.variance(X[y == label], weights[y == label])
    overall = oracle.variance(X, weights)
    ratio = [np.sqrt(w / o) if o > 0 else 1.0 for w, o in zip(within, overall, strict=True)]
    return np.array([int(r <= lam * (1 + oracle.TIE)) for r in ratio])


# Nearest neighbours


def votes(x, X, y, owner, n_neighbors, weights=None, divided=True):
    """Votes of the training samples nearest to one sample, a class each, and who wins."""
    weights = oracle.weights_or_ones(X, weights)
    n_classes = y.max() + 1
    found = []
    for i in range(len(X)):
        features = np.flatnonzero((owner == y[i]) | (owner == oracle.SHARED))
        if features.size:
            gaps = (x[features] - X[i, features]) ** 2
            found.append((gaps.sum() / (features.size if divided else 1), i))
    found.sort()
    votes, left, at = np.zeros(n_classes), float(n_neighbors), 0
    while at < len(found) and left > 0:
        group = [found[at]]
        while at + len(group) < len(found) and found[at + len(group)][0] <= group[-1][0] * (1 + oracle.TIE):
            group.append(found[at + len(group)])
        heavy = sum(weights[i] for _, i in group)
        for _, i in group:
            votes[y[i]] += weights[i] * min(1.0, left / heavy)
        left -= heavy
        at += len(group)
    leaders = [j for j in range(n_classes) if votes[j] >= votes.max() * (1 - SAME)]
    nearest = {j: min((d for d, i in found if y[i] == j), default=np.inf) for j in leaders}
    closest = min(nearest.values())
    return votes, next(j for j in leaders if nearest[j] <= closest * (1 + oracle.TIE))


# Logistic regression


def held_out_distances(X, y, folds, owner, lam=None, weights=None, divided=True):
    """Distances of each fold's samples to centroids found without them, from the whole's owners (class numbers)."""
    weights = oracle.weights_or_ones(X, weights)
    rows, codes, heavy, honest = [], [], [], []
    for train, test in folds:
        absent = [j for j in range(y.max() + 1) if j not in y[train]]
        part = np.sort(np.concatenate([train, np.flatnonzero(np.isin(y, absent))])).astype(int)
        start = owner if lam is None else owner + 1
        found, _, alive = oracle.ndc(X[part], y[part], start, lam, weights=weights[part], divided=divided)
        assert alive
        found = found if lam is None else found - 1
        means = oracle.class_means(X[part], y[part], weights[part])
        for i in test:
            rows.append(np.sqrt(oracle.sample_distances(X[[i]], means, found, divided)[0]))
            codes.append(y[i])
            heavy.append(weights[i] / sum(np.sum(t == i) for _, t in folds))
            honest.append(y[i] not in absent)
    rows, codes, heavy, honest = map(np.array, (rows, codes, heavy, honest))
    if honest.any():
        own = [rows[r, codes[r]] for r in range(len(rows)) if honest[r]]
        mean = np.average(own, weights=heavy[honest])
        for r in np.flatnonzero(~honest):
            rows[r, codes[r]] = mean
    return rows, codes, heavy


def standardised(rows, weights):
    """Means of the columns, and one standard deviation for all of them."""
    means = np.average(rows, axis=0, weights=weights)
    return means, np.sqrt(np.average(((rows - means) ** 2).mean(axis=1), weights=weights))


def logistic_probabilities(rows, codes, weights, C, new):
    """Probabilities of new rows under the penalised regression (softmax; with two classes one row of coefficients)."""
    n_classes, n_columns = codes.max() + 1, rows.shape[1]
    n_sets = 1 if n_classes == 2 else n_classes

    def logits(parameters, values):
        coefficients = parameters.reshape(n_sets, n_columns + 1)
        scores = np.array([[c[:-1] @ value + c[-1] for c in coefficients] for value in values])
        return np.column_stack([np.zeros(len(values)), scores]) if n_classes == 2 else scores

    def log_shares(scores):
        top = scores.max(axis=1, keepdims=True)
        return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))

    def loss(parameters):
        fit = log_shares(logits(parameters, rows))[np.arange(len(rows)), codes]
        slopes = parameters.reshape(n_sets, n_columns + 1)[:, :-1]
        return -C * np.sum(weights * fit) + 0.5 * np.sum(slopes**2)

    found = minimize(loss, np.zeros(n_sets * (n_columns + 1)), method="BFGS", options={"gtol": 1e-6})
    return np.exp(log_shares(logits(found.x, new)))
