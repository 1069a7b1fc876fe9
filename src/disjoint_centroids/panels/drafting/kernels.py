"""Gains of all features and the best of them for every class, compiled by numba."""

from __future__ import annotations

import numpy as np

from disjoint_centroids.numerics.compiled import compiled

_NO_GAIN = 1e-6  # unit of preference where nothing gains anything


@compiled
def linear_gains(linear, divisors, preferred, free, gains):
    """Gains of linear columns: the squared product over its divisor.

    linear : (n_classes, n_features) products of z with what the regression leaves
    divisors : (n_features,) variance plus penalty
    preferred : share by which a gain counts more where the feature is high in the class
    free : (n_features,) False for features that are taken or not allowed
    gains : (n_classes, n_features) written; zero for features that are not free
    """
    for j in range(linear.shape[0]):
        for f in range(linear.shape[1]):
            gain = 0.0
            if free[f]:
                gain = linear[j, f] * linear[j, f] / divisors[f]
                if linear[j, f] > 0.0:
                    gain *= 1.0 + preferred
            gains[j, f] = gain


@compiled
def squared_gains(linear, squared, centroids, scales, divisors, free, gains):
    """Raise gains to those of the squared gaps, which count only with a negative coefficient.

    linear, squared : (n_classes, n_features) products of z, and of z² less its mean, with what the regression leaves
    centroids : (n_classes, n_features) class means of z
    scales, divisors : (n_classes, n_features) scale of the squared gaps; their variance plus penalty
    free : (n_features,) False for features that are taken or not allowed
    gains : (n_classes, n_features) changed: the larger of two gains stays
    """
    for j in range(linear.shape[0]):
        for f in range(linear.shape[1]):
            if free[f]:
                product = (squared[j, f] - 2.0 * centroids[j, f] * linear[j, f]) / scales[j, f]
                if product < 0.0:
                    gains[j, f] = max(gains[j, f], product * product / divisors[j, f])


@compiled
def in_few_digits(gain, unit, preference, even_none):
    """Round a gain, and order equal gains by preference; with ``even_none`` also gains of zero."""
    rounded = np.rint(gain / unit)
    return unit * (rounded + preference) if rounded > 0.0 or even_none else 0.0


@compiled
def best_features(gains, same, preference, worth_of_unit, is_open, least, takes_any, found):
    """Most worthwhile features of every class.

    gains : (n_classes, n_features) changed: last digits are rounded away, and equal gains ordered by preference;
        negative for a feature that the class may not have
    same : share of the largest gain of a class by which gains may differ and still count as equal
    preference : (n_features,) numbers from 0 to less than 1, which order equal gains
    worth_of_unit : (n_features,) worth of a unit of gain: one over the cost
    is_open : (n_features,) True for features that may be picked now
    least : gains up to this count as none
    takes_any : (n_classes,) True for classes that take even a feature that gains nothing
    found : (n_classes, n_wanted) written: features by decreasing worth, the first of equal ones first; -1 at the end
    """
    n_classes, n_features = gains.shape
    n_wanted = found.shape[1]
    best = np.empty(n_wanted)
    for j in range(n_classes):
        largest = 0.0
        for f in range(n_features):
            largest = max(largest, gains[j, f])
        unit = same * largest if largest > 0.0 else max(least, _NO_GAIN)
        n_found = 0
        for f in range(n_features):
            gain = gains[j, f]
            if gain < 0.0:
                continue
            full = n_found == n_wanted
            # Rounding and preference add less than 1.5 units: most features need neither.
            if full and (gain + 1.5 * unit) * worth_of_unit[f] < best[n_wanted - 1]:
                continue
            gain = in_few_digits(gain, unit, preference[f], takes_any[j])
            gains[j, f] = gain
            if not is_open[f] or not (gain > least or takes_any[j]):
                continue
            worth = gain * worth_of_unit[f]
            if full and worth <= best[n_wanted - 1]:
                continue
            # Insert where it belongs; what falls off the end is forgotten.
            at = n_found if not full else n_wanted - 1
            while at > 0 and best[at - 1] < worth:
                best[at], found[j, at] = best[at - 1], found[j, at - 1]
                at -= 1
            best[at], found[j, at] = worth, f
            n_found = min(n_found + 1, n_wanted)
        for at in range(n_found, n_wanted):
            found[j, at] = -1
