"""What is to be known of a recording when it is made: what it holds, what a replay of it will refuse, and whether it replays.

``contents`` gathers it from a finished cassette, without a clock or a file; ``words`` says it to people. ``proof`` asks the
recording everything that it was asked.
"""

from __future__ import annotations

from mockprovider.cassette.report.contents import (
    CallCount,
    CassetteReport,
    EqualObjects,
    InlineSchema,
    RefusedCalls,
    VerbatimPlace,
    report,
)
from mockprovider.cassette.report.proof import FailedProof, prove
from mockprovider.cassette.report.words import lines

__all__ = [
    "CallCount",
    "CassetteReport",
    "EqualObjects",
    "FailedProof",
    "InlineSchema",
    "RefusedCalls",
    "VerbatimPlace",
    "lines",
    "prove",
    "report",
]
