"""The panel classifier in loops: standardise, draft, fit, score, count. Nothing here may come from the package."""

from itertools import combinations, permutations

import numpy as np
from scipy.optimize import minimize

SHARE_OF_MEDIAN = 0.5
LEAST = 1e-9  # share of the spread over all samples that a scale is at least
HIGH = 1e-6  # share by which a gain counts more where the feature is high in the class
NOTHING = 1e-12  # share of the loss below which a gain is none
SAME = 1e-9  # share of the largest number by which numbers may differ and still count as equal
ALMOST_FREE = 1e-9  # share of the dearest feature's cost that a free one is taken to cost
DRAFT_PENALTY = 1.0
DISTANCE_PENALTY = 1e-3


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


class Part:
    """Some samples of a table (a fold may repeat them), and weights that balance the classes of the whole table."""

    def __init__(self, X, y, weights=None, rows=None):
        rows = np.arange(len(y)) if rows is None else np.asarray(rows)
        self.n_classes, self.n_features = y.max() + 1, X.shape[1]
        self.X, self.y = X[rows], y[rows]
        self.weights, self.balanced = weights_or_ones(y, weights)[rows], balanced(y, weights)[rows]
        self.known = [j for j in range(self.n_classes) if (self.y == j).any()]


class Standard:
    """Balanced mean, pooled standard deviation plus half its median, and the classes' centroids."""

    def __init__(self, part):
        X, y, weights = part.X, part.y, part.weights
        means, spread = np.zeros((part.n_classes, part.n_features)), np.empty(part.n_features)
        self.variances, overall = np.zeros_like(means), np.empty(part.n_features)
        for f in range(part.n_features):
            within = 0.0
            for j in part.known:
                own = y == j
                means[j, f] = np.average(X[own, f], weights=weights[own])
                if np.ptp(X[own, f]) > 0:  # the mean of equal numbers is off by a rounding
                    within += np.sum(weights[own] * (X[own, f] - means[j, f]) ** 2)
                    self.variances[j, f] = np.average((X[own, f] - means[j, f]) ** 2, weights=weights[own])
            spread[f] = np.sqrt(within / max(weights.sum() - len(part.known), 1.0))
            gaps = X[:, f] - np.average(X[:, f], weights=weights)
            overall[f] = np.sqrt(np.average(gaps**2, weights=weights)) if np.ptp(X[:, f]) > 0 else 0.0
        scale = spread + SHARE_OF_MEDIAN * np.median(spread)
        scale = np.array([max(s, LEAST * o) if s else o or 1.0 for s, o in zip(scale, overall, strict=True)])
        self.center, self.scale, self.means = np.average(X, axis=0, weights=part.balanced), scale, means
        self.centroids = np.zeros_like(means)
        for j in part.known:
            self.centroids[j] = (means[j] - self.center) / scale

    def of(self, X):
        return (X - self.center) / self.scale


class Terms:
    """The columns of every feature in the hands of every class, and what one of them can gain."""

    def __init__(self, kind, part):
        self.kind, self.part, self.standard = kind, part, Standard(part)
        self.z = self.standard.of(part.X)
        self.gap_means, spread = np.empty((2, part.n_classes, part.n_features))
        for j in range(part.n_classes):
            for f in range(part.n_features):
                gaps = self.squared_gaps(self.z, j, f)
                self.gap_means[j, f] = np.average(gaps, weights=part.balanced)
                spread[j, f] = np.sqrt(np.average((gaps - self.gap_means[j, f]) ** 2, weights=part.balanced))
        self.gap_scales = spread + SHARE_OF_MEDIAN * np.median(spread, axis=1)[:, None]
        self.gap_scales[self.gap_scales == 0] = 1.0

    def squared_gaps(self, z, label, feature):
        return (z[:, feature] - self.standard.centroids[label, feature]) ** 2

    def columns(self, z, label, feature):
        """Named columns of one feature."""
        gap = self.squared_gaps(z, label, feature)
        gap = (gap - self.gap_means[label, feature]) / self.gap_scales[label, feature]
        both = {"linear": z[:, feature], "squared": gap}
        return both if self.kind == "both" else {self.kind: both[self.kind]}

    def matrix(self, z, picks):
        """All columns of some picks, which are pairs of a class and a feature; and the class of each column."""
        found = [(column, j) for j, f in picks for column in self.columns(z, j, f).values()]
        matrix = np.column_stack([column for column, _ in found]) if found else np.empty((len(z), 0))
        return matrix, [j for _, j in found]

    def gain(self, label, feature, residual, penalty, reads, upward=False):
        """How much the loss falls by the better of a feature's columns alone, times the weight of all samples.

        If only one class reads a column, only (k - 1) / k of its variance is left after centring over the classes.
        """
        weights, n_known = self.part.balanced, len(self.part.known)
        best = 0.0
        for name, column in self.columns(self.z, label, feature).items():
            inner = np.sum(weights * residual[:, label] * column)
            if name == "squared" and inner > 0:
                continue  # far from the centroid is no reason to think of the class
            if name == "linear" and upward and inner <= 0:
                continue  # low values would be the reason to think of the class
            variance = np.average((column - np.average(column, weights=weights)) ** 2, weights=weights)
            share = 1.0 if name == "linear" and reads == "all" else 1 - 1 / n_known
            gain = inner**2 / (share * variance + penalty)
            best = max(best, gain * (1 + HIGH) if name == "linear" and inner > 0 else gain)
        return best

    def preferences(self):
        """Numbers that order features of equal gain: by the product with the sum of all features, scale and centre."""
        together = [np.sum(self.part.balanced * column * self.z.sum(axis=1)) for column in self.z.T]
        keys = [few_digits(numbers) for numbers in (together, self.standard.scale, self.standard.center)]
        order = sorted(range(self.z.shape[1]), key=lambda f: [-key[f] for key in keys])
        found = np.empty(len(order))
        for rank, f in enumerate(order):
            found[f] = 0.5 * (1 - rank / len(order))
        return found


def few_digits(numbers):
    unit = SAME * np.max(np.abs(numbers))
    return np.round(np.asarray(numbers) / unit) if unit > 0 else np.asarray(numbers)


def centred(scores, known):
    """Only differences between the scores of a sample count; classes without samples take no part."""
    found = np.zeros_like(scores)
    found[:, known] = scores[:, known] - scores[:, known].mean(axis=1, keepdims=True)
    return found


def residuals(part, scores):
    """What is left of indicators 2 apart."""
    targets = 2.0 * (part.y[:, None] == np.arange(part.n_classes))
    return centred(targets, part.known) - centred(scores, part.known)


def best_matching(worth, is_wanted):
    """Pairs (class, feature) with the largest sum of worths, by trying all of them."""
    n_classes, n_features = worth.shape
    n_pairs = min(n_classes, n_features)
    best, chosen = -np.inf, []
    for classes in combinations(range(n_classes), n_pairs):
        for features in permutations(range(n_features), n_pairs):
            pairs = [(j, f) for j, f in zip(classes, features, strict=True) if is_wanted[j, f]]
            total = sum(worth[j, f] for j, f in pairs)
            if total > best or (total == best and len(pairs) > len(chosen)):
                best, chosen = total, pairs
    return chosen


class Draft:
    """Rounds in which every class takes a feature.

    ``play`` gives the picks, pairs of a class and a feature, and how many there were before and after each round.
    """

    def __init__(
        self,
        terms,
        reads,
        penalty=DRAFT_PENALTY,
        *,
        allowed=None,
        forced=None,
        shared_out=(),
        per_class=99,
        in_all=99,
        costs=None,
        budget=np.inf,
        least=1,
        promised=False,
        upward=False,
        window=(-np.inf, np.inf),
    ):
        part = terms.part
        self.terms, self.part, self.penalty = terms, part, penalty
        self.reads = "own" if terms.kind == "squared" else reads
        self.shared_out, self.per_class, self.in_all, self.budget = set(shared_out), per_class, in_all, budget
        forced = forced or [()] * part.n_classes
        self.picks = [(j, f) for j in part.known for f in forced[j]]
        self.free = set(np.flatnonzero(np.ones(part.n_features) if allowed is None else allowed))
        self.free -= {f for _, f in self.picks}
        self.costs = np.zeros(part.n_features) if costs is None else np.asarray(costs, float)
        self.least_features, self.promised, self.upward, self.window = least, promised, upward, window
        start = residuals(part, np.zeros((len(part.y), part.n_classes)))
        self.least = NOTHING * np.sum(part.balanced[:, None] * start**2) * part.balanced.sum()
        self.preferences = terms.preferences()

    def panel_sizes(self):
        return [sum(j == owner for owner, _ in self.picks) for j in range(self.part.n_classes)]

    def left(self):
        """What the regression of all classes on the columns picked so far leaves."""
        matrix, owners = self.terms.matrix(self.terms.z, self.picks)
        return residuals(self.part, matrix @ fit_ridge(matrix, owners, self.part, self.penalty, self.reads))

    def may_own(self, label, feature):
        """By the means of the classes: not outside of a window, and above the mean of the others if that is asked.

        What must be higher in a class must not be zero in a larger share of it than of all other samples, either.
        """
        means = self.terms.standard.means[:, feature]
        others = np.mean([means[j] for j in self.part.known if j != label])
        is_high = not self.upward or (means[label] > others and not self.is_off_more(label, feature))
        return is_high and self.window[0] <= means[label] <= self.window[1]

    def is_off_more(self, label, feature):
        is_zero, own, weights = self.part.X[:, feature] == 0, self.part.y == label, self.part.weights
        inside, outside = (np.average(is_zero[rows], weights=weights[rows]) for rows in (own, ~own))
        return inside > outside + 1e-12

    def gains(self, label, residual, even_none):
        """Gains of all free features for one class; those that agree to nine digits, or gain nothing, by preference."""
        found = np.zeros(self.part.n_features)
        for f in [f for f in self.free if self.may_own(label, f)]:
            found[f] = self.terms.gain(label, f, residual, self.penalty, self.reads, self.upward)
        unit = SAME * found.max() or self.least
        rounded = np.round(found / unit)
        return np.where((rounded > 0) | even_none, unit * (rounded + self.preferences), 0.0)

    def can_reach_least(self, pairs=()):
        """Can every class get as many features as it is promised, after some picks? Tries all ways."""
        taken = {f for _, f in pairs}
        sizes = [size + sum(j == owner for owner, _ in pairs) for j, size in enumerate(self.panel_sizes())]

        def below(needs, free):
            if not needs:
                return True
            j, *others = needs
            return any(below(others, free - {f}) for f in free if self.may_own(j, f))

        return below([j for j in self.part.known for _ in range(self.least_features - sizes[j])], self.free - taken)

    def reserving(self, features, **how):
        """Who takes what, so that every class can reach what it is promised; matched again without what cannot be."""
        forbidden = set()
        while True:
            kept, refused = [], set()
            for pair in self.pairs(features, forbidden=forbidden, **how):
                kept, refused = (
                    ([*kept, pair], refused) if self.can_reach_least([*kept, pair]) else (kept, refused | {pair})
                )
            if not refused:
                return kept
            for j, f in refused:
                sizes = [size + sum(i == owner for owner, _ in kept) for i, size in enumerate(self.panel_sizes())]
                has_enough = [i for i in self.part.known if sizes[i] >= self.least_features]
                forbidden |= {(i, f) for i in (has_enough if j in has_enough else [j])}

    def pairs(self, features, *, even_useless=False, by_cost=False, forbidden=frozenset()):
        """Who takes what of some features, the most promising pair first."""
        sizes = self.panel_sizes()
        players = [j for j in self.part.known if sizes[j] < self.per_class]
        if not players or not features:
            return []
        residual = self.left()
        has_few = np.array([sizes[j] < self.least_features for j in players])
        take_any = has_few | even_useless
        gains = np.array([self.gains(j, residual, few)[features] for j, few in zip(players, take_any, strict=True)])
        wanted = even_useless | has_few[:, None] | (gains > self.least)
        wanted = wanted & np.array(
            [[self.may_own(j, f) and (j, f) not in forbidden for f in features] for j in players]
        )
        dearest = self.costs.max()
        worth = gains / np.maximum(self.costs[features], ALMOST_FREE * dearest) if by_cost and dearest else gains
        # Of two features of equal gain the preferred one goes to the class that gains more.
        most = worth.max(axis=1)
        ranks = [len(set(few_digits(most)[few_digits(most) < few_digits(most)[r]])) for r in range(len(players))]
        tilted = worth + SAME * np.outer(most * np.array(ranks) / len(players), self.preferences[features])
        found = best_matching(np.where(wanted, tilted, 0.0), wanted)
        return [(players[r], int(features[c])) for r, c in sorted(found, key=lambda pair: (-worth[pair], pair))]

    def enter(self, pairs):
        self.picks += pairs
        self.free -= {f for _, f in pairs}

    def play_round(self):
        left = self.budget - sum(self.costs[f] for _, f in self.picks)
        open_to_all = [f for f in sorted(self.free) if self.costs[f] <= left]
        kept = []
        few = min((self.panel_sizes()[j] for j in self.part.known), default=0) < self.least_features
        choose = self.reserving if self.promised and few and self.can_reach_least() else self.pairs
        for j, f in choose(open_to_all, by_cost=np.isfinite(self.budget)):
            if self.costs[f] <= left and len(self.picks) + len(kept) < self.in_all:
                kept.append((j, f))
                left -= self.costs[f]
        self.enter(kept)
        return bool(kept)

    def play(self, n_rounds):
        while pairs := self.pairs(sorted(self.free & self.shared_out), even_useless=True):
            self.enter(pairs)
        counts = [len(self.picks)]
        while len(counts) <= n_rounds and self.play_round():
            counts.append(len(self.picks))
        return self.picks, counts


def readings(owners, known, reads):
    """Pairs (column, class that reads it)."""
    return [(at, j) for at, owner in enumerate(owners) for j in known if reads == "all" or j == owner]


def fit_ridge(matrix, owners, part, penalty, reads):
    """Coefficients (n_columns, n_classes) of all classes at once, from one system of equations."""
    weights, n_known = part.balanced, len(part.known)
    pairs = readings(owners, part.known, reads)
    system, right = penalty * weights.sum() * np.eye(len(pairs)), np.zeros(len(pairs))
    targets = residuals(part, np.zeros((len(part.y), part.n_classes)))
    for i in range(len(part.y)):
        for c in part.known:
            row = np.array([((c == j) - 1 / n_known) * matrix[i, at] for at, j in pairs])
            system += weights[i] * np.outer(row, row)
            right += weights[i] * targets[i, c] * row
    found = np.zeros((len(owners), part.n_classes))
    for (at, j), value in zip(pairs, np.linalg.solve(system, right), strict=True):
        found[at, j] = value
    return found


class Logistic:
    """Multinomial logistic regression: linear coefficients, squared ones, that of the distances, intercepts.

    ``z`` and ``gaps`` have one column per pick, ``distances`` one per class; each may be None. With distances the
    intercepts are penalised too.
    """

    def __init__(self, z, gaps, distances, owners, known, n_classes, reads):
        n_samples = next(len(given) for given in (z, gaps, distances) if given is not None)
        self.owners, self.known, self.n_classes, self.with_distances = owners, known, n_classes, distances is not None
        self.pairs = [] if z is None else readings(owners, known, reads)
        slopes = []  # of the scores by each parameter: (n_samples, n_known)
        is_class = np.eye(n_classes)[:, known]
        slopes += [np.outer(z[:, at], is_class[j]) for at, j in self.pairs]
        slopes += [] if gaps is None else [np.outer(gaps[:, at], is_class[j]) for at, j in enumerate(owners)]
        self.n_gaps = len(slopes) - len(self.pairs)
        slopes += [] if distances is None else [-distances[:, known]]
        slopes += [np.tile(is_class[j], (n_samples, 1)) for j in known]
        self.slopes = np.stack(slopes, axis=2)

    def scores(self, parameters):
        return self.slopes @ parameters

    def penalties(self, penalty):
        n_rest = self.slopes.shape[2] - len(self.pairs) - self.n_gaps
        rest = [0.0] * n_rest if not self.with_distances else [DISTANCE_PENALTY] + [penalty] * (n_rest - 1)
        return np.array([penalty] * (len(self.pairs) + self.n_gaps) + rest)

    def loss(self, parameters, y, weights, penalty):
        """Weighted mean of minus the log-probability of the own class, plus half the penalties times all squares."""
        scores = self.scores(parameters)
        own = scores[np.arange(len(y)), [self.known.index(label) for label in y]]
        top = scores.max(axis=1)
        losses = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - own
        return np.average(losses, weights=weights) + 0.5 * np.sum(self.penalties(penalty) * parameters**2)

    def fit(self, y, weights, penalty):
        """Coefficients by a general minimiser that is told no derivatives."""
        begin = np.zeros(self.slopes.shape[2])
        return self.named(minimize(self.loss, begin, (y, weights, penalty), options={"gtol": 1e-7}).x)

    def named(self, parameters):
        """Linear coefficients (n_picks, n_classes), squared ones, that of the distances, and intercepts."""
        linear, intercepts = np.zeros((len(self.owners), self.n_classes)), np.zeros(self.n_classes)
        for (at, j), value in zip(self.pairs, parameters, strict=False):
            linear[at, j] = value
        squared = parameters[len(self.pairs) :][: self.n_gaps] if self.n_gaps else np.zeros(len(self.owners))
        intercepts[self.known] = parameters[-len(self.known) :]
        if not self.with_distances:
            intercepts[self.known] -= intercepts[self.known].mean()
        return linear, squared, parameters[-len(self.known) - 1] if self.with_distances else 0.0, intercepts


def above_mean(coefficients, owners, known):
    """For each column True if its coefficient for its owner is not below the mean of its coefficients."""
    return [row[owner] >= row[known].mean() for row, owner in zip(coefficients, owners, strict=True)]


def cut_back(terms, picks, n_forced, sizes, reads, upward=False):
    """Cut panels to size: all classes at a time by a fifth, what adds least to the scores of all classes first.

    ``sizes`` is a size for each class; the first ``n_forced`` picks stay. With ``upward``, a feature of which high
    values speak against its class adds nothing.
    """
    reads = "own" if terms.kind == "squared" else reads
    forced, kept = picks[:n_forced], list(picks)
    sizes = [max(size, sum(j == owner for owner, _ in forced)) for j, size in enumerate(sizes)]
    while any(sum(j == owner for owner, _ in kept) > size for j, size in enumerate(sizes)):
        strength = {}
        matrix, owners = terms.matrix(terms.z, kept)
        coefficients = fit_ridge(matrix, owners, terms.part, DRAFT_PENALTY, reads)
        width = len(owners) // len(kept)
        for at, pick in enumerate(kept):
            columns = slice(width * at, width * (at + 1))
            added = matrix[:, columns] @ coefficients[columns]
            strength[pick] = sum(np.sum(terms.part.balanced * added[:, j] ** 2) for j in range(terms.part.n_classes))
            if (
                upward
                and terms.kind != "squared"
                and not above_mean(coefficients, owners, terms.part.known)[columns][0]
            ):
                strength[pick] = 0.0
        stay = list(forced)
        for j, size in enumerate(sizes):
            free = [pick for pick in kept if pick[0] == j and pick not in forced]
            n_forced_own = sum(j == owner for owner, _ in forced)
            n_kept = max(size - n_forced_own, len(free) - max(1, len(free) // 5), 0)
            stay += sorted(free, key=lambda pick: -strength[pick])[:n_kept]
        kept = [pick for pick in kept if pick in stay]
    return kept


class Model:
    """One fit: picks, then coefficients, then scores by the formula of the class's documentation."""

    def __init__(
        self, X, y, kind, n_rounds, *, penalty, reads="all", regression="ridge", weights=None, rows=None, overdraft=1,
        priors=None, **rules,
    ):  # fmt: skip
        self.kind, self.part = kind, Part(X, y, weights, rows)
        self.terms = Terms(kind, self.part)
        per_class = rules.pop("per_class", 99)
        draft = Draft(self.terms, reads, per_class=per_class * overdraft, **rules)
        self.picks, counts = draft.play(n_rounds * overdraft)
        drafted, forced = list(self.picks), self.picks[: counts[0]]
        if overdraft > 1:
            owners = [j for j, _ in forced]
            sizes = [min(n_rounds + owners.count(j), per_class) for j in range(self.part.n_classes)]
            self.picks = cut_back(self.terms, drafted, counts[0], sizes, reads, rules.get("upward", False))
        self.linear, self.squared, self.distance, self.intercepts = self.fit(reads, regression, penalty, priors)
        while rules.get("upward") and kind != "squared":
            high = above_mean(self.linear, self.owners, self.part.known)
            refused = [pick for pick, up in zip(self.picks, high, strict=True) if not up and pick not in forced]
            if not refused:
                break
            self.picks = [pick for pick in self.picks if pick not in refused]
            if overdraft > 1:  # others of the draft take their place
                drafted = [pick for pick in drafted if pick not in refused]
                self.picks = cut_back(self.terms, drafted, counts[0], sizes, reads, True)
            self.linear, self.squared, self.distance, self.intercepts = self.fit(reads, regression, penalty, priors)

    def fit(self, reads, regression, penalty, priors):
        """Coefficients of the picks."""
        self.owners = [j for j, _ in self.picks]
        if self.kind == "linear" and regression == "ridge":
            z, _ = self.terms.matrix(self.terms.z, self.picks)
            linear = fit_ridge(z, self.owners, self.part, penalty, reads)
            return linear, np.zeros(len(self.picks)), 0.0, np.zeros(self.part.n_classes)
        heavy = self.part.balanced if priors is None else self.part.balanced * np.asarray(priors)[self.part.y]
        problem = Logistic(*self.columns(X=self.part.X), self.owners, self.part.known, self.part.n_classes, reads)
        return problem.fit(self.part.y, heavy, penalty)

    @property
    def panels(self):
        return [[f for owner, f in self.picks if owner == j] for j in range(self.part.n_classes)]

    def columns(self, X):
        """Columns z and gaps by pick and distances by class; None for those that these terms do without."""
        z, terms = self.terms.standard.of(X), self.terms
        gaps = [terms.squared_gaps(z, j, f) for j, f in self.picks]
        distances = np.zeros((len(X), self.part.n_classes))
        for (j, _), gap in zip(self.picks, gaps, strict=True):
            distances[:, j] += gap / self.owners.count(j)
        by_pick = zip(self.picks, gaps, strict=True)
        standardised = [(gap - terms.gap_means[pick]) / terms.gap_scales[pick] for pick, gap in by_pick]
        if self.kind == "squared":
            return None, np.column_stack(standardised), distances
        linear = z[:, [f for _, f in self.picks]]
        return linear, np.column_stack(standardised) if self.kind == "both" else None, None

    def scores(self, X):
        """Scores; minus infinity for classes of which the part has no samples."""
        z, gaps, distances = self.columns(X)
        found = np.full((len(X), self.part.n_classes), -np.inf)
        for j in self.part.known:
            found[:, j] = self.intercepts[j]
            if z is not None:
                found[:, j] += z @ self.linear[:, j]
            if gaps is not None:
                own = np.array(self.owners) == j
                found[:, j] += gaps[:, own] @ self.squared[own]
            if distances is not None:
                found[:, j] -= self.distance * distances[:, j]
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
