"""Normal forms: the cloud stores one of several spellings of a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from mockprovider.calls import Bag, Call, Handler, Op, Reply
from mockprovider.document import Word
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import PLANS, READS, World
from mockprovider.values import Output, Secret, Value, has_unknown, same


def _json(value: Value) -> Value:
    try:
        return json.dumps(json.loads(value), sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError):
        # Text that is no JSON stays as it is.
        return value


def _sorted(value: Value) -> Value:
    return sorted(value, key=lambda element: json.dumps(element, sort_keys=True, default=repr))


FORMS: Mapping[str, tuple[type[Any] | tuple[type[Any], ...], Callable[[Any], Value]]] = {
    "lower": (str, str.lower),
    "upper": (str, str.upper),
    "trimmed": (str, str.strip),
    "no-trailing-dot": (str, lambda text: text.removesuffix(".")),
    "json": (str, _json),
    "sorted": ((list, tuple), _sorted),
}
"""Normal forms by name: for which values, and how the cloud writes them."""

if TYPE_CHECKING:
    Form: TypeAlias = str | Callable[[Any], Any]
else:
    # A types file has the words only, and msgspec reads no union with a function.
    Form = Annotated[Word, Meta(extra_json_schema={"enum": [*FORMS]})]


class Normalised(Struct, frozen=True, tag_field="kind", tag="normalised"):
    """The cloud stores the property ``name`` in a canonical ``form``.

    The form is a name in ``FORMS``, or in Python a function from a value to its canonical form.

    A plan has no change between values with the same canonical form, and the engine gets the form that it sent.
    """

    name: Word
    form: Form

    def __post_init__(self) -> None:
        if not callable(self.form) and self.form not in FORMS:
            raise DefinitionError(f"{self.form!r} is no form. There are: {', '.join(FORMS)}; or give a function.")

    @property
    def uses(self) -> tuple[str, ...]:
        """The properties that it needs."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:  # noqa: ARG002 - as all behaviours
        """Convert to the canonical form for the cloud, and back to the engine's form in the answer."""
        if call.op in PLANS or (call.op is Op.UPDATE and call.preview):
            before = call.prior if call.prior_inputs is None else call.prior_inputs
            return proceed(replace(call, inputs=self._like(call.inputs, before)))
        if call.op in (Op.CREATE, Op.UPDATE) and not call.preview:
            reply = proceed(replace(call, inputs=self._canonical_bag(call.inputs)))
            return replace(reply, value=self._like(reply.value, call.planned or call.inputs))
        reply = proceed(call)
        if call.op not in READS:
            return reply
        return replace(reply, value=self._like(reply.value, call.prior), inputs=self._like(reply.inputs, call.prior_inputs))

    def _canonical_bag(self, bag: Bag | None) -> Bag | None:
        if not bag or self.name not in bag:
            return bag
        return {**bag, self.name: self._canonical(bag[self.name])}

    def _canonical(self, value: Value) -> Value:
        if isinstance(value, Secret):
            return Secret(self._canonical(value.value))
        if isinstance(value, Output):
            return Output(self._canonical(value.value), value.secret, value.dependencies)
        if value is None or has_unknown(value):
            return value
        if callable(self.form):
            return self.form(value)
        kind, canonical = FORMS[self.form]
        return canonical(value) if isinstance(value, kind) else value

    def _like(self, bag: Bag | None, known: Bag | None) -> Bag | None:
        """``bag`` with the property in its ``known`` form, if the canonical forms are equal."""
        if not bag or not known:
            return bag
        mine, theirs = bag.get(self.name), known.get(self.name)
        meant = mine is not None and same(self._canonical(mine), self._canonical(theirs))
        return {**bag, self.name: theirs} if meant else bag
