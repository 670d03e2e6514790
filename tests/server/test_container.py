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
from feint.cli.flags.place import DatabaseFlags
from feint.journal import read_key

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


def test_it_serves_from_its_volumes_as_nobody_special(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (entry,), (user,) = said("ENTRYPOINT"), said("USER")
    program, command, *flags = json.loads(entry)
    assert (program, command) == ("/opt/feint/bin/feint", "serve")
    assert flags == ["--host", "0.0.0.0"]
    assert user != "root"
    data, _ = json.loads(said("VOLUME")[0])
    assert any(f"--home-dir {data} {user}" in rest for rest in said("RUN"))
    assert run([command, *flags, "--port", "none"]) == 2  # its flags are known: the port is none
    assert "--port" in capsys.readouterr().err


def test_the_database_and_its_key_are_in_two_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the defaults and the recipe's environment put them; a copy of one is not of both."""
    for name in ("FEINT_DATABASE", "FEINT_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (each.split("=") for rest in said("ENV") for each in rest.split()):
        monkeypatch.setenv(name, value)
    data, key = json.loads(said("VOLUME")[0])
    flags = DatabaseFlags()
    assert flags.url == f"sqlite:///{data}/journal.db"
    assert flags.key == Path(key) / "feint" / "key"
    assert any(f"install -d -o feint -m 0700 {key}" in rest for rest in said("RUN"))
    page = (ROOT / "docs" / "how-to" / "server.md").read_text()
    assert all(f"`{place}`" in page for place in (data, key, f"{key}/feint/key"))


def test_a_key_in_the_volume_of_earlier_versions_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FEINT_KEY", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "feint-key"))
    read_key(tmp_path / "feint" / "key")
    assert DatabaseFlags().key == tmp_path / "feint" / "key"
    assert "Move it" in str(DatabaseFlags().advice())


def test_it_asks_whether_it_is_well_where_it_listens() -> None:
    (health,), (port,) = said("HEALTHCHECK"), said("EXPOSE")
    (path,) = re.findall(rf"http://127\.0\.0\.1:{port}(/\w+)", health)
    with served() as server:
        assert server.client.get(path).status_code == 200
