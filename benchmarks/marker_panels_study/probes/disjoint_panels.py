"""Our panels: the lists of ``DisjointPanelClassifier``, and what the model itself predicts for new samples."""

from __future__ import annotations

from collections.abc import Iterator

from probe import Found, Part, run

from disjoint_centroids import DisjointPanelClassifier


def fits(part: Part) -> Iterator[Found]:
    """One fit for every size."""
    for size in part.sizes:
        most = min(size, part.values.shape[1] // part.n_classes)
        model = DisjointPanelClassifier(rounds=most, random_state=part.seed, n_jobs=1, **part.options)
        model.fit(part.values, part.codes)
        lists = [[int(column) for column in panel] for panel in model.feature_sets_]
        yield Found(lists, size, [int(code) for code in model.predict(part.new)])


if __name__ == "__main__":
    run(fits)
