"""State files (``terraform.tfstate``), and the objects of their resources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mockprovider.cloud import Cloud, CloudObject
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.schema import Package
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.values import Bag

FORMAT = 4
"""The version of the state format of OpenTofu, and of Terraform since 0.12."""

ADDRESS = re.compile(r'provider\["(?:.*/)?(?P<package>[^/"]+)"\]')
"""A provider in a state file: ``module.m.provider["registry.terraform.io/hashicorp/aws"].west``."""


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
        if schema is None or resource.get("mode") != "managed":
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
            yield address, coder.token, id_, bag


def _address(resource: Mapping[str, Any], instance: Mapping[str, Any]) -> str:
    module = f"{resource['module']}." if resource.get("module") else ""
    key = f"[{json.dumps(instance['index_key'])}]" if "index_key" in instance else ""
    deposed = f" (deposed {instance['deposed']})" if instance.get("deposed") else ""
    return f"{module}{resource['type']}.{resource['name']}{key}{deposed}"
