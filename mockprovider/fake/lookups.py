"""Functions that look up an object of a type: ``getVpc`` tells of the one ``Vpc`` that its arguments describe."""

from __future__ import annotations

from collections.abc import Mapping

from mockprovider.cloud import Cloud, CloudObject
from mockprovider.fake.fitting import Fitting
from mockprovider.schema import Function
from mockprovider.values import Bag, Value, reveal, same


def type_of(token: str) -> str:
    """The token of the type that a function is called after: of ``aws:ec2/getVpc:getVpc`` it is ``aws:ec2/vpc:Vpc``."""
    package, module, member = token.split(":", 2)
    thing = member.removeprefix("get")
    file = f"/{thing[:1].lower()}{thing[1:]}" if "/" in module else ""
    return f"{package}:{module.partition('/')[0]}{file}:{thing}"


def looked_up(function: Function, arguments: Bag, cloud: Cloud) -> tuple[dict[str, Value], str] | None:
    """What the only object that has all these arguments has of a function's outputs, and where that is from."""
    asked = {name: value for name, value in reveal(dict(arguments)).items() if value is not None}
    objects = cloud.listed(type_of(function.token)) if asked else []
    fitting = [stored for stored in objects if all(_has(stored, name, value) for name, value in asked.items())]
    if len(fitting) != 1:
        return None
    [stored] = fitting
    known = {name: value for name, value in {"id": stored.id, **stored}.items() if value is not None}
    answer = Fitting(function.token, lenient=True).bag(function.outputs, known)
    return answer, f"what the cloud has of {stored.type} {stored.id!r}"


def _has(stored: CloudObject, name: str, value: Value) -> bool:
    own = stored.get(name)
    if own is None:
        # An id goes by several names: instanceId, keyId.
        return bool(value == stored.id)
    if isinstance(value, Mapping) and isinstance(own, Mapping):
        return all(key in own and same(own[key], part) for key, part in value.items())
    return same(own, value)
