"""Options of a method, the same for every command that fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from disjoint_centroids.cli import options, panel_options
from disjoint_centroids.cli.options import Rule
from disjoint_centroids.cli.output import remark, warnings_as_remarks
from disjoint_centroids.evaluation.method_settings import PAPERS, MethodSettings, NamedTable, is_given

if TYPE_CHECKING:
    from disjoint_centroids.base import PartitionedClassifier


@dataclass(frozen=True, slots=True)
class MethodOptions(MethodSettings):
    """Settings of a method as options."""

    method: options.MethodOption = None
    rule: options.RuleOption = Rule.min
    rounds: panel_options.Rounds = None
    terms: panel_options.TermsOption = None
    reads: panel_options.ReadsOption = None
    regression: panel_options.RegressionOption = None
    penalty: panel_options.Penalty = None
    priors: panel_options.PriorsOption = None
    max_features_per_class: panel_options.MaxFeaturesPerClass = None
    max_features: panel_options.MaxFeatures = None
    costs: panel_options.Costs = None
    budget: panel_options.Budget = None
    require: panel_options.Require = None
    exclude: panel_options.Exclude = None
    exclude_file: panel_options.ExcludeFile = None
    allow: panel_options.Allow = None
    allow_file: panel_options.AllowFile = None
    direction: panel_options.DirectionOption = None
    detection: panel_options.Detection = None
    min_features_per_class: panel_options.MinFeaturesPerClass = None
    extend: panel_options.Extend = None
    to: panel_options.To = None
    lam: options.Lam = None
    restarts: options.OwnRestarts = None
    refine: options.Refine = False

    def check_fits_batches(self, batch: str | None) -> None:
        """Refuse batches for a method that cannot use them."""
        if batch is not None and self.chosen != "panel":
            raise ValueError(f"--batch is for panels, and this is {self.chosen.upper()}: leave one of them out.")

    def build(self, table: NamedTable, *, seed: int, verbose: bool) -> PartitionedClassifier:
        """Build the classifier that the options ask for, not yet fitted."""
        if self.method is None and self.chosen != "panel":
            option = next(name for name in PAPERS if is_given(getattr(self, name)))
            remark(f"--{option} is an option of the paper's classifiers: this is {self.chosen.upper()}.")
        with warnings_as_remarks():
            return MethodSettings.build(self, table, seed=seed, verbose=verbose)
