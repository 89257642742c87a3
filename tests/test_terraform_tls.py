"""AutoMTLS: who is let in, and what it takes."""

from __future__ import annotations

import base64
import datetime as dt
import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mockprovider.errors import PluginError
from mockprovider.terraform.process.tls import Identity

SECONDS = 60
needs_cryptography = pytest.mark.skipif(not find_spec("cryptography"), reason="cryptography is not installed")


class Engine:
    """An engine's side: a certificate as engines make one (P-521, for ``localhost``), and the TLS that goes with it."""

    def __init__(self, folder: Path, name: str) -> None:
        from cryptography import x509  # noqa: PLC0415 - an optional dependency
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - an optional dependency
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - an optional dependency

        key = ec.generate_private_key(ec.SECP521R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = dt.datetime.now(dt.UTC)
        made = (
            x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(minutes=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA512())
        )
        self.pem = made.public_bytes(serialization.Encoding.PEM).decode()
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        self.path = folder / name
        self.path.write_text(secret + self.pem)

    def context(self, certificate: str, *, shown: bool = True) -> ssl.SSLContext:
        """TLS that trusts nothing but the plugin's certificate, as the handshake line spells it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=base64.b64decode(certificate + "=" * (-len(certificate) % 4)))
        context.set_alpn_protocols(["h2"])
        if shown:
            context.load_cert_chain(self.path)
        return context


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The engine whose certificate the plugin was given."""
    return Engine(tmp_path, "engine.pem")


def talk(identity: Identity, context: ssl.SSLContext | None) -> str:
    """What the engine hears after it said hello: ``ok``, or an error's name. Without ``context`` it speaks plaintext."""
    ours, theirs = socket.socketpair()
    ours.settimeout(SECONDS)
    theirs.settimeout(SECONDS)

    def plugin() -> None:
        with identity.context.wrap_socket(ours, server_side=True) as wrapped:
            assert wrapped.selected_alpn_protocol() == "h2"
            wrapped.sendall(b"ok" if wrapped.recv(5) == b"hello" else b"no")

    with ThreadPoolExecutor(1) as pool, ours, theirs:
        serving = pool.submit(plugin)
        heard: Any = b""
        try:
            with context.wrap_socket(theirs, server_hostname="localhost") if context else theirs as speaking:
                speaking.sendall(b"hello")
                heard = speaking.recv(2)
        except OSError as error:
            return type(error).__name__
        finally:
            # What the other side makes of it is told by what we heard.
            serving.exception(SECONDS)
        return heard.decode(errors="replace")


@needs_cryptography
def test_the_engine_is_let_in(engine: Engine) -> None:
    """The engine that gave its certificate, and trusts ours alone, is answered over HTTP/2's TLS."""
    identity = Identity(engine.pem)

    assert talk(identity, engine.context(identity.certificate)) == "ok"


@needs_cryptography
def test_nobody_else_is(engine: Engine, tmp_path: Path) -> None:
    """Another certificate, none at all, and plaintext are not answered."""
    identity = Identity(engine.pem)
    other = Engine(tmp_path, "other.pem")

    assert talk(identity, other.context(identity.certificate)) != "ok"
    assert talk(identity, engine.context(identity.certificate, shown=False)) != "ok"
    assert talk(identity, None) != "ok"


@needs_cryptography
def test_each_plugin_has_its_own(engine: Engine) -> None:
    """Two plugins have different certificates, and an engine that trusts one does not take the other for it."""
    one, other = Identity(engine.pem), Identity(engine.pem)

    assert one.certificate != other.certificate
    assert "=" not in one.certificate
    assert len(one.certificate) > 50, "engines look at the field only if it is longer"
    assert talk(one, engine.context(other.certificate)) == "SSLCertVerificationError"


@needs_cryptography
def test_what_the_certificate_says(engine: Engine) -> None:
    """It is its own authority, is for both sides of a conversation with localhost, and outlives the longest run."""
    from cryptography import x509  # noqa: PLC0415 - an optional dependency

    spelled = Identity(engine.pem).certificate
    made = x509.load_der_x509_certificate(base64.b64decode(spelled + "=" * (-len(spelled) % 4)))
    says = {extension.oid._name: (extension.critical, extension.value) for extension in made.extensions}
    uses = [x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH]
    now = dt.datetime.now(dt.UTC)

    assert made.subject.rfc4514_string() == made.issuer.rfc4514_string() == "CN=localhost"
    assert made.not_valid_before_utc < now - dt.timedelta(minutes=1)
    assert made.not_valid_after_utc > now + dt.timedelta(days=29)
    assert says == {
        "basicConstraints": (True, x509.BasicConstraints(ca=True, path_length=None)),
        "subjectAltName": (False, x509.SubjectAlternativeName([x509.DNSName("localhost")])),
        "extendedKeyUsage": (False, x509.ExtendedKeyUsage(uses)),
    }


@needs_cryptography
def test_a_certificate_that_is_none() -> None:
    """What the engine gives must be a certificate."""
    with pytest.raises(PluginError, match="PLUGIN_CLIENT_CERT holds no certificate"):
        Identity("nonsense")


def test_without_cryptography(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing, the error names both ways out."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(PluginError, match=r"pip install 'mockprovider\[tls\]', or set TF_DISABLE_PLUGIN_TLS=1"):
        Identity("any")
