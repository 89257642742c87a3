"""AutoMTLS of Terraform's plugin library: each side makes a certificate for one connection, and trusts only the other's.

gRPC's own TLS library cannot check the engine's certificate (reference 1.3). So the server speaks plaintext on a unix socket,
behind CPython's ``ssl``.
"""

from __future__ import annotations

import base64
import datetime as dt
import ssl
import tempfile
from pathlib import Path

from mockprovider.errors import PluginError
from mockprovider.wire.machine import wall

LIFE = dt.timedelta(days=30)
SLACK = dt.timedelta(minutes=5)
"""A margin for clocks that differ, such as that of a resumed virtual machine."""

NAME = "localhost"
"""The name that engines check in the certificate, wherever the plugin listens."""


class Identity:
    """A server's certificate, and TLS that only accepts the engine with the given certificate.

    ``certificate`` is the handshake line's sixth field, ``context`` wraps accepted connections. Raises ``PluginError`` if the
    engine's certificate is invalid, or if the package ``cryptography`` is missing.
    """

    def __init__(self, engine: str) -> None:
        certificate, key = _make()
        self.certificate = base64.b64encode(ssl.PEM_cert_to_DER_cert(certificate)).decode().rstrip("=")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.set_alpn_protocols(["h2"])
        try:
            self.context.load_verify_locations(cadata=engine)
        except (ssl.SSLError, ValueError) as error:
            raise PluginError(
                f"PLUGIN_CLIENT_CERT holds no certificate ({error}). An engine sets it; leave it alone."
            ) from error
        with tempfile.TemporaryDirectory() as folder:
            # The standard library reads keys from files only; nobody else can read this folder.
            path = Path(folder, "server.pem")
            path.write_text(key + certificate, encoding="ascii")
            self.context.load_cert_chain(path)


def _make() -> tuple[str, str]:
    """A new self-signed certificate and its key, as PEM."""
    try:
        from cryptography import x509  # noqa: PLC0415 - an optional dependency
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - as above
    except ImportError as error:
        raise PluginError(
            "The engine asks for TLS, and the package cryptography is not installed. Either pip install 'mockprovider[tls]', "
            "or set TF_DISABLE_PLUGIN_TLS=1 for the engine."
        ) from error
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    # The engine's clock goes on, whatever a test has frozen.
    now = dt.datetime.fromtimestamp(int(wall()), dt.UTC)
    usage = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH])
    certificate = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now + LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), secret
