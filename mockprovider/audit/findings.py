"""What an audit found, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from mockprovider.audit.objects import CutOff, ExistingObject, Remedies, RememberedObject
from mockprovider.matching import Difference


class Twin(Struct, frozen=True):
    """One resource's object that exists twice: ``object``, which nobody remembers, and the ``remembered`` one."""

    object: ExistingObject
    remembered: RememberedObject


class Stale(Struct, frozen=True):
    """A remembered object whose values are others in the cloud.

    ``differences`` have the path, what is ``recorded`` in the state, and what is ``actual``; ``[secret]`` stands for secrets.
    """

    remembered: RememberedObject
    object: ExistingObject
    differences: list[Difference]


class Audit(Struct, frozen=True, kw_only=True):
    """What exists against what engines remember. Printed, it says what to do.

    Attributes:
        orphans: objects that exist, and that no state remembers.
        phantoms: objects that a state remembers, and that do not exist.
        doubles: of the orphans, those of a resource that has another object, which is remembered.
        stale: remembered objects whose values are others in the cloud.
        pending: operations of which nobody knows how they ended: those that a state lists, and calls that the provider never
            answered.
        existing, remembered: how many objects were compared.
        left_out: how many resources of the states are of packages that this provider does not serve, by package.
        remedies: what to do in each state's engine.
        forgotten: how many entries the journal that says what exists has forgotten; then an audit cannot be clean.
    """

    orphans: list[ExistingObject] = []
    phantoms: list[RememberedObject] = []
    doubles: list[Twin] = []
    stale: list[Stale] = []
    pending: list[CutOff] = []
    existing: int = 0
    remembered: int = 0
    left_out: Mapping[str, int] = {}
    remedies: tuple[Remedies, ...] = ()
    forgotten: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether every object is remembered, as it is, and no operation was cut off."""
        return not (self.orphans or self.phantoms or self.stale or self.pending or self.forgotten)

    def assert_clean(self) -> None:
        """Raise ``AssertionError`` with all findings, unless there is none."""
        __tracebackhide__ = True
        if not self.is_clean:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        lines = [*self._orphaned(), *self._missing(), *self._outdated(), *self._unsettled(), *self._unknown()]
        head = f"{len(lines)} finding{'' if len(lines) == 1 else 's'}" if lines else "Clean"
        return "\n".join([f"{head}: {self._compared()}", *(f"- {line}" for line in lines)])

    def _compared(self) -> str:
        others = ", ".join(f"{count} of {package}" for package, count in sorted(self.left_out.items()))
        served = f" Of packages that are not served here, and left out: {others}." if others else ""
        return f"objects that exist: {self.existing}, that are remembered: {self.remembered}.{served}"

    def _orphaned(self) -> Iterator[str]:
        twins = {id(twin.object): twin.remembered for twin in self.doubles}
        for orphan in self.orphans:
            twin = twins.get(id(orphan))
            if twin is not None:
                yield f"double: {orphan} exists beside {twin}, which is the one that is remembered. Delete {orphan.id!r}."
                continue
            origin = f" It was made for {orphan.resource}." if orphan.resource else ""
            adopt = self._remedy("adopt", orphan.type, orphan.resource, orphan.id)
            yield f"orphan: {orphan} exists, and nobody remembers it.{origin} Delete it{f', or {adopt}' if adopt else ''}."

    def _missing(self) -> Iterator[str]:
        for phantom in self.phantoms:
            forget = self._remedy("forget", phantom.type, phantom.resource, phantom.id)
            yield f"phantom: {phantom} is remembered, and does not exist.{_sentence(forget)}"

    def _outdated(self) -> Iterator[str]:
        for stale in self.stale:
            values = "; ".join(difference.told("remembered", "in the cloud") for difference in stale.differences)
            refresh = self._remedy("refresh", stale.object.type, stale.remembered.resource, stale.object.id)
            yield f"stale: {stale.remembered} is not what is remembered: {values}.{_sentence(refresh)}"

    def _unsettled(self) -> Iterator[str]:
        for operation in self.pending:
            if operation.is_remembered:
                settle = self._remedy("settle", operation.type, operation.resource, operation.id)
                yield f"pending: {operation} was cut off, and the state does not know how it ended.{_sentence(settle)}"
            else:
                yield f"pending: {operation} was never answered by the provider. Look whether it was done."

    def _unknown(self) -> Iterator[str]:
        if self.forgotten:
            yield (
                f"unknown: the journal has forgotten its first {self.forgotten} entries, and what exists by them. Set "
                "journal.limit higher before the run."
            )

    def _remedy(self, what: str, type_: str, resource: str, id_: str) -> str:
        # Of several engines the first that has advice speaks for all.
        remedies = next((remedies for remedies in self.remedies if getattr(remedies, what)), Remedies())
        words = {"type": remedies.called(type_), "id": id_}
        name = resource.rpartition("::")[2] or remedies.nameless.format(**words)
        return str(getattr(remedies, what)).format(**words, name=name)


def _sentence(advice: str) -> str:
    return f" {advice[:1].upper()}{advice[1:]}." if advice else ""
