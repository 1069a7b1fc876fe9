"""Options that belong together, given to several commands by one dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, get_type_hints

Command = Callable[..., Any]


def with_options(name: str, kind: type, *, without: Collection[str] = ()) -> Callable[[Command], Command]:
    """Put the fields of a dataclass, as options, in the place of a command's parameter.

    Parameters
    ----------
    name : str
        The parameter, which then gets an object of this kind.
    kind : type
        A dataclass whose fields are annotated as typer wants them, each with a default.
    without : collection of str, default=()
        Fields that this command has no option for; they keep their defaults.
    """
    hints = get_type_hints(kind, include_extras=True)
    shared = [field for field in fields(kind) if field.name not in without]

    def decorate(command: Command) -> Command:
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            if parameter.name == name:
                parameters += [
                    inspect.Parameter(
                        field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
                    )
                    for field in shared
                ]
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(command)
        def with_shared(**given: Any) -> Any:
            own = kind(**{field.name: given.pop(field.name) for field in shared})
            return command(**{name: own}, **given)

        # What typer reads.
        with_shared.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_shared.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return with_shared

    return decorate
