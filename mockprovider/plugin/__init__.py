"""The process that a real engine starts: a thin plugin, which relays to a double, or serves declared types by itself.

``main`` is its entry point, also for packages of yours: ``pulumi-resource-acme = "mockprovider.plugin:main"``.
"""

from mockprovider.plugin.main import main

__all__ = ["main"]
