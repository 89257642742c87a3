"""What the fake does over the way back to Pulumi's engine: it constructs components and runs methods."""

from mockprovider.pulumi.components.room import Called, Components, Site

__all__ = ["Called", "Components", "Site"]
