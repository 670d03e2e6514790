"""Draw small pictures of a search, as text for a terminal and as SVG for a notebook."""

from feint.picture.line import aligned, beside, column, heights, marks, ruler, spans
from feint.picture.rounds import Round, lanes, played, strip
from feint.picture.svg import bars, lanes_svg, paragraphs, questions, strip_svg, table

__all__ = [
    "Round",
    "aligned",
    "bars",
    "beside",
    "column",
    "heights",
    "lanes",
    "lanes_svg",
    "marks",
    "paragraphs",
    "played",
    "questions",
    "ruler",
    "spans",
    "strip",
    "strip_svg",
    "table",
]
