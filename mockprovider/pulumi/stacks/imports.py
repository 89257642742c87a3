"""What the command ``import`` takes into a stack: resources that exist, and are in no program yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.stacks.extensions import Extension, plain
from mockprovider.pulumi.values import to_plain
from mockprovider.urn import PREFIX, PROVIDERS, Urn, make
from mockprovider.values import Value


class Import(Struct, frozen=True, kw_only=True):
    """One resource that exists and is to be remembered, as an entry of the file of ``pulumi import --file``.

    Attributes:
        type: its type token. That of a provider (``pulumi:providers:aws``) makes a provider resource, configured by ``inputs``.
        name: its name in the program.
        id: the id that it is read by; components and providers have none.
        parent: what it belongs to, and ``provider`` what manages it: the URN, or the name, of a resource of the state or of
            the same imports. By default the stack and the package's default provider.
        version: of the plugin, and ``plugin_download_url`` where that comes from.
        properties: the inputs to keep, by default all that are read. As in ``pulumi`` 3.259, all are kept in any case, and only
            what is said of a failed Check differs.
        component: it is no object of a provider; ``remote``: its provider constructs it.
        inputs: where the provider reads nothing, what to remember instead; secrets wrapped.
        outputs: what to remember without reading anything.
        extension: the extension that it is of, where its package is one. The base package's provider manages it, and is to be
            named unless that is the type's own.
        protect: whether it is protected afterwards. ``pulumi`` protects all imports of a run, or none.
    """

    type: str
    name: str
    id: str = ""
    parent: str = ""
    provider: str = ""
    version: str = ""
    plugin_download_url: str = ""
    properties: tuple[str, ...] = ()
    component: bool = False
    remote: bool = False
    inputs: dict[str, Value] = field(default_factory=dict)
    outputs: dict[str, Value] = field(default_factory=dict)
    extension: Extension | None = None
    protect: bool = True

    @property
    def is_provider(self) -> bool:
        """Whether it makes a provider resource."""
        return self.type.startswith(PROVIDERS)


class Placed(Struct, frozen=True):
    """An import with its ``urn``; ``parent`` and ``provider`` are URNs, or empty."""

    asked: Import
    urn: str
    parent: str = ""
    provider: str = ""


def placed(imports: Sequence[Import], stack: str, project: str, remembered: Collection[str]) -> list[Placed]:
    """Where ``imports`` belong, in a state with the URNs ``remembered``.

    Raises ``DefinitionError`` for an import that cannot be one, for two of one URN, and for a parent or provider that is not
    there.
    """
    if not isinstance(imports, Sequence) or not all(isinstance(asked, Import) for asked in imports):
        raise DefinitionError(f"{imports!r} is no list of imports. Give Import(type=..., name=..., id=...) for each resource.")
    if not imports:
        raise DefinitionError("There is nothing to import. Give Import(type=..., name=..., id=...) for each resource.")
    for asked in imports:
        _refuse(asked)
    whole: dict[int, Placed] = {}
    while len(whole) < len(imports):
        before = len(whole)
        known = {place.urn for place in whole.values()}
        for index, asked in enumerate(imports):
            if index not in whole and not _waits(asked, index, imports, whole):
                place = _place(asked, stack, project, {*remembered, *known})
                if place.urn in known:
                    raise DefinitionError(f"duplicate import {asked.name!r} of type {asked.type!r}: rename one of them.")
                whole[index] = place
                known.add(place.urn)
        if len(whole) == before:
            names = ", ".join(repr(asked.name) for index, asked in enumerate(imports) if index not in whole)
            raise DefinitionError(f"The imports {names} are parents of one another.")
    return [whole[index] for index in range(len(imports))]


def import_file(places: Sequence[Placed]) -> dict[str, Any]:
    """The file of ``pulumi import --file`` for ``places``, secrets in plain text."""
    names = {place.urn: f"r{index}" for index, place in enumerate(places)}
    others = {urn for place in places for urn in (place.parent, place.provider) if urn and urn not in names}
    table = {f"n{index}": urn for index, urn in enumerate(sorted(others))}
    names |= {urn: name for name, urn in table.items()}
    return {"nameTable": table, "resources": [_spec(place, names) for place in places]}


def _spec(place: Placed, names: Mapping[str, str]) -> dict[str, Any]:
    asked = place.asked
    spec = {
        "type": asked.type,
        "name": names[place.urn],
        "logicalName": asked.name,
        "id": asked.id,
        "parent": names.get(place.parent, ""),
        "provider": names.get(place.provider, ""),
        "version": asked.version,
        "pluginDownloadUrl": asked.plugin_download_url,
        "properties": list(asked.properties),
        "component": asked.component,
        "remote": asked.remote,
        "inputs": to_plain(asked.inputs, plaintext_secrets=True),
        "outputs": to_plain(asked.outputs, plaintext_secrets=True),
        "extension": plain(asked.extension) if asked.extension else None,
    }
    return {key: value for key, value in spec.items() if value}


def _refuse(asked: Import) -> None:
    what = f"The import {asked.name or asked.id!r} of type {asked.type!r}"
    if not asked.type or not asked.name:
        raise DefinitionError(f"{what} needs a type and a name.")
    if asked.component and asked.id:
        raise DefinitionError(f"{what} has an id, and is a component: leave one of the two out.")
    if asked.is_provider and (asked.id or asked.component or asked.outputs):
        raise DefinitionError(f"{what} is a provider, which is made and not read: it has neither id nor outputs.")
    if not (asked.component or asked.is_provider or asked.id):
        raise DefinitionError(f"{what} has no id to read it by.")
    if asked.remote and not asked.component:
        raise DefinitionError(f"{what} is remote, and no component: say component=True, too.")
    provided = asked.remote or not asked.component
    if provided and (not all(asked.type.split(":")) or asked.type.count(":") not in (1, 2)):
        raise DefinitionError(f"{asked.type!r} is no resource type token. They are written <package>:<module>:<type>.")


def _waits(asked: Import, index: int, imports: Sequence[Import], whole: Mapping[int, Placed]) -> bool:
    """Whether the place of something that ``asked`` refers to is not known yet."""
    wanted = {_name(reference) for reference in (asked.parent, asked.provider) if reference}
    return any(other.name in wanted and at != index and at not in whole for at, other in enumerate(imports))


def _name(reference: str) -> str:
    return Urn.parse(reference).name if reference.startswith(PREFIX) else reference


def _place(asked: Import, stack: str, project: str, urns: Collection[str]) -> Placed:
    parent, provider = _find(asked, "parent", urns), _find(asked, "provider", urns)
    return Placed(asked, str(make(stack, project, parent or None, asked.type, asked.name)), parent, provider)


def _find(asked: Import, role: str, urns: Collection[str]) -> str:
    reference: str = getattr(asked, role)
    if not reference:
        return ""
    whole = reference.startswith(PREFIX)
    names = {
        urn: urn if whole else parsed.name
        for urn in sorted(urns)
        if (parsed := Urn.parse(urn)).type.startswith(PROVIDERS) == (role == "provider")
    }
    fitting = [urn for urn, name in names.items() if name == reference]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise DefinitionError(
            f"The {role} {reference!r} of the import {asked.name!r} may be each of these; give a URN: {', '.join(fitting)}."
        )
    raise DefinitionError(
        f"The {role} {reference!r} of the import {asked.name!r} is neither in the state nor imported. "
        f"{did_you_mean(reference, set(names.values()), 'There is')}"
    )
