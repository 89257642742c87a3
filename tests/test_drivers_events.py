"""What the CLI's event log says of a run."""

from __future__ import annotations

import json

from mockprovider.drivers.events import read_log
from mockprovider.pulumi.result import Diagnostic

BUCKET = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"


def test_diagnostics():
    """What a user is told is told with its resource, without the line's end; what is for debugging is left out."""
    told = [
        {"severity": "warning", "message": "careful\n", "urn": BUCKET},
        {"severity": "debug", "message": "inside"},
        {"severity": "error", "message": "no"},
    ]

    assert read_log(json.dumps({"diagnosticEvent": each}) for each in told).diagnostics == [
        Diagnostic("warning", "careful", BUCKET),
        Diagnostic("error", "no"),
    ]


def test_refreshes_of_several_instances():
    """Where two instances of one resource are refreshed, each step has the op that it ended with."""
    begun = {"resourcePreEvent": {"metadata": {"op": "refresh", "urn": BUCKET}}}
    ended = [{"resOutputsEvent": {"metadata": {"op": op, "urn": BUCKET}}} for op in ("same", "delete")]
    assert {op for op, _ in read_log(map(json.dumps, [begun, begun, *ended])).steps} == {"same", "delete"}
    twice = [begun, begun, ended[0], ended[0]]
    assert read_log(map(json.dumps, twice)).steps == [("same", BUCKET), ("same", BUCKET)]


def test_refreshes_of_one_resource():
    """Of several instances that are refreshed one after the other, each has what its own Read has found."""
    told = [
        event
        for found in ("same", "update")
        for event in (
            {"resourcePreEvent": {"metadata": {"op": "refresh", "urn": BUCKET}}},
            {"resOutputsEvent": {"metadata": {"op": found, "urn": BUCKET}}},
        )
    ]

    assert read_log(map(json.dumps, [*told, *told])).steps == [("same", BUCKET), ("update", BUCKET)] * 2
