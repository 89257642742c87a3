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
    """The start of a page: after the object with the id ``after``, with ``given`` of the first page's ``limit`` sent before."""

    given: int = 0
    limit: int = 0
    after: str = ""

    @property
    def token(self) -> str:
        """The continuation token of the page."""
        return f"{self.given}:{self.limit}:{self.after}"

    def left(self, limit: int) -> int:
        """How many may follow. By the protocol each request has the first page's limit; ``pulumi do`` sends what is left."""
        return limit - self.given if limit == self.limit else limit


class Listing:
    """The call that lists objects in the order of their ids, which does not depend on when they were created."""

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
        existing = sorted(self._cloud.listed(call.type), key=lambda one: one.id)
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
    """One page within ``limit`` (for all pages together) and ``page_size``; a value below 1 is no limit."""
    limit, size = max(call.limit, 0), max(call.page_size, 0)
    allowed = fitting[: max(start.left(limit), 0)] if limit else fitting
    page = allowed[:size] if size else allowed
    for existing in page:
        name = reveal(existing.get("name"))
        yield ListedObject(existing.id, name if isinstance(name, str) else "")
    if len(page) < len(allowed):
        yield ListContinues(_Page(start.given + len(page), limit, page[-1].id).token)
