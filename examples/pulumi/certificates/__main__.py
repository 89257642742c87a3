"""An authority of our own, a certificate for each host, and the password that guards their keys."""

import pulumi
import pulumi_random as random
import pulumi_tls as tls

YEAR = 365 * 24


class Authority(pulumi.ComponentResource):
    """A key and a certificate that signs others."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("acme:index:Authority", name, {}, opts)
        mine = pulumi.ResourceOptions(parent=self)
        self.name = name
        self.key = tls.PrivateKey(name, algorithm="ECDSA", ecdsa_curve="P384", opts=mine)
        self.certificate = tls.SelfSignedCert(
            name,
            private_key_pem=self.key.private_key_pem,
            subject=tls.SelfSignedCertSubjectArgs(common_name=name, organization="Acme"),
            is_ca_certificate=True,
            validity_period_hours=10 * YEAR,
            allowed_uses=["cert_signing", "crl_signing"],
            opts=mine,
        )
        self.register_outputs({"pem": self.certificate.cert_pem})

    def sign(self, host: str) -> tls.LocallySignedCert:
        """A key and a certificate for ``host``."""
        mine = pulumi.ResourceOptions(parent=self)
        key = tls.PrivateKey(host, algorithm="ECDSA", ecdsa_curve="P256", opts=mine)
        request = tls.CertRequest(
            host,
            private_key_pem=key.private_key_pem,
            subject=tls.CertRequestSubjectArgs(common_name=host),
            dns_names=[host],
            opts=mine,
        )
        return tls.LocallySignedCert(
            host,
            cert_request_pem=request.cert_request_pem,
            ca_private_key_pem=self.key.private_key_pem,
            ca_cert_pem=self.certificate.cert_pem,
            validity_period_hours=YEAR,
            early_renewal_hours=30 * 24,
            allowed_uses=["server_auth"],
            opts=mine,
        )


authority = Authority("root")
signed = {host: authority.sign(host) for host in pulumi.Config().require_object("hosts")}
guard = random.RandomPassword("guard", length=32, special=False)

pulumi.export("authority", authority.certificate.cert_pem)
pulumi.export("certificates", {host: certificate.cert_pem for host, certificate in signed.items()})
pulumi.export("password", guard.result)
