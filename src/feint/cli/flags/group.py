"""How a command takes a group of flags as one value.

A group is a frozen dataclass whose fields are flags. A command has a parameter of that type, and
`flattened` spreads it out for typer, which reads one parameter a flag. So a flag is written once,
in its group, and every command that takes the group has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_args, get_type_hints

from feint.cli.flags.flag import Panel, spelled

_PANELS: tuple[str, ...] = get_args(Panel)

Returned = TypeVar("Returned")


def flattened(command: Callable[..., Returned]) -> Callable[..., Returned]:
    """The command as typer is to read it: each group among its parameters spread out.

    Args:
        command: A function whose parameters are keyword-only. Each is a flag, annotated by `flag`
            or `switch`, or a group of flags.

    Returns:
        A function with one keyword parameter a flag, in the order of the panels and within a panel
        as they are written. It makes the groups, calls the command with them, and returns what the
        command returns.

    Raises:
        ValueError: Two parameters of the command have a flag of the same name.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for each in signature(command, eval_str=True).parameters.values():
        if is_dataclass(each.annotation):
            groups[each.name] = each.annotation
            parameters += _spread(each.annotation)
        else:
            parameters.append(each)
    parameters.sort(key=lambda each: _PANELS.index(_option(each).rich_help_panel))

    @wraps(command)
    def called(**values: Any) -> Returned:
        made = {
            name: group(**{each.name: values.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        return command(**made, **values)

    vars(called)["__signature__"] = Signature(parameters)
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def kinds(command: Callable[..., object]) -> set[str]:
    """The kinds of values that the flags of a flattened command have."""
    options = (_option(each) for each in signature(command).parameters.values())
    return {each.metavar for each in options if each.metavar is not None}


def names(command: Callable[..., object]) -> set[str]:
    """The names of the flags that a flattened command has, as they are typed."""
    found = set[str]()
    for each in signature(command).parameters.values():
        declared = _option(each).param_decls or ()
        found |= {name for name in declared if name.startswith("-")} or {spelled(each.name)}
    return found


def _spread(group: Any) -> list[Parameter]:
    """The flags of a group as parameters."""
    types = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=types[each.name]
        )
        for each in fields(group)
    ]


def _option(parameter: Parameter) -> Any:
    """What `flag` or `switch` declared of a parameter."""
    _, option = get_args(parameter.annotation)
    return option
