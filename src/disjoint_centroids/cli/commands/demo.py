"""``ndc demo``: fit, features and report on a small simulated table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disjoint_centroids._spoken import spoken_in_summary
from disjoint_centroids.cli import options
from disjoint_centroids.cli.app import refusing
from disjoint_centroids.cli.files import Outputs
from disjoint_centroids.cli.method_options import MethodOptions
from disjoint_centroids.cli.output import say, show_json, warnings_as_remarks
from disjoint_centroids.cli.owners import show_owners, summary
from disjoint_centroids.cli.pictures import displays, save
from disjoint_centroids.cli.translation import in_options

SEED = 0
SETTINGS = {"command": "ndc demo"}


@refusing
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write into.")] = Path("demo-output"),
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Try it on a small built-in table: fit, show the features of each class, write a report.

    Files of an earlier demo are replaced, others only with --force.

    Example: ndc demo
    """
    from disjoint_centroids.datasets.examples import block_example
    from disjoint_centroids.models.model_file import save_model
    from disjoint_centroids.pipeline import model_pipeline
    from disjoint_centroids.report import render, summarize

    output.mkdir(parents=True, exist_ok=True)
    written = [output / name for name in ("blocks.csv", "blocks.ndc", "blocks.png", "report.html")]
    csv, model_file, picture, page = written
    outputs = Outputs(force=force or is_of_demo(model_file))
    for path in written:
        outputs.claim(path)
    table = block_example(SEED)
    values = table.values
    outputs.write(csv, lambda part: values.assign(label=table.labels).to_csv(part, index_label="sample"))
    with warnings_as_remarks():
        classifier = MethodOptions().build(table, seed=SEED, verbose=not as_json)
        model = model_pipeline(classifier, transform="standardize").fit(table.values, table.labels)
        outputs.attempt(model_file, lambda: save_model(model, model_file, table=table, settings=SETTINGS, force=True))
        found = summarize(
            table,
            transform="standardize",
            methods=("NDC-S", "NC", "NSC"),
            repeats=2,
            n_init=20,
            random_state=SEED,
            command="ndc demo",
            verbose=int(not as_json),
        )
    display = displays().PartitionDisplay.from_estimator(model, values, table.labels)
    display.ax_.set_title("Simulated blocks: every class stands out on the features it owns")
    save(display, picture, outputs)
    outputs.write(page, lambda part: part.write_text(render(spoken_in_summary(found, in_options)), encoding="utf-8"))
    if as_json:
        files = {"report": page, "model": model_file, "table": csv}
        show_json(summary(model[-1]) | {what: outputs.saved(path) for what, path in files.items()})
        outputs.finish()
        return
    show_owners(model[-1])
    outputs.finish()
    say(f"The table and the model: {csv}, {model_file}  (try: ndc predict {model_file} {csv} --confidence 0.9)")
    say(f"The report, open it in a browser: {page}")


def is_of_demo(path: Path) -> bool:
    """True if a file is the model of an earlier demo: then the files beside it are that demo's too."""
    from disjoint_centroids.models.model_file import load_model

    try:
        return load_model(path).settings == SETTINGS
    except (OSError, ValueError):
        return False
