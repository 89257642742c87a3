"""The structs of a types file: its keys, the types of their values, and the order in which they are written.

The published schema has their descriptions. A field means the same as the declaration's field of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType, field

from mockprovider.document import Count, Number, Word
from mockprovider.fake.behaviours import Behaving
from mockprovider.fake.inventing.makers import MakerName
from mockprovider.properties import KindName, Random
from mockprovider.schema import TOKEN

FORMAT = 1
"""The version of the format, which each file has under ``mockprovider``."""

PROVIDER_TOKEN = "^[^:]*:(index)?:provider$"  # noqa: S105 - a type's
"""Pulumi's name for the provider itself."""

RESERVED = "pulumi"
"""The property name that Pulumi reserves everywhere."""

RESERVED_SETTING = "version"
"""The setting that Pulumi reserves: the version of the plugin."""


def named(pattern: str, refusal: str, **schema: Any) -> Meta:
    """Text of a ``pattern``; the error for other text is the ``refusal``. ``schema`` has further published keywords."""
    return Meta(pattern=f"^{pattern}$", extra={"refusal": refusal}, extra_json_schema=schema)


def expected(what: str, description: str) -> Meta:
    """A flag or text; ``what`` is for the error of any other value."""
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
        description="The version of the provider; default: 1.0.0.",
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
        description="The only accepted values.",
        extra={"refusal": "no value at all would be accepted. List some, or leave enum out."},
    ),
]
Default = Annotated[
    Any,
    Meta(
        description="The value if the program does not set it.",
        extra={"refusal": "null is what a property without a default is anyway. Leave default out."},
        extra_json_schema={"not": {"type": "null"}},
    ),
]


class Written(Struct, rename="camel"):
    """An object of a types file: keys in camelCase; defaults are left out."""


class ItemsShape(Written):
    """An element's kind."""

    type: KindWord
    items: PlainKind | ItemsShape | UnsetType = UNSET
    properties: Properties | UnsetType = UNSET
    enum: Accepted = ()


class InputItemsShape(ItemsShape):
    """An element's kind in what a program sets, where nothing is computed."""

    items: PlainKind | InputItemsShape | UnsetType = UNSET
    properties: Inputs | UnsetType = UNSET


class PropertyShape(Written):
    """A property of a resource that has more to declare than its kind."""

    type: Annotated[KindWord, Meta(description="The kind of the value; default: string.")] | UnsetType = UNSET
    items: PlainKind | ItemsShape | UnsetType = UNSET
    properties: Properties | UnsetType = UNSET
    required: Annotated[bool, Meta(description="Check fails if it is missing.")] = False
    default: Default = UNSET
    default_template: Annotated[Word, Meta(description="A default made of other properties: {name}-logs.")] | UnsetType = UNSET
    default_random: (
        Annotated[Random, Meta(description="A random default, from Pulumi's randomSeed or at Terraform's apply.")] | UnsetType
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
            "If not set, a name made from the resource's: true, or a template over {name} and {random:7}.",
        ),
    ] = False
    delete_before_replace: Annotated[
        bool, Meta(description="If its change forces a replacement, the old object is deleted first.")
    ] = False
    unreadable: Annotated[bool, Meta(description="Reads do not return it: the engine's value stays.")] = False
    computed: Annotated[
        bool | Word,
        expected(
            "true for a generated value, or a template such as 'arn:cloud:::{id}'",
            "The provider sets it: true for a generated value, or a template over id and the other properties.",
        ),
    ] = False
    optional: Annotated[bool, Meta(description="A computed property that the program may also set.")] = False
    forces_new: Annotated[bool, Meta(description="A change forces a replacement.")] = False
    secret: Annotated[bool, Meta(description="Engines and cassettes hide it.")] = False
    write_only: Annotated[bool, Meta(description="Terraform keeps it out of plans and states.")] = False
    conflicts_with: Annotated[
        tuple[Word, ...], Meta(description="Sibling properties that may not be set together with it.")
    ] = ()
    enum: Accepted = ()
    description: str = ""
    terraform: TerraformName = ""


class InputShape(PropertyShape):
    """A setting or an argument, which the program sets and no provider computes."""

    left_out: ClassVar = ("computed", "optional", "defaultRandom", "autoName", "deleteBeforeReplace", "unreadable")

    items: PlainKind | InputItemsShape | UnsetType = UNSET
    properties: Inputs | UnsetType = UNSET


Properties = Mapping[PropertyName, PlainKind | PropertyShape]
Inputs = Mapping[PropertyName, PlainKind | InputShape]
Values = Mapping[str, Any]
"""Values, and templates at any depth."""


class TimeoutsShape(TypedDict, total=False):
    """Seconds that an op may take if the engine sets no timeout."""

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
            "input properties."
        ),
    ] = "{hash}"
    terraform: TerraformName = ""
    version: Annotated[Count, Meta(description="The version of Terraform's state schema.")] = 0
    delete_before_replace: Annotated[bool, Meta(description="A replacement deletes the old object first.")] = False
    timeouts: TimeoutsShape = {}
    behaviours: Annotated[
        tuple[Annotated[Behaving, Meta(extra={"what": "kind of behaviour"})], ...],
        Meta(description="How the cloud treats its objects; the first is outermost."),
    ] = ()
    diff_needs_known: Annotated[bool, Meta(description="Pulumi's Diff fails while an input is unknown.")] = False
    identity: Annotated[tuple[Word, ...], Meta(description="Properties, or id, that identify the object.")] = ()
    moved_from: Annotated[tuple[Word, ...], Meta(description="Types whose objects may move to this one.")] = ()
    importable: Annotated[
        bool | Word, expected("false, or the reason in quotes", "false, or why its objects cannot be imported.")
    ] = True
    legacy_type_system: Annotated[bool, Meta(description="Have Terraform tolerate what the old SDK's providers get wrong.")] = (
        False
    )
    elements: (
        Annotated[Count, Meta(description="Generated values look like their names, and lists have so many elements.")]
        | UnsetType
    ) = UNSET
    schema: Annotated[
        Mapping[str, Any], Meta(description="The type's schema as Terraform publishes it: engines get it as it is.")
    ] = {}
    properties: Annotated[Properties, Meta(description="Properties by their name in Pulumi's spelling (camelCase).")] = {}


class MethodShape(Written):
    """A method."""

    inputs: Annotated[Inputs, Meta(description="The arguments.")] = {}
    returns: Annotated[
        Values, Meta(description="The results by name: values, and templates over the arguments at any depth.")
    ] = {}


class FunctionShape(MethodShape):
    """A function, as a file has it."""

    outputs: Annotated[Inputs, Meta(description="The kinds of the results by name; what returns leaves out is generated.")] = {}
    terraform: TerraformName = ""
    terraform_schema: Annotated[Mapping[str, Any], Meta(description="The data source's schema as Terraform publishes it.")] = {}


class ChildShape(Written):
    """A child of a component."""

    type: Annotated[Word, Meta(description="Its type token.")]
    name: Annotated[Word, Meta(description="Template of its name; default: {name}- and its key.")] | UnsetType = UNSET
    properties: Annotated[Values, Meta(description="Values and templates over inputs, {name}, and earlier children.")] = {}


class ComponentShape(Written):
    """A component: a resource that consists of others."""

    description: str = ""
    inputs: Annotated[Inputs, Meta(description="What a program sets.")] = {}
    outputs: Annotated[Properties, Meta(description="Its outputs; computed templates may use inputs and children.")] = {}
    children: Annotated[Mapping[str, ChildShape], Meta(description="Its child resources, registered in this order.")] = {}


FEWEST = Meta(min_length=1, extra={"refusal": "an empty list says nothing. Give one at least."})
Names = Word | Annotated[tuple[Word, ...], FEWEST]
"""One name, or several of which any may be declared."""


class AnswerShape(Written):
    """What a function answers, while its schema stays."""

    function: Annotated[Names, Meta(description="Its token, or Terraform's name of the data source; or several.")]
    when: Annotated[Values, Meta(description="Arguments that a call has, with these values.")] = {}
    answer: Annotated[
        Values | Annotated[tuple[Values, ...], FEWEST],
        Meta(description="Outputs by name, with templates over the arguments; or a list, for one call after the other."),
    ] = {}
    make: Annotated[MakerName, Meta(description="What works the answer out of the arguments, instead.")] = ""


class OutputsShape(Written):
    """What a type computes, while its schema stays."""

    type: Annotated[Names, Meta(description="Its token, or its name in Terraform; or several.")]
    name: Annotated[str, Meta(description="The resource's name in the program, or its address.")] = ""
    when: Annotated[Values, Meta(description="Inputs that the resource has, with these values.")] = {}
    outputs: Annotated[Values, Meta(description="Computed properties by name, with templates over the inputs.")] = {}
    make: Annotated[MakerName, Meta(description="What works the outputs out of the inputs, instead.")] = ""


class PackageShape(Written):
    """What one provider serves."""

    version: Version | UnsetType = UNSET
    address: Annotated[str, Meta(description="The provider's source address in Terraform, if it is not under hashicorp.")] = ""
    config: Annotated[Mapping[SettingName, PlainKind | InputShape], Meta(description="The provider's configuration.")] = {}
    terraform_schema: Annotated[
        Mapping[str, Any], Meta(description="What Terraform publishes beside the types: the configuration, under provider.")
    ] = {}
    resources: Mapping[Token, ResourceShape] = {}
    functions: Mapping[Token, FunctionShape] = {}
    components: Mapping[Token, ComponentShape] = {}
    methods: Mapping[Token, MethodShape] = {}
    answers: Annotated[tuple[AnswerShape, ...], Meta(description="What functions answer; later ones count first.")] = ()
    outputs: Annotated[tuple[OutputsShape, ...], Meta(description="What types compute; later ones count first.")] = ()
    elements: Annotated[
        Mapping[str, Count], Meta(description="How many elements generated lists have: of *, a type, a function, TYPE.path.")
    ] = {}
    lenient: Annotated[bool, Meta(description="Answers and outputs that are not declared are left out, and not refused.")] = (
        False
    )


class TypesFile(Written):
    """Packages of resource types and functions for a fake provider. See mockprovider docs resource-types. Reading the file
    also checks what a schema cannot express: tokens belong to their package, templates use existing names, defaults fit.
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
