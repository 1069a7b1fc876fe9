import re
from pathlib import Path

import pytest

import disjoint_centroids
from disjoint_centroids._spoken import PARAMETERS
from disjoint_centroids.cli import app
from disjoint_centroids.cli.translation import _OTHER_NAMES, in_options


@pytest.mark.parametrize(
    ("library", "command"),
    [
        ("leave out: drop=['g1', 'my site']", "leave out: --drop g1 --drop 'my site'"),
        ("leave out: drop=['g1', …]", "leave out: --drop g1 …"),
        ("a column that is not one (drop=[NAME]).", "a column that is not one (--drop NAME)."),
        ("give na_values=['failed', 'Q S'] impute='median'.", "give --na-values 'failed,Q S' --impute median."),
        ('give na_values=["it\'s"].', "give --na-values 'it'\"'\"'s'."),
        (
            "merge_labels=True (the commonest stays), merge_labels=False.",
            "--merge-labels (the commonest stays), --no-merge-labels.",
        ),
        ("Then give features_in_rows=True target='class'", "Then give --features-in-rows --target class"),
        ("nothing called 'x', which sample_id= names.", "nothing called 'x', which --id names."),
        ("max_features_per_class=10 is less", "--max-features-per-class 10 is less"),
        ("skip_rows=3 passes over all of it", "--skip-rows 3 passes over all of it"),
        ("Ask for it with methods=['Panel', 'NC'].", "Ask for it with --methods Panel,NC."),
        ("on disk: open_parts reads Parquet", "on disk: --engine dask reads Parquet"),
        (
            "the column 'drop=True' holds the model's 'target= x'",
            "the column 'drop=True' holds the model's 'target= x'",
        ),
        ("parts/target=3/x.csv: cannot be read", "parts/target=3/x.csv: cannot be read"),
        (
            "the other classes' means; rule='1se' as the classes' do",
            "the other classes' means; --rule 1se as the classes' do",
        ),
    ],
)
def test_parameters_become_options_and_names_stay(library, command):
    assert in_options(library) == command


def test_every_option_that_is_written_exists():
    from typer.main import get_command

    group = get_command(app)
    commands = [*group.commands.values(), *group.commands["data"].commands.values()]
    known = {option for command in commands for one in command.params for option in (*one.opts, *one.secondary_opts)}
    for name in PARAMETERS.split("|"):
        assert _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}") in known, name


def test_no_message_of_the_library_names_an_option():
    """But for commands of other programs, for ``ndc`` itself, and for the app, which shows its command."""
    package = Path(disjoint_centroids.__file__).parent
    for file in package.rglob("*.py"):
        if file.relative_to(package).parts[0] in ("app", "cli", "datasets"):
            continue
        found = re.findall(r"(?<![\w(-])--[a-z][a-z-]+", file.read_text(encoding="utf-8"))
        assert not found, (file, found)
