"""The mistakes that `make mutate` draws: where they sit, and that the rest of a file stays."""

from scripts.mutants import Mutant, differs, mutants
from scripts.mutate import Tests as Recorded

SOURCE = '''"""A file of 2 lines, or 3."""

SIZE = 10  # δ cells


def most(first: int, second: int = 3, *, sure: bool = True) -> int:
    """The larger, and 1 more."""
    if first <= second and not sure:
        raise ValueError("no", 2)
    first += 1
    return pow(max(first, second), second - 1)
'''


def every() -> list[Mutant]:
    return [each for line in mutants("a.py", SOURCE).values() for each in line]


def after(line: int, kind: str) -> set[str]:
    found = [each for each in every() if (each.line, each.kind) == (line, kind)]
    return {each.after.strip() for each in found}


def test_every_kind() -> None:
    assert after(3, "constant") == {"SIZE = 11  # δ cells", "SIZE = 9  # δ cells"}
    assert {each.new for each in every() if each.kind == "default"} == {"4", "2", "False"}
    assert "if first < second and not sure:" in after(8, "compare")
    assert "if first <= second or not sure:" in after(8, "logic")
    assert "if first <= second and sure:" in after(8, "logic")
    assert "if (not (first <= second and not sure)):" in after(8, "logic")
    assert after(9, "deleted") == {"pass"}
    assert after(10, "arithmetic") == {"first -= 1"}
    assert after(10, "constant") == {"first += 2", "first += 0"}
    assert after(11, "min/max") == {"return pow(min(first, second), second - 1)"}
    assert after(11, "arguments") == {"return pow(second - 1, max(first, second))"}
    assert "return (pow(max(first, second), second - 1)) + 1" in after(11, "return")


def test_words_and_messages_are_left_alone() -> None:
    assert {each.line for each in every()} == {3, 6, 8, 9, 10, 11}
    assert not [each for each in every() if each.line == 9 and each.kind != "deleted"]


def test_a_mutant_changes_its_own_stretch_only() -> None:
    for each in every():
        changed = each.applied(SOURCE)
        assert changed.startswith(SOURCE[: each.start])
        assert changed.endswith(SOURCE[each.end :])
        assert differs(each, SOURCE)
    assert len({each.name for each in every()}) == len(every())


def test_a_name_stays_when_lines_move() -> None:
    moved = [each for line in mutants("a.py", f"# more\n{SOURCE}").values() for each in line]
    assert [each.name for each in moved] == [each.name for each in every()]


def test_lines_that_stand_keep_their_tests_when_others_come_before_them() -> None:
    before, now = ["one", "two", "three"], ["zero", "one", "2", "three"]
    lines = {"a.py": {"1": ["x"], "2": ["y"], "3": ["z"]}}
    known = Recorded({}, {"x": 1.0, "y": 1.0, "z": 1.0}, lines, {"a.py": before})
    moved = known.moved({"a.py": now})
    assert moved.lines == {"a.py": {"2": ["x"], "4": ["z"]}}
    assert moved.sources == {"a.py": now}
    assert known.moved({"a.py": before}).lines == lines
