"""Settings of a method, and the classifier built from them: the same for every command that fits, and for the app."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from disjoint_centroids._spoken import SpokenParameter, replaced_parameters
from disjoint_centroids.evaluation.feature_lists import FeatureList
from disjoint_centroids.evaluation.panel_design import Listed, PanelDesign

if TYPE_CHECKING:
    from disjoint_centroids.base import PartitionedClassifier

ALL_FEATURES = "none"
"""Value of ``lam`` that uses every feature."""

PAPERS = ("lam", "restarts", "refine")
"""Settings of the paper's classifiers."""


class NamedTable(Protocol):
    """Names of features and labels of samples, which classifiers are built for."""

    @property
    def names(self) -> Any:
        """Names of the features."""

    @property
    def labels(self) -> Any:
        """Labels of the samples."""


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """Settings of every fit: the classifier and its parameters. None: not given.

    Settings of another classifier than the one that was asked for are refused at once. The fields are those of
    ``ndc fit`` (see its help), with underscores.

    Examples
    --------
    >>> from disjoint_centroids.evaluation.method_settings import MethodSettings
    >>> MethodSettings(lam="0.5").chosen
    'ndc-s'
    >>> MethodSettings(max_features_per_class=5).settings()
    {'method': 'panel', 'rule': 'min', 'max_features_per_class': 5}
    """

    method: str | None = None
    rule: str = "min"
    rounds: int | None = None
    terms: str | None = None
    reads: str | None = None
    regression: str | None = None
    penalty: float | None = None
    priors: str | None = None
    max_features_per_class: int | None = None
    max_features: int | None = None
    costs: Path | None = None
    budget: float | None = None
    require: list[str] | None = None
    exclude: list[str] | None = None
    exclude_file: Path | None = None
    allow: list[str] | None = None
    allow_file: Path | None = None
    direction: str | None = None
    detection: tuple[float, float] | None = None
    min_features_per_class: int | None = None
    extend: Path | None = None
    to: int | None = None
    lam: str | None = None
    restarts: int | None = None
    refine: bool = False

    def __post_init__(self) -> None:
        given = [field.name for field in fields(self) if is_given(getattr(self, field.name))]
        papers = [name for name in given if name in PAPERS]
        panels = [name for name in given if name not in (*PAPERS, "method", "rule")]
        if papers and panels and self.method is None:
            raise ValueError(
                f"{_named(panels[0])} is for panels and {_named(papers[0])} for the paper's classifiers: "
                "leave one of them out."
            )
        if papers and self.method == "panel":
            raise ValueError(f"panels have no {_named(papers[0])}: leave it out, or give method='ndc-s'.")
        if panels and self.method in {"ndc", "ndc-s"}:
            raise ValueError(f"{_named(panels[0])} is for panels: leave it out, or give method='panel'.")
        _check_costs_and_budget(self.costs, self.budget)
        _check_extension(self)
        if self.penalty is not None and not self.penalty > 0:
            raise ValueError(f"penalty= must be positive; got {self.penalty:g}.")
        if self.detection is not None:
            low, high = self.detection  # a list, if it comes from JSON
            object.__setattr__(self, "detection", (low, high))
        self._check_lam()

    @property
    def chosen(self) -> str:
        """Method asked for; if none was, the one whose settings were given."""
        if self.method is not None:
            return self.method
        if self.lam is None and self.restarts is None and not self.refine:
            return "panel"
        return "ndc" if self.lam is not None and self._parsed_lam() is None else "ndc-s"

    @property
    def files(self) -> list[Path | None]:
        """The files that options name."""
        return [self.costs, self.exclude_file, self.allow_file, self.extend]

    def given(self) -> dict[str, Any]:
        """Settings that differ from the defaults, by name."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    def check_fits_in_blocks(self) -> None:
        """Refuse options that need the table in memory."""
        if self.refine:
            raise ValueError("refine=True needs the table in memory: leave it out, or read the table into memory.")

    def settings(self) -> dict[str, Any]:
        """The given options as plain values, to be kept with the model."""
        given = {field.name: getattr(self, field.name) for field in fields(self)} | {"method": self.chosen}
        return {name: _plain(value) for name, value in given.items() if is_given(value)}

    def build(self, table: NamedTable, *, seed: int, verbose: bool) -> PartitionedClassifier:
        """Build the classifier that the settings ask for, not yet fitted."""
        import numpy as np

        from disjoint_centroids.evaluation.methods import OURS, RESTARTS, TrainingPart, build_method

        part = TrainingPart(
            np.asarray(table.labels), seed=seed, n_init=RESTARTS if self.restarts is None else self.restarts
        )
        return build_method(OURS[self.chosen], part, verbose=int(verbose), **self.parameters(table))

    def named(self, message: str) -> str:
        """Write the parameters of the classifier in a message as the settings that they come from.

        Examples
        --------
        >>> from pathlib import Path
        >>> from disjoint_centroids.evaluation.method_settings import MethodSettings
        >>> MethodSettings(extend=Path("list.csv"), to=40).named("Raise max_features=, or leave out forced=.")
        'Raise to=, or leave out extend=.'
        """
        names = {} if self.extend is None else {"max_features": "to", "forced": "extend"}
        for parameter, name in (("allowed", "allow"), ("excluded", "exclude")):
            if getattr(self, f"{name}_file") is not None and not getattr(self, name):
                names[parameter] = f"{name}_file"

        def write(spoken: SpokenParameter) -> str:
            begin, end = spoken.span
            return names.get(spoken.name, spoken.name) + message[begin + len(spoken.name) : end]

        return replaced_parameters(message, write)

    @contextmanager
    def as_named(self) -> Iterator[None]:
        """Name settings in the warnings and errors of a fit, where the classifier names its parameters."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                yield
            except ValueError as error:
                if type(error) is not ValueError:
                    raise
                raise ValueError(self.named(str(error))) from error
        for one in said:
            warnings.warn(self.named(str(one.message)), one.category, stacklevel=2)

    def warn_if_short(self, model: Any) -> None:
        """Warn if an extended list has fewer features than were asked for."""
        from disjoint_centroids.panels.chosen import rounds_choice

        if self.to is not None and int(model.get_support().sum()) < self.to:
            warnings.warn(f"{rounds_choice(model).sentence}.", stacklevel=2)

    def parameters(self, table: NamedTable, *, by_position: bool = False) -> dict[str, Any]:
        """Parameters of the classifier that the settings ask for.

        ``by_position``: features by their places in the table, for fits on arrays, which have no names.
        """
        if self.chosen == "ndc":
            return {"refine": self.refine}
        if self.chosen == "ndc-s":
            return {"lam": self._parsed_lam(), "rule": str(self.rule), "refine": self.refine}
        from disjoint_centroids.tables import Parts

        kept = None if self.extend is None else FeatureList.read(self.extend, table.names)
        design = PanelDesign.read(
            table.names,
            table.labels,
            costs=self.costs,
            require=self.require,
            exclude=Listed(self.exclude, self.exclude_file),
            allow=Listed(self.allow, self.allow_file),
            extend=kept,
        )
        if by_position or isinstance(table, Parts):
            design = design.by_position(table.names)
        rounds = self.rounds
        if kept is not None and self.to is not None:
            if len(kept.names) > self.to:
                raise ValueError(
                    f"{kept.source} has {len(kept.names)} names already, more than to={self.to}. Raise it."
                )
            rounds = max(self.to - len(kept.names), 1)  # by then the bound is reached, whoever picks
        return {
            "rounds": "auto" if rounds is None else rounds,
            "terms": str(self.terms or "auto"),
            "reads": str(self.reads or "auto"),
            "regression": str(self.regression or "auto"),
            "penalty": "auto" if self.penalty is None else self.penalty,
            "priors": "empirical" if self.priors == "empirical" else None,
            "max_features_per_class": self.max_features_per_class,
            "max_features": self.max_features if self.to is None else self.to,
            "feature_costs": design.costs,
            "budget": self.budget,
            "forced": design.required,
            "excluded": design.excluded,
            "allowed": design.allowed,
            "min_features_per_class": self.min_features_per_class,
            "direction": str(self.direction or "any"),
            "detection": self.detection,
            "rule": str(self.rule),
        }

    def _check_lam(self) -> None:
        value = self._parsed_lam()
        if self.method == "ndc" and value is not None:
            raise ValueError(f"NDC uses every feature and has no lambda; for lam={self.lam} give method='ndc-s'.")
        if self.method == "ndc-s" and self.lam is not None and value is None:
            raise ValueError("lam='none' uses every feature, which NDC does: give method='ndc'.")

    def _parsed_lam(self) -> float | None:
        """Parse ``lam``: a number, or None for every feature or if it was not given."""
        if self.lam is None or self.lam.lower() == ALL_FEATURES:
            return None
        try:
            value = float(self.lam)
        except ValueError:
            raise ValueError(f"lam= takes a positive number or 'none'; got {self.lam!r}.") from None
        if not value > 0:
            raise ValueError(f"lam= must be positive; got {self.lam}.")
        return value


def is_given(value: Any) -> bool:
    """True for a setting that asks for something."""
    return value is not None and value is not False and value != []


def _plain(value: Any) -> Any:
    """Setting as JSON can hold it."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str | Path) else value


def _named(name: str) -> str:
    """Name of a setting in a message."""
    return f"{name}="


def _check_extension(settings: MethodSettings) -> None:
    """Refuse a list to extend without a size, a size without a list, and what contradicts them."""
    if settings.extend is None and settings.to is None:
        return
    if settings.extend is None:
        raise ValueError(f"to={settings.to} needs extend=, a file with the list to extend. Or give max_features=.")
    if settings.to is None:
        raise ValueError(f"extend={str(settings.extend)!r} needs to=, the number of features in all.")
    for name in ("rounds", "max_features", "require"):
        if is_given(getattr(settings, name)):
            raise ValueError(f"extend= and to= say what {name}= does: leave it out.")


def _check_costs_and_budget(costs: Path | None, budget: float | None) -> None:
    """Refuse costs without a budget, which would change nothing, and a budget without costs."""
    if budget is not None and costs is None:
        raise ValueError(
            f"budget={budget:g} needs costs=, a CSV file that says what each feature costs. To bound the number of "
            "features instead, give max_features=."
        )
    if costs is not None and budget is None:
        raise ValueError(f"costs={str(costs)!r} changes nothing without a budget=: give both, or neither.")
