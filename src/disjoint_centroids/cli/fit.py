"""``ndc fit``: a table in, a model file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.output import refuse_existing, say, show, show_json, warnings_as_remarks
from disjoint_centroids.cli.reading import TableOptions, chosen_transform

if TYPE_CHECKING:
    from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
    from disjoint_centroids.datasets import LabelledTable

NAMES_SHOWN = 8
INNER_FOLDS = 5


@refusing
def fit(
    table: options.TableFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path("model.ndc"),
    target: options.Target = None,
    labels: options.Labels = None,
    sample_id: options.SampleId = None,
    features_in_rows: options.FeaturesInRows = False,
    drop: options.Drop = None,
    impute: options.ImputeOption = None,
    transform: options.TransformOption = None,
    lam: Annotated[
        str | None, typer.Option(help="Lambda; 'none' uses every feature. Default: chosen by cross-validation.")
    ] = None,
    rule: Annotated[
        options.Rule, typer.Option(help="Lambda of lowest error, or the fewest features within a standard error of it.")
    ] = options.Rule.min,
    restarts: options.Restarts = 100,
    seed: options.Seed = 0,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit NDC-S to a labelled table, show what each class owns, write the model.

    Example: ndc fit golub.csv --target label --transform log2 -o golub.ndc
    """
    value = parsed_lam(lam)
    refuse_existing(output, force)
    read = TableOptions(target, labels, sample_id, features_in_rows, drop, impute).read(table)
    scale = chosen_transform(transform, read)

    from disjoint_centroids.model_file import save_model
    from disjoint_centroids.pipeline import model_pipeline

    classifier = build(read, value, rule.value, restarts, seed, verbose=not as_json)
    model = model_pipeline(classifier, transform=scale, impute=impute.value if impute else None)
    with warnings_as_remarks():
        model.fit(read.values, read.labels)
    settings = {
        "table": table.name,
        "target": target,
        "transform": scale,
        "impute": impute.value if impute else None,
        "lam": lam or "cross-validation",
        "rule": rule.value,
        "restarts": restarts,
        "seed": seed,
    }
    save_model(model, output, table=read, settings=settings, force=force)
    if as_json:
        show_json(summary(model[-1]) | {"model": str(output)})
    else:
        show_owners(model[-1])
        say(f"The model: {output}  (next: ndc features {output}, ndc predict {output} NEW_TABLE)")


def parsed_lam(lam: str | None) -> float | str | None:
    """A number, None for Algorithm 1, or "cross-validation"."""
    if lam is None:
        return "cross-validation"
    if lam.lower() == "none":
        return None
    try:
        value = float(lam)
    except ValueError:
        raise ValueError(f"--lam takes a positive number or 'none'; got {lam!r}.") from None
    if not value > 0:
        raise ValueError(f"--lam must be positive; got {lam}.")
    return value


def build(
    table: LabelledTable, lam: float | str | None, rule: str, restarts: int, seed: int, *, verbose: bool
) -> NearestDisjointCentroid | NearestDisjointCentroidCV:
    """The classifier that the options ask for; small classes get fewer folds."""
    import numpy as np

    from disjoint_centroids import NearestDisjointCentroid, NearestDisjointCentroidCV
    from disjoint_centroids.peers import inner_splitter

    if isinstance(lam, str):
        folds = inner_splitter(np.asarray(table.labels), INNER_FOLDS, seed)
        return NearestDisjointCentroidCV(cv=folds, rule=rule, n_init=restarts, random_state=seed, verbose=int(verbose))
    return NearestDisjointCentroid(lam=lam, n_init=restarts, random_state=seed)


def summary(model: Any) -> dict[str, Any]:
    """What a fitted classifier owns, as plain values."""
    table = model.feature_table()
    owned = {str(label): list(nearest_first(table, label)) for label in model.classes_}
    answer = {
        "classes": [str(label) for label in model.classes_],
        "features": owned,
        "n_unused": int((table["role"] == "unused").sum()),
        "train_error": float(model.train_error_),
    }
    if hasattr(model, "cv_errors_"):
        at = list(model.lams_).index(model.lam_)
        answer |= {"lam": float(model.lam_), "cv_error": float(model.cv_errors_[at].mean())}
    return answer


def nearest_first(table: Any, label: Any) -> Any:
    """Features that a class owns, those nearest to its centre first."""
    return table[table["owner"] == label].sort_values(f"distance_{label}", kind="stable")["feature"]


def show_owners(model: Any) -> None:
    """Who owns what, and how well it does."""
    answer = summary(model)
    table = Table("class", title="What each class owns (nearest to its centre first)")
    table.add_column("features", justify="right")
    table.add_column("names", overflow="fold")
    for label, names in answer["features"].items():
        more = f", … ({len(names) - NAMES_SHOWN} more)" if len(names) > NAMES_SHOWN else ""
        table.add_row(label, str(len(names)), ", ".join(names[:NAMES_SHOWN]) + more)
    table.add_row("nobody", str(answer["n_unused"]), "", style="dim")
    show(table)
    if "lam" in answer:
        say(
            f"lambda {answer['lam']:.3g}, chosen by cross-validation; error there {answer['cv_error']:.3f}, which is "
            "optimistic because it was chosen (ndc compare gives an honest one)"
        )
    say(f"error on the training samples {answer['train_error']:.3f}")
