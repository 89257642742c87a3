"""The outputs that the CLI's event log shows, and those for which the CLI has to be asked."""

from __future__ import annotations

import json

import pytest

from mockprovider.drivers.events import read_log
from mockprovider.pulumi.signatures import SIGNATURE

STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"


def events(*outputs, type_="pulumi:pulumi:Stack"):
    """The log of a run in which the stack's outputs were these, one after the other."""
    told = {"op": "same", "urn": STACK, "type": type_}
    yield json.dumps({"resourcePreEvent": {"metadata": told}})
    for each in outputs:
        yield json.dumps({"resOutputsEvent": {"metadata": {**told, "new": {"outputs": each}}}})


@pytest.mark.parametrize(
    ("outputs", "shown"),
    [
        ({"arn": "a", "list": [1, {"b": None}]}, {"arn": "a", "list": [1, {"b": None}]}),
        ({}, {}),
        (None, {}),
        ({"token": {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "[secret]"}}, None),
        ({"list": [{"deep": {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "text": "<contents elided>"}}]}, None),
        ({"url": "https://user:[secret]@host"}, None),
    ],
)
def test_outputs_that_the_log_shows(outputs, shown):
    """Outputs are taken from the log where nothing in them is hidden or left out; else the log is no source."""
    assert read_log(events(outputs)).outputs == shown


def test_the_last_outputs_count():
    """What the stack had last is what it has; what others have is none of its outputs, and a run may tell of none."""
    assert read_log(events({"n": 1}, {"n": 2})).outputs == {"n": 2}
    assert read_log(events({"n": 1}, type_="cloud:index:Bucket")).outputs is None
    assert read_log([]).outputs is None
