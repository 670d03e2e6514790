"""The package as a whole: light to import, complete at its root, in step with its metadata."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import feint


def test_import_stays_light() -> None:
    heavy = ["numpy", "scipy", "numba", "matplotlib", "typer", "rich", "sqlalchemy"]
    code = f"import feint, sys; print([m for m in {heavy!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_loads() -> None:
    for name in feint.__all__:
        assert getattr(feint, name) is not None
    assert {*feint.__all__, "client", "server"} == {*dir(feint)}


def test_import_star_needs_no_extra() -> None:
    missing = ["httpx", "fastapi", "sqlalchemy", "cryptography", "matplotlib", "typer", "rich"]
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); from feint import *"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_client_needs_nothing_of_the_server() -> None:
    missing = ["fastapi", "starlette", "uvicorn", "jinja2", "sqlalchemy", "cryptography"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing!r}));"
        " from feint.server.client import Client; import feint.server\n"
        "try: feint.server.serve\n"
        "except feint.MissingExtra as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "feint[server]" in run.stdout


def test_plots_load_matplotlib_when_they_are_drawn() -> None:
    code = "import feint.research.plot, sys; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_the_version_is_the_same_everywhere() -> None:
    citation = Path(__file__).parent.parent / "CITATION.cff"
    cited = re.search(r"^version: (.+)$", citation.read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert version("feint") == feint.__version__ == cited[1]


def test_python_m_feint_is_feint() -> None:
    words = [sys.executable, "-m", "feint", "--version"]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    assert run.stdout == f"feint {feint.__version__}\n"


def test_a_command_loads_itself_alone() -> None:
    code = (
        "import sys; from feint.cli.app import MODULES, run;"
        " run(['bounds', '--epsilon', '1/64', '--delta', '1/8', '--level', '3', '--json']);"
        " print({m for m in MODULES.values() if f'feint.cli.{m}' in sys.modules});"
        " print('numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-2:] == ["{'bounds'}", "False"]
