"""The command ``ndc``: parse, call, print. The only package of ours that prints. Needs the extra ``cli``."""

from __future__ import annotations

import sys
from importlib.util import find_spec

if find_spec("typer") is None or find_spec("rich") is None:  # pragma: no cover - the library without the extra
    sys.exit("The command ndc needs the extra 'cli': pip install 'disjoint-centroids[cli]'")

from disjoint_centroids.cli.app import app, main
from disjoint_centroids.cli.commands.alternates import alternates
from disjoint_centroids.cli.commands.app import app as app_command
from disjoint_centroids.cli.commands.compare import compare
from disjoint_centroids.cli.commands.data import data_app
from disjoint_centroids.cli.commands.demo import demo
from disjoint_centroids.cli.commands.evaluate import evaluate
from disjoint_centroids.cli.commands.explain import explain
from disjoint_centroids.cli.commands.features import features
from disjoint_centroids.cli.commands.fit import fit
from disjoint_centroids.cli.commands.predict import predict
from disjoint_centroids.cli.commands.report import report
from disjoint_centroids.cli.commands.stability import stability
from disjoint_centroids.cli.commands.sums import sums

for command in (
    demo,
    app_command,
    compare,
    fit,
    sums,
    predict,
    features,
    alternates,
    evaluate,
    explain,
    stability,
    report,
):
    app.command(no_args_is_help=command not in (demo, app_command))(command)
app.add_typer(data_app, name="data")

__all__ = ["app", "main"]
