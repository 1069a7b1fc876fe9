"""The panel classifier in loops: standardise, draft, fit, score, count. Nothing here may come from the package."""

from itertools import combinations, permutations

import numpy as np
from scipy.optimize import minimize

SHARE_OF_MEDIAN = 0.5
HIGH = 1e-6  # share by which a gain counts more where the feature is high in the class
NOTHING = 1e-12  # share of the loss below which a gain is none
ALMOST_FREE = 1e-9  # share of the dearest feature's cost that a free one is taken to cost


def weights_or_ones(y, weights):
    return np.ones(len(y)) if weights is None else np.asarray(weights, float)


def balanced(y, weights=None):
    """Sample weights after which every class weighs the same, and all together what they did."""
    weights = weights_or_ones(y, weights)
    n_classes = y.max() + 1
    found = np.empty(len(y))
    for i in range(len(y)):
        found[i] = weights[i] * weights.sum() / n_classes / weights[y == y[i]].sum()
    return found


class Standard:
    """Mean of the class means, pooled standard deviation plus half its median, and the classes' centroids."""

    def __init__(self, X, y, weights=None):
        weights = weights_or_ones(y, weights)
        n_classes, n_features = y.max() + 1, X.shape[1]
        means, spread, overall = np.empty((n_classes, n_features)), np.empty(n_features), np.empty(n_features)
        for f in range(n_features):
            within = 0.0
            for j in range(n_classes):
                own = y == j
                means[j, f] = np.average(X[own, f], weights=weights[own])
                if np.ptp(X[own, f]) > 0:  # the mean of equal numbers is off by a rounding
                    within += np.sum(weights[own] * (X[own, f] - means[j, f]) ** 2)
            spread[f] = np.sqrt(within / max(weights.sum() - n_classes, 1.0))
            gaps = X[:, f] - np.average(X[:, f], weights=weights)
            overall[f] = np.sqrt(np.average(gaps**2, weights=weights)) if np.ptp(X[:, f]) > 0 else 0.0
        scale = spread + SHARE_OF_MEDIAN * np.median(spread)
        scale = np.array([s or o or 1.0 for s, o in zip(scale, overall, strict=True)])
        self.center, self.scale = means.mean(axis=0), scale
        self.centroids = (means - self.center) / scale

    def of(self, X):
        return (X - self.center) / self.scale


class Terms:
    """The columns of every feature in every class's score, and what one of them can gain."""

    def __init__(self, kind, X, y, weights=None):
        self.kind, self.standard = kind, Standard(X, y, weights)
        self.weights = balanced(y, weights)
        self.z = self.standard.of(X)
        n_classes, n_features = self.standard.centroids.shape
        self.gap_means, spread = np.empty((n_classes, n_features)), np.empty((n_classes, n_features))
        for j in range(n_classes):
            for f in range(n_features):
                gaps = (self.z[:, f] - self.standard.centroids[j, f]) ** 2
                self.gap_means[j, f] = np.average(gaps, weights=self.weights)
                spread[j, f] = np.sqrt(np.average((gaps - self.gap_means[j, f]) ** 2, weights=self.weights))
        self.gap_scales = spread + SHARE_OF_MEDIAN * np.median(spread, axis=1)[:, None]
        self.gap_scales[self.gap_scales == 0] = 1.0

    def columns(self, z, label, feature):
        """Named columns of one feature."""
        gap = (z[:, feature] - self.standard.centroids[label, feature]) ** 2
        gap = (gap - self.gap_means[label, feature]) / self.gap_scales[label, feature]
        both = {"linear": z[:, feature], "squared": gap}
        return both if self.kind == "both" else {self.kind: both[self.kind]}

    def matrix(self, z, label, panel):
        """All columns of a panel, feature by feature."""
        found = [column for f in panel for column in self.columns(z, label, f).values()]
        return np.column_stack(found) if found else np.empty((len(z), 0))

    def gain(self, label, feature, residual, penalty):
        """How much the loss falls by the better of a feature's columns alone, times the weight of all samples."""
        share = 1 - 1 / residual.shape[1]
        total, best = self.weights.sum(), 0.0
        for name, column in self.columns(self.z, label, feature).items():
            inner = np.sum(self.weights * residual[:, label] * column)
            if name == "squared" and inner > 0:
                continue  # far from the centroid is no reason to think of the class
            variance = np.average((column - np.average(column, weights=self.weights)) ** 2, weights=self.weights)
            gain = inner**2 / (share * total * variance + penalty * total) * total
            best = max(best, gain * (1 + HIGH) if name == "linear" and inner > 0 else gain)
        return best


def centred(scores):
    """Only differences between the scores of a sample count."""
    return scores - scores.mean(axis=1, keepdims=True)


def residuals(y, scores):
    """What is left of indicators 2 apart."""
    targets = 2.0 * (y[:, None] == np.arange(scores.shape[1]))
    return centred(targets) - centred(scores)


def best_matching(worth, is_wanted):
    """Pairs (class, feature) with the largest sum of worths, by trying all of them."""
    n_classes, n_features = worth.shape
    n_pairs = min(n_classes, n_features)
    best, chosen = -np.inf, []
    for classes in combinations(range(n_classes), n_pairs):
        for features in permutations(range(n_features), n_pairs):
            pairs = [(j, f) for j, f in zip(classes, features, strict=True) if is_wanted[j, f]]
            total = sum(worth[j, f] for j, f in pairs)
            if total > best:
                best, chosen = total, pairs
    return chosen


class Draft:
    """Rounds in which every class takes a feature; ``play`` gives the panels and how many each had after each round."""

    def __init__(
        self,
        terms,
        y,
        penalty,
        *,
        allowed=None,
        forced=None,
        shared_out=(),
        per_class=99,
        in_all=99,
        costs=None,
        budget=np.inf,
    ):
        n_classes, n_features = terms.standard.centroids.shape
        self.terms, self.y, self.penalty = terms, y, penalty
        self.shared_out, self.per_class, self.in_all, self.budget = set(shared_out), per_class, in_all, budget
        self.panels = [list(given) for given in forced or [()] * n_classes]
        self.free = set(np.flatnonzero(np.ones(n_features) if allowed is None else allowed)) - set(self.picked())
        self.fitted = np.zeros((len(y), n_classes))
        self.costs = np.zeros(n_features) if costs is None else np.asarray(costs, float)
        self.least = NOTHING * np.sum(terms.weights[:, None] * self.left() ** 2) * terms.weights.sum()

    def picked(self):
        return [f for panel in self.panels for f in panel]

    def left(self):
        return residuals(self.y, self.fitted)

    def refit(self):
        """All classes together, from one system of equations."""
        z = self.terms.z
        matrices = [self.terms.matrix(z, j, panel) for j, panel in enumerate(self.panels)]
        coefficients, _ = fit_ridge(matrices, self.y, self.terms.weights, self.penalty)
        self.fitted = np.column_stack([m @ c for m, c in zip(matrices, coefficients, strict=True)])

    def pairs(self, features, *, even_useless=False, by_cost=False):
        """Who takes what of some features, the most promising pair first."""
        players = [j for j, panel in enumerate(self.panels) if len(panel) < self.per_class]
        if not players or not features:
            return []
        left = self.left()
        gains = np.array([[self.terms.gain(j, f, left, self.penalty) for f in features] for j in players])
        has_none = np.array([not self.panels[j] for j in players])
        wanted = even_useless | has_none[:, None] | (gains > self.least)
        dearest = self.costs.max()
        worth = gains / np.maximum(self.costs[features], ALMOST_FREE * dearest) if by_cost and dearest else gains
        found = best_matching(worth, wanted)
        return [(players[r], features[c]) for r, c in sorted(found, key=lambda pair: -worth[pair])]

    def enter(self, pairs):
        for j, f in pairs:
            self.panels[j].append(f)
            self.free.discard(f)
        if pairs:
            self.refit()

    def play_round(self):
        left = self.budget - sum(self.costs[self.picked()]) if self.picked() else self.budget
        open_to_all = [f for f in sorted(self.free) if self.costs[f] <= left]
        kept = []
        for j, f in self.pairs(open_to_all, by_cost=np.isfinite(self.budget)):
            if self.costs[f] <= left and len(self.picked()) + len(kept) < self.in_all:
                kept.append((j, f))
                left -= self.costs[f]
        self.enter(kept)
        return bool(kept)

    def play(self, n_rounds):
        self.refit()
        while pairs := self.pairs(sorted(self.free & self.shared_out), even_useless=True):
            self.enter(pairs)
        counts = [[len(panel) for panel in self.panels]]
        while len(counts) <= n_rounds and self.play_round():
            counts.append([len(panel) for panel in self.panels])
        return self.panels, counts


def fit_ridge(matrices, y, weights, penalty):
    """All classes' coefficients at once, from one system of equations."""
    n_classes = len(matrices)
    ends = np.cumsum([0, *(m.shape[1] for m in matrices)])
    system, right = penalty * weights.sum() * np.eye(ends[-1]), np.zeros(ends[-1])
    targets = residuals(y, np.zeros((len(y), n_classes)))
    for i in range(len(y)):
        for c in range(n_classes):
            row = np.concatenate([((c == j) - 1 / n_classes) * m[i] for j, m in enumerate(matrices)])
            system += weights[i] * np.outer(row, row)
            right += weights[i] * targets[i, c] * row
    return np.split(np.linalg.solve(system, right), ends[1:-1]), np.zeros(n_classes)


def softmax_loss(coefficients, intercepts, matrices, y, weights, penalty):
    """Weighted mean of minus the log-probability of the own class, plus half the penalty times all squares."""
    loss = 0.0
    for i in range(len(y)):
        scores = [b + m[i] @ c for m, c, b in zip(matrices, coefficients, intercepts, strict=True)]
        loss += weights[i] / weights.sum() * (np.log(np.sum(np.exp(scores))) - scores[y[i]])
    return loss + 0.5 * penalty * sum(np.sum(c**2) for c in coefficients)


def fit_softmax(matrices, y, weights, penalty):
    """The same by a general minimiser that is told no derivatives."""
    ends = np.cumsum([m.shape[1] for m in matrices])

    def loss(parameters):
        parts = np.split(parameters, ends)
        return softmax_loss(parts[:-1], parts[-1], matrices, y, weights, penalty)

    parts = np.split(minimize(loss, np.zeros(ends[-1] + len(matrices)), options={"gtol": 1e-7}).x, ends)
    return parts[:-1], parts[-1] - parts[-1].mean()


class Model:
    """One fit: panels, then coefficients, then scores by the formula of the class's documentation."""

    def __init__(self, X, y, kind, n_rounds, *, draft_penalty, penalty, weights=None, **rules):
        self.terms = Terms(kind, X, y, weights)
        self.panels, _ = Draft(self.terms, y, draft_penalty, **rules).play(n_rounds)
        matrices = [self.terms.matrix(self.terms.z, j, panel) for j, panel in enumerate(self.panels)]
        fit = fit_ridge if kind == "linear" else fit_softmax
        self.coefficients, self.intercepts = fit(matrices, y, self.terms.weights, penalty)

    def scores(self, X):
        z = self.terms.standard.of(X)
        found = np.empty((len(X), len(self.panels)))
        for j, panel in enumerate(self.panels):
            found[:, j] = self.terms.matrix(z, j, panel) @ self.coefficients[j] + self.intercepts[j]
        return found


def probabilities(scores, temperature):
    """Softmax of the scores times a factor."""
    scores = temperature * scores
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def calibration(scores, y, weights, priors=None):
    """Factor and offsets by their definition, found by a general minimiser that is told no derivatives.

    Samples weigh as much as the prior of their class, in all as many as Kish's effective number of samples. Targets
    are as if one sample had been wrong. Offsets cost 0.3 times their squares; without priors 3 over the fourth power
    of the gap between the logarithm of the class's size and the mean of these logarithms (1e-3 at least).
    """
    n_classes = scores.shape[1]
    counts = np.array([weights[y == j].sum() for j in range(n_classes)])
    gaps = np.log(counts) - np.log(counts).mean()
    costs = np.full(n_classes, 0.3) if priors is not None else 3.0 / np.maximum(gaps**4, 1e-3)
    priors = np.full(n_classes, 1 / n_classes) if priors is None else np.asarray(priors)
    effective = 1.0 / np.sum(priors**2 / counts)
    unit = np.mean(scores.max(axis=1, keepdims=True) - scores)

    def loss(parameters):
        total = 0.0
        factor, offsets = np.exp(parameters[0]) / unit, parameters[1:]
        shares = probabilities(factor * scores + offsets + np.log(priors), 1.0)
        for i, label in enumerate(y):
            missed = 1.0 / (n_classes * counts[label] + 1.0)
            target = np.full(n_classes, missed / (n_classes - 1))
            target[label] = 1.0 - missed
            weight = effective * weights[i] * priors[label] / counts[label]
            total -= weight * np.sum(target * np.log(shares[i]))
        return total + 0.5 * np.sum(costs * offsets**2)

    found = minimize(loss, np.zeros(n_classes + 1), options={"gtol": 1e-8}).x
    factor = np.exp(found[0]) / unit
    return factor, found[1:] / factor


def p_values(held_out, new, by_class=True):
    """For each new sample and class, the share of samples that fit their own class no better; the new one counts.

    ``held_out``: for each fold, triples (fit to the own class, weight, class) of its samples. ``new``: what each
    fold's model says of the new samples. ``by_class``: only samples of the class in question are counted.
    """
    found = np.empty(new[0].shape)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            below = total = 1.0
            for fold, fits in zip(held_out, new, strict=True):
                for own, weight, label in fold:
                    if label == j or not by_class:
                        total += weight
                        below += weight * (own <= fits[i, j])
            found[i, j] = below / total
    return found


def distance_p_values(held_out, new):
    """The share of samples that lie as far from all classes as a new one, or farther; the new one counts."""
    found = np.empty(len(new[0]))
    for i in range(len(found)):
        beyond = total = 1.0
        for fold, distances in zip(held_out, new, strict=True):
            for far, weight in fold:
                total += weight
                beyond += weight * (far >= distances[i])
        found[i] = beyond / total
    return found
