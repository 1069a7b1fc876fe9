"""Example tables, written as files that the app reads like any other."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = {
    "blocks": ("Simulated blocks", "240 samples, 92 features, 4 classes; each class stands out on features of its own"),
    "wine": ("Wine", "178 wines, 13 measurements, 3 cultivars"),
}


def own_examples() -> list[dict[str, str]]:
    """List the examples of the package."""
    return [{"name": name, "title": title, "about": about} for name, (title, about) in EXAMPLES.items()]


def fetched_examples() -> list[dict[str, str]]:
    """List the sets that were fetched before and are in the cache."""
    from disjoint_centroids.datasets.examples import cached_sets

    return [
        {
            "name": known.name,
            "title": known.name,
            "about": f"{known.n_samples} samples, {known.n_features} genes, {known.n_classes} classes",
        }
        for known in cached_sets()
    ]


def write_example(name: str, folder: Path) -> tuple[Path, str]:
    """Write an example as a CSV file; its path, and the name to show."""
    import pandas as pd

    from disjoint_centroids.datasets import compcancer_sets, fetch_compcancer, fetch_single_cell
    from disjoint_centroids.datasets.examples import block_example, cached_sets, wine_example

    if name in EXAMPLES:
        table = block_example() if name == "blocks" else wine_example()
        frame = table.values.assign(label=table.labels).rename_axis("sample").reset_index()
        shown = table.source
    elif name in {known.name for known in cached_sets()}:
        fetch = fetch_compcancer if name in compcancer_sets() else fetch_single_cell
        bunch = fetch(name, download_if_missing=False)
        frame = pd.DataFrame(bunch.data, columns=bunch.feature_names)
        frame.insert(0, "label", bunch.target)
        shown = f"{name}.csv"
    else:
        raise ValueError(f"There is no example “{name}”.")
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path, shown
