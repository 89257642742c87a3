"""The configuration ``pulumi:autonaming``: what providers are to call objects whose names the program leaves open."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.payloads import DISABLE, ENFORCE, PROPOSE, NamingOptions
from mockprovider.urn import Urn
from mockprovider.values import Value, reveal

KEY = "pulumi:autonaming"
ALPHABETS: Mapping[str, str] = {
    "hex": "0123456789abcdef",
    "alphanum": string.ascii_lowercase + string.digits,
    "string": string.ascii_lowercase,
    "num": string.digits,
}
OWN = {"mode", "pattern", "enforce"}
RANDOM = re.compile(r"\$\{(?:(hex|alphanum|string|num)\((\d+)\)|(uuid))\}")
CONFIG = re.compile(r"\$\{config\.([^}]+)\}")


class Naming(Struct, frozen=True):
    """The name of one resource. A ``fixed`` name has no random part, so a replacement deletes the old object first.

    ``insisted``: the user asked for it, so a provider that does not support autonaming causes a warning.
    """

    proposed: str = ""
    mode: int = PROPOSE
    fixed: bool = False
    insisted: bool = False

    @property
    def options(self) -> NamingOptions:
        """The autonaming options of Check."""
        return NamingOptions(self.proposed, self.mode)


Namer = Callable[[Urn, bytes], Naming | None]


class Autonaming:
    """The naming of one stack. ``config`` is its configuration by full key.

    Raises ``DefinitionError`` for a configuration that is none.
    """

    def __init__(self, config: Mapping[str, Value], *, organization: str, project: str, stack: str) -> None:
        self._config = config
        self._words = {"organization": organization, "project": project, "stack": stack}
        configured = self._parsed(reveal(config.get(KEY)))
        providers = {
            name: _section(f"{KEY}.providers.{name}", section) for name, section in configured.pop("providers", {}).items()
        }
        self._default = self._namer(KEY, configured)
        self._specific = {name: self._namer(f"{KEY} of {name}", section, {"resources"}) for name, section in providers.items()}
        for name, section in providers.items():
            for token, settings in _section(f"{KEY} of {name}: resources", section.get("resources", {})).items():
                self._specific[token] = self._namer(f"{KEY} of {token}", _section(token, settings))

    def of(self, urn: str, seed: bytes) -> Naming | None:
        """The naming of a resource; ``None`` leaves it to the provider, as without any configuration."""
        parsed = Urn.parse(urn)
        specific = self._specific.get(parsed.type) or self._specific.get(parsed.package)
        namer = specific or self._default
        naming = namer(parsed, seed) if namer else None
        if naming is None:
            return None
        return Naming(naming.proposed, naming.mode, naming.fixed, naming.insisted or specific is not None)

    def _parsed(self, text: Value) -> dict[str, Any]:
        if text is None:
            return {}
        try:
            parsed = json.loads(text)
        except ValueError as error:
            raise DefinitionError(
                f"The configuration {KEY} is no JSON: {error}. Write an object with mode or pattern."
            ) from error
        return dict(_section(KEY, parsed))

    def _namer(self, where: str, settings: Mapping[str, Any], more: frozenset[str] | set[str] = frozenset()) -> Namer | None:
        unknown = sorted(settings.keys() - OWN - more)
        if unknown:
            raise DefinitionError(f"{where} has no {unknown[0]!r}; it has mode, or pattern and enforce.")
        mode, pattern, enforce = (settings.get(key) for key in ("mode", "pattern", "enforce"))
        if mode is not None and (pattern is not None or enforce is not None):
            raise DefinitionError(f"{where} has both a mode and a pattern; give one of them.")
        if pattern is not None:
            return self._patterned(where, str(pattern), bool(enforce))
        if enforce is not None:
            raise DefinitionError(f"{where} is to enforce a pattern, and has none.")
        modes: Mapping[Any, Namer | None] = {None: None, "default": _left_open, "verbatim": _verbatim, "disabled": _disabled}
        if mode not in modes:
            raise DefinitionError(f"{where} has the mode {mode!r}; there are default, verbatim and disabled.")
        return modes[mode]

    def _patterned(self, where: str, pattern: str, enforce: bool) -> Namer:
        for word, value in self._words.items():
            pattern = pattern.replace(f"${{{word}}}", value)
        pattern = CONFIG.sub(lambda match: self._setting(where, match[1]), pattern)

        def name(urn: Urn, seed: bytes) -> Naming:
            named = pattern.replace("${name}", urn.name)
            proposed = RANDOM.sub(lambda match: _random(match, seed), named)
            return Naming(proposed, ENFORCE if enforce else PROPOSE, RANDOM.search(named) is None, enforce)

        return name

    def _setting(self, where: str, key: str) -> str:
        value = reveal(self._config.get(f"{self._words['project']}:{key}"))
        if not isinstance(value, str):
            raise DefinitionError(f"{where} asks for the configuration {key!r}, which the stack does not have.")
        return value


def _section(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DefinitionError(f"{where} is no object of settings: {value!r}.")
    return value


def _left_open(urn: Urn, seed: bytes) -> Naming | None:  # noqa: ARG001 - a namer's signature
    return None


def _verbatim(urn: Urn, seed: bytes) -> Naming | None:  # noqa: ARG001 - a namer's signature
    return Naming(urn.name, ENFORCE, fixed=True)


def _disabled(urn: Urn, seed: bytes) -> Naming | None:  # noqa: ARG001 - a namer's signature
    return Naming("", DISABLE, fixed=True)


def _random(match: re.Match[str], seed: bytes) -> str:
    kind, length = (match[1], int(match[2])) if match[1] else ("hex", 32)
    block = b"".join(sha256(seed + bytes([match.start() % 256, at])).digest() for at in range(length // 32 + 1))
    text = "".join(ALPHABETS[kind][byte % len(ALPHABETS[kind])] for byte in block[:length])
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])) if match[3] else text
