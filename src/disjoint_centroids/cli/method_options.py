"""Options of a method, the same for every command that fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from disjoint_centroids.cli import options
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
    allow: options.Allow = None
    allow_file: options.AllowFile = None
    direction: options.DirectionOption = None
    detection: options.Detection = None
    min_features_per_class: options.MinFeaturesPerClass = None
    extend: options.Extend = None
    to: options.To = None
    lam: options.Lam = None
    restarts: options.OwnRestarts = None
    refine: options.Refine = False

    def build(self, table: NamedTable, *, seed: int, verbose: bool) -> PartitionedClassifier:
        """Build the classifier that the options ask for, not yet fitted."""
        if self.method is None and self.chosen != "panel":
            option = next(name for name in PAPERS if is_given(getattr(self, name)))
            remark(f"--{option} is an option of the paper's classifiers: this is {self.chosen.upper()}.")
        with warnings_as_remarks():
            return MethodSettings.build(self, table, seed=seed, verbose=verbose)
