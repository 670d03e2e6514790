"""The container recipe, line by line against the tree; it is not built here.

Building it needs podman or docker and a registry. What is checked is what goes stale: that whatever
it copies is there, that its extras and flags exist, and that it asks a page that answers.
"""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from tests.support.servers import served

from feint.cli.app import run

ROOT = Path(__file__).parents[2]
LINES = [
    (word, rest)
    for word, _, rest in (
        line.partition(" ")
        for line in (ROOT / "Containerfile").read_text().replace("\\\n", "").splitlines()
        if line and not line.startswith("#")
    )
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def said(word: str) -> list[str]:
    return [rest for each, rest in LINES if each == word]


def test_what_is_copied_is_there_and_is_all_that_a_build_needs() -> None:
    copied = {
        name
        for rest in said("COPY")
        if not rest.startswith("--from")
        for name in shlex.split(rest)[:-1]
    }
    assert all((ROOT / name).exists() for name in copied)
    project = PROJECT["project"]
    needed = {"pyproject.toml", project["readme"], *project["license-files"]}
    needed.add(PROJECT["tool"]["hatch"]["version"]["path"].partition("/")[0])
    constraints = {name for rest in said("RUN") for name in re.findall(r"--constraint (\S+)", rest)}
    assert needed | constraints == copied


def test_its_extras_are_extras_and_its_python_will_do() -> None:
    (extras,) = [found for rest in said("RUN") for found in re.findall(r"'\.\[(.+?)\]'", rest)]
    assert set(extras.split(",")) == {"cli", "server", "postgres"}
    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    versions = {re.findall(r"python:(\d+)\.(\d+)", rest)[0] for rest in said("FROM")}
    least = re.findall(r">=(\d+)\.(\d+)", PROJECT["project"]["requires-python"])[0]
    assert all(tuple(map(int, each)) >= tuple(map(int, least)) for each in versions)
    assert len(versions) == 1


def test_it_serves_from_its_volume_as_nobody_special(capsys: pytest.CaptureFixture[str]) -> None:
    (entry,), (volume,), (user,) = said("ENTRYPOINT"), said("VOLUME"), said("USER")
    program, command, *flags = json.loads(entry)
    assert (program, command) == ("/opt/feint/bin/feint", "serve")
    values = dict(zip(flags[::2], flags[1::2], strict=True))
    assert set(values) == {"--host", "--database", "--key-file"}
    assert values["--database"].startswith(f"sqlite:///{volume}/")
    assert values["--key-file"].startswith(f"{volume}/")
    assert user != "root"
    assert any(f"--home-dir {volume} {user}" in rest for rest in said("RUN"))
    assert run([command, *flags, "--port", "none"]) == 2  # its flags are known: the port is none
    assert "--port" in capsys.readouterr().err


def test_it_asks_whether_it_is_well_where_it_listens() -> None:
    (health,), (port,) = said("HEALTHCHECK"), said("EXPOSE")
    (path,) = re.findall(rf"http://127\.0\.0\.1:{port}(/\w+)", health)
    with served() as server:
        assert server.client.get(path).status_code == 200
