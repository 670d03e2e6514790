"""What is said to the database, statement by statement; compiled once a process.

What is filled in is called to_…, since SQLAlchemy keeps the names of columns for itself.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from sqlalchemy import (
    Integer,
    LargeBinary,
    String,
    bindparam,
    delete,
    func,
    insert,
    select,
    union_all,
    update,
)

from feint.journal.tables import EVENTS as _EVENTS
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
NAMED = select(_SEARCHES.c.wrapped, _SEARCHES.c.name).where(_SEARCHES.c.id == _SEARCH)
KEY = select(_SEARCHES.c.wrapped).where(_SEARCHES.c.id == _SEARCH)
LOCK = select(_SEARCHES.c.wrapped).where(_SEARCHES.c.id == _SEARCH).with_for_update()
CREATE = insert(_SEARCHES)
REWRAP = update(_SEARCHES).where(_SEARCHES.c.id == _SEARCH).values(wrapped=bindparam("fresh"))
DELETES = (
    delete(_EVENTS).where(_EVENTS.c.search == _SEARCH),
    delete(_ROWS).where(_ROWS.c.search == _SEARCH),
    delete(_SEARCHES).where(_SEARCHES.c.id == _SEARCH),
)

LATER = (
    select(_SEARCHES.c.wrapped, _EVENTS.c.number, _EVENTS.c.body)
    .select_from(
        _SEARCHES.outerjoin(
            _EVENTS,
            (_EVENTS.c.search == _SEARCHES.c.id) & (_EVENTS.c.number >= bindparam("start")),
        )
    )
    .where(_SEARCHES.c.id == _SEARCH)
    .order_by(_EVENTS.c.number)
)
"""A search's key with each of its later events; where there is none, the key alone."""

EVENTS = (
    select(_EVENTS.c.number, _EVENTS.c.body)
    .where((_EVENTS.c.search == _SEARCH) & (_EVENTS.c.number >= bindparam("start")))
    .order_by(_EVENTS.c.number)
)
MARK = select(_EVENTS.c.mark).where(
    (_EVENTS.c.search == _SEARCH) & (_EVENTS.c.number == bindparam("to_number"))
)
NEXT = select(_NEXT)
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
"""An event, if the search is there under this very key and this is its next number."""

GET = select(_ROWS.c.body).where(_ROW)


@cache
def some(count: int) -> Any:
    """Several rows by kind and key, each found by the index: lists of pairs are searched through.

    Args:
        count: How many; they are filled in as kind_0, key_0 and so on.
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
    """The statement that writes a row, over the one that is there, in a database's own words."""
    statement: Any = import_module(f"sqlalchemy.dialects.{dialect}").insert(_ROWS)
    row: Any = {name: bindparam(f"to_{name}") for name in ("search", "kind", "key", "body")}
    made = statement.values(row)
    return made.on_conflict_do_update(
        index_elements=["search", "kind", "key"], set_={"body": made.excluded.body}
    )


DROP = delete(_ROWS).where(_ROW)
ROWS = select(_ROWS.c.key, _ROWS.c.body).where(_SOME).order_by(_ROWS.c.key)
COUNT = select(func.count()).select_from(_ROWS).where(_SOME)
