"""List: all objects of a type in the cloud, page by page (reference 2.16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from mockprovider.calls import Call, Op, Reply
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.fake.catalogue import Catalogue, failed
from mockprovider.payloads import ListComputed, ListContinues, Listed, ListedObject
from mockprovider.values import Bag, has_unknown, reveal, same


class _Page(Struct, frozen=True):
    """Where a page begins: after the object with this id, with so many given out before it of the first page's limit."""

    given: int = 0
    limit: int = 0
    after: str = ""

    @property
    def token(self) -> str:
        """What the next request names the page by."""
        return f"{self.given}:{self.limit}:{self.after}"

    def left(self, limit: int) -> int:
        """How many may still come. The protocol has the first page's limit asked again; ``pulumi do`` asks for what is left."""
        return limit - self.given if limit == self.limit else limit


class Listing:
    """The call that lists objects, in the order of their ids, which no other order of making them would change."""

    def __init__(self, catalogue: Catalogue, cloud: Cloud) -> None:
        self._catalogue = catalogue
        self._cloud = cloud
        self.ops: Mapping[Op, Callable[[Call], Reply]] = {Op.LIST: self._list}

    def _list(self, call: Call) -> Reply:
        if self._catalogue.type(call) is None:
            return self._catalogue.unknown_type(call)
        start = _page(call.page)
        if start is None:
            return failed(
                f"{call.page!r} is no continuation token of this provider: give back the one of the page before.",
                "invalid_argument",
            )
        query = {name: value for name, value in (call.inputs or {}).items() if value is not None}
        if any(map(has_unknown, query.values())):
            return Reply(listed=(ListComputed(),))
        existing = sorted(self._cloud.objects(call.type), key=lambda one: one.id)
        fitting = [one for one in existing if one.id > start.after and _fits(one, query)]
        return Reply(listed=tuple(_listed(fitting, start, call)))


def _page(token: str) -> _Page | None:
    if not token:
        return _Page()
    given, limit, after = (*token.split(":", 2), "", "")[:3]
    return _Page(int(given), int(limit), after) if given.isdecimal() and limit.isdecimal() and after else None


def _fits(existing: CloudObject, query: Bag) -> bool:
    return all(same(reveal(existing.get(name)), reveal(value)) for name, value in query.items())


def _listed(fitting: list[CloudObject], start: _Page, call: Call) -> Iterator[Listed]:
    """One page, as far as ``limit`` (of all pages together) and ``page_size`` go; below 1, neither counts."""
    limit, size = max(call.limit, 0), max(call.page_size, 0)
    allowed = fitting[: max(start.left(limit), 0)] if limit else fitting
    page = allowed[:size] if size else allowed
    for existing in page:
        name = reveal(existing.get("name"))
        yield ListedObject(existing.id, name if isinstance(name, str) else "")
    if len(page) < len(allowed):
        yield ListContinues(_Page(start.given + len(page), limit, page[-1].id).token)
