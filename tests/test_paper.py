"""The paper for the Journal of Open Source Software has what the journal asks for."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
_, HEADER, TEXT = (ROOT / "paper.md").read_text("utf-8").split("---\n", 2)
BIBLIOGRAPHY = (ROOT / "paper.bib").read_text("utf-8")


def test_it_has_the_sections_of_the_journal_in_order() -> None:
    assert re.findall("^# (.+)$", TEXT, re.MULTILINE) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(TEXT.split()) <= 1750


def test_its_references_are_those_that_it_cites() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4}[a-z]+)", TEXT))
    assert cited == set(re.findall(r"^@\w+\{(\S+),$", BIBLIOGRAPHY, re.MULTILINE))


def test_its_header_can_be_read() -> None:
    header = yaml.safe_load(HEADER)
    assert header["bibliography"] == "paper.bib"
    indexes = {each["index"] for each in header["affiliations"]}
    assert {author["affiliation"] for author in header["authors"]} <= indexes
