"""Components and methods of a fake, which need the way back to Pulumi's engine."""

from mockprovider.pulumi.components.room import Called, Components, Site

__all__ = ["Called", "Components", "Site"]
