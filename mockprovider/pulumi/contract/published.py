"""What a provider says of its package: a schema of the metaschema's form, as far as engines and SDK generators read it.

The tree is that of Pulumi's metaschema, without the words that only documents and languages use. A schema may have megabytes,
so it is read by types, and not by a validator.
"""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError, Struct, ValidationError, field
from msgspec.json import Decoder

from mockprovider.calls import Op
from mockprovider.contract import Condition, ContractRule, Party
from mockprovider.pulumi.contract.asking import GUIDE
from mockprovider.pulumi.contract.history import PulumiMoment


class PublishedProperty(Struct):
    """A property, or a type: a name of a builtin type, a reference to another, or a type with elements."""

    type: str | None = None
    ref: str | None = field(name="$ref", default=None)
    items: PublishedProperty | None = None
    elements: PublishedProperty | None = field(name="additionalProperties", default=None)
    choices: list[PublishedProperty] | None = field(name="oneOf", default=None)
    secret: bool | None = None


class PublishedObject(Struct):
    """An object type, or an enumeration."""

    type: str | None = None
    properties: dict[str, PublishedProperty] | None = None
    required: list[str] | None = None
    enum: list[dict[str, Any]] | None = None


class PublishedResource(PublishedObject):
    """A resource, or the provider itself."""

    inputs: dict[str, PublishedProperty] | None = field(name="inputProperties", default=None)
    needed: list[str] | None = field(name="requiredInputs", default=None)
    component: bool | None = field(name="isComponent", default=None)
    methods: dict[str, str] | None = None


class PublishedFunction(Struct):
    """A function."""

    inputs: PublishedObject | None = None
    outputs: PublishedObject | None = None


class PublishedConfig(Struct):
    """The configuration variables."""

    variables: dict[str, PublishedProperty] | None = None
    defaults: list[str] | None = None


class PublishedPackage(Struct):
    """A package schema."""

    name: str
    version: str | None = None
    config: PublishedConfig | None = None
    provider: PublishedResource | None = None
    resources: dict[str, PublishedResource] | None = None
    types: dict[str, PublishedObject] | None = None
    functions: dict[str, PublishedFunction] | None = None


READER = Decoder(PublishedPackage)


def _not_a_package(moment: PulumiMoment) -> str:
    text = moment.answer.extra.get("schema")
    if not isinstance(text, str):
        return ""
    try:
        package = READER.decode(text)
    except ValidationError as error:
        # It names the place and the two types, and no value.
        return f"the answer is no package schema: {error}."
    except DecodeError:
        return "the answer is no JSON."
    return "" if package.name else "the package has no name."


RULES: tuple[ContractRule, ...] = (
    ContractRule(
        id="PULUMI-SCHEMA-IS-A-PACKAGE",
        party=Party.PROVIDER,
        says="A provider's schema validates against the metaschema.",
        source=f"{GUIDE}, Schema",
        mend="Compare it with Pulumi's package metaschema; pulumi schema check tells more.",
        ops=frozenset({Op.GET_SCHEMA}),
        broken=_not_a_package,
        when=frozenset({Condition.OK}),
    ),
)
