"""The demonstration: a real run recorded, replayed without its provider, and broken; under every engine that is there."""

from mockprovider.demo.story import run

__all__ = ["run"]
