"""What a types file says of single answers: read and written."""

from __future__ import annotations

from typing import Any

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import fields
from mockprovider.fake.definitions.shapes import AnswerShape, OutputsShape, PackageShape
from mockprovider.fake.inventing.makers import MAKERS
from mockprovider.fake.sayings import Saying, Sayings
from mockprovider.values import Value

ALL = "*"
"""Every type and function, among numbers of elements."""


def read_said(shape: PackageShape, node: Node) -> Sayings | None:
    """What is said; ``None`` if nothing is. Raises ``DefinitionError`` for malformed templates."""
    answers = [
        _saying(one.function, MAKERS.get(one.make, one.answer), one, shape, node.at("answers", at))
        for at, one in enumerate(shape.answers)
    ]
    outputs = [
        _saying(one.type, MAKERS.get(one.make, one.outputs), one, shape, node.at("outputs", at))
        for at, one in enumerate(shape.outputs)
    ]
    elements = {_place(key): count for key, count in shape.elements.items()}
    return Sayings(answers, outputs, elements) if answers or outputs or elements else None


def _saying(of: Any, answer: Any, one: AnswerShape | OutputsShape, shape: PackageShape, node: Node) -> Saying:
    with node.placed():
        _check(answer)
    several = list(answer) if isinstance(answer, tuple) else answer
    names = (of,) if isinstance(of, str) else tuple(of)
    origin = f"as {node.origin} says"
    name = getattr(one, "name", "")
    return Saying(names, several, one.when or None, name, templates=True, lenient=shape.lenient, origin=origin)


def _check(value: Value) -> None:
    if isinstance(value, str):
        fields(value)
    elif isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            _check(item)


def _place(key: str) -> tuple[str, str]:
    """A type or function, and a path in it; a token may have dots in its module."""
    if key == ALL:
        return "", ""
    package, colon, rest = key.rpartition(":")
    member, _, path = rest.partition(".")
    return f"{package}{colon}{member}", path


def write_said(said: Sayings) -> dict[str, Any]:
    """The keys of a package's shape for what is said. Raises ``DefinitionError`` for what is a Python function."""
    for saying in (*said.answers, *said.outputs):
        if (callable(saying.answer) and saying.answer not in MAKERS.values()) or callable(saying.when):
            raise DefinitionError(f"What {saying.of[0]} answers is a Python function, which data cannot hold. Write values.")
    lenient = any(saying.lenient for saying in (*said.answers, *said.outputs))
    return {
        "answers": tuple(_answer(one) for one in said.answers),
        "outputs": tuple(_outputs(one) for one in said.outputs),
        "elements": {".".join(filter(None, key)) or ALL: count for key, count in said.elements.items()},
        "lenient": lenient,
    }


def _answer(saying: Saying) -> AnswerShape:
    make = _maker(saying)
    return AnswerShape(_names(saying), _when(saying), {} if make else _several(saying.answer), make)


def _outputs(saying: Saying) -> OutputsShape:
    make = _maker(saying)
    return OutputsShape(_names(saying), saying.name, _when(saying), {} if make else _several(saying.answer), make)


def _maker(saying: Saying) -> Any:
    return next((name for name, maker in MAKERS.items() if maker is saying.answer), "")


def _when(saying: Saying) -> Any:
    return saying.when or {}


def _names(saying: Saying) -> Any:
    return saying.of[0] if len(saying.of) == 1 else saying.of


def _several(answer: Any) -> Any:
    return tuple(answer) if isinstance(answer, list) else answer
