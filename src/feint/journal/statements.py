"""Define the SQL statements, each compiled once per process.

Parameters are named to_…, since SQLAlchemy reserves the names of columns.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from sqlalchemy import (
    Integer,
    LargeBinary,
    String,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from feint.journal.heads import PINNED, VOTING
from feint.journal.tables import EVENTS as _EVENTS
from feint.journal.tables import HEADS as _HEADS
from feint.journal.tables import META as _META
from feint.journal.tables import ROWS as _ROWS
from feint.journal.tables import SEARCHES as _SEARCHES

_SEARCH = bindparam("to_search", type_=String)
_NEXT = (
    select(func.coalesce(func.max(_EVENTS.c.number), -1) + 1)
    .where(_EVENTS.c.search == _SEARCH)
    .scalar_subquery()
)
_ROW = (
    (_ROWS.c.search == _SEARCH)
    & (_ROWS.c.kind == bindparam("to_kind"))
    & (_ROWS.c.key == bindparam("to_key"))
)
_SOME = (
    (_ROWS.c.search == _SEARCH)
    & (_ROWS.c.kind == bindparam("to_kind"))
    & (_ROWS.c.key >= bindparam("least"))
    & (_ROWS.c.key < bindparam("most"))
)

META = select(_META.c.held).where(_META.c.name == bindparam("to_name")).with_for_update(read=True)
ADD_META = insert(_META).values(name=bindparam("to_name"), held=bindparam("to_held"))
SET_META = (
    update(_META).where(_META.c.name == bindparam("to_name")).values(held=bindparam("to_held"))
)

ALL = select(_SEARCHES.c.id, _SEARCHES.c.wrapped, _SEARCHES.c.name)
FIND = select(_SEARCHES.c.wrapped, _SEARCHES.c.header).where(_SEARCHES.c.id == _SEARCH)
SEALED = select(_SEARCHES.c.header, _SEARCHES.c.name).where(_SEARCHES.c.id == _SEARCH)
NAMED = select(_SEARCHES.c.wrapped, _SEARCHES.c.name).where(_SEARCHES.c.id == _SEARCH)
KEY = select(_SEARCHES.c.wrapped).where(_SEARCHES.c.id == _SEARCH)
HEADLESS = (
    select(_SEARCHES.c.id)
    .select_from(_SEARCHES.outerjoin(_HEADS, _HEADS.c.search == _SEARCHES.c.id))
    .where((_SEARCHES.c.id == _SEARCH) & (_HEADS.c.search.is_(None)))
)
"""The id of a search without a head."""
_OF_OFFICE = _HEADS.alias("of_office")
_OFFICE = (
    select(_OF_OFFICE.c.version)
    .where(_OF_OFFICE.c.search == bindparam("to_office", type_=String))
    .scalar_subquery()
)
ENTER = (
    select(_SEARCHES.c.wrapped, _HEADS.c.version, _HEADS.c.body, _OFFICE)
    .select_from(_SEARCHES.join(_HEADS, _HEADS.c.search == _SEARCHES.c.id))
    .where(_SEARCHES.c.id == _SEARCH)
)
"""A search's key and head, and the counter of the office, which tells whether its rows changed."""
LOCK = ENTER.with_for_update(of=_HEADS, key_share=True)
"""The same as `ENTER`, with a lock on the head of this search only."""

ADD_HEAD = insert(_HEADS).values(
    search=_SEARCH, version=bindparam("to_version"), body=bindparam("to_body")
)
SET_HEAD = (
    update(_HEADS)
    .where((_HEADS.c.search == _SEARCH) & (_HEADS.c.version == bindparam("to_base")))
    .values(version=bindparam("to_version"), body=bindparam("to_body"))
)
STAMP = select(_HEADS.c.search, _HEADS.c.version).where(
    or_(_HEADS.c.search == _SEARCH, _HEADS.c.search == bindparam("to_office", type_=String))
)
"""The counters of a search and of the office, in the clear."""

_HEAD = select(
    literal_column("0").label("part"),
    _HEADS.c.version.label("number"),
    literal_column("''").label("kind"),
    literal_column("''").label("key"),
    _HEADS.c.body.label("body"),
).where(_HEADS.c.search == _SEARCH)
_EACH_EVENT = select(
    literal_column("1"),
    _EVENTS.c.number,
    literal_column("''"),
    literal_column("''"),
    _EVENTS.c.body,
).where(_EVENTS.c.search == _SEARCH)
_EACH_ROW = select(
    literal_column("2"), literal_column("0"), _ROWS.c.kind, _ROWS.c.key, _ROWS.c.body
).where(_ROWS.c.search == _SEARCH)
WHOLE = union_all(_HEAD, _EACH_EVENT, _EACH_ROW)
"""A search's head, all events and all rows, from one snapshot."""
REGISTER = union_all(_HEAD, _EACH_ROW.where(and_(*(_ROWS.c.kind != kind for kind in VOTING))))
"""A search's head and its register, from one snapshot."""

SURVEY = select(
    _SEARCHES.c.id,
    _SEARCHES.c.wrapped,
    _SEARCHES.c.name,
    _HEADS.c.version,
    _HEADS.c.body,
    _ROWS.c.body,
).select_from(
    _SEARCHES.outerjoin(_HEADS, _HEADS.c.search == _SEARCHES.c.id).outerjoin(
        _ROWS,
        (_ROWS.c.search == _SEARCHES.c.id)
        & (_ROWS.c.kind == PINNED[0])
        & (_ROWS.c.key == PINNED[1]),
    )
)
"""Every search with its head and its pinned row."""


@cache
def counts(kinds: tuple[str, ...]) -> Any:
    """Build the statement that counts the rows of these kinds in each search."""
    return (
        select(_ROWS.c.search, _ROWS.c.kind, func.count())
        .where(or_(*(_ROWS.c.kind == kind for kind in kinds)))
        .group_by(_ROWS.c.search, _ROWS.c.kind)
    )


CREATE = insert(_SEARCHES)
REWRAP = update(_SEARCHES).where(_SEARCHES.c.id == _SEARCH).values(wrapped=bindparam("fresh"))
RESEAL = (
    update(_SEARCHES)
    .where(_SEARCHES.c.id == _SEARCH)
    .values(wrapped=bindparam("fresh"), name=bindparam("to_name"), header=bindparam("to_header"))
)
RESEAL_EVENT = (
    update(_EVENTS)
    .where((_EVENTS.c.search == _SEARCH) & (_EVENTS.c.number == bindparam("to_number")))
    .values(body=bindparam("to_body"))
)
RESEAL_ROW = update(_ROWS).where(_ROW).values(key=bindparam("fresh"), body=bindparam("to_body"))
DELETES = (
    delete(_EVENTS).where(_EVENTS.c.search == _SEARCH),
    delete(_ROWS).where(_ROWS.c.search == _SEARCH),
    delete(_HEADS).where(_HEADS.c.search == _SEARCH),
    delete(_SEARCHES).where(_SEARCHES.c.id == _SEARCH),
)

LATER = (
    select(
        _SEARCHES.c.wrapped,
        _HEADS.c.version,
        _HEADS.c.body,
        _OFFICE,
        _EVENTS.c.number,
        _EVENTS.c.body,
    )
    .select_from(
        _SEARCHES.join(_HEADS, _HEADS.c.search == _SEARCHES.c.id).outerjoin(
            _EVENTS,
            (_EVENTS.c.search == _SEARCHES.c.id) & (_EVENTS.c.number >= bindparam("start")),
        )
    )
    .where(_SEARCHES.c.id == _SEARCH)
    .order_by(_EVENTS.c.number)
)
"""A search's key and head, once per later event; a single row if there is no later event."""

EVENTS = (
    select(_EVENTS.c.number, _EVENTS.c.body)
    .where((_EVENTS.c.search == _SEARCH) & (_EVENTS.c.number >= bindparam("start")))
    .order_by(_EVENTS.c.number)
)
MARK = select(_EVENTS.c.mark).where(
    (_EVENTS.c.search == _SEARCH) & (_EVENTS.c.number == bindparam("to_number"))
)
APPEND = (
    insert(_EVENTS)
    .from_select(
        ["search", "number", "mark", "body"],
        select(
            _SEARCHES.c.id,
            bindparam("to_number", type_=Integer),
            bindparam("to_mark", type_=String),
            bindparam("to_body", type_=LargeBinary),
        ).where(
            (_SEARCHES.c.id == _SEARCH)
            & (_SEARCHES.c.wrapped == bindparam("to_wrapped", type_=LargeBinary))
            & (bindparam("to_number", type_=Integer) == _NEXT)
        ),
    )
    .execution_options(preserve_rowcount=True)
)
"""Insert an event, if the search still has this key and this is the number of its next event."""

GET = select(_ROWS.c.body).where(_ROW)


@cache
def some(count: int) -> Any:
    """Build the statement that reads several rows by kind and key, each through the index.

    A list of pairs would not use the index.

    Args:
        count: The number of rows. Their parameters are kind_0, key_0 and so on.
    """
    return union_all(
        *(
            select(_ROWS.c.kind, _ROWS.c.key, _ROWS.c.body).where(
                (_ROWS.c.search == _SEARCH)
                & (_ROWS.c.kind == bindparam(f"kind_{number}"))
                & (_ROWS.c.key == bindparam(f"key_{number}"))
            )
            for number in range(count)
        )
    )


@cache
def put(dialect: str) -> Any:
    """Return the statement that inserts or replaces a row."""
    statement: Any = import_module(f"sqlalchemy.dialects.{dialect}").insert(_ROWS)
    row: Any = {name: bindparam(f"to_{name}") for name in ("search", "kind", "key", "body")}
    made = statement.values(row)
    return made.on_conflict_do_update(
        index_elements=["search", "kind", "key"], set_={"body": made.excluded.body}
    )


DROP = delete(_ROWS).where(_ROW)
KEYS = select(_ROWS.c.key).where(_SOME).order_by(_ROWS.c.key)
ROWS = select(_ROWS.c.key, _ROWS.c.body).where(_SOME).order_by(_ROWS.c.key)
COUNT = select(func.count()).select_from(_ROWS).where(_SOME)
