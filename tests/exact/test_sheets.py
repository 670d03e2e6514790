"""Labels that a spreadsheet would run as formulas: in every CSV they are text."""

import csv
import io
from pathlib import Path

import pytest
from tests.support.servers import PROBLEM, served

from feint import Domain, Search, plan
from feint.exact.sheets import as_text
from feint.research.sweep import SweepTable
from feint.search import export_round, import_answers

FORMULAS = (
    '=HYPERLINK("http://127.0.0.1/?"&A1,"x")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1:A9)",
    "\t=1+1",
    " =1+1",
    "\N{FULLWIDTH EQUALS SIGN}1+1",
    'price;=1+1;"',
    "price\t=1+1",
    'price,"=1+1',
)
BEGINNINGS = "=+-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"


def cells(sheet: str) -> list[str]:
    """Every cell of a CSV, as programs split it that split at commas, semicolons or tabs."""
    return [
        cell
        for delimiter in ",;\t"
        for row in csv.reader(io.StringIO(sheet), delimiter=delimiter)
        for cell in row
    ]


def check(sheet: str) -> None:
    for cell in cells(sheet):
        begun = cell.strip(" \t\r\n\"'") if cell.strip()[:1] != "'" else ""
        assert begun[:1] not in tuple(BEGINNINGS) or is_number(begun), cell


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("label", FORMULAS)
def test_a_round_that_is_exported_has_no_formula_and_comes_back(label: str, tmp_path: Path) -> None:
    shop = Domain(-10, 110, label=label)
    search = Search(plan(shop.problem(epsilon=5, delta=20, level=3), domain=shop))
    sheet = io.StringIO()
    export_round(search, sheet)
    check(sheet.getvalue())
    filled = sheet.getvalue().replace("?,\n", "?,yes\n").replace('?",\n', '?",yes\n')
    assert import_answers(search, io.StringIO(filled)) == search.answered > 0


@pytest.mark.parametrize("label", FORMULAS)
def test_the_sheets_of_a_server_have_no_formula(label: str) -> None:
    with served() as server:
        problem = PROBLEM | {"labels": [label]}
        server.ask("POST", "/api/searches", json={"name": "p", "problem": problem}, status=201)
        headers = {"Authorization": f"Bearer {server.owner}"}
        for name in ("transcript.csv", "round.csv"):
            answer = server.client.get(f"/api/searches/p/{name}", headers=headers)
            assert answer.status_code == 200
            assert label.strip()[:2] in answer.text
            check(answer.text)


def test_a_sweep_writes_no_formula() -> None:
    row = dict.fromkeys(("prior", "method", "refused"), "=1+1")
    check(SweepTable(rows=(row | {"epsilon": 0.5},)).to_csv())


def test_numbers_and_plain_words_stay_as_they_are() -> None:
    for cell in ("", "price", "-5", "-1.5e-7", "+3", "-1/3", "a = b", "3-4", "x@y.org", "’=1"):
        assert as_text(cell) == cell
    for cell in FORMULAS:
        assert as_text(cell).replace("'", "") == cell.replace("'", "")
        assert as_text(cell) != cell
