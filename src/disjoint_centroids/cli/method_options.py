"""Options of a method, and the classifier built from them; the same for every command that fits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from disjoint_centroids.cli import options
from disjoint_centroids.cli.options import Method, Rule
from disjoint_centroids.cli.output import remark
from disjoint_centroids.cli.panel_design import PanelDesign

if TYPE_CHECKING:
    from disjoint_centroids.base import PartitionedClassifier

ALL_FEATURES = "none"
"""Value of ``--lam`` that uses every feature."""

_PAPERS = ("lam", "restarts", "refine")


class NamedTable(Protocol):
    """Names of features and labels of samples, which classifiers are built for."""

    @property
    def names(self) -> Any:
        """Names of the features."""

    @property
    def labels(self) -> Any:
        """Labels of the samples."""


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Options of every command that fits: the classifier and its parameters. None: not given.

    Options of another classifier than the one that was asked for are refused at once.
    """

    method: options.MethodOption = None
    rule: options.RuleOption = Rule.min
    rounds: options.Rounds = None
    terms: options.TermsOption = None
    reads: options.ReadsOption = None
    regression: options.RegressionOption = None
    max_features_per_class: options.MaxFeaturesPerClass = None
    max_features: options.MaxFeatures = None
    costs: options.Costs = None
    budget: options.Budget = None
    require: options.Require = None
    exclude: options.Exclude = None
    exclude_file: options.ExcludeFile = None
    lam: options.Lam = None
    restarts: options.OwnRestarts = None
    refine: options.Refine = False

    def __post_init__(self) -> None:
        given = [field.name for field in fields(self) if _is_given(getattr(self, field.name))]
        papers = [name for name in given if name in _PAPERS]
        panels = [name for name in given if name not in (*_PAPERS, "method", "rule")]
        if papers and panels and self.method is None:
            raise ValueError(
                f"{_option(panels[0])} is for panels and {_option(papers[0])} for the paper's classifiers: "
                "leave one of them out."
            )
        if papers and self.method is Method.panel:
            raise ValueError(f"panels have no {_option(papers[0])}: leave it out, or give --method ndc-s.")
        if panels and self.method in {Method.ndc, Method.ndc_s}:
            raise ValueError(f"{_option(panels[0])} is for panels: leave it out, or give --method panel.")
        _refuse_half_a_price(self.costs, self.budget)
        self._refuse_lam()

    @property
    def chosen(self) -> Method:
        """The method asked for; if none was, the one whose options were given."""
        if self.method is not None:
            return self.method
        if self.lam is None and self.restarts is None and not self.refine:
            return Method.panel
        return Method.ndc if self.lam is not None and self._parsed_lam() is None else Method.ndc_s

    @property
    def files(self) -> list[Path | None]:
        """The files that options name."""
        return [self.costs, self.exclude_file]

    def refuse_in_blocks(self) -> None:
        """Refuse options that need the table in memory."""
        if self.refine:
            raise ValueError("--refine needs the table in memory: leave it out, or leave out --engine dask.")

    def settings(self) -> dict[str, Any]:
        """The given options as plain values, to be kept with the model."""
        given = {field.name: getattr(self, field.name) for field in fields(self)} | {"method": self.chosen}
        return {
            name: str(value) if isinstance(value, str | Path) else value
            for name, value in given.items()
            if _is_given(value)
        }

    def build(self, table: NamedTable, *, seed: int, verbose: bool) -> PartitionedClassifier:
        """Build the classifier that the options ask for, not yet fitted."""
        import numpy as np

        from disjoint_centroids.evaluation.methods import OURS, RESTARTS, TrainingPart, build_method

        if self.method is None and self.chosen is not Method.panel:
            option = next(name for name in _PAPERS if _is_given(getattr(self, name)))
            remark(f"{_option(option)} is an option of the paper's classifiers: this is {self.chosen.upper()}.")
        part = TrainingPart(
            np.asarray(table.labels), seed=seed, n_init=RESTARTS if self.restarts is None else self.restarts
        )
        return build_method(OURS[self.chosen], part, verbose=int(verbose), **self._parameters(table))

    def _parameters(self, table: NamedTable) -> dict[str, Any]:
        """Parameters of the classifier that the options ask for."""
        if self.chosen is Method.ndc:
            return {"refine": self.refine}
        if self.chosen is Method.ndc_s:
            return {"lam": self._parsed_lam(), "rule": self.rule.value, "refine": self.refine}
        from disjoint_centroids.tables import Parts

        design = PanelDesign.read(table.names, table.labels, self.costs, self.require, self.exclude, self.exclude_file)
        if isinstance(table, Parts):
            design = design.by_position(table.names)  # blocks of rows are arrays, which have no names
        return {
            "rounds": "auto" if self.rounds is None else self.rounds,
            "terms": "auto" if self.terms is None else self.terms.value,
            "reads": "auto" if self.reads is None else self.reads.value,
            "regression": "auto" if self.regression is None else self.regression.value,
            "max_features_per_class": self.max_features_per_class,
            "max_features": self.max_features,
            "feature_costs": design.costs,
            "budget": self.budget,
            "forced": design.required,
            "excluded": design.excluded,
            "rule": self.rule.value,
        }

    def _refuse_lam(self) -> None:
        value = self._parsed_lam()
        if self.method is Method.ndc and value is not None:
            raise ValueError(f"NDC uses every feature and has no lambda; for --lam {self.lam} give --method ndc-s.")
        if self.method is Method.ndc_s and self.lam is not None and value is None:
            raise ValueError("--lam none uses every feature, which NDC does: give --method ndc.")

    def _parsed_lam(self) -> float | None:
        """Parse ``--lam``: a number, or None for every feature or if it was not given."""
        if self.lam is None or self.lam.lower() == ALL_FEATURES:
            return None
        try:
            value = float(self.lam)
        except ValueError:
            raise ValueError(f"--lam takes a positive number or 'none'; got {self.lam!r}.") from None
        if not value > 0:
            raise ValueError(f"--lam must be positive; got {self.lam}.")
        return value


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value != []


def _option(name: str) -> str:
    """Name of a field as an option."""
    return f"--{name.replace('_', '-')}"


def _refuse_half_a_price(costs: Path | None, budget: float | None) -> None:
    """Refuse costs without a budget, which would change nothing, and a budget without costs."""
    if budget is not None and costs is None:
        raise ValueError(
            f"--budget {budget:g} needs --costs, a CSV file that says what each feature costs. To bound the number of "
            "features instead, give --max-features."
        )
    if costs is not None and budget is None:
        raise ValueError(f"--costs {costs} changes nothing without a --budget: give both, or neither.")
