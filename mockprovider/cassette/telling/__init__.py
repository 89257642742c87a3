"""What a recording tells people: its calls in plain fields, the story of its run, and how two recordings differ.

All of it is data, made from a cassette that was read; nothing here prints.
"""

from __future__ import annotations

from mockprovider.cassette.telling.differences import CassetteDifference, DifferingCalls, compared
from mockprovider.cassette.telling.facts import CallFacts, CallFilter, facts
from mockprovider.cassette.telling.story import Chapter, StoryLine, story

__all__ = [
    "CallFacts",
    "CallFilter",
    "CassetteDifference",
    "Chapter",
    "DifferingCalls",
    "StoryLine",
    "compared",
    "facts",
    "story",
]
