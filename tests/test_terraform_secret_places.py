"""Secrets of generated schemas in generated values: all that is declared is hidden, nothing else is, and all comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies_terraform import known, published_blocks

from mockprovider.redaction import Redactor, fill
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.secrets import MARKS, Secrets
from mockprovider.terraform.recorded.trees import tree
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.published import tree_of
from mockprovider.terraform.schema.publishing import fill_schema
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values import packing


def leaves(place: Place, shown: Any, hidden: Any, *, secret: bool = False) -> Iterator[tuple[bool, Any, Any]]:
    """Each leaf of a value: whether its schema hides it, as it was, and as it is redacted."""
    secret = secret or place.sensitive or place.write_only
    if isinstance(shown, dict) and place.members:
        for name, item in shown.items():
            yield from leaves(place.members[name], item, hidden[name], secret=secret)
    elif isinstance(shown, dict):
        for key, item in shown.items():
            yield from leaves(place.element or place, item, hidden[key], secret=secret)
    elif isinstance(shown, list):
        for item, other in zip(shown, hidden, strict=True):
            yield from leaves(place.element or place, item, other, secret=secret)
    else:
        yield secret, shown, hidden


@pytest.mark.parametrize("major", sorted(SERVICES))
@given(data=st.data())
def test_what_a_schema_hides_is_hidden_and_nothing_else(major: int, data: st.DataObject) -> None:
    """In any schema, a leaf of a value is a placeholder if something above it is sensitive or write-only, else itself."""
    place = tree_of({"block": data.draw(published_blocks(major))})
    assume(not place.type.has("dynamic"))
    schema: Any = protocol(major).message("GetProviderSchema.Response")()
    fill_schema(schema.resource_schemas["cloud_box"], place, "cloud_box")
    secrets, row = Secrets(SERVICES[major]), SERVICES[major].methods["ReadResource"]
    secrets.learn(schema)
    request: Any = protocol(major).message("ReadResource.Request")(type_name="cloud_box", private=b"private")
    request.current_state.msgpack = packing.pack(data.draw(known(place.type)), place.type)

    redactor = Redactor(marks=MARKS)
    names, shown = redactor.names("", secrets.places(row, request)), tree(request)
    # A map's key that begins with "$" keeps the value as bytes, which are withheld as a whole.
    assume("msgpack" in shown["current_state"])
    redactor.learn([shown], names)
    hidden = redactor.hide(shown, names).tree

    assert fill(hidden, lambda number, _: redactor.vault.value(number)) == shown
    longer = [text for secret, text, _ in _found(place, shown, hidden) if secret and isinstance(text, str) and len(text) >= 6]
    for secret, was, now in _found(place, shown, hidden):
        if secret and was not in (None, ""):
            assert isinstance(now, dict)
            assert "$secret" in now
        elif not any(text in str(was) for text in longer):
            assert now == was


def _found(place: Place, shown: Any, hidden: Any) -> list[tuple[bool, Any, Any]]:
    return list(leaves(place, shown["current_state"]["msgpack"], hidden["current_state"]["msgpack"]))
