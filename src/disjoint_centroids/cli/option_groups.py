"""Options that several commands share, as dataclasses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

Command = Callable[..., Any]


def with_options(*, without: Collection[str] = (), **groups: type) -> Callable[[Command], Command]:
    """Let parameters of a command be dataclasses, every field of which is an option.

    typer reads one flat signature and knows no groups of options: this decorator makes the flat signature, and the
    dataclasses from what typer has parsed.

    Parameters
    ----------
    without : collection of str, default=()
        Fields that this command has no option for; they keep their defaults.
    **groups : type
        By the names of the parameters, dataclasses whose fields are annotated as typer wants them, with defaults.
    """
    shared = {
        name: {
            field: p for field, p in inspect.signature(kind, eval_str=True).parameters.items() if field not in without
        }
        for name, kind in groups.items()
    }

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters
        options = [p for name, one in own.items() for p in (shared[name].values() if name in shared else [one])]
        flat = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]

        @functools.wraps(command)
        def flattened(**given: Any) -> Any:
            held = {name: kind(**{field: given.pop(field) for field in shared[name]}) for name, kind in groups.items()}
            return command(**held, **given)

        flattened.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
        flattened.__annotations__ = {option.name: option.annotation for option in flat}
        return flattened

    return decorate
