"""Pictures of questions in a terminal: see `feint.picture`."""

from feint.picture import beside, column, heights, marks, ruler, spans

__all__ = ["beside", "column", "heights", "marks", "ruler", "spans"]
