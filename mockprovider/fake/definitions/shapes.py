"""The shapes of a types file, as it is read and written: what may stand where, under which key, in which order it is written.

Their descriptions are those of the published schema. Where a struct of the declarations has a field of the same name, it means
the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType, field

from mockprovider.document import Count, Number, Word
from mockprovider.fake.behaviours import Behaving
from mockprovider.properties import KindName, Random
from mockprovider.schema import TOKEN

FORMAT = 1
"""The version of the format, which each file names under ``mockprovider``."""

PROVIDER_TOKEN = "^[^:]*:(index)?:provider$"  # noqa: S105 - a type's
"""Pulumi's name for the provider itself."""

RESERVED = "pulumi"
"""The property name that Pulumi keeps for itself everywhere."""

RESERVED_SETTING = "version"
"""The setting that Pulumi keeps for itself: the version of the plugin."""


def named(pattern: str, refusal: str, **schema: Any) -> Meta:
    """What text of a ``pattern`` is; other text is told the ``refusal``. ``schema`` is what else is published of it."""
    return Meta(pattern=f"^{pattern}$", extra={"refusal": refusal}, extra_json_schema=schema)


def expected(what: str, description: str) -> Meta:
    """What may be a flag or text, and what to write there."""
    return Meta(description=description, extra={"expected": what})


PackageName = Annotated[
    str,
    named(
        "[a-zA-Z][-a-zA-Z0-9_]*",
        "{!r} cannot be a name here: a package name starts with a letter and goes on with letters, digits, '-' and '_'.",
    ),
]
Token = Annotated[
    str,
    named(
        TOKEN.pattern,
        "{!r} is no token. Write it as 'package:module:Member', such as 'cloud:index:Bucket'.",
        **{"not": {"pattern": PROVIDER_TOKEN}},
    ),
]
NAME = "[a-zA-Z_][-a-zA-Z0-9_]*"
NAME_REFUSAL = "{!r} cannot be a name here: a property's name is letters, digits, '-' and '_', and starts with no digit."
PropertyName = Annotated[str, named(NAME, NAME_REFUSAL, **{"not": {"const": RESERVED}})]
SettingName = Annotated[str, named(NAME, NAME_REFUSAL, **{"not": {"enum": [RESERVED, RESERVED_SETTING]}})]
TerraformName = Annotated[
    str,
    named(
        "[a-z][a-z0-9_]*",
        "{!r} cannot be a name here: Terraform's names are lower case letters, digits and '_', and start with a letter.",
        description="The name in Terraform, where the rule does not give it.",
    ),
]
Version = Annotated[
    str,
    named(
        r"[0-9]+\.[0-9]+\.[0-9]+([-+][-+.0-9A-Za-z]+)?",
        "{!r} is no semantic version. Write three numbers, such as 1.0.0.",
        description="The version that the provider says it has; 1.0.0 unless told.",
    ),
]
KindWord = Annotated[KindName, Meta(extra={"what": "kind of value"})]
PlainKind = Annotated[KindWord, Meta(extra_json_schema={"not": {"const": "object"}})]
Accepted = Annotated[
    tuple[
        Annotated[
            Any,
            Meta(
                extra={"refusal": "null is what a property that nobody sets is anyway. Leave it out of the list."},
                extra_json_schema={"not": {"type": "null"}},
            ),
        ],
        ...,
    ],
    Meta(
        min_length=1,
        description="The only values that are accepted.",
        extra={"refusal": "no value at all would be accepted. List some, or leave enum out."},
    ),
]
Default = Annotated[
    Any,
    Meta(
        description="Filled in where the program says nothing.",
        extra={"refusal": "null is what a property without a default is anyway. Leave default out."},
        extra_json_schema={"not": {"type": "null"}},
    ),
]


class Written(Struct, rename="camel"):
    """An object of a types file: keys in camelCase, whatever is left out is as it would be anyway."""


class ItemsShape(Written):
    """What each element is."""

    type: KindWord
    items: PlainKind | ItemsShape | UnsetType = UNSET
    properties: Properties | UnsetType = UNSET
    enum: Accepted = ()


class InputItemsShape(ItemsShape):
    """The same where a program sets all of it, so that nothing inside is computed."""

    items: PlainKind | InputItemsShape | UnsetType = UNSET
    properties: Inputs | UnsetType = UNSET


class PropertyShape(Written):
    """A property of a resource, where its kind's name does not say all."""

    type: Annotated[KindWord, Meta(description="The kind of the value; string unless told.")] | UnsetType = UNSET
    items: PlainKind | ItemsShape | UnsetType = UNSET
    properties: Properties | UnsetType = UNSET
    required: Annotated[bool, Meta(description="Check fails where it is missing.")] = False
    default: Default = UNSET
    default_template: Annotated[Word, Meta(description="A default made of other properties: {name}-logs.")] | UnsetType = UNSET
    default_random: (
        Annotated[Random, Meta(description="A default that is made up, by Pulumi's randomSeed or at Terraform's apply.")]
        | UnsetType
    ) = UNSET
    minimum: Annotated[Number, Meta(description="The least number.")] | UnsetType = UNSET
    maximum: Annotated[Number, Meta(description="The greatest number.")] | UnsetType = UNSET
    min_length: Annotated[Count, Meta(description="The least number of characters.")] | UnsetType = UNSET
    max_length: Annotated[Count, Meta(description="The greatest number of characters.")] | UnsetType = UNSET
    min_items: Annotated[Count, Meta(description="The least number of elements.")] | UnsetType = UNSET
    max_items: Annotated[Count, Meta(description="The greatest number of elements.")] | UnsetType = UNSET
    pattern: Annotated[str, Meta(description="A regular expression (Python's) that the whole text must match.")] = ""
    auto_name: Annotated[
        bool | Word,
        expected(
            "true, or a template such as '{name}-{random:7}'",
            "Named after the resource where the program says nothing: true, or a template over {name} and {random:7}.",
        ),
    ] = False
    delete_before_replace: Annotated[bool, Meta(description="Where its change needs a new object, the old one goes first.")] = (
        False
    )
    unreadable: Annotated[bool, Meta(description="No read can tell it: it is what the engine remembers.")] = False
    computed: Annotated[
        bool | Word,
        expected(
            "true for a generated value, or a template such as 'arn:cloud:::{id}'",
            "The provider says what it is: true for a generated value, or a template over id and the other properties.",
        ),
    ] = False
    optional: Annotated[bool, Meta(description="Of a computed property, that the program may set it instead.")] = False
    forces_new: Annotated[bool, Meta(description="A change needs a new object.")] = False
    secret: Annotated[bool, Meta(description="Kept out of sight by engines and cassettes.")] = False
    write_only: Annotated[bool, Meta(description="Terraform keeps it in no plan and no state.")] = False
    conflicts_with: Annotated[
        tuple[Word, ...], Meta(description="Properties beside it that may not be set together with it.")
    ] = ()
    enum: Accepted = ()
    description: str = ""
    terraform: TerraformName = ""


class InputShape(PropertyShape):
    """What a program may set, so it is computed by nobody: a setting or an argument."""

    left_out: ClassVar = ("computed", "optional", "defaultRandom", "autoName", "deleteBeforeReplace", "unreadable")

    items: PlainKind | InputItemsShape | UnsetType = UNSET
    properties: Inputs | UnsetType = UNSET


Properties = Mapping[PropertyName, PlainKind | PropertyShape]
Inputs = Mapping[PropertyName, PlainKind | InputShape]
Values = Mapping[str, Any]
"""Values, and templates at any depth."""


class TimeoutsShape(TypedDict, total=False):
    """How many seconds an op may take where an engine says nothing."""

    create: Seconds
    read: Seconds
    update: Seconds
    delete: Seconds


Seconds = Annotated[Number, Meta(extra_json_schema={"exclusiveMinimum": 0})]


class ResourceShape(Written):
    """A type of resource."""

    description: str = ""
    id: Annotated[
        Word,
        Meta(
            description="Template of new ids: {hash}, {name} (the property of that name, else the resource's logical name) and "
            "any property that a program may set."
        ),
    ] = "{hash}"
    terraform: TerraformName = ""
    version: Annotated[Count, Meta(description="The version of Terraform's state schema.")] = 0
    delete_before_replace: Annotated[bool, Meta(description="On replacement the old object goes before the new one comes.")] = (
        False
    )
    timeouts: TimeoutsShape = {}
    behaviours: Annotated[
        tuple[Annotated[Behaving, Meta(extra={"what": "kind of behaviour"})], ...],
        Meta(description="What the cloud does beyond keeping objects; the first is outermost."),
    ] = ()
    diff_needs_known: Annotated[bool, Meta(description="Pulumi's Diff fails while an input is unknown.")] = False
    identity: Annotated[tuple[Word, ...], Meta(description="Properties, or id, that tell the object from all others.")] = ()
    moved_from: Annotated[tuple[Word, ...], Meta(description="Types whose objects this one takes over.")] = ()
    importable: Annotated[
        bool | Word, expected("false, or the reason in quotes", "false, or why its objects cannot be imported.")
    ] = True
    legacy_type_system: Annotated[bool, Meta(description="Have Terraform tolerate what the old SDK's providers get wrong.")] = (
        False
    )
    properties: Annotated[Properties, Meta(description="Properties by their name in Pulumi's spelling (camelCase).")] = {}


class FunctionShape(Written):
    """A function, or a method."""

    inputs: Annotated[Inputs, Meta(description="The arguments.")] = {}
    returns: Annotated[
        Values, Meta(description="What comes back, by name: values, and templates over the arguments at any depth.")
    ] = {}


class ChildShape(Written):
    """A child of a component."""

    type: Annotated[Word, Meta(description="Its type token.")]
    name: Annotated[Word, Meta(description="Template of its name; without one, {name}- and its key.")] | UnsetType = UNSET
    properties: Annotated[Values, Meta(description="Values and templates over inputs, {name}, and earlier children.")] = {}


class ComponentShape(Written):
    """A component: a resource that is made of others."""

    description: str = ""
    inputs: Annotated[Inputs, Meta(description="What a program sets.")] = {}
    outputs: Annotated[Properties, Meta(description="What it shows; computed templates may name inputs and children.")] = {}
    children: Annotated[
        Mapping[str, ChildShape], Meta(description="The resources that it is made of, registered in this order.")
    ] = {}


class PackageShape(Written):
    """What one provider serves."""

    version: Version | UnsetType = UNSET
    config: Annotated[Mapping[SettingName, PlainKind | InputShape], Meta(description="The provider's configuration.")] = {}
    resources: Mapping[Token, ResourceShape] = {}
    functions: Mapping[Token, FunctionShape] = {}
    components: Mapping[Token, ComponentShape] = {}
    methods: Mapping[Token, FunctionShape] = {}


class TypesFile(Written):
    """Packages of resource types and functions for a fake provider. See docs/resource-types.md. What a schema cannot say is
    checked when the file is read: tokens belong to their package, templates name what exists, defaults fit.
    """

    mockprovider: Annotated[int, Meta(description="The version of this format.", extra_json_schema={"const": FORMAT})]
    packages: Annotated[
        Mapping[PackageName, PackageShape],
        Meta(
            min_length=1,
            description="Packages by name: the provider that a program asks for.",
            extra={"refusal": "there are no packages. Declare at least one."},
        ),
    ]
    schema_: str = field(default="", name="$schema")
