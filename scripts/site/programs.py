"""Write the reference of the commands and of the HTTP routes, from typer's help and OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from click import Argument, Command, Context, Parameter

from feint.cli import app as commands
from feint.cli import codes
from feint.server import Settings, application

_METHODS = ("get", "post", "put", "delete")
_CLI = """\
# Command line

`feint COMMAND --help` prints the same as this page. Widths may be written `3`, `0.1`, `1/3`, `1e-6`
or `2^-20`. [Exit statuses](exit-codes.md) are the same for every command.
"""
_HTTP = """\
# HTTP API

`feint serve` answers these routes; the running server gives the same as OpenAPI at `/openapi.json`.
Send a token in the header `Authorization: Bearer TOKEN`. Errors are JSON:
`{"error": {"code", "message"}}`. [Run a poll](../how-to/server.md) shows the routes in use.
"""


def cli_page() -> str:
    """Return the page with every command and flag, by panel of `feint --help`."""
    lines = [_CLI]
    for panel, words in commands.COMMANDS.items():
        lines += [f"## {panel}", ""]
        for word in words:
            command = _command(word)
            lines += [f"### feint {word}", "", _paragraphs(command.help), ""]
            lines += [*_flags(command, word), ""]
    return "\n".join(lines)


def unhelped() -> list[str]:
    """Return the flags that have no help text."""
    flags = [(word, flag) for word in commands.MODULES for flag in _parameters(word)]
    return [
        f"feint {word} {_spelling(flag)}" for word, flag in flags if not getattr(flag, "help", None)
    ]


def _parameters(word: str) -> list[Parameter]:
    command = _command(word)
    return command.get_params(Context(command))


@cache
def _command(word: str) -> Command:
    app = typer.Typer(add_completion=False)
    app.command(word, cls=commands.CommandWithHelp)(commands.load(word))
    return typer.main.get_command(app)


def _flags(command: Command, word: str) -> Iterator[str]:
    context = Context(command, info_name=f"feint {word}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\nfeint {word} {usage}\n```\n"
    parameters = [*command.get_params(context)]
    for flag in parameters:
        text = " ".join(str(getattr(flag, "help", None) or "").split())
        yield f"`{_spelling(flag)}{_value(flag, context)}`\n: {_cell(text)}\n"


def _spelling(flag: Parameter) -> str:
    return ", ".join(flag.opts) if not isinstance(flag, Argument) else str(flag.name).upper()


def _value(flag: Parameter, context: Context) -> str:
    if getattr(flag, "is_flag", False) or isinstance(flag, Argument):
        return ""
    return f" {flag.make_metavar(context)}"


def http_page() -> str:
    """Return the page with every route, its role, parameters, body and answers."""
    document = schema()
    lines = [_HTTP]
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                lines += [*_route(method.upper(), path, methods[method], document), ""]
    return "\n".join(lines)


def routes() -> list[tuple[str, str, str]]:
    """Return the method, path and description of every route of the API."""
    return [
        (method.upper(), path, told.get("description") or "")
        for path, methods in schema()["paths"].items()
        for method, told in methods.items()
    ]


@cache
def schema() -> dict[str, Any]:
    """Return the OpenAPI document of a server with an empty database."""
    with TemporaryDirectory() as folder:
        settings = Settings(
            database=f"sqlite:///{folder}/searches.db", key_file=Path(folder) / "key"
        )
        return application(settings).openapi()


def _route(method: str, path: str, told: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    yield f"## {method} {path}\n"
    yield _paragraphs(told.get("description")) + "\n"
    if parameters := told.get("parameters"):
        yield "| parameter | in | value |\n|---|---|---|"
        for each in parameters:
            yield f"| `{each['name']}` | {each['in']} | {_cell(_type(each.get('schema', {})))} |"
        yield ""
    if body := told.get("requestBody"):
        for kind, content in body["content"].items():
            yield f"Body: `{kind}`.\n"
            yield from _fields(content.get("schema", {}), document)
    statuses = {status: status < "300" for status in told["responses"]}
    good = ", ".join(status for status, success in statuses.items() if success)
    bad = ", ".join(status for status, success in statuses.items() if not success)
    yield f"Success: {good}. Errors: {bad or 'none of its own'}."


def _fields(shape: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    name = shape.get("$ref", "").rpartition("/")[2]
    shape = document["components"]["schemas"].get(name, shape)
    required = shape.get("required", [])
    if properties := shape.get("properties"):
        yield "| field | value | |\n|---|---|---|"
        for field, each in properties.items():
            must = "required" if field in required else ""
            yield f"| `{field}` | {_cell(_type(each))} | {must} |"
        yield ""


def _type(shape: dict[str, Any]) -> str:
    """Return a JSON schema in a few words."""
    if "$ref" in shape:
        return f"`{shape['$ref'].rpartition('/')[2]}`"
    for key in ("anyOf", "oneOf"):
        if key in shape:
            return " or ".join(_type(each) for each in shape[key])
    if "enum" in shape:
        return ", ".join(f"`{value}`" for value in shape["enum"])
    if shape.get("type") == "array":
        return f"list of {_type(shape.get('items', {}))}"
    return str(shape.get("type", "any"))


def _paragraphs(text: str | None) -> str:
    """Return a help text without click's marks for line breaks."""
    return (text or "").replace("\b\n", "").replace("<", "&lt;").strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def exit_codes() -> dict[str, int]:
    """Return the exit statuses of the commands by name."""
    return {name: value for name, value in vars(codes).items() if name.isupper()}
