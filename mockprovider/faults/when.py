"""When a fault fires: at which calls, and at which of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import force_setattr

from mockprovider import document
from mockprovider.calls import Call, Op
from mockprovider.document import Count
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import EVERY, Phase
from mockprovider.paths import show
from mockprovider.values import has_secret, reveal, same

CHANCE = "a number above 0, up to 1"
Calls: TypeAlias = Annotated[int, Meta(ge=1, extra={"expected": "a whole number of calls, 1 or more"})]


class When(Struct, frozen=True, kw_only=True):
    """The calls at which a fault fires. What is left out fits every call of the op.

    Args:
        op: what is asked.
        type: the token of a type or function.
        name: the resource's name in the program; Terraform's calls have none.
        address: the resource's address in the configuration, which is known of applies and reads of a serial run (Terraform).
        id: the object's id.
        instance: the provider instance: Pulumi's provider URN, or its name.
        method: the RPC, by its name on the wire, where an op has several: ``raw`` has all that no other op fits.
        provider: the double, by the name of its package, where one plan is for several.
        inputs: properties that the call's inputs have, with these values; of calls without inputs, what the engine remembers.
        preview: ``no`` keeps it out of previews, ``only`` has it fire there alone, ``also`` in both.
        after: how many fitting calls are let through first.
        times: at how many it fires then.
        always: whether it fires at all of them, however many.
        probability: with which it fires at each of these, from 0 to 1.
        seed: the seed of that chance.
        phase: when within the call; the fault's usual phase unless given.
        step: in the phase ``mid``, the step of the type after which it fires.
        optional: whether it may be left unfired: a test whose fault never fired fails unless it may, as by chance.
        whichever: whether it may fire at whichever of several equal creates comes first, where nothing tells them apart.
    """

    op: Annotated[Op, Meta(extra={"what": "op"})]
    type: str = ""
    name: str = ""
    address: str = ""
    id: str = ""
    instance: str = ""
    method: str = ""
    provider: str = ""
    inputs: Mapping[str, Any] = {}
    preview: Literal["no", "only", "also"] = "no"
    after: Count = 0
    times: Calls = 1
    always: bool = False
    probability: Annotated[float, Meta(gt=0, le=1, extra={"expected": CHANCE})] = 1.0
    seed: Count = 0
    phase: Annotated[Phase, Meta(extra={"what": "phase"})] | UnsetType = UNSET
    step: str = ""
    optional: bool = False
    whichever: bool = False

    def __post_init__(self) -> None:
        document.fit(self, "when")
        if self.op not in EVERY:
            raise DefinitionError(
                f"Faults act on what an engine asks, and {self.op.value!r} is what a provider asks of its engine."
            )
        # Chance may let every call through; without it there is nothing that a seed decides.
        if self.probability < 1:
            force_setattr(self, "optional", True)
        else:
            force_setattr(self, "seed", 0)

    @property
    def special(self) -> tuple[str, str]:
        """What is most special about the calls, which few others share."""
        return next(((word, value) for word in ("name", "address", "type") if (value := getattr(self, word))), ("", ""))

    def apart(self, call: Call) -> dict[str, tuple[str, str]]:
        """What of the call is another than what is selected: by word, what is selected, and what the call has, as text.

        A secret stays one.
        """
        words = {word: (wanted, actual) for word, actual in handles(call).items() if (wanted := getattr(self, word))}
        differing = {word: (repr(wanted), repr(actual)) for word, (wanted, actual) in words.items() if wanted != actual}
        if self.instance and _serves(call.session.instance, self.instance):
            differing.pop("instance", None)
        bag = _bag(call)
        missing = [name for name, value in self.inputs.items() if not _holds(bag, name, value)]
        return differing | {f"input {name}": (repr(self.inputs[name]), _shown(bag, name)) for name in missing}

    def is_about(self, call: Call) -> bool:
        """Whether the call is one of these, in a preview or not."""
        return (
            call.op is self.op
            and self.type in ("", call.type)
            and self.name in ("", call.name)
            and self.address in ("", call.address)
            and self.id in ("", call.id)
            and self.method in ("", call.method)
            and (not self.instance or _serves(call.session.instance, self.instance))
            and (not self.inputs or all(_holds(_bag(call), name, value) for name, value in self.inputs.items()))
        )

    def fits(self, call: Call) -> bool:
        """Whether the fault may fire at the call."""
        return self.preview in ("also", "only" if previewed(call) else "no") and self.is_about(call)


def previewed(call: Call) -> bool:
    """Whether the call belongs to a preview, in which nothing is done."""
    return call.preview or bool(call.session.preview)


SELECTING = ("type", "name", "address", "id", "instance", "method")
"""The words that select calls by what is told of them, beside their inputs."""


def handles(call: Call) -> dict[str, str]:
    """What is told of a call, by the word that selects by it."""
    given = {word: getattr(call, word) for word in SELECTING if word != "instance"}
    return {**given, "instance": call.session.instance}


def _serves(instance: str, wanted: str) -> bool:
    return wanted == instance or instance.endswith(f"::{wanted}")


def _bag(call: Call) -> Mapping[str, Any]:
    return next((bag for bag in (call.inputs, call.prior_inputs, call.prior) if bag), {})


def _shown(bag: Mapping[str, Any], name: str) -> str:
    if name not in bag:
        return "missing"
    return "secret" if has_secret(bag[name]) else repr(bag[name])


def _holds(bag: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in bag and same(reveal(bag[name]), value)


def written(when: When) -> str:
    """The selector as a person says it: ``create cloud:index:Bucket logs``."""
    place = [when.type or "any type", when.name or when.address or when.id or "any name"]
    more = [f"{show((name,))}={value!r}" for name, value in when.inputs.items()]
    more += [f"by {when.method}"] if when.method else []
    return " ".join([when.op.value, *place, *([f"of {when.instance}"] if when.instance else []), *more])
