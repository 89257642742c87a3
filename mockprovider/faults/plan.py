"""Fault plans as data: which faults, and when. In and out as JSON and TOML, and as Python that can be pasted into a test."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from mockprovider import document
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import Fault, Phase
from mockprovider.faults.kinds import Kind
from mockprovider.faults.when import SELECTING, When


class FaultRule(Struct, frozen=True):
    """One fault, and when it fires. Raises ``DefinitionError`` where the fault makes no sense at that op or in that phase."""

    when: When
    fault: Kind

    def __post_init__(self) -> None:
        if not (isinstance(self.when, When) and isinstance(self.fault, Fault)):
            raise DefinitionError(f"A rule is a When and a fault, as Error() is, and not {self.when!r} and {self.fault!r}.")
        kind, when = type(self.fault), self.when
        if when.op not in kind.ops:
            raise DefinitionError(f"{word(self.fault)}() makes no sense at {when.op.value}: it is for {_ops(kind)}.")
        if when.preview != "no" and when.op in kind.idle_in_previews:
            raise DefinitionError(f"{word(self.fault)}() does nothing in previews of {when.op.value}: leave preview=... out.")
        if when.phase is not UNSET and when.phase not in kind.phases:
            phases = " and ".join(phase.value for phase in kind.phases)
            raise DefinitionError(f"{word(self.fault)}() does not act in the phase {when.phase.value!r}, but in {phases}.")
        if (self.phase is Phase.MID) != bool(when.step):
            raise DefinitionError(
                "Only the phase mid has a step, and it needs one: at('mid', step='allocate'), where the type has that step."
            )

    @property
    def phase(self) -> Phase:
        """When within the call it acts."""
        return type(self.fault).phases[0] if self.when.phase is UNSET else self.when.phase

    def __str__(self) -> str:
        """The rule as a line of a test."""
        return f"{_selector(self.when)}.{word(self.fault)}({_arguments(document.stated(self.fault))}){_moment(self.when)}"


class FaultPlan(Struct, frozen=True):
    """Faults, in the order in which they are asked whether they fire; ``str`` of it can be pasted into a test."""

    faults: tuple[FaultRule, ...] = ()

    def __str__(self) -> str:
        return "\n".join(f"provider.faults.{rule}" for rule in self.faults)

    @property
    def data(self) -> dict[str, Any]:
        """The plan as what JSON and TOML can hold."""
        return document.encode(self)


def word(fault: Fault) -> str:
    """What a rule's method for this kind of fault is called."""
    return str(fault.__struct_config__.tag)


FORMATS: Mapping[str, str] = {".json": "json", ".toml": "toml", "": "json"}
"""What a plan's file holds, by the end of its name."""
NAME = re.compile(r"[^\n{]*\.(json|toml|ya?ml)", re.IGNORECASE)
"""A text that can only be the name of a file."""


def load(source: FaultPlan | str | Path | Mapping[str, Any], *, format: str = "json", origin: str = "") -> FaultPlan:  # noqa: A002 - the field's word
    """The plan in a file (``.json`` or ``.toml``) or the file of this name, in a text of this format, or in data.

    Raises ``DefinitionError``, with the place, for what is no plan, and for a file that cannot be read.
    """
    if isinstance(source, FaultPlan):
        return source
    if isinstance(source, Path) or (isinstance(source, str) and NAME.fullmatch(source)):
        return _of_file(Path(source))
    data = _parsed(source, format, origin or "the fault plan") if isinstance(source, str) else source
    plan: FaultPlan = document.decode(document.Node(data, origin or "the fault plan"), FaultPlan)
    return plan


def _of_file(path: Path) -> FaultPlan:
    if (ending := path.suffix.lower()) not in FORMATS:
        raise DefinitionError(f"The fault plan {path} is no .json or .toml file, and plans are read from these.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"The fault plan {path} cannot be read: {error}.") from error
    return load(text, format=FORMATS[ending], origin=str(path))


def _parsed(text: str, format_: str, origin: str) -> Any:
    if format_ != "toml":
        return document.parse(text, origin)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{origin}: this is no TOML: {error}.") from error
    except RecursionError as error:
        raise DefinitionError(f"{origin}: {document.DEEP}") from error


def _ops(kind: type[Fault]) -> str:
    listed = sorted(op.value for op in kind.ops)
    return " and ".join(listed) if len(listed) < 3 else f"{', '.join(listed[:-1])} and {listed[-1]}"


GIVEN = (*(word for word in SELECTING if word != "type"), "provider", "inputs", "preview")
"""What the word for the op takes, beside the type."""


def _selector(when: When) -> str:
    stated = document.stated(when)
    given = {name: stated[name] for name in GIVEN if name in stated}
    type_ = [json.dumps(when.type, ensure_ascii=False)] if when.type else []
    method = "import_" if when.op == "import" else when.op.value
    return f"on.{method}({', '.join([*type_, *([_arguments(given)] if given else [])])})"


MOMENTS: Mapping[str, Callable[[When], str]] = {
    "phase": lambda when: f".at({str(when.phase)!r}{f', step={when.step!r}' if when.step else ''})",
    "after": lambda when: f".after({when.after})",
    "times": lambda when: f".times({when.times})",
    "always": lambda _: ".always()",
    "probability": lambda when: f".sometimes({when.probability}, seed={when.seed})",
    "optional": lambda _: ".optional()",
    "whichever": lambda _: ".whichever()",
}
"""The words that say when, by the field that they set."""


def _moment(when: When) -> str:
    stated = document.stated(when)
    return "".join(say(when) for name, say in MOMENTS.items() if name in stated)


def _arguments(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={list(value) if isinstance(value, tuple) else value!r}" for name, value in values.items())
