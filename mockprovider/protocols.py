"""Provider protocols as values: what every room may know of one, and the registry that finds them.

A protocol lives in a folder of its own. The folder offers a tuple of ``ProviderProtocol`` values, one a version, the usual one
first, as an entry point of the group ``mockprovider.protocols``; the entry point's name is the family's. A value is data:
traits that any room may ask for, and the import paths of what the protocol does, which are loaded only when they are used,
because they import gRPC, protobuf and SDKs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Any

from msgspec import Struct

from mockprovider.errors import DefinitionError

GROUP = "mockprovider.protocols"
"""The group of entry points under which protocols are found."""


class ProviderProtocol(Struct, frozen=True, kw_only=True):
    """One version of a protocol between engines and providers.

    Args:
        name: what sessions and cassette headers call it: ``pulumi``, ``tfplugin5``, ``tfplugin6``.
        family: what users type: ``pulumi``, ``terraform``.
        adapter: import path of its ``wire.adapter.Adapter``: tables, clients, real providers, recordings.
        version: its number within the family; 0 where the family has one version.
        is_default: its family is meant where nobody names one.
        names_resources: calls carry the resource's name and URN, so the fake can make names and defaults of them.
        imports_by_reading: an import is a read that knows nothing but the id.
        sends_whole_objects: an object has all attributes of its type, the id among them, and one that is missing is null.
        sends_timeouts: the timeouts of a configuration are among the inputs, as ``timeouts``.
        functions_need_known: functions must not be given unknown values, secrets or references.
        executable: how the names of its providers' executables begin.
        starter: import path of its ``wire.starter.Starter``: being a plugin that an engine started.
        way_back: import path of the class that reaches the engine during a call, for a protocol in which providers ask or tell
            their engine something.
        traits: import path of the struct of what this ecosystem alone says of a resource type (``schema.Traits``).
        room: import path of the class that answers what only this protocol asks of a fake, given the fake's catalogue and the
            answers that every protocol gets, by op.
        generations: import path of the function that finds a generation by name: a layer that makes the fake an older provider.
        contract: import path of the rules that its engines and providers owe each other (``contract.Contract``).
    """

    name: str
    family: str
    adapter: str
    version: int = 0
    is_default: bool = False
    names_resources: bool = False
    imports_by_reading: bool = False
    sends_whole_objects: bool = False
    sends_timeouts: bool = False
    functions_need_known: bool = False
    executable: str = ""
    starter: str = ""
    way_back: str = ""
    traits: str = ""
    room: str = ""
    generations: str = ""
    contract: str = ""

    def __str__(self) -> str:
        return self.name


@cache
def loaded(path: str) -> Any:
    """What stands at an import path, ``package.module:name``.

    Raises ``ModuleNotFoundError`` without an optional dependency, and ``DefinitionError`` where nothing of that name is.
    """
    try:
        return resolve_name(path)
    except (AttributeError, ValueError) as error:
        raise DefinitionError(f"A protocol says that {path!r} is where to look, and nothing is there: {error}.") from error


@cache
def families() -> Mapping[str, tuple[ProviderProtocol, ...]]:
    """The installed protocols by family, the default family first; each family's usual version first.

    Raises ``DefinitionError`` for a package that offers something else, or a name that another has: nothing would tell later
    which of the two was meant.
    """
    offered = {point.name: _offered(point) for point in entry_points(group=GROUP)}
    versions = [protocol for protocols in offered.values() for protocol in protocols]
    for what, owners in (
        ("called {!r}", [protocol.name for protocol in versions]),
        ("the default", ["default" for protocols in offered.values() if protocols[0].is_default]),
    ):
        twice = next((name for name, count in Counter(owners).items() if count > 1), None)
        if twice is not None:
            raise DefinitionError(f"Two installed protocols are {what.format(twice)}, of {_listed(list(offered))}.")
    return dict(sorted(offered.items(), key=lambda item: (not item[1][0].is_default, item[0])))


def _offered(point: EntryPoint) -> tuple[ProviderProtocol, ...]:
    where = f"The entry point {point.name} = {point.value} of {GROUP}"
    try:
        protocols = point.load()
    except (ImportError, AttributeError) as error:
        raise DefinitionError(f"{where} cannot be loaded: {error}. Mend or remove the package that has it.") from error
    fits = isinstance(protocols, tuple) and all(isinstance(protocol, ProviderProtocol) for protocol in protocols)
    if not fits or {protocol.family for protocol in protocols} != {point.name}:
        raise DefinitionError(
            f"{where} must be a tuple of ProviderProtocol(family={point.name!r}, ...), the usual version first. "
            f"It is {protocols!r}."
        )
    return tuple(protocols)


def known() -> Iterator[ProviderProtocol]:
    """Every version of every installed protocol."""
    for versions in families().values():
        yield from versions


def by_name(name: str) -> ProviderProtocol:
    """The protocol that sessions and cassette headers call ``name``. Raises ``DefinitionError`` if none is installed."""
    for protocol in known():
        if protocol.name == name:
            return protocol
    raise DefinitionError(f"There is no protocol {name!r}: known are {_listed([protocol.name for protocol in known()])}.")


def of_family(family: ProviderProtocol | str = "", version: int | None = None) -> ProviderProtocol:
    """The protocol that users call ``family`` (the default one, if empty), in its usual version unless ``version`` is given.

    A protocol itself, and its own name (``tfplugin5``), are as good. Raises ``DefinitionError`` for what is not installed, and
    for a version that the family does not have.
    """
    if isinstance(family, ProviderProtocol):
        return family
    versions = families().get(family) if family else next(iter(families().values()), None)
    if versions is None:
        versions = tuple(protocol for protocol in known() if protocol.name == family)
    if not versions:
        raise DefinitionError(f"There is no protocol {family!r}: give {_listed(list(families()))}.")
    if version is None:
        return versions[0]
    for protocol in versions:
        if protocol.version == version:
            return protocol
    numbers = sorted(protocol.version for protocol in versions if protocol.version)
    if not numbers:
        raise DefinitionError(
            f"The protocol {versions[0].family} has one version, and {version!r} was asked for. Leave it out."
        )
    choices = _listed([str(number) for number in numbers])
    raise DefinitionError(f"There is no version {version!r} of the protocol {versions[0].family}: give {choices}.")


def of_executable(name: str) -> tuple[ProviderProtocol, str] | None:
    """The protocol and the package that the name of a provider's executable tells; ``None`` where it follows no rule.

    The name may end in a version, as Terraform's do, or in ``.exe``.
    """
    for protocol in known():
        package = name.removesuffix(".exe").removeprefix(protocol.executable or name)
        if package not in ("", name.removesuffix(".exe")):
            return protocol, package.split("_")[0]
    return None


def _listed(names: list[str]) -> str:
    quoted = [repr(name) if not name.isdecimal() else name for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted) or "none"
