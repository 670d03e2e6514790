"""Audits beyond one search that is heard in full: repetition, motion, and who hears what."""

from feint.audit.sequence.course import Course, read_course
from feint.audit.sequence.hearing import ALL, NOTHING, Hearing
from feint.audit.sequence.motion import Motion, jump, steps, walk
from feint.audit.sequence.report import sequence_report
from feint.audit.sequence.sampled_report import sampled_sequence_report

__all__ = [
    "ALL",
    "NOTHING",
    "Course",
    "Hearing",
    "Motion",
    "jump",
    "read_course",
    "sampled_sequence_report",
    "sequence_report",
    "steps",
    "walk",
]
