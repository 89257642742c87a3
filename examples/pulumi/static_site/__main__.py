"""A website in a bucket of DigitalOcean Spaces, behind a CDN with a certificate and a domain."""

import mimetypes
from pathlib import Path

import pulumi
import pulumi_digitalocean as digitalocean

WWW = Path(__file__).parent / "www"
domain = pulumi.Config().require("domain")
host = f"www.{domain}"

bucket = digitalocean.SpacesBucket("site", region="fra1", acl="private")

for path in sorted(WWW.rglob("*")):
    if path.is_file():
        key = path.relative_to(WWW).as_posix()
        digitalocean.SpacesBucketObject(
            key,
            bucket=bucket.name,
            region=bucket.region,
            key=key,
            acl="public-read",
            source=str(path),
            content_type=mimetypes.guess_type(path.name)[0],
        )

certificate = digitalocean.Certificate("site", type="lets_encrypt", domains=[host])
cdn = digitalocean.Cdn(
    "site",
    origin=bucket.bucket_domain_name,
    custom_domain=host,
    certificate_name=certificate.name,
)
zone = digitalocean.Domain("zone", name=domain)
digitalocean.DnsRecord(
    "www",
    domain=zone.id,
    type="CNAME",
    name="www",
    value=cdn.endpoint.apply(lambda endpoint: f"{endpoint}."),
)

pulumi.export("url", f"https://{host}/index.html")
pulumi.export("endpoint", cdn.endpoint)
