"""Turn a function into a command: each parameter becomes the flag of its name.

A parameter may also be a group: a frozen dataclass whose fields are flags. Every command that takes
the group has all of its flags.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from feint.cli.flags.table import FLAGS, Flag
from feint.errors import InvalidValue
from feint.exact import whole

Returned = TypeVar("Returned")

_ORDER = {name: place for place, name in enumerate(FLAGS)}


def as_command(function: Callable[..., Returned], word: str) -> Callable[..., Returned]:
    """Return a function that typer can read: one parameter per flag, in the order of the table.

    Args:
        function: Its parameters are keyword-only. Each is a flag or a group of flags.
        word: The command, which decides the flag that a name stands for.

    Returns:
        A function that reads whole numbers, creates the groups and calls `function`.
    """
    groups: dict[str, Any] = {}
    taken: list[Parameter] = []
    for parameter in signature(function, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            taken += _fields(parameter.annotation)
        else:
            taken.append(parameter)
    flags = {each.name: _key(each.name, word) for each in taken}
    taken.sort(key=lambda each: _ORDER[flags[each.name]])

    @wraps(function)
    def called(**values: Any) -> Returned:
        for name, key in flags.items():
            values[name] = _read(name, FLAGS[key][1], values[name])
        made = {
            name: group(**{each.name: values.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        return function(**made, **values)

    options = [_option(each, flags[each.name]) for each in taken]
    vars(called)["__signature__"] = Signature(options)
    vars(called)["flags"] = {
        FLAGS[key][1].typed(name): FLAGS[key][1] for name, key in flags.items()
    }
    called.__annotations__ = {each.name: each.annotation for each in options}
    return called


def flags_of(command: Callable[..., object]) -> dict[str, Flag]:
    """Return the flags of a command that `as_command` made, by their typed names."""
    flags: dict[str, Flag] = vars(command)["flags"]
    return flags


def _key(name: str, word: str) -> str:
    return f"{word}.{name}" if f"{word}.{name}" in FLAGS else name


def _fields(group: Any) -> list[Parameter]:
    """Return the flags of a group as parameters."""
    types = get_type_hints(group)
    return [
        Parameter(
            each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=types[each.name]
        )
        for each in fields(group)
    ]


def _read(name: str, flag: Flag, value: Any) -> Any:
    """Return the value of a flag in the form that the command takes."""
    if value is None:
        return None
    if flag.least is not None:
        return whole(value, flag.typed(name), least=flag.least, most=flag.most)
    if flag.choices and not {each.strip() for each in value.split(",")} <= {*flag.choices}:
        rule = f"must be one of {', '.join(flag.choices)}"
        raise InvalidValue(flag.typed(name), value, rule, "pick one of them")
    return value


def _option(parameter: Parameter, key: str) -> Parameter:
    """Return the parameter in the form that typer reads."""
    panel, flag = FLAGS[key]
    default, kind = parameter.default, parameter.annotation
    declared: dict[str, Any] = {
        "help": flag.text(None if default is Parameter.empty else default),
        "rich_help_panel": panel,
        "show_default": False,
        **flag.more,
    }
    if flag.choices:
        declared["autocompletion"] = flag.complete
    if flag.kind:
        declared["metavar"] = flag.kind
    # `_read` converts the value, so that errors have our wording
    if flag.least is not None or flag.choices:
        kind = str if default is Parameter.empty else str | None
        default = str(default) if isinstance(default, int) else default
    if flag.positional:
        made = typer.Argument(**declared)
    else:
        made = typer.Option(*(flag.names or (flag.typed(parameter.name),)), **declared)
    return parameter.replace(default=default, annotation=Annotated[kind, made])
