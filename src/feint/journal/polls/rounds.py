"""Work on one poll inside a transaction: open rounds, record votes, close questions.

Rows beside the events hold the open round, so that a vote needs no replay: "question" has the
public fields of a question, "closed" the questions with their quorum, "vote" and "lease" belong to
a respondent, "tally" counts the votes of a question, "sample" holds the sample of a point that a
respondent took, "batch" the current batch of growing samples. The search itself is needed only when
a round or a batch is complete.

Rows that decide an answer (a vote and its tally) are read and replaced in one transaction, so an
older row that is put back never matches the sums again (`feint.journal.heads`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from feint.errors import AnswerFixed, NotOpen, Tampered, UnknownQuery
from feint.interfaces import Transaction
from feint.journal.polls.credentials import unknown_token
from feint.journal.polls.terms import Ballot, Sheet, Standing, Terms
from feint.search import Search

Replayed = Callable[[], Search]
"""A function that returns the current search of a transaction, which appends its changes there."""


@dataclass(frozen=True)
class HeldPoll:
    """A poll in a transaction.

    Attributes:
        held: The transaction.
        now: The time, in seconds.
    """

    held: Transaction
    now: float

    def row(self) -> dict[str, Any]:
        """Return the row of the poll itself.

        It is read from the store. Methods that need it receive it as `poll`, so that it is read
        once.

        Raises:
            NotOpen: The search is not a poll.
        """
        row = self.held.get("poll", "")
        if row is None:
            said = (
                "this search is no poll: a program answers it, or it was interrupted when it began"
            )
            raise NotOpen(f"{said}; go on with it there, or delete it")
        return row

    def standing(self, poll: dict[str, Any]) -> Standing:
        """Return the status; a passed deadline may turn it into a pause."""
        return standing_at(poll, self.now)

    def begin(self, poll: dict[str, Any], search: Search) -> None:
        """Show the current round of a search: the first one, or that of an imported search."""
        for event in self.held.events():
            if "tell" in event:
                self.held.put("closed", _key(event["tell"]), {})
        self._go_on(poll, search)

    def sheet(self, person: str) -> Sheet:
        """Return a respondent's sheet.

        With leases, it has only questions that they hold or may hold; `lease` reserves those.
        """
        poll = self.row()
        standing = self.standing(poll)
        rows = self.held.rows("question", start=of_round(poll["round"]))
        closed = set(self.held.keys("closed", start=of_round(poll["round"])))
        full = self._full(poll)
        ballots, samples = [], set()
        for key, row in rows.items():
            vote = self.held.get("vote", f"{key}/{person}")
            if vote is None:
                if standing != "open" or key in closed or key in full:
                    continue
                if not self._free(poll, key, row, person):
                    continue
                if poll["samples"]:
                    where = self._sample(row, person)
                    if where in samples or self.held.get("sample", where) is not None:
                        continue  # they took another sample of the same point
                    samples.add(where)
            is_fixed = key in closed or key in full
            if vote is not None and not is_fixed and "batch" in vote:
                is_fixed = vote["batch"] < self._batch(row)
            own = None if vote is None else vote["yes"]
            shown = {name: row[name] for name in (*_PUBLIC, "parts") if name in row}
            ballots.append(Ballot(**shown, vote=own, closed=is_fixed))
        return Sheet(
            standing=standing,
            round=poll["round"],
            rounds=poll["rounds"],
            ballots=tuple(ballots),
            batch=poll.get("batch", 0),
            **poll.get("preface", {}),  # polls of earlier versions have none
        )

    def lease(self, sheet: Sheet, person: str) -> None:
        """Lease the questions of a sheet to a respondent; repeating extends the lease."""
        poll = self.row()
        lease = poll["terms"]["lease"]
        for ballot in sheet.ballots:
            if lease is not None and ballot.vote is None:
                until = {"until": self.now + lease}
                self.held.put("lease", f"{_key(ballot.id)}/{person}", until)

    def vote(self, person: str, id: str, yes: bool, replayed: Replayed) -> bool:
        """Record a vote. It can be repeated, and changed until the question closes.

        A repeated vote is written again while the question is open. Otherwise the time that it
        takes, and the counter of the search, would reveal whether a vote was changed.

        Returns:
            True if the vote completed a round.

        Raises:
            UnknownQuery: There is no such question, or it was not shown yet.
            NotAllowed: They are not a respondent of this poll, or were just revoked.
            NotOpen: The poll is paused or over, the question has closed, or it is leased to others.
            AnswerFixed: They voted on another sample of the same point.
        """
        key = _key(id)
        mine = f"{key}/{person}"
        wanted = (("poll", ""), ("question", key), ("vote", mine), ("closed", key), ("tally", key))
        # An authenticated respondent may have been revoked since; then the vote is refused.
        poll, row, before, closed, counted, voter = self.held.some(*wanted, ("person", person))
        if poll is None or row is None or poll["terms"]["quorum"] is None:
            raise _unknown(id)
        if voter is None:
            raise unknown_token()
        batch = self._batch(row)
        seats = _terms(poll).seats(batch)
        tally = self.votes_of(key) if counted is None else counted
        try:
            self._check_open(poll)
            if closed is not None or tally["yes"] + tally["no"] >= seats:
                raise NotOpen(f"question {id} has its votes, and is closed")
            if before is not None and before.get("batch") != batch:
                said = f"your vote on question {id} stands: the batch that it belongs to is full"
                raise NotOpen(f"{said}; others vote on the question now")
            if not self._free(poll, key, row, person):
                said = (
                    f"question {id} is reserved for others who fetched it, until their leases end"
                )
                raise NotOpen(f"{said}; fetch the open ones, and vote on those")
        except NotOpen:
            if before is not None and before["yes"] is yes:
                return False
            raise
        if poll["samples"]:
            self._take_sample(self._sample(row, person), id)
        if before is not None:
            tally = _counted(tally, before["yes"], -1)
        tally = _counted(tally, yes, 1)
        self.held.put("vote", mine, {"yes": yes} | ({} if batch is None else {"batch": batch}))
        self.held.put("tally", key, tally)
        if tally["yes"] + tally["no"] < seats:
            return False
        if batch is not None:
            return self._decide(poll, row, replayed)
        return self._close(poll, {id: tally["yes"] > tally["no"]}, replayed)

    def _decide(self, poll: dict[str, Any], row: dict[str, Any], replayed: Replayed) -> bool:
        """Close all copies of a question, or open the next batch of all, once all are full.

        The decision follows from the votes on the followed copy, and becomes public. So it must not
        be used if those votes were changed outside feint.

        Returns:
            True if this completed a round.
        """
        start, batch, terms = of_round(row["round"]), self._batch(row), _terms(poll)
        questions = self.held.rows("question", start=start)
        tallies = self.held.rows("tally", start=start)
        copies = [key for key, each in questions.items() if each.get("copies") == row["copies"]]
        yes = {questions[key]["id"]: tallies[key]["yes"] for key in copies}
        full = terms.seats(batch)
        if any(tallies[key]["yes"] + tallies[key]["no"] < full for key in copies):
            return False
        self.held.check(always=False)
        if batch is None or terms.growing is None:
            raise RuntimeError("a sample that does not grow has no batch")
        if replayed().decided(terms.growing, batch, yes):
            return self._close(poll, {id: 2 * said > full for id, said in yes.items()}, replayed)
        self.held.put("batch", row["copies"], {"number": batch + 1})
        self.held.put("poll", "", poll | {"batch": poll.get("batch", 0) + 1})
        return False

    def _batch(self, row: dict[str, Any]) -> int | None:
        """Return the number of a question's batch; None if its sample does not grow."""
        if "copies" not in row:
            return None
        held = self.held.get("batch", row["copies"])
        return 0 if held is None else int(held["number"])

    def _full(self, poll: dict[str, Any]) -> set[str]:
        """Return the keys of the round's questions whose batch has all its votes."""
        terms = _terms(poll)
        if terms.growing is None:
            return set()
        start = of_round(poll["round"])
        rows, tallies = self.held.rows("question", start=start), self.tallies(poll["round"])
        voted = {key: each["yes"] + each["no"] for key, each in tallies.items()}
        return {key for key in rows if voted[key] >= terms.seats(self._batch(rows[key]))}

    def seats(self, poll: dict[str, Any], row: dict[str, Any]) -> int:
        """Return how many votes close a question, or fill its batch; without a quorum 0."""
        return _terms(poll).seats(self._batch(row))

    def votes_of(self, key: str) -> dict[str, int]:
        """Count the votes on a question one by one, for polls of earlier versions."""
        votes = [bool(each["yes"]) for each in self.held.rows("vote", start=f"{key}/").values()]
        return {"yes": sum(votes), "no": len(votes) - sum(votes)}

    def tallies(self, number: int) -> dict[str, dict[str, int]]:
        """Return how many voted yes and no on each question of a round, by its key."""
        start = of_round(number)
        counted = self.held.rows("tally", start=start)
        return {
            key: counted[key] if key in counted else self.votes_of(key)
            for key in self.held.keys("question", start=start)
        }

    def answer(self, id: str, yes: bool, replayed: Replayed) -> bool:
        """Record the owner's answer in a search without respondents. It can be repeated.

        A repeated answer is written again while it could be changed, for the reason given in
        `vote`.

        Returns:
            True if the answer completed a round.

        Raises:
            UnknownQuery: There is no such question, or it was not shown yet.
            NotOpen: The poll is paused or over, or respondents vote in it.
            AnswerFixed: The next round was shown.
        """
        poll, key = self.row(), _key(id)
        row = self.held.get("question", key)
        if row is None:
            raise _unknown(id)
        if poll["terms"]["quorum"] is not None:
            raise NotOpen("respondents vote in this poll, and the majority is the answer")
        try:
            self._check_open(poll)
            if row["round"] != poll["round"]:
                rule = "the next round was shown, and it follows from the answer given before"
                raise AnswerFixed("id", id, rule, "go on with that answer")
        except (AnswerFixed, NotOpen):
            if self._told(id) is yes:
                return False
            raise
        return self._close(poll, {id: yes}, replayed)

    def _close(self, poll: dict[str, Any], answers: dict[str, bool], replayed: Replayed) -> bool:
        """Close questions, and open the next round if they were the last."""
        for id, yes in answers.items():
            self.held.append({"tell": id, "yes": yes})
            self.held.put("closed", _key(id), {})
        closed = self.held.count("closed", start=of_round(poll["round"]))
        if closed < self.held.count("question", start=of_round(poll["round"])):
            return False
        # The next round follows from the answers, and reveals something about the coins. It must
        # not be shown if the votes behind the answers were changed outside feint.
        self.held.check(always=False)
        search = replayed()
        if any(search.told(query.id) is None for query in search.current):
            rule = "was changed outside feint: a question without an answer is closed"
            raise Tampered("journal", "a search", rule, "restore a backup (feint restore)")
        if search.done:
            self.held.check()
        self._go_on(poll, search)
        return True

    def _go_on(self, poll: dict[str, Any], search: Search) -> None:
        if search.done:
            # The final length is public, since the questions are.
            took = {"rounds": search.round + 1, "queries": search.answered}
            ended = {"round": search.round, "standing": "done", "asks_all": True}
            self.held.put("poll", "", poll | took | ended)
            return
        search.ask()
        grows = self._grows(poll, search)
        for query in search.current:
            public = query.to_dict()
            row = {name: public[name] for name in _PUBLIC} | {"parts": query.parts}
            self.held.put("question", _key(query.id), row | grows.get(query.id, {}))
            if poll["terms"]["quorum"] is not None:
                self.held.put("tally", _key(query.id), {"yes": 0, "no": 0})
        batch = {"batch": 0} if _terms(poll).growing is not None else {}
        self.held.put("poll", "", poll | batch | {"round": search.round, "opened": self.now})

    def _grows(self, poll: dict[str, Any], search: Search) -> dict[str, dict[str, str]]:
        """Return the row fields that identify the copies of each question with a growing sample.

        In an imported search, a copy may have an answer and no votes. Then the others have samples
        of a fixed size.
        """
        if _terms(poll).growing is None:
            return {}
        return {
            each.id: {"copies": _key(copies[0].id)}
            for copies in search.copies
            if all(search.told(each.id) is None for each in copies)
            for each in copies
        }

    def _check_open(self, poll: dict[str, Any]) -> None:
        standing = self.standing(poll)
        if standing != "open":
            raise NotOpen(f"this poll is {standing}, and takes no votes")

    def _take_sample(self, where: str, id: str) -> None:
        taken = self.held.get("sample", where)
        if taken is not None and taken["id"] != id:
            rule = "is another sample of a value that you voted on: it needs somebody else"
            raise AnswerFixed("id", id, rule, "vote on the questions that you are given")
        self.held.put("sample", where, {"id": id})

    def _free(self, poll: dict[str, Any], key: str, row: dict[str, Any], person: str) -> bool:
        """Return True if a respondent may receive a question and vote on it: a seat is free.

        Votes and leases of others take seats. Only their number matters, never the votes
        themselves.
        """
        lease, quorum = poll["terms"]["lease"], poll["terms"]["quorum"]
        if lease is None or quorum is None:
            return quorum is not None
        votes = set(self.held.keys("vote", start=f"{key}/"))
        leases = self.held.rows("lease", start=f"{key}/").items()
        # A lease that ends later than a new one comes from a clock that was set back.
        live = {where for where, row in leases if 0 < row["until"] - self.now <= lease}
        return len((votes | live) - {f"{key}/{person}"}) < self.seats(poll, row)

    def _sample(self, row: dict[str, Any], person: str) -> str:
        """Return the blinded key of the row for a respondent's sample of a point."""
        return self.held.blinded(f"{person}/{row['coordinate']}/{row['value']}")

    def _told(self, id: str) -> bool | None:
        told = [bool(event["yes"]) for event in self.held.events() if event.get("tell") == id]
        return told[-1] if told else None


_LONGEST = 20
_PUBLIC = ("id", "round", "coordinate", "label", "value", "number", "yes_means", "text", "note")


def _key(id: str) -> str:
    """Return the key of a question's row, which sorts by round and place."""
    number, _, column = id[1:].partition(".")
    fits = number.isascii() and number.isdecimal() and column.isascii() and column.isdecimal()
    if not fits or len(id) > _LONGEST or f"q{int(number)}.{int(column)}" != id:
        raise _unknown(id)
    return f"{int(number):06}.{int(column):06}"


def standing_at(poll: dict[str, Any], now: float) -> Standing:
    """Return the status of a poll at a time; a passed deadline may turn it into a pause."""
    standing: Standing = poll["standing"]
    if standing == "open" and overdue_at(poll, now) and poll["terms"]["at_deadline"] == "pause":
        return "paused"
    return standing


def overdue_at(poll: dict[str, Any], now: float) -> bool:
    """Return True if the round's deadline has passed by then."""
    deadline = poll["terms"]["deadline"]
    return deadline is not None and bool(now - poll["opened"] >= deadline)


def of_round(number: int) -> str:
    """Return the prefix of the keys of a round's questions and their other rows."""
    return f"{number:06}."


def _terms(poll: dict[str, Any]) -> Terms:
    return Terms.from_dict(poll["terms"])


def _counted(tally: dict[str, int], yes: bool, more: int) -> dict[str, int]:
    side = "yes" if yes else "no"
    return tally | {side: tally[side] + more}


def _unknown(id: str) -> UnknownQuery:
    return UnknownQuery("id", id, "this poll has no such question open", "fetch the open ones")
