"""Options of panels: their size, their terms, and the rules of laboratories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disjoint_centroids.cli.options import Direction, Priors, Reads, Regression, Terms

_PANEL = "Panels"
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Features that every class picks. Default: 50, unless cross-validation finds another number better by "
        "four standard errors; in a narrow table the number of least loss.",
        rich_help_panel=_PANEL,
    ),
]
TermsOption = Annotated[
    Terms | None,
    typer.Option(
        metavar="KIND",
        help="What the score uses of a feature. linear: whether it is high or low; squared: how close it is to the "
        "mean of the class; both. Default: auto, by cross-validation.",
        rich_help_panel=_PANEL,
    ),
]
ReadsOption = Annotated[
    Reads | None,
    typer.Option(
        metavar="PANELS",
        help="Which features the score of a class uses. all: those that any class picked; own: only those that the "
        "class itself picked, which is easier to explain but less accurate with many classes; auto, the default: all, "
        "or for few classes and features the better of the two in cross-validation.",
        rich_help_panel=_PANEL,
    ),
]
RegressionOption = Annotated[
    Regression | None,
    typer.Option(
        metavar="KIND",
        help="How linear terms are fitted: ridge or logistic. Default: auto, which is ridge, and with 500 samples or "
        "more the one of lower loss in cross-validation.",
        rich_help_panel=_PANEL,
    ),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Penalty of the regression; a larger one makes coefficients smaller. Default: 2 for ridge regression, "
        "unless cross-validation finds a weaker one better.",
        rich_help_panel=_PANEL,
    ),
]
PriorsOption = Annotated[
    Priors | None,
    typer.Option(
        metavar="KIND",
        help="How much each class counts. none: all alike, so that an error in a rare class counts as much as in a "
        "frequent one; empirical: by its share of the samples, for the fewest errors in all. Default: none.",
        rich_help_panel=_PANEL,
    ),
]
MaxFeaturesPerClass = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The most features of a class: the best panel of this size, or of fewer if those are clearly better, or "
        "with --rule 1se.",
        rich_help_panel=_PANEL,
    ),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Upper limit for the features of all classes together.", rich_help_panel=_PANEL
    ),
]
Costs = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The cost of each feature that may be used: CSV or Excel with the columns feature and cost.",
        rich_help_panel=_PANEL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="X",
        help="The total cost allowed for all panels together; needs --costs.",
        rich_help_panel=_PANEL,
    ),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[:CLASS]",
        help="A feature that must be used, by any class or by the class named; repeat the option for more, or separate "
        "them by commas.",
        rich_help_panel=_PANEL,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A feature that must not be used; repeat the option for more, or separate them by commas.",
        rich_help_panel=_PANEL,
    ),
]
ExcludeFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file with the features that must not be used: one name per line, or CSV or Excel with a column "
        "feature.",
        rich_help_panel=_PANEL,
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A feature that may be used, where others may not; repeat the option for more, or separate them by "
        "commas.",
        rich_help_panel=_PANEL,
    ),
]
AllowFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file with the only features that may be used: one name per line, or CSV or Excel with a column "
        "feature.",
        rich_help_panel=_PANEL,
    ),
]
DirectionOption = Annotated[
    Direction | None,
    typer.Option(
        metavar="WAY",
        help="up: a class may own only features that are higher in it than in the others. Default: any.",
        rich_help_panel=_PANEL,
    ),
]
Detection = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="LOW HIGH",
        help="Smallest and largest mean that a feature may have in the class that owns it, in the units of the table "
        "(after --transform; with --batch, of the values as they are); inf for no upper limit.",
        rich_help_panel=_PANEL,
    ),
]
MinFeaturesPerClass = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The fewest features of a class: where rules stand in the way, the fit is refused.",
        rich_help_panel=_PANEL,
    ),
]
Extend = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A list to keep and to extend to the size --to: one name per line, or CSV or Excel with the columns "
        "feature and class.",
        rich_help_panel=_PANEL,
    ),
]
To = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Features in all, those of the list --extend included.", rich_help_panel=_PANEL
    ),
]
