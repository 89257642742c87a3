"""Hypothesis strategies for the values that providers and engines exchange; each in the normal form that decoding gives."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from mockprovider.pulumi.signatures import SENTINELS
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret, Unknown, Value

LARGEST_INTEGER = 2**53


def _decoded(number: float) -> float | int:
    """Integral doubles are decoded as ``int``, but for negative zero."""
    whole = number.is_integer() and abs(number) <= LARGEST_INTEGER and str(number) != "-0.0"
    return int(number) if whole else number


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
numbers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | st.floats(allow_nan=False).map(_decoded)
scalars = st.none() | st.booleans() | numbers | texts
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
known_hashes = hashes | st.just("")
unknowns = st.sampled_from([Unknown(kind) for kind in SENTINELS])
urns = names.map(lambda name: f"urn:pulumi:dev::project::cloud:index:Bucket::{name}")

assets = st.one_of(
    st.builds(lambda text, digest: Asset(text=text, hash=digest), texts, known_hashes).filter(
        lambda each: each.text or not each.hash
    ),
    st.builds(lambda path, digest: Asset(path=path, hash=digest), names, known_hashes),
    st.builds(lambda uri, digest: Asset(uri=uri, hash=digest), names, known_hashes),
    st.builds(lambda digest: Asset(hash=digest), hashes),
)
archives = st.recursive(
    st.one_of(
        st.builds(lambda path, digest: Archive(path=path, hash=digest), names, known_hashes),
        st.builds(lambda uri, digest: Archive(uri=uri, hash=digest), names, known_hashes),
        st.builds(lambda digest: Archive(hash=digest), hashes),
        st.just(Archive(assets={})),
    ),
    lambda inner: st.builds(
        lambda members, digest: Archive(assets=members, hash=digest),
        st.dictionaries(names, assets | inner, min_size=1, max_size=3),
        known_hashes,
    ),
    max_leaves=4,
)
references = st.builds(
    ResourceReference,
    urns,
    id=st.none() | st.just(UNKNOWN) | names,
    name=st.none() | names,
    type=st.none() | names,
    package_version=st.none() | names,
)
leaves = scalars | unknowns | assets | archives | references | st.binary(max_size=8)


def _output(value: Value, secret: bool, dependencies: list[str]) -> Output:
    """An output value does not tell of what kind its unknown is."""
    return Output(UNKNOWN if isinstance(value, Unknown) else value, secret, tuple(dependencies))


def nested(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Lists, objects and wrappers of ``inner``."""
    return st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(texts, inner, max_size=3),
        inner.map(Secret),
        st.builds(_output, inner, st.booleans(), st.lists(urns, max_size=2)),
    )


values = st.recursive(leaves, nested, max_leaves=8)
"""Every kind of value."""

bags = st.dictionaries(texts, values, max_size=4)
"""Every kind of property bag."""

plain_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
"""Values that need no disguise: JSON's kinds."""


def exact(value: Value) -> Any:
    """``value`` in a form whose equality tells ``1``, ``1.0`` and ``True`` apart, and ``0.0`` from ``-0.0``."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if isinstance(value, msgspec.Struct):
        return [type(value).__name__, *map(exact, msgspec.structs.astuple(value))]
    return [type(value).__name__, repr(value)]
