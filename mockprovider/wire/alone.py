"""The environment of a process that is to know of nobody's credentials, and to reach no network."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOBODY = "http://127.0.0.1:9"
"""The discard port of this machine, where nobody serves: what asks there is refused at once."""

ENVIRONMENT: Mapping[str, str | None] = MappingProxyType(
    {
        "HOME": "/nonexistent",
        "HTTP_PROXY": NOBODY,
        "HTTPS_PROXY": NOBODY,
        "NO_PROXY": None,
        "http_proxy": NOBODY,
        "https_proxy": NOBODY,
        "no_proxy": None,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": NOBODY,
    }
)
"""The variables of its process, beside the few of ``KEPT``: programs that heed them reach no network."""

KEPT = frozenset({"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "TZ", "SYSTEMROOT"})
"""What is left of our own environment: nothing else may tell a provider whose credentials there are."""


def environment(ours: Mapping[str, str], more: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """The changes that make the environment of a judging process out of ours; ``more`` is the user's."""
    return {**{name: None for name in ours if name not in KEPT}, **ENVIRONMENT, **(more or {})}
