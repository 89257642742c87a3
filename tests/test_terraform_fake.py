"""Whatever a configuration says, the fake's own answers are those that engines take: the whole life, for any values."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from strategies_terraform import numbers, texts

from mockprovider.calls import Native, Session
from mockprovider.cloud import Cloud
from mockprovider.fake import Fake
from mockprovider.schema import Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of

PART = Kind("object", properties={"text": Property(str), "note": Property(str, default="none")})
THING = ResourceType(
    "cloud:index:Thing",
    {
        "text": Property(str),
        "number": Property(float, forces_new=True),
        "anything": Property("any"),
        "texts": Property(list[str]),
        "unique": Property(set[str]),
        "byName": Property(dict[str, str]),
        "hidden": Property(str, write_only=True),
        "acl": Property(str, default="private"),
        "note": Property(str, computed="of {id}", optional=True),
        "made": Property(str, computed=True),
        "one": Property(PART),
        "many": Property(Kind("array", items=PART)),
        "named": Property(Kind("map", items=PART)),
    },
)

parts = st.fixed_dictionaries({}, optional={"text": texts, "note": texts})
anything = st.recursive(
    st.booleans() | texts | numbers,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
configurations = st.fixed_dictionaries(
    {},
    optional={
        "text": texts,
        "number": numbers,
        "anything": anything,
        "texts": st.lists(texts, max_size=3),
        "unique": st.lists(texts, max_size=3, unique=True),
        "byName": st.dictionaries(texts, texts, max_size=2),
        "hidden": texts,
        "acl": texts,
        "note": texts,
        "one": parts,
        "many": st.lists(parts, max_size=2),
        "named": st.dictionaries(texts, parts, max_size=2),
    },
)


class Provider:
    """The fake, asked by messages as an engine asks it, with every answer checked on its way out."""

    def __init__(self, major: int) -> None:
        package = Package("cloud")
        package.add(THING)
        self._session = Session(f"tfplugin{major}")
        self._session.schema = package
        self._fake = Fake({"cloud": package}, Cloud())
        self._proto, self._service = protocol(major), SERVICES[major]
        schema = schema_of(self._session)
        assert schema is not None
        self.coder = schema.resource("cloud_thing")

    def ask(self, rpc: str, **fields: bytes) -> Any:
        """The answer message; raises where an engine would refuse it."""
        request: Any = self._proto.message(f"{rpc}.Request")(type_name="cloud_thing")
        for field, data in fields.items():
            getattr(request, field).msgpack = data
        row = self._service.methods[self._proto.wire_name(rpc)]
        call = row.call(request, self._session)
        call.native = Native(request.SerializeToString(), request)
        answer: Any = row.response(self._fake(call), call)
        assert not answer.diagnostics, answer
        return answer

    def change(self, prior: bytes, config: Any) -> bytes:
        """The state after a plan, and an apply of it where it says that something changes."""
        wanted = self.coder.encode(config)
        plan = self.ask("PlanResourceChange", prior_state=prior, proposed_new_state=wanted, config=wanted)
        if len(plan.requires_replace):
            self.ask("ApplyResourceChange", prior_state=prior, planned_state=NULL, config=NULL)
            prior = NULL
            plan = self.ask("PlanResourceChange", prior_state=prior, proposed_new_state=wanted, config=wanted)
        planned = plan.planned_state.msgpack
        if planned == prior:
            return prior
        made = self.ask("ApplyResourceChange", prior_state=prior, planned_state=planned, config=wanted)
        state: bytes = made.new_state.msgpack
        return state

    def read(self, state: bytes) -> bytes:
        """The state as it is read back."""
        found: bytes = self.ask("ReadResource", current_state=state).new_state.msgpack
        return found


NULL = b"\xc0"


@given(st.sampled_from(sorted(SERVICES)), configurations, configurations)
def test_any_life_conforms(major: int, first: Any, second: Any) -> None:
    """Create, read, change or replace, read, and plan again: every answer conforms, and the last plan has nothing to do."""
    provider = Provider(major)
    state = provider.change(NULL, first)
    assert provider.read(state) == state
    state = provider.change(state, second)
    assert provider.read(state) == state
    wanted = provider.coder.encode(second)
    again = provider.ask("PlanResourceChange", prior_state=state, proposed_new_state=wanted, config=wanted)
    assert again.planned_state.msgpack == state
    assert provider.ask("ApplyResourceChange", prior_state=state, planned_state=NULL, config=NULL).new_state.msgpack == NULL
