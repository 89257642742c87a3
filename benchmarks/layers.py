"""A call through all layers to the fake, in process, against a ``unittest.mock.Mock``, which records its calls too."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import Mock

from measure import Row, in_turns, report

from mockprovider.calls import Call, Op
from mockprovider.double import Double
from mockprovider.faults import Faults
from mockprovider.schema import Property, ResourceType

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "acl": Property(str, default="private"),
        "name": Property(str, forces_new=True),
        "arn": Property(str, computed="arn:cloud:::{id}"),
    },
)

RULES = {0: "1 µs", 100: "5 µs"}
"""How many rules of other types the fault layer has, and what it may cost then."""


def rows() -> Iterator[Row]:
    """One row for each op: the median of a call in microseconds."""
    double = Double(BUCKET)
    session = double.open()
    urn = f"urn:pulumi:dev::project::{BUCKET.token}::logs"
    known = {"type": BUCKET.token, "name": "logs", "urn": urn, "session": session}
    made = double(Call(op=Op.CREATE, inputs={"name": "logs"}, **known))
    prior = {"id": made.id, "prior": made.value, "prior_inputs": {"name": "logs", "acl": "private"}}
    calls = {
        "check": Call(op=Op.CHECK, inputs={"name": "logs"}, **known),
        "diff": Call(op=Op.DIFF, inputs={"name": "logs", "acl": "public"}, **prior, **known),
        "create": Call(op=Op.CREATE, inputs={"name": "logs"}, **known),
        "read": Call(op=Op.READ, **prior, **known),
    }
    mock = Mock(return_value=made)
    for op, call in calls.items():
        ours, theirs = in_turns(lambda call=call: double(call), lambda call=call: mock(call))
        yield Row(f"{op}, all layers, in process", "µs", ours, "unittest.mock.Mock call", theirs, "20 µs")
    for count, target in RULES.items():
        faults = Faults()
        for number in range(count):
            faults.on.create(f"cloud:index:Type{number}").error()
        layer, call = faults.layer, calls["create"]
        ours, theirs = in_turns(lambda layer=layer, call=call: layer(call, lambda _: made), lambda call=call: mock(call))
        yield Row(f"create, fault layer alone, {count} rules", "µs", ours, "unittest.mock.Mock call", theirs, target)


if __name__ == "__main__":
    report(rows())
