"""Find an older commit to check in place of one that cannot be checked.

If the first bad commit can be checked, a commit that cannot be checked has the verdict of the next
older one that can. So the answers, and with them all later questions, are those of a history in
which every commit can be checked (proofs/skips.md).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

# This many commits in a row are tried one by one, since most that cannot be checked are isolated.
# After that each step is as long as the run so far: 400 in a row take 11 steps, and 8 to find their
# end.
_SINGLE = 3


class Known:
    """A record of the commits that can be checked and those that cannot.

    It depends only on which of the requested commits cannot be checked, never on a verdict.
    """

    def __init__(self, commits: int, skipped: Iterable[int] = ()) -> None:
        """Start with commits that are known in advance. The good end, 0, can be checked.

        The list is assumed to contain whole runs. So listed commits are left out of the line on
        which the ends of runs are searched for.
        """
        self.skipped = set(skipped)
        self.passed = set(self.skipped)
        self._line = [0, *(each for each in range(1, commits + 1) if each not in self.skipped)]
        self._found = set[int]()  # places on the line that cannot be checked
        self._places = [0]  # places on the line with a known state

    def note(self, commit: int, *, is_skipped: bool) -> None:
        """Record whether a commit could be checked."""
        place = self._place(commit)
        if self._line[place] != commit:
            return
        at = bisect_left(self._places, place)
        if self._places[at : at + 1] != [place]:
            insort(self._places, place)
        if is_skipped:
            self._found.add(place)
            self.skipped.add(commit)
            self.passed.add(commit)

    def stand_in(self, commit: int) -> tuple[int, bool]:
        """Return the commit to check in place of another, and whether it is the last to try.

        The search steps back from a commit that cannot be checked, in growing steps, until one can
        be checked, and bisects the last step for the end of the run. Commits between two commits of
        a run count as part of it, and so does a gap to an older run that is not longer than that
        run.

        Args:
            commit: The commit of the question.
        """
        place, is_last = self._walk(self._place(commit))
        return self._line[place], is_last

    def resolve(self, commit: int) -> int:
        """Return the commit whose verdict answers a question, and count skipped commits."""
        found, _ = self.stand_in(commit)
        self.passed.update(range(found + 1, commit + 1) if found < commit else ())
        return found

    def _place(self, commit: int) -> int:
        return bisect_right(self._line, commit) - 1

    def _walk(self, place: int) -> tuple[int, bool]:
        low = place  # the oldest commit of the run so far
        while low in self._found:
            older = self._places[bisect_left(self._places, low) - 1]
            gap, run = low - older, place - low
            step = run if run >= _SINGLE else 1
            if gap <= step:
                if older in self._found:
                    low = older
                    continue
                return (older, True) if gap == 1 else ((older + low) // 2, False)
            if older in self._found:
                end, is_last = self._walk(older)
                if is_last and gap <= older - end:
                    return end, True
            return low - step, False
        return low, True
