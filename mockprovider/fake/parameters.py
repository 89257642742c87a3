"""Parameterized packages and extensions, which Parameterize makes from a base package (reference 2.2)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.catalogue import Catalogue, failed, nearest
from mockprovider.payloads import ParameterArgs, ParameterValue
from mockprovider.schema import Package


class Parameter(Struct, frozen=True):
    """A request's parameter: the arguments of a command line, or the value that an SDK or a state has kept.

    ``value`` is the parameter in the package's schema; ``args`` are its arguments, if the fake made it. ``name`` and
    ``version`` are those of the wanted package; a command line does not give them.
    """

    args: tuple[str, ...] = ()
    value: bytes = b""
    name: str = ""
    version: str = ""


class Parameterized(Struct, frozen=True):
    """A parameterized package, or an extension, of ``base``."""

    package: Package
    base: Package
    value: bytes

    @property
    def schema(self) -> Mapping[str, Any]:
        """Its base and parameter, under their key in the package schema."""
        origin = {
            "baseProvider": {"name": self.base.name, "version": self.base.version},
            "parameter": base64.b64encode(self.value).decode(),
        }
        return {"extensionParameterization" if self.package.extension else "parameterization": origin}


class Parameters:
    """Parameterize and GetSchema."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.PARAMETERIZE: self._parameterize, Op.GET_SCHEMA: self._schema}

    def _parameterize(self, call: Call) -> Reply:
        base = self._catalogue.base(call)
        if not base.parameters:
            return failed(f"The package {base.name!r} takes no parameters: Package(..., parameters=...).", "unimplemented")
        given = _parameter(call.parameter)
        package = base.parameters(given) if callable(base.parameters) else base.parameters.get(_wanted(given))
        if package is None:
            return failed(_unknown(base, given), "invalid_argument")
        if not isinstance(package, Package):
            raise DefinitionError(
                f"The parameters of {base.name!r} made a {type(package).__name__}; return a Package, or None."
            )
        if given.name not in ("", package.name):
            reason = f"The parameter is of {given.name!r}, and {base.name!r} became {package.name!r} by it"
            return failed(f"{reason}: an engine takes no other.", "invalid_argument")
        parameterized = Parameterized(package, base, given.value)
        call.session.parameterized[package.name] = parameterized
        return Reply(name=package.name, version=package.version)

    def _schema(self, call: Call) -> Reply:
        parameterized = self._catalogue.parameterized(call, call.package)
        package = self._catalogue.package(call)
        if parameterized is None and call.package not in ("", package.name):
            reason = f"{package.name!r} has no package {call.package!r} inside: call Parameterize first."
            return failed(reason, "invalid_argument")
        return Reply(described=parameterized or package)


def _parameter(asked: ParameterArgs | ParameterValue | None) -> Parameter:
    """The parameter of a request. The value of a command line is its arguments as JSON, from which they can be read back."""
    if isinstance(asked, ParameterValue):
        return Parameter(_words(asked.value), asked.value, asked.name, asked.version)
    args = asked.args if asked else ()
    return Parameter(args, json.dumps(args).encode())


def _words(data: bytes) -> tuple[str, ...]:
    try:
        words = json.loads(data)
    except ValueError:
        # The fake did not make this value; the package knows its meaning.
        return ()
    return tuple(words) if isinstance(words, list) and all(isinstance(word, str) for word in words) else ()


def _wanted(given: Parameter) -> str:
    return given.name or next(iter(given.args), "")


def _unknown(base: Package, given: Parameter) -> str:
    known = list(base.parameters) if isinstance(base.parameters, Mapping) else []
    reason = f"The package {base.name!r} cannot be parameterized with {(_wanted(given) or given.value)!r}."
    return reason + (nearest(_wanted(given), known) if known else " Its own function said so.")
