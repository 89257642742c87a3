"""What Pulumi alone has of a resource type."""

from __future__ import annotations

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake import views
from mockprovider.fake.behaviours.world import PLANS, World, refused
from mockprovider.schema import ResourceType, Traits
from mockprovider.values import has_unknown


class ResourceTraits(Traits, frozen=True):
    """What Pulumi alone has of a resource type: ``ResourceType(..., traits=[ResourceTraits(refresh_before_update=True)])``.

    Args:
        diff_needs_known: Diff fails, as the protocol allows, while an input is unknown.
        refresh_before_update: engines that can are told to read an object again before they change it.
        list_by: the type's schema says that it can be listed, by these properties. List answers without it, too.
        views: what the engine's state shows beside each object (``fake.views.View``), for engines that take it.

    Raises ``DefinitionError`` in a type that has not the properties.
    """

    diff_needs_known: bool = False
    refresh_before_update: bool = False
    list_by: tuple[str, ...] | None = None
    views: tuple[views.View, ...] = ()

    def check(self, declared: ResourceType) -> None:
        """Raise ``DefinitionError`` if the type cannot be listed by that."""
        unknown = [name for name in self.list_by or () if name not in declared.properties]
        if unknown:
            raise DefinitionError(f"{declared.token}: list_by names {unknown[0]!r}, which is no property. Declare it first.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse a Diff of unknowns; tell the engine of views, and whether to look at the object again."""
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
    """Whether the engine that makes this call takes view steps: it said so, and says where."""
    return bool(call.session.engine_offers.get("supports_views") and call.extra.get("resource_status_address"))
