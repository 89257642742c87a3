"""Features of a resource type that only Pulumi has."""

from __future__ import annotations

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake import views
from mockprovider.fake.behaviours.world import PLANS, World, refused
from mockprovider.schema import ResourceType, Traits
from mockprovider.values import has_unknown


class ResourceTraits(Traits, frozen=True):
    """Features that only Pulumi has: ``ResourceType(..., traits=[ResourceTraits(refresh_before_update=True)])``.

    Args:
        diff_needs_known: Diff fails, as the protocol allows, while an input is unknown.
        refresh_before_update: an engine that supports it reads an object again before it changes it.
        list_by: the properties of a query in the type's schema, which then has a list command. List works without it, too.
        views: the views of each object in the engine's state (``fake.views.View``), for engines that accept views.

    Raises ``DefinitionError`` in a type without the properties.
    """

    diff_needs_known: bool = False
    refresh_before_update: bool = False
    list_by: tuple[str, ...] | None = None
    views: tuple[views.View, ...] = ()

    def check(self, declared: ResourceType) -> None:
        """Raise ``DefinitionError`` if ``list_by`` names unknown properties."""
        unknown = [name for name in self.list_by or () if name not in declared.properties]
        if unknown:
            raise DefinitionError(f"{declared.token}: list_by names {unknown[0]!r}, which is no property. Declare it first.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse a Diff of unknowns, publish views, and set ``refresh_before_update``."""
        if self.diff_needs_known and call.op in PLANS and call.prior is not None and has_unknown(call.inputs or {}):
            unknown = ", ".join(sorted(name for name, value in (call.inputs or {}).items() if has_unknown(value)))
            reason = f"{call.type} {call.id!r}: what changes cannot be told while {unknown} is unknown."
            return refused(reason, "failed_precondition")
        reply = proceed(call)
        if call.op not in views.SHOWING or not reply.ok:
            return reply
        if self.views and _takes_views(call):
            world.publish(call, views.steps(self.views, call, reply))
        supported = call.session.engine_offers.get("supports_refresh_before_update")
        if self.refresh_before_update and supported and call.op is not Op.DELETE:
            reply.extra = {**reply.extra, "refresh_before_update": True}
        return reply


def _takes_views(call: Call) -> bool:
    """Whether the engine of this call accepts view steps, and gave an address for them."""
    return bool(call.session.engine_offers.get("supports_views") and call.extra.get("resource_status_address"))
