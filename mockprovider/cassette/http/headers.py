"""Which headers count when requests are compared, which differ from run to run, and which are credentials."""

from __future__ import annotations

import re

CREDENTIALS = frozenset({
    *("authorization", "proxy-authorization", "cookie", "x-amz-security-token", "x-api-key", "api-key", "apikey"),
    *("x-goog-api-key", "x-goog-iam-authorization-token", "x-auth-key", "x-auth-token", "x-subject-token", "x-vault-token"),
    *("private-token", "job-token", "x-access-token", "x-functions-key", "ocp-apim-subscription-key", "x-csrf-token"),
    *("x-xsrf-token", "signature", "signature-input", "x-amz-signature", "x-ms-authorization-auxiliary"),
})  # fmt: skip
"""Headers of requests that say who asks. They are taken out."""
LOOKS_SECRET = re.compile(r"(^|[-_])(secret|token|password|passwd|apikey|credentials?|signature)$")
"""So end the names of credentials that cloud somebody has of their own."""

GIVEN = frozenset({"set-cookie", "x-auth-token", "x-subject-token", "x-csrf-token", "x-xsrf-token", "authentication-info"})
"""Headers of responses that give a credential. What they give is a secret."""

TRANSPORT = frozenset({
    *("accept-encoding", "connection", "content-length", "date", "expect", "host", "keep-alive", "te", "trailer"),
    *("transfer-encoding", "upgrade", "user-agent", "via", "x-amz-date", "x-amz-content-sha256", "x-amz-user-agent"),
    *("x-amz-decoded-content-length", "x-amz-trailer", "x-amzn-trace-id", "x-amz-te", "amz-sdk-invocation-id"),
    *("amz-sdk-request", "content-md5", "digest", "content-digest", "repr-digest", "x-ms-date", "x-ms-client-request-id"),
    *("x-goog-api-client", "x-goog-request-reason", "x-cloud-trace-context", "traceparent", "tracestate", "b3", "baggage"),
    *("x-request-id", "x-correlation-id", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled", "x-client-request-id"),
    *("sentry-trace", "idempotency-key", "x-idempotency-key", "x-auth-email"),
})  # fmt: skip
"""Headers of requests that differ from run to run or with the client's version, or follow from the body."""
TRANSPORT_BEGINS = ("x-amz-checksum-", "x-amz-sdk-", "x-datadog-", "x-goog-hash")

SELECTING = frozenset({
    *("soapaction", "x-http-method-override", "x-http-method", "if-match", "if-none-match", "if-modified-since"),
    *("if-unmodified-since", "range", "prefer", "depth", "destination", "copy-source"),
})  # fmt: skip
"""Headers that say what is asked for; so do a cloud's own (``SELECTING_BEGINS``), such as ``X-Amz-Target``."""
SELECTING_BEGINS = ("x-amz-", "x-ms-", "x-goog-")

FLEETING = frozenset({"date", "age", "connection", "keep-alive", "transfer-encoding", "content-length", "expires"})
"""Headers of responses that say nothing of the answer; the length is counted anew."""

CHECKSUMS = re.compile(r"^(content-md5|digest|content-digest|repr-digest|etag|x-goog-hash|x-amz-crc32|x-amz-checksum-.*)$")
"""Headers of responses that are computed from the bytes of the body: these must come back as they were."""


def is_credential(name: str) -> bool:
    """Whether a request's header, in small letters, is a credential."""
    return name in CREDENTIALS or LOOKS_SECRET.search(name) is not None


def is_transport(name: str) -> bool:
    """Whether a request's header, in small letters, says nothing that another run would say, too."""
    return name in TRANSPORT or name.startswith(TRANSPORT_BEGINS)


def selects(name: str) -> bool:
    """Whether a request's header, in small letters, says what is asked for."""
    return name in SELECTING or name.startswith(SELECTING_BEGINS)


def is_checksum(name: str) -> bool:
    """Whether a response's header, in small letters, is computed from the body."""
    return CHECKSUMS.match(name) is not None
