"""State files (``terraform.tfstate``), and the objects of their resources."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from mockprovider.audit import EngineMemory, Remedies, RememberedObject
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.fake.timeouts import left_out
from mockprovider.schema import Package
from mockprovider.terraform.schema.objects import Generic, ObjectSchema
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.values import Bag

FORMAT = 4
"""The version of the state format of OpenTofu, and of Terraform since 0.12."""

MARKS = frozenset({"terraform_version", "lineage", "format_version", "encrypted_data"})
"""Keys of state files, and of what is taken for one."""

REMEDIES = Remedies(
    adopt="adopt it: `terraform import {name} {id}`",
    forget="`terraform apply -refresh-only` forgets it, and the next apply makes another",
    refresh="`terraform apply -refresh-only` reads what is there",
    nameless="{type}.NAME",
)

ADDRESS = re.compile(r'provider\["(?:.*/)?(?P<package>[^/"]+)"\]')
"""A provider in a state file: ``module.m.provider["registry.terraform.io/hashicorp/aws"].west``."""

SERVED = "managed"
"""The mode of a resource; data sources are read again in each run."""

State = Mapping[str, Any]
"""A state file's content."""


def load(source: State | Path) -> State:
    """The state in ``source``, a file or its parsed JSON. Raises ``MalformedError`` for what is no state of format 4."""
    state: Any = _parsed(source) if isinstance(source, Path) else source
    what = str(source) if isinstance(source, Path) else f"This {type(source).__name__}"
    if not isinstance(state, Mapping) or state.get("version") != FORMAT:
        raise MalformedError(
            f"{what} is no state file of format {FORMAT}: {_other(state)}. Give a terraform.tfstate of Terraform 0.12 "
            "or later, or of OpenTofu, as a pathlib.Path or as the parsed JSON; `terraform state pull` prints one."
        )
    _check_shape(state, what)
    return state


def _other(state: Any) -> str:
    """A description of what is no state file."""
    if isinstance(state, str):
        return "it is text or the name of a file"
    if not isinstance(state, Mapping):
        return "it is no object"
    if "format_version" in state:
        return "it is what `terraform show -json` prints"
    if "encrypted_data" in state:
        return "it is encrypted, and `tofu state pull` decrypts it"
    return "it is a stack that Pulumi exported" if "deployment" in state else f"its version is {state.get('version')!r}"


def _check_shape(state: State, what: str) -> None:
    for number, resource in enumerate(_listed(state, "resources", what)):
        place = f"{what}: resources[{number}]"
        missing = [name for name in ("mode", "type", "name", "provider") if not isinstance(resource.get(name), str)]
        if missing:
            raise MalformedError(f"{place} has no {missing[0]!r}. Was the state file edited by hand?")
        _listed(resource, "instances", place)


def _listed(holder: State, name: str, place: str) -> list[Mapping[str, Any]]:
    entries = holder.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise MalformedError(f"{place}: {name!r} has to be a list of objects. Was the state file edited by hand?")
    return entries


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MalformedError(f"There is no state file at {path}. `terraform state pull` prints one.") from None
    except OSError as error:
        raise MalformedError(
            f"{path} cannot be read: {error.strerror}. Give a file, such as the terraform.tfstate in it."
        ) from error
    except ValueError as error:
        raise MalformedError(
            f"{path} is no state file: it is not JSON ({error}). `terraform state pull` prints one."
        ) from error


def adopt(state: State, packages: Mapping[str, Package], cloud: Cloud) -> list[CloudObject]:
    """Create the objects of ``state`` in the cloud; returns them in its order.

    Every instance of a managed resource becomes an object, also a deposed one. Resources of other providers than ``packages``
    and data sources are left out.

    Args:
        state: as ``load`` returns it.
        packages: the served packages by name; their types decode the attributes.
        cloud: gets the objects.

    Raises:
        MalformedError: an undeclared type, attributes that do not fit it, or an instance without an id.
        MockProviderError: such an object exists already.
    """
    adopted = []
    for address, token, id_, bag in list(_objects(state, packages)):
        if cloud.read(token, id_) is not None:
            raise MockProviderError(
                f"{token} {id_!r} ({address}) exists in the cloud already. Adopt each state once, into a cloud without it."
            )
        adopted.append(cloud.create(token, id_, bag))
    return adopted


def _objects(state: State, packages: Mapping[str, Package]) -> Iterator[tuple[str, str, str, Bag]]:
    schemas = {name: ProviderSchema(package) for name, package in packages.items()}
    for resource in state.get("resources", ()):
        match = ADDRESS.search(resource.get("provider", ""))
        schema = schemas.get(match["package"]) if match else None
        if schema is None or resource.get("mode") != SERVED:
            continue
        coder = schema.resource(resource["type"])
        for instance in resource.get("instances", ()):
            address = _address(resource, instance)
            try:
                bag, id_ = coder.decode_json(json.dumps(instance.get("attributes")).encode())
            except MalformedError as error:
                raise MalformedError(f"{address}: {error}") from error
            if bag is None or not id_:
                raise MalformedError(f"{address} has no id in this state file, so nobody could find it again. Apply it first.")
            yield address, coder.token, id_, left_out(coder.declared, bag)


def remembered(state: State, packages: Mapping[str, Package], serves: Callable[[str], bool]) -> EngineMemory:
    """What a state remembers of the providers that are served, for an audit.

    Every instance of a managed resource is an object, a tainted one too, and a deposed one without its values. So are the
    values left out of a state that was written by another schema than the package's.
    """
    schemas = {name: ProviderSchema(package) for name, package in packages.items()}
    left_out: Counter[str] = Counter()
    objects: list[RememberedObject] = []
    for resource in state.get("resources", ()):
        match = ADDRESS.search(resource.get("provider", ""))
        package = match["package"] if match else ""
        instances = resource.get("instances", ()) if resource.get("mode") == SERVED else ()
        if serves(package):
            coder = _coder(schemas.get(package), resource["type"])
            objects += [_remembered(coder, _address(resource, instance), instance) for instance in instances]
        elif instances:
            left_out[package] += len(instances)
    names = {declared.token: declared.terraform for package in packages.values() for declared in package.resources.values()}
    return EngineMemory(objects, (), left_out, replace(REMEDIES, called=lambda type_: names.get(type_, type_)))


def _coder(schema: ProviderSchema | None, name: str) -> ObjectSchema | Generic:
    try:
        return schema.resource(name) if schema is not None else Generic(name)
    except MalformedError:
        # Nobody declared this type, so that nothing tells how its values are spelled elsewhere.
        return Generic(name)


class WrittenInstance(Struct):
    """What an audit reads of an instance in a state file."""

    attributes: dict[str, Any] | None = None
    private: str | None = None
    deposed: str | None = None
    sensitive_attributes: list[list[dict[str, Any]]] | None = None


def _remembered(coder: ObjectSchema | Generic, address: str, instance: Mapping[str, Any]) -> RememberedObject:
    try:
        written = convert(instance, WrittenInstance)
    except ValidationError as error:
        raise MalformedError(f"{address}: {error}. Was the state file edited by hand?") from error
    attributes = written.attributes or {}
    try:
        bag, id_ = coder.decode_json(json.dumps(attributes).encode())
    except MalformedError:
        bag, id_ = None, str(attributes.get("id") or "")
    if not coder.keeps_id:
        id_ = _kept(written.private or "")
    return RememberedObject(
        coder.token,
        id_,
        None if bag is None else left_out(coder.declared, bag),
        resource=address,
        secrets=frozenset(_secrets(coder, written)),
        waits=bool(written.deposed),
        is_unordered=True,
        visible=coder.told,
    )


def _kept(private: str) -> str:
    """The id of an object whose type has no attribute for it: what the provider gave the engine to keep."""
    with suppress(binascii.Error):
        return base64.b64decode(private).decode(errors="replace")
    return ""


def _secrets(coder: ObjectSchema | Generic, written: WrittenInstance) -> Iterator[str]:
    """The names of the properties in which the state has something sensitive."""
    for path in written.sensitive_attributes or ():
        first = path[0].get("value") if path else ""
        yield from (str(segment) for segment in coder.path((first,) if isinstance(first, str) else ()))


def _address(resource: Mapping[str, Any], instance: Mapping[str, Any]) -> str:
    module = f"{resource['module']}." if resource.get("module") else ""
    key = f"[{json.dumps(instance['index_key'])}]" if "index_key" in instance else ""
    deposed = f" (deposed {instance['deposed']})" if instance.get("deposed") else ""
    return f"{module}{resource['type']}.{resource['name']}{key}{deposed}"
