"""URLs and forms as texts that are equal where they mean the same, without credentials."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from mockprovider.redaction import known_form

SIGNATURE = re.compile(r"(?i)^(x-(amz|goog|ms)-signature|signature|sig)$")
SIGNING = re.compile(
    r"(?i)^(x-(amz|goog|ms)-(credential|security-token|date|expires|algorithm|signedheaders|content-sha256)"
    r"|awsaccesskeyid|googleaccessid|expires|timestamp|signature(version|method)|s[etvrp]|sks|ske|skt|skoid|sktid|skv)$"
)
"""Parameters that a signature brings with it."""
CREDENTIAL = re.compile(
    r"(?i)^((access|refresh|id|auth|bearer|security|session|private)[_-]?token|token|client[_-]?secret|client[_-]?assertion"
    r"|secret|secret[_-]?key|api[_-]?key|password|passwd|pwd|assertion|subscription-key|code_verifier)$"
)
"""Parameters that are a credential."""
PORTS = {"http": 80, "https": 443}
HERE = "localhost"


def credentials_of(text: str) -> Iterator[str]:
    """The credentials in a query or a form."""
    for name, value in parse_qsl(text, keep_blank_values=True):
        if CREDENTIAL.match(name) or name.lower() == "x-amz-security-token" or known_form(value):
            yield value


def form(text: str) -> str:
    """A query or a form with its parameters in the order of their names, without credentials and signatures."""
    pairs = parse_qsl(text, keep_blank_values=True)
    signed = any(SIGNATURE.match(name) for name, _ in pairs)
    kept = (
        (name, value)
        for name, value in pairs
        if not (SIGNATURE.match(name) or CREDENTIAL.match(name) or known_form(value) or (signed and SIGNING.match(name)))
    )
    return urlencode(sorted(kept, key=lambda pair: pair[0]))


def address(url: str) -> str:
    """A URL as it is compared: a local server's host and port do not count, nor does the order of the parameters."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme.lower(), _host(parts), parts.path or "/", form(parts.query), ""))


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if _is_here(host):
        return HERE
    name = f"[{host}]" if ":" in host else host
    return name if parts.port in (None, PORTS.get(parts.scheme.lower())) else f"{name}:{parts.port}"


def _is_here(host: str) -> bool:
    if host == HERE:
        return True
    try:
        numbers = ipaddress.ip_address(host)
    except ValueError:
        return False
    return numbers.is_loopback or numbers.is_unspecified


def as_tree(url: str) -> dict[str, object]:
    """An address in its parts, to show where two differ."""
    parts = urlsplit(url)
    query: dict[str, object] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        before = query.get(name)
        query[name] = value if name not in query else [*(before if isinstance(before, list) else [before]), value]
    return {"host": f"{parts.scheme}://{parts.netloc}", "path": parts.path, "query": query}
