"""Hypothesis strategies for types files that are accepted, with whatever may stand in one."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

Data = st.SearchStrategy[dict[str, Any]]

flags = st.booleans()
numbers = st.integers(-5, 5) | st.sampled_from([0.5, 1.0, -2.5])
counts = st.integers(0, 5) | st.just(3.0)
names = st.text("abcXYZ_", min_size=1, max_size=4)
words = st.text("abc é:-", min_size=1, max_size=6)
tokens = st.text("abcAB", min_size=1, max_size=4).map("cloud:index:{}".format)
comment = st.fixed_dictionaries({}, optional={"$comment": words})
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | flags | numbers | st.text("ab", max_size=3) | st.just("{{}}"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names | st.just("$comment"), inner, max_size=2),
    max_leaves=4,
)
plain = {"string": st.text("ab", max_size=4), "integer": st.integers(-3, 3) | st.just(2.0), "number": numbers, "boolean": flags}
LIMITS: dict[str, dict[str, Any]] = {
    "string": {
        "maxLength": st.integers(4, 9) | st.just(4.0),
        "minLength": st.just(0),
        "pattern": st.sampled_from(["", "[ab]*"]),
    },
    "integer": {"minimum": st.just(-5), "maximum": st.sampled_from([7, 7.5])},
    "number": {"minimum": st.sampled_from([-5, -5.5]), "maximum": st.just(9)},
    **{name: {"minItems": st.just(0), "maxItems": st.integers(3, 8)} for name in ("array", "set", "map")},
}
FLAGS = ("forcesNew", "secret")
SEVERAL = {"description": words, "terraform": st.just(""), "conflictsWith": st.lists(words, max_size=2)}


def one_of(*keys: Data) -> Data:
    """None of these keys, or one."""
    return st.one_of(st.just({}), *keys)


def merged(*parts: Data) -> Data:
    """Objects with the keys of all the parts, in any order."""
    items = st.tuples(*parts).map(lambda dicts: [item for part in dicts for item in part.items()])
    return items.flatmap(st.permutations).map(dict)


def optional(**keys: Any) -> Data:
    """Objects with some of the keys."""
    return st.fixed_dictionaries({}, optional=keys)


def under(key: str, value: Any) -> Data:
    """Objects with one key."""
    return st.fixed_dictionaries({key: value})


def accepted(value: Any) -> Any:
    """Lists of accepted values."""
    return st.lists(value, min_size=1, max_size=3)


def kinds(properties: Any) -> Any:
    """Kinds of items."""
    objects = under("properties", properties).map(lambda found: {"type": "object", **found})
    scalars = st.sampled_from(["string", "integer", "number", "boolean", "any", "asset", "archive", "array", "set", "map"])
    listed = st.sampled_from(sorted(plain)).flatmap(
        lambda name: merged(st.just({"type": name}), optional(enum=accepted(plain[name])), comment)
    )
    return st.recursive(
        scalars | listed | objects,
        lambda inner: merged(st.sampled_from(["array", "set", "map"]).map(lambda name: {"type": name}), under("items", inner)),
        max_leaves=2,
    )


def sourced(name: str, *, computed: bool) -> Data:
    """Where the value of a property of a scalar kind comes from."""
    plainly = optional(required=flags, writeOnly=flags, enum=accepted(plain[name]))
    default = under("default", plain[name])
    if not computed:
        return plainly | default
    said = merged(under("computed", st.just(True) | st.just("{{x}}-{id}")), optional(optional=flags, unreadable=flags))
    if name != "string":
        return plainly | default | said
    random = optional(length=st.integers(1, 9) | st.just(8.0), prefix=st.just("") | words, alphabet=words)
    template = under("defaultTemplate", st.just("a{{}}"))
    automatic = under("autoName", st.booleans() | st.just("{name}-{random:3}"))
    return plainly | default | said | template | automatic | under("defaultRandom", merged(random, comment))


def scalar(name: str, *, computed: bool) -> Data:
    """A property of a scalar kind."""
    stated = {**dict.fromkeys(FLAGS, flags), **SEVERAL, **({"deleteBeforeReplace": flags} if computed else {})}
    type_ = st.just({"type": name}) | (st.just({}) if name == "string" else st.nothing())
    limits = st.just({}) if name == "boolean" else optional(**LIMITS[name])
    del stated["terraform"]
    return merged(type_, sourced(name, computed=computed), limits, optional(**stated), comment).filter(satisfiable)


def satisfiable(item: dict[str, Any]) -> bool:
    """Whether limits and values go together, which is not what these files are about."""
    return not (item.get("pattern") or item.get("maxLength") or "minLength" in item) or not isinstance(item.get("default"), str)


def properties(*, computed: bool, depth: int = 1) -> Any:
    """Properties by name: of a resource, or with nothing ``computed``."""
    scalars = st.sampled_from(sorted(plain)).flatmap(lambda name: scalar(name, computed=computed))
    choices = [st.sampled_from(["string", "any", "map", "set", "asset"]), scalars]
    if depth:
        inside = properties(computed=computed, depth=depth - 1)
        choices.append(merged(st.just({"type": "object"}), under("properties", inside), optional(secret=flags)))
        collections = st.sampled_from(["array", "set", "map"]).map(lambda name: {"type": name})
        choices.append(merged(collections, optional(items=kinds(inside)), optional(**LIMITS["array"]), comment))
    return st.dictionaries(names, st.one_of(choices), max_size=3).filter(distinct)


def distinct(found: dict[str, Any]) -> bool:
    """Whether Terraform could tell the names apart, also from the settings that are taken."""
    return len({name.lower().replace("_", "") for name in found}) == len(found)


PIECES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2.5, "", "{x}", "object", "array", float("inf"), [], [None], ["a"], {}),
    *({"type": "array"}, {"type": "object"}, {"kind": "quota"}, {"$comment": 1}),
)
"""What may be put in a wrong place."""


def places(value: Any) -> list[tuple[Any, Any]]:
    """All places in a document, as container and key."""
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    return [*((value, key) for key, _ in pairs), *(place for _, inside in pairs for place in places(inside))]


@st.composite
def spoiled(draw: st.DrawFn, files: Data) -> dict[str, Any]:
    """Files with something else in one place, or with one key more."""
    file = copy.deepcopy(draw(files))
    container, key = draw(st.sampled_from(places(file)))
    if isinstance(container, dict) and draw(flags):
        key = draw(st.sampled_from(["type", "default", "enum", "computed", "items", "properties", "kind", "pulumi", "nothing"]))
    container[key] = copy.deepcopy(draw(st.sampled_from(PIECES)))
    return file


seconds = st.sampled_from([1, 0.5, 30, 2.0])
behaviours = st.one_of(
    merged(
        st.just({"kind": "quota"}),
        under("most", counts),
        optional(everywhere=flags, status=st.just("resource_exhausted")),
        comment,
    ),
    merged(st.just({"kind": "eventual"}), optional(reads=st.integers(1, 3) | st.just(1.0)), comment),
    merged(st.just({"kind": "slow"}), optional(create=seconds, read=seconds, delete=st.sampled_from([0, 0.0]))),
    merged(st.just({"kind": "holds", "type": "cloud:index:Object", "by": "bucket"}), optional(of=st.just("id"))),
)
resources = merged(
    under("properties", properties(computed=True)) | st.just({}),
    optional(
        description=st.just("") | words,
        id=st.sampled_from(["{hash}", "{name}-x", "a{{}}"]),
        version=counts,
        deleteBeforeReplace=flags,
        diffNeedsKnown=flags,
        legacyTypeSystem=flags,
        timeouts=merged(optional(create=seconds, read=seconds, update=seconds, delete=seconds), comment),
        behaviours=st.lists(behaviours, max_size=2),
        movedFrom=st.lists(words, max_size=2),
        identity=st.lists(st.just("id"), max_size=1),
        importable=flags | words,
    ),
    comment,
)
functions = merged(optional(inputs=properties(computed=False), returns=st.dictionaries(names, values, max_size=2)), comment)
children = merged(
    under("type", words), optional(name=st.just("{name}-x"), properties=st.dictionaries(names, values, max_size=2))
)
components = merged(
    optional(
        description=words,
        inputs=properties(computed=False),
        outputs=st.dictionaries(names, st.just({"computed": "{name}"}) | st.just("string"), max_size=2),
        children=st.dictionaries(names, children, max_size=2),
    ),
    comment,
)
packages = merged(
    optional(
        version=st.sampled_from(["1.0.0", "2.3.4-beta.1+x"]),
        config=properties(computed=False),
        resources=st.dictionaries(tokens, resources, max_size=2).filter(
            lambda found: len({*map(str.lower, found)}) == len(found)
        ),
        functions=st.dictionaries(tokens, functions, max_size=2),
        components=st.dictionaries(tokens, components, max_size=2),
        methods=st.dictionaries(tokens.map("{}/m".format), functions, max_size=1),
    ),
    comment,
)
types_files = merged(
    st.fixed_dictionaries({"mockprovider": st.sampled_from([1, 1.0]), "packages": st.fixed_dictionaries({"cloud": packages})}),
    optional(**{"$schema": words}),
    comment,
)
