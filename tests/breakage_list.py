"""Deliberate breakages of the source, each a bug that somebody could write, and the tests that must notice it."""

from __future__ import annotations

from typing import NamedTuple


class Breakage(NamedTuple):
    """One line of the source written wrongly.

    Attributes
    ----------
    what : str
        The bug, in a few words; different for every breakage.
    place : str
        Folder or file below ``src/disjoint_centroids``.
    text, broken : str
        What is replaced, which occurs once there, and by what.
    tests : tuple of str
        Folders of tests that are run.
    """

    what: str
    place: str
    text: str
    broken: str
    tests: tuple[str, ...]


SEARCH = ("tests/centroids/search",)
KERNELS = ("tests/centroids/kernels",)
EXTENSIONS = ("tests/centroids/extensions",)
CENTROIDS = ("tests/centroids",)
PANELS = ("tests/panels",)
DRAFTING = ("tests/panels/drafting",)
ROWS = ("tests/rows",)
NUMERICS = ("tests/numerics",)
EVALUATION = ("tests/evaluation",)
TABLES = ("tests/tables",)
DATASETS = ("tests/datasets",)
MODELS = ("tests/models",)
MARKERS = ("tests/markers",)
PLOTS = ("tests/plots",)
REPORT = ("tests/report",)
CLI = ("tests/cli",)

BREAKAGES = [
    # ------------------------------------------------------------------ numerics
    Breakage(
        "class means and variances forget the sample weights",
        "numerics",
        "share = weights[samples] / totals[j]",
        "share = np.full(samples.size, 1.0 / samples.size)",
        NUMERICS,
    ),
    Breakage(
        "the variance over all samples lacks the part between classes",
        "numerics",
        "overall = shares @ (variances + (means - shares @ means) ** 2)",
        "overall = shares @ variances",
        NUMERICS,
    ),
    Breakage(
        "the risk divides by one feature too few",
        "numerics",
        "count = held.sum(axis=1) + n_shared",
        "count = held.sum(axis=1) + n_shared - 1",
        SEARCH,
    ),
    Breakage(
        "variances of sparse tables forget the sample weights",
        "numerics",
        "scatters[codes[sample], feature] += weights[sample] * gap * gap",
        "scatters[codes[sample], feature] += gap * gap",
        NUMERICS,
    ),
    Breakage(
        "equal distances no longer tie",
        "numerics",
        "distances[:, 1:] > distances[:, :-1] * (1.0 + TIE)",
        "distances[:, 1:] >= distances[:, :-1] * (1.0 - TIE)",
        NUMERICS,
    ),
    Breakage(
        "targets of the temperature are not smoothed",
        "numerics",
        "return (totals + 1.0) * other, other",
        "return totals * other, other",
        NUMERICS,
    ),
    Breakage(
        "the cautious temperature takes the standard errors without their square",
        "numerics",
        "bar = lost(best) + 0.5 * standard_errors**2",
        "bar = lost(best) + 0.5 * standard_errors",
        NUMERICS,
    ),
    Breakage(
        "the last slice of a batch of runs is lost",
        "numerics",
        "edges = [n_items * i // n_slices for i in range(n_slices + 1)]",
        "edges = [n_items * i // (n_slices + 1) for i in range(n_slices + 1)]",
        NUMERICS,
    ),
    # ------------------------------------------------------------------ centroids: kernels
    Breakage(
        "a single move takes a feature from the norm with the wrong sign",
        "centroids/kernels/lloyd.py",
        "norms[home, v] += base[f] - 2.0 * products[home]",
        "norms[home, v] += base[f] + 2.0 * products[home]",
        SEARCH,
    ),
    Breakage(
        "Hartigan's rule lengthens the way into a cluster",
        "centroids/kernels",
        "into, out = members / (members + 1.0),",
        "into, out = (members + 1.0) / members,",
        SEARCH,
    ),
    Breakage(
        "of two nearest centroids the last class wins",
        "centroids/kernels",
        "j = n_classes - 1 - back",
        "j = back",
        SEARCH,
    ),
    Breakage(
        "owners that rounding could have decided are not looked at again",
        "centroids/kernels",
        "found += second[v, f] * LOOK_AGAIN - best[v, f] <= grown * size[f]",
        "found += second[v, f] - best[v, f] < 0.0",
        SEARCH,
    ),
    Breakage(
        "the centre of a cluster is divided by its size once instead of twice",
        "centroids/kernels",
        "offset[0] = norms[c] / (divisors[s] * members * members)",
        "offset[0] = norms[c] / (divisors[s] * members)",
        SEARCH,
    ),
    Breakage(
        "gaps of sparse columns lose the lower digits of the zeros",
        "centroids/kernels",
        "gaps[at] = stored + max((all_high - over) + (all_low - under), 0.0)",
        "gaps[at] = stored + max(all_high - over, 0.0)",
        KERNELS,
    ),
    Breakage(
        "lengths of sparse columns forget the sample weights",
        "centroids/kernels",
        "total += weights[rows[e]] * data[e] * data[e]",
        "total += data[e] * data[e]",
        SEARCH,
    ),
    Breakage(
        "refinement judges the samples of a class by centroids that they are part of",
        "centroids/kernels",
        "out[i] = gap * gap * factor if codes[i] == label else gap * gap",
        "out[i] = gap * gap",
        SEARCH,
    ),
    Breakage(
        "refinement hands features over for falls of the loss that may be chance",
        "centroids/kernels",
        "enough = STANDARD_ERRORS * error if taker >= 0 else 0.0",
        "enough = 0.0",
        SEARCH,
    ),
    Breakage(
        "exact distances over a block of rows forget the sample weights",
        "centroids/kernels",
        "found[j + 1, at] += w * (value - own) ** 2",
        "found[j + 1, at] += (value - own) ** 2",
        KERNELS,
    ),
    # ------------------------------------------------------------------ centroids: search
    Breakage(
        "restarts of equal error are not told apart by their risk",
        "centroids/search",
        "return int(good[np.argmax(risk[good] <= risk[good].min() * (1.0 + _SAME_RISK))])",
        "return int(good[0])",
        SEARCH,
    ),
    Breakage(
        "starts at the least variance compare lambda with variances",
        "centroids/search",
        "ratio > lam * (1.0 + TIE)",
        "ratio**2 > lam * (1.0 + TIE)",
        SEARCH,
    ),
    Breakage(
        "k-means++ takes wrong distances to its seeds",
        "centroids/search",
        "support.squares + support.squares[features, None] - 2.0 * cross",
        "support.squares + support.squares[features, None] - cross",
        SEARCH,
    ),
    Breakage(
        "a repaired class takes a feature as if its owner lost nothing",
        "centroids/search",
        "change = left / (count - 1) - total / count if divided else left - total",
        "change = left / count - total / count if divided else left - total",
        SEARCH,
    ),
    Breakage(
        "margins multiply the distance to I_0 by lambda squared",
        "centroids/search",
        "competing[0] = lam * distances[0]",
        "competing[0] = lam**2 * distances[0]",
        SEARCH,
    ),
    Breakage(
        "rounding decides between equally near centres",
        "centroids/search",
        "np.argmax(distances <= least * (1.0 + TIE) + ZERO * squares, axis=0)",
        "np.argmin(distances, axis=0)",
        SEARCH,
    ),
    Breakage(
        "the Euclidean norm is divided by the number of features too",
        "centroids/search",
        'distances[:, j] = np.einsum("if,if->i", gaps, gaps) / (features.size if divided else 1)',
        'distances[:, j] = np.einsum("if,if->i", gaps, gaps) / features.size',
        CENTROIDS,
    ),
    Breakage(
        "inner products take the sample weights twice",
        "centroids/search",
        "part *= np.sqrt(table.weights[chunk, None])",
        "part *= table.weights[chunk, None]",
        SEARCH,
    ),
    Breakage(
        "of equal ends the last restart is kept instead of the first",
        "centroids/search",
        "np.minimum.at(first, index, np.arange(len(rows)))",
        "first[index] = np.arange(len(rows))",
        SEARCH,
    ),
    Breakage(
        "a bound on overlapping sets keeps the features of least margin",
        "centroids/search",
        "np.lexsort((_rounded(distance[members]), -_rounded(margin[members])))",
        "np.lexsort((_rounded(distance[members]), _rounded(margin[members])))",
        SEARCH,
    ),
    # ------------------------------------------------------------------ centroids: estimators and extensions
    Breakage(
        "the least-risk partition weighs its classes alike",
        "centroids",
        "moments.shares[j] * moments.variances[j, owner == j].mean()",
        "0.5 * moments.variances[j, owner == j].mean()",
        CENTROIDS,
    ),
    Breakage(
        "samples that are held out twice count twice in the temperature",
        "centroids",
        "weights[at] / times[at], caution)",
        "weights[at], caution)",
        CENTROIDS,
    ),
    Breakage(
        "the regression sees squared distances of new samples",
        "centroids/extensions",
        "gaps = self._filled(np.sqrt(squared)) - self.mean_distance_",
        "gaps = self._filled(squared) - self.mean_distance_",
        EXTENSIONS,
    ),
    Breakage(
        "one neighbour too many votes",
        "centroids/extensions",
        "left = np.clip(self.n_neighbors - ranked.before, 0.0, tied)",
        "left = np.clip(self.n_neighbors + 1 - ranked.before, 0.0, tied)",
        EXTENSIONS,
    ),
    Breakage(
        "the distance of a sample that cannot be held out stays zero",
        "centroids/extensions",
        "held_out.distances[rows[~is_honest], held_out.codes[~is_honest]] = mean",
        "held_out.distances[rows[~is_honest], held_out.codes[~is_honest]] = 0.0",
        EXTENSIONS,
    ),
    # ------------------------------------------------------------------ rows
    Breakage(
        "scatters of a block are corrected by too little",
        "rows",
        "max(scatters[g, f] - step * means[g, f], 0.0)",
        "max(scatters[g, f] - step * step, 0.0)",
        ROWS,
    ),
    Breakage(
        "blocks add up without the distance between their means",
        "rows",
        "self.scatters + other.scatters + self.weights[:, None] * share * gap**2",
        "self.scatters + other.scatters",
        ROWS,
    ),
    Breakage(
        "a sketch has too few rows for the error asked for",
        "rows",
        "np.ceil(2.0 / error**2)",
        "np.ceil(2.0 / error)",
        CENTROIDS,
    ),
    Breakage(
        "samples of weight zero take part",
        "rows",
        "rows = np.flatnonzero(weights > 0)",
        "rows = np.flatnonzero(weights >= 0)",
        CENTROIDS,
    ),
    Breakage(
        "an index one past the last feature is let through",
        "rows",
        "if given.min() < -n_features or given.max() >= n_features:",
        "if given.min() < -n_features or given.max() > n_features:",
        ROWS,
    ),
    Breakage(
        "products of the squares of sparse rows lack a factor",
        "rows",
        "square, below = x * data[a], out[half + f]",
        "square, below = x, out[half + f]",
        ROWS,
    ),
    Breakage(
        "parts count every cell once",
        "rows",
        "counted: FloatArray = np.tensordot(times, sums, axes=1)[None]",
        "counted: FloatArray = np.tensordot(np.minimum(times, 1.0), sums, axes=1)[None]",
        ROWS,
    ),
    Breakage(
        "values too large to square are let through",
        "rows",
        "largest = max(X.max(initial=0.0), -X.min(initial=0.0))",
        "largest = X.max(initial=0.0)",
        ROWS,
    ),
    # ------------------------------------------------------------------ panels
    Breakage(
        "calibration takes every sample for one, whatever the priors",
        "panels",
        "effective = 1.0 / float(priors**2 @ (1.0 / counts))",
        "effective = float(counts.sum())",
        PANELS,
    ),
    Breakage(
        "offsets of the calibration are in the wrong unit",
        "panels",
        "offsets[present] = found / factor * unit",
        "offsets[present] = found / factor",
        PANELS,
    ),
    Breakage(
        "p-values do not count the new sample itself",
        "panels",
        "(below + 1.0) / (total + 1.0)",
        "below / (total + 1.0)",
        PANELS,
    ),
    Breakage(
        "sets of classes ask for one held-out sample too many",
        "panels",
        "needed = math.ceil(round(1.0 / (1.0 - confidence), 9)) - 1",
        "needed = math.ceil(round(1.0 / (1.0 - confidence), 9))",
        PANELS,
    ),
    Breakage(
        "a draft does not note what it has spent",
        "panels/drafting",
        "self.left_to_spend -= float(self.costs[features].sum())",
        "self.left_to_spend -= 0.0",
        DRAFTING,
    ),
    Breakage(
        "squared terms count where they are for the class",
        "panels/drafting",
        "if product < 0.0:",
        "if product > 0.0:",
        DRAFTING,
    ),
    Breakage(
        "gains of columns that all classes read are those of own panels",
        "panels/drafting",
        "divisors = (share if plan.own else 1.0) * self.standard.variance",
        "divisors = share * self.standard.variance",
        DRAFTING,
    ),
    Breakage(
        "a gain that is rounding counts as much as its preference",
        "panels/drafting",
        "if rounded > 0.0 or even_none else 0.0",
        "if rounded >= 0.0 else 0.0",
        DRAFTING,
    ),
    Breakage(
        "the order of the classes decides who takes which of two equal features",
        "panels/drafting",
        "tilted = worth + SAME * np.outer(most * rank, self.preference[best])",
        "tilted = worth + 0.0 * np.outer(most * rank, self.preference[best])",
        PANELS,
    ),
    Breakage(
        "the regression of the draft is not centred over the classes",
        "panels/drafting",
        "system = gram * ((owners[:, None] == new_owners) - 1.0 / known.sum())",
        "system = gram * (owners[:, None] == new_owners)",
        DRAFTING,
    ),
    Breakage(
        "the intercepts of a logistic fit do not sum to zero",
        "panels/drafting",
        "else intercepts - intercepts.mean()",
        "else intercepts - intercepts[0]",
        DRAFTING,
    ),
    Breakage(
        "the coefficient of the distances is penalised like the others",
        "panels/drafting",
        "self.penalties[self.ends[1] : self.ends[2]] = _DISTANCE_PENALTY",
        "self.penalties[self.ends[1] : self.ends[2]] = penalty",
        DRAFTING,
    ),
    Breakage(
        "coefficients are penalised in the basis of the search, not on the columns",
        "panels/drafting",
        "self._collected(slopes, coefficients)",
        "self._collected(slopes, parameters)",
        DRAFTING,
    ),
    Breakage(
        "the pooled spread is divided by all samples",
        "panels/drafting",
        "max(float(weights.sum()) - int(known.sum()), 1.0)",
        "max(float(weights.sum()), 1.0)",
        DRAFTING,
    ),
    Breakage(
        "classes are balanced by the samples of each fold",
        "panels/drafting",
        "center = balance @ first / total",
        "center = means[known].mean(axis=0)",
        DRAFTING,
    ),
    Breakage(
        "products of a feature with squares forget half of the shift",
        "panels/drafting",
        "- n * m[f] * squares - 2.0 * m * centred)",
        "- n * m[f] * squares - m * centred)",
        DRAFTING,
    ),
    Breakage(
        "panels are cut back from their strongest features",
        "panels/drafting",
        'best = np.argsort(-few_digits(spread[free]), kind="stable")[:to_keep]',
        'best = np.argsort(few_digits(spread[free]), kind="stable")[:to_keep]',
        DRAFTING,
    ),
    Breakage(
        "features that are forced are cut back like others",
        "panels/drafting",
        "is_forced = kept[own] < draft.counts[0]",
        "is_forced = kept[own] < 0",
        DRAFTING,
    ),
    Breakage(
        "columns of a sparse table that have zeros are shifted",
        "rows",
        "is_full = n_stored == columns.shape[0]",
        "is_full = n_stored > 0",
        DRAFTING,
    ),
    Breakage(
        "logistic regressions forget the priors",
        "panels",
        "self._fit_weights = balanced if class_weights is None else balanced * class_weights[division.codes]",
        "self._fit_weights = balanced",
        PANELS,
    ),
    Breakage(
        "squared terms replace linear ones without a margin",
        "panels",
        "others and not judged.beats(best, linear):",
        "others and judged.gap(best, linear) >= 0.0:",
        PANELS,
    ),
    Breakage(
        "frequent classes decide among the candidates",
        "panels",
        "np.where(totals > 0, totals, 1.0))[codes]",
        "np.full(totals.size, totals.mean()))[codes]",
        PANELS,
    ),
    Breakage(
        "a budget that is used up exactly is refused by rounding",
        "panels",
        "float(estimator.budget) * (1.0 + _ROUNDING)",
        "float(estimator.budget) * (1.0 - _ROUNDING)",
        PANELS,
    ),
    # ------------------------------------------------------------------ evaluation and peers
    Breakage(
        "the interval of an error has the quantiles of a one-sided one",
        "evaluation",
        "tail = error * n_samples, (1.0 - confidence) / 2.0",
        "tail = error * n_samples, 1.0 - confidence",
        EVALUATION,
    ),
    Breakage(
        "errors of folds count alike, whatever their size",
        "evaluation",
        'samples = table["samples"].where(table["error"].notna())',
        'samples = table["error"].notna().astype(float)',
        EVALUATION,
    ),
    Breakage(
        "the odd sample of a class is always in the second half",
        "evaluation",
        "second.append(members[count // 2 : 2 * (count // 2)])",
        "second.append(members[count // 2 :])",
        EVALUATION,
    ),
    Breakage(
        "a cut-off that is reached exactly asks for one fit more",
        "evaluation",
        "return ceil(cutoff * n_runs - _ROUNDING)",
        "return ceil(cutoff * n_runs + _ROUNDING)",
        EVALUATION,
    ),
    Breakage(
        "stable features are listed from the least certain on",
        "evaluation",
        'often = np.argsort(-counts[:, j], kind="stable")',
        'often = np.argsort(counts[:, j], kind="stable")',
        EVALUATION,
    ),
    Breakage(
        "a class called NA is read back as a missing value",
        "evaluation",
        "keep_default_na=False,",
        "keep_default_na=True,",
        EVALUATION,
    ),
    Breakage(
        "every repeat splits the samples alike",
        "evaluation",
        "splits = outer_folds(labels, cv, seed + repeat, batch)",
        "splits = outer_folds(labels, cv, seed, batch)",
        EVALUATION,
    ),
    Breakage(
        "shrunken centroids divide the spread by all samples",
        "evaluation/peers",
        ".sum(axis=0) / (n_samples - n_classes))",
        ".sum(axis=0) / n_samples)",
        EVALUATION,
    ),
    Breakage(
        "the L1 path standardises by n - 1 instead of n",
        "evaluation/peers",
        "spread = np.sqrt((columns**2).mean(axis=1))",
        "spread = np.sqrt((columns**2).sum(axis=1) / (columns.shape[1] - 1))",
        EVALUATION,
    ),
    Breakage(
        "of thresholds as good the one with the fewest features is taken",
        "evaluation/peers",
        '[0 if self.ties == "most" else -1]',
        '[-1 if self.ties == "most" else 0]',
        EVALUATION,
    ),
    # ------------------------------------------------------------------ tables
    Breakage(
        "half of a limit is taken of upper limits too",
        "tables",
        'return limit / 2 if self.limits == "half" and sign in _LOWER else limit',
        'return limit / 2 if self.limits == "half" else limit',
        TABLES,
    ),
    Breakage(
        "classes with one sample are not refused",
        "tables",
        "single = [repr(label) for label, n in counts.items() if n == 1]",
        "single = [repr(label) for label, n in counts.items() if n < 1]",
        TABLES,
    ),
    Breakage(
        "raw intensities with a zero are taken for logarithms",
        "tables",
        "if finite.size == 0 or finite.min() < 0:",
        "if finite.size == 0 or finite.min() <= 0:",
        TABLES,
    ),
    Breakage(
        "codes of a CLS file are named in alphabetical order",
        "tables",
        "name_of = dict(zip(order, names, strict=False))",
        "name_of = dict(zip(sorted(order), names, strict=False))",
        TABLES,
    ),
    Breakage(
        "labels that differ in case only are not noticed",
        "tables",
        'unicodedata.normalize("NFKC", label).casefold().split()',
        'unicodedata.normalize("NFKC", label).split()',
        TABLES,
    ),
    Breakage(
        "numbers that count the rows are taken for a feature",
        "tables",
        "return len(values) >= _FEW and bool((np.diff(values) == 1).all())",
        "return len(values) >= _FEW and bool((np.diff(values) == 0).all())",
        TABLES,
    ),
    # ------------------------------------------------------------------ datasets
    Breakage(
        "simulated classes spread as the others should",
        "datasets",
        "np.where(diagonal, sigma[0], sigma[1])",
        "np.where(diagonal, sigma[1], sigma[0])",
        DATASETS,
    ),
    Breakage(
        "a downloaded package is not checked against its hash",
        "datasets",
        "if found != package.sha256:",
        "if found == package.sha256[:-1]:",
        DATASETS,
    ),
    Breakage(
        "a damaged file in the cache is taken for whole",
        "datasets",
        "return path.is_file() and _sha256(path) == sha256",
        "return path.is_file()",
        DATASETS,
    ),
    Breakage(
        "cells without a subtype become a class",
        "datasets",
        "return SetContents(table[labelled], labels[labelled], genes)",
        "return SetContents(table, labels, genes)",
        DATASETS,
    ),
    Breakage(
        "genes and cell types called NA are taken for missing",
        "datasets",
        "table = pd.read_csv(values, index_col=0, na_filter=False)",
        "table = pd.read_csv(values, index_col=0)",
        DATASETS,
    ),
    # ------------------------------------------------------------------ models
    Breakage(
        "quotes within the name of a class are not doubled",
        "models",
        "return _QUOTE + label.replace(_QUOTE, 2 * _QUOTE) + _QUOTE",
        "return _QUOTE + label + _QUOTE",
        MODELS,
    ),
    Breakage(
        "Euclidean distances shrink with the features that a sample lacks",
        "models",
        "squared[some, j] = means if classifier._is_divided() else means * features.size",
        "squared[some, j] = means if classifier._is_divided() else means * counts[some]",
        MODELS,
    ),
    Breakage(
        "incomplete samples get the least likely label",
        "models",
        "labels[rows] = self.classes[np.argmax(found.scores, axis=1)]",
        "labels[rows] = self.classes[np.argmin(found.scores, axis=1)]",
        MODELS,
    ),
    Breakage(
        "minus zero makes another sample of a training row",
        "models",
        'np.ascontiguousarray(rounded + 0.0, dtype="<f8")',
        'np.ascontiguousarray(rounded, dtype="<f8")',
        MODELS,
    ),
    # ------------------------------------------------------------------ markers
    Breakage(
        "the mean of the other groups is divided by all cells",
        "markers",
        "/ (counts.sum() - counts)[:, None]",
        "/ counts.sum()",
        MARKERS,
    ),
    Breakage(
        "genes are listed from the smallest margin on",
        "markers",
        'np.argsort(-self.margin[own], kind="stable")',
        'np.argsort(self.margin[own], kind="stable")',
        MARKERS,
    ),
    Breakage(
        "rows of later chunks of a file are taken from the first",
        "markers",
        "here = wanted[first:last] - start",
        "here = np.arange(last - first)",
        MARKERS,
    ),
    Breakage(
        "a marker by its absence counts as one by its presence",
        "markers",
        "difference[own] = self.means[at, own] - self.rest[at, own]",
        "difference[own] = np.abs(self.means[at, own] - self.rest[at, own])",
        MARKERS,
    ),
    Breakage(
        "logarithms to another base are taken for natural ones",
        "markers",
        "return float(np.e if base is None else base)",
        "return float(np.e)",
        MARKERS,
    ),
    Breakage(
        "columns of an earlier call stay behind",
        "markers",
        "kept = var.drop(columns=",
        "kept = var.drop(index=",
        MARKERS,
    ),
    # ------------------------------------------------------------------ plots
    Breakage(
        "cells of a matrix are written with rows and columns swapped",
        "plots",
        "ax.text(j, i, text,",
        "ax.text(i, j, text,",
        PLOTS,
    ),
    Breakage(
        "error bars have their sides swapped",
        "plots",
        'sides = [part["error"] - part["low"], part["high"] - part["error"]]',
        'sides = [part["high"] - part["error"], part["error"] - part["low"]]',
        PLOTS,
    ),
    Breakage(
        "dollars in names are drawn as formulas",
        "plots",
        'return text.replace("$", r"\\$")',
        "return text",
        PLOTS,
    ),
    # ------------------------------------------------------------------ report
    Breakage(
        "the curve is drawn for the more frequent class",
        "report",
        "positive = int(counts[1] <= counts[0])",
        "positive = int(counts[1] > counts[0])",
        REPORT,
    ),
    Breakage(
        "an error on training samples gets an interval as if they were new",
        "report",
        "low, high = error_interval(error, len(labels)) if not seen.any() else (error, error)",
        "low, high = error_interval(error, len(labels))",
        REPORT,
    ),
    Breakage(
        "names go into the page without being escaped",
        "report",
        "autoescape=True,",
        "autoescape=False,",
        REPORT,
    ),
    Breakage(
        "an error is compared with that of guessing the rarest class",
        "report",
        "least = 1.0 - float(shares.iloc[0])",
        "least = 1.0 - float(shares.iloc[-1])",
        REPORT,
    ),
    # ------------------------------------------------------------------ cli
    Breakage(
        "infinity is printed into JSON as it is",
        "exports",
        "return value if math.isfinite(value) else None",
        "return value",
        CLI,
    ),
    Breakage(
        "errors among new samples are counted among the known ones",
        "cli",
        "self.wrong_of_new += int(wrong[~seen].sum())",
        "self.wrong_of_new += int(wrong[seen].sum())",
        CLI,
    ),
    Breakage(
        "a command may overwrite the table that it reads",
        "cli",
        "if path.exists() and given.exists() and path.samefile(given):",
        "if path == given.parent:",
        CLI,
    ),
    Breakage(
        "a decimal comma divides the list of missing values",
        "tables",
        "return [cell.strip() for cell in _LISTED_CELL.findall(given) if cell.strip()]",
        'return [cell.strip() for cell in given.split(",") if cell.strip()]',
        CLI,
    ),
    Breakage(
        "marks that turn the direction of writing reach the terminal",
        "_literal.py",
        'frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})',
        'frozenset({"Cc", "Cs", "Zl", "Zp"})',
        CLI,
    ),
    Breakage(
        "an explanation begins with the least likely class",
        "cli",
        "key=lambda name: sign * prediction[",
        "key=lambda name: -sign * prediction[",
        CLI,
    ),
    Breakage(
        "every block of a table that is written begins with the header",
        "exports",
        "csv_text(block, file, header=at == 0, separator=separator)",
        "csv_text(block, file, header=True, separator=separator)",
        CLI,
    ),
    Breakage(
        "text that begins like a formula becomes one in Excel",
        "exports",
        'cell.data_type = "s"',
        'cell.data_type = "f" if text.startswith("=") else "s"',
        CLI,
    ),
]
