"""The table: what a name says of the value. The first row that fits counts; where none does, a description may say it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from msgspec import Struct

from mockprovider.fake.inventing import arns, documents

REGIONS: Mapping[str, str] = {"gcp": "us-central1", "google": "us-central1", "azure": "eastus", "azurerm": "eastus"}
AWS = frozenset({"aws", "awsx", "eks"})
"""The packages whose things are AWS's; two have components alone."""
ACCOUNT = "123456789012"
PROJECT = "mock-project"
SUBSCRIPTION = "00000000-0000-4000-8000-000000000000"
"""Where everything is, unless the provider's configuration says otherwise."""

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


class Invention(Struct, frozen=True):
    """One value that is to be made up.

    Args:
        token: the type or function whose value it is.
        name: the property's name in snake_case, after that of the object around it: ``certificate_authority.data``.
        point: what the value depends on, beside the name of the form.
        config: the provider's configuration.
        called: what the thing is called that it is about, if known.
    """

    token: str
    name: str
    point: str
    description: str = ""
    config: Mapping[str, Any] = {}
    called: str = ""

    @property
    def word(self) -> str:
        """The name alone."""
        return self.name.rpartition(".")[2]

    @property
    def thing(self) -> str:
        """What the value is about: of ``role_arn`` the ``role``, of a bare ``arn`` nothing."""
        return self.word.rpartition("_")[0]

    @property
    def owner(self) -> str:
        """What the type or function is about: ``s3_bucket``."""
        return arns.thing_of(self.token)

    @property
    def package(self) -> str:
        """The provider's short name."""
        return self.token.partition(":")[0].split("-")[0]

    def hex(self, length: int = 8) -> str:
        """Hex digits; the first eight are ``cloud.digest`` of the point."""
        return sha256(self.point.encode()).hexdigest()[:length].ljust(length, "0")

    def number(self, below: int, at: int = 0) -> int:
        """A whole number from 0."""
        return int(self.hex(64)[at : at + 4], 16) % below

    def base64(self, size: int = 24) -> str:
        """Any bytes in base64; as a rule they are no text."""
        return base64.b64encode(bytes.fromhex(self.hex(64))[:size]).decode()

    def said(self, key: str, otherwise: str) -> str:
        """A setting of the provider's configuration."""
        value = self.config.get(key)
        return value if isinstance(value, str) and value else otherwise

    @property
    def region(self) -> str:
        """Where it is."""
        key = "location" if self.package.startswith("azure") else "region"
        return self.said(key, REGIONS.get(self.package, "us-east-1"))

    @property
    def label(self) -> str:
        """A name that is also a DNS label: ``bucket-1a2b3c4d``."""
        noun = re.split("_", self.thing or self.owner)[-1]
        return f"{re.sub('[^a-z0-9]+', '-', noun) or 'x'}-{self.hex()}".lstrip("-")


def whereabouts(token: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Where everything of a provider is: ``region``, ``account``, ``project``, ``subscription``, ``partition``."""
    region = Invention(token, "", "", config=config).region
    account = {"account": ACCOUNT, "project": PROJECT, "subscription": SUBSCRIPTION, "partition": arns.partition_of(region)}
    return {"region": region, "location": region, **account}


class Form(Struct, frozen=True):
    """A row of the table.

    Args:
        name: what the form is called.
        pattern: the end of the names that it is for (a regular expression over snake_case), after ``_``, ``.`` or nothing.
        make: makes the value.
        example: a value of it.
        why: who reads it so.
        words: what a description says that asks for it, where no name does (a regular expression).
        kinds: the kinds of properties that it is for.
    """

    name: str
    pattern: str
    make: Callable[[Invention], Any]
    example: Any
    why: str
    words: str = ""
    kinds: tuple[str, ...] = ("string",)


def _always(value: str) -> Callable[[Invention], str]:
    return lambda _: value


def _zone(it: Invention) -> str:
    letter = "abc"[it.number(3)]
    return it.said("zone", f"{it.region}-{letter}" if it.package in ("gcp", "google") else f"{it.region}{letter}")


def _host(it: Invention) -> str:
    return f"{it.label}.example.com"


def _address(it: Invention) -> str:
    if it.package in ("gcp", "google") or re.search(r"\bIP(v4)?\b", it.description):
        return _ipv4(it)
    return _host(it)


def _ipv4(it: Invention) -> str:
    return f"10.{it.number(256)}.{it.number(256, 4)}.{1 + it.number(254, 8)}"


def _ipv6(it: Invention) -> str:
    return f"2001:db8:{it.number(65535):x}:{it.number(65535, 4):x}::{1 + it.number(65534, 8):x}"


def _url(it: Invention) -> str:
    path = f"projects/{it.said('project', PROJECT)}/{it.hex()}"
    return f"https://www.googleapis.com/compute/v1/{path}" if it.word == "self_link" else f"https://{_host(it)}/{it.hex()}"


def _repository(it: Invention) -> str:
    return f"{ACCOUNT}.dkr.ecr.{it.region}.amazonaws.com/{it.label}"


def _id(it: Invention) -> str:
    thing = it.thing or re.sub("s$", "", it.owner.removeprefix("ec2_"))
    prefix = next((arns.IDS[words] for words in arns.endings(thing) if words in arns.IDS), "") if it.package in AWS else ""
    return f"{prefix}-0{it.hex(16)}" if prefix else it.hex()


def _when(it: Invention) -> str:
    return (EPOCH + timedelta(minutes=it.number(65536))).strftime("%Y-%m-%dT%H:%M:%SZ")


def _pem(it: Invention) -> str:
    what = "PRIVATE KEY" if re.search("private|client_key", it.word) else "PUBLIC KEY" if "public" in it.word else "CERTIFICATE"
    return f"-----BEGIN {what}-----\n{it.base64(32)}\n-----END {what}-----\n"


def _text(it: Invention) -> str:
    return base64.b64encode((_pem(it) if re.search("cert|client_key", it.name) else it.label).encode()).decode()


FORMS: tuple[Form, ...] = (
    Form(
        "arn",
        "arn",
        lambda it: arns.arn(it.thing, it.owner, it.region, ACCOUNT, it.called or it.label),
        "arn:aws:iam::123456789012:role/role-5ce2b9e1",
        "the AWS provider's validators take ARNs apart: partition, service, region, account, resource",
        r"\bARN\b",
    ),
    Form(
        "uuid",
        "uuid|guid|subscription_id|tenant_id|object_id|client_id|principal_id",
        lambda it: str(UUID(it.hex(32))),
        "5ce2b9e1-3c55-2a3e-9c1d-0f6a2b7c8d9e",
        "Azure's ids of tenants, subscriptions and principals are UUIDs, and validated as such",
        r"\bUUID\b",
    ),
    Form(
        "account",
        "account_id|owner_id|account_number",
        _always(ACCOUNT),
        ACCOUNT,
        "one account owns everything; twelve digits, as in ARNs",
    ),
    Form("region", "region|location", lambda it: it.region, "us-east-1", "the provider's `region`, or the first of its cloud"),
    Form(
        "availability zone",
        "availability_zone|zone",
        _zone,
        "us-east-1a",
        "a zone begins with its region",
    ),
    Form(
        "hosted zone id",
        "zone_id",
        lambda it: f"Z{it.hex(13).upper()}",
        "Z5CE2B9E13C552",
        "Route 53's ids of zones",
    ),
    Form("partition", "partition", _always("aws"), "aws", "what ARNs are made of"),
    Form("DNS suffix", "dns_suffix", _always("amazonaws.com"), "amazonaws.com", "what names of services are made of"),
    Form("project", "project|project_id", lambda it: it.said("project", PROJECT), PROJECT, "the provider's `project`"),
    *(Form(*row) for row in documents.ROWS),
    Form(
        "kubeconfig, parsed",
        "kubeconfig|kube_config",
        documents.kubeconfig,
        {"apiVersion": "v1", "kind": "Config"},
        "where the schema says that it may be anything, programs index it (`eks.Cluster`)",
        kinds=("any",),
    ),
    Form(
        "IPv6 CIDR",
        "ipv6_cidr|ipv6_cidr_block|ipv6_cidr_range",
        lambda it: f"2001:db8:{it.number(65536):x}::/56",
        "2001:db8:5ce2::/56",
        "`cidrsubnet` and validators take it apart; of the range for documentation",
    ),
    Form("IPv6 address", "ipv6|ipv6_address|ip_v6", _ipv6, "2001:db8:5ce2:b9e1::3c56", "of the range for documentation"),
    Form(
        "CIDR",
        "cidr|cidr_block|cidr_range|ip_range|address_prefix|address_space",
        lambda it: f"10.{it.number(256)}.{16 * it.number(16, 4)}.0/20",
        "10.226.224.0/20",
        "`cidrsubnet` takes it apart, so that its host bits are zero",
        r"\bCIDR\b",
    ),
    Form("IPv4 address", "ip|ipv4|ip_address|ipv4_address", _ipv4, "10.226.225.86", "validators, and other providers' inputs"),
    Form(
        "MAC address",
        "mac|mac_address",
        lambda it: ":".join(["02", *re.findall("..", it.hex(10))]),
        "02:5c:e2:b9:e1:3c",
        "a local one (02), so that no card has it",
    ),
    Form("address", "address", _address, "instance-5ce2b9e1.example.com", "an IP where the description says so, else a host"),
    Form(
        "e-mail address",
        "email|email_address|mail",
        lambda it: f"{it.label}@example.com",
        "account-5ce2b9e1@example.com",
        "RFC 2606 keeps example.com for this",
    ),
    Form(
        "image repository",
        "repository_url|image_uri|repository_uri",
        _repository,
        "123456789012.dkr.ecr.us-east-1.amazonaws.com/repository-5ce2b9e1",
        "image references have no scheme",
    ),
    Form(
        "base64url",
        "b64_url|base64_url",
        lambda it: base64.urlsafe_b64encode(bytes.fromhex(it.hex(16))).decode().rstrip("="),
        "XOK54TxVKj4",
        "in the alphabet of URLs, and no URL (`random_id`)",
    ),
    Form(
        "URL",
        r"url|uri|self_link|link|issuer|primary_endpoints\.[a-z]+|secondary_endpoints\.[a-z]+",
        _url,
        "https://api-5ce2b9e1.example.com/5ce2b9e1",
        "a scheme and a host",
        r"\bURL\b",
    ),
    Form(
        "host name",
        "dns|dns_name|domain_name|domain|hostname|host|host_name|fqdn|name_server|endpoint|server_name|website_endpoint|website_domain",
        _host,
        "db-5ce2b9e1.example.com",
        "records and other providers take hosts; RFC 2606 keeps example.com for this",
    ),
    Form(
        "time",
        "at|time|date|timestamp|created|updated|modified|created_on|updated_on|expiry|expiration|not_before|not_after",
        _when,
        "2024-01-17T12:34:00Z",
        "RFC 3339, as `timeadd` and the SDKs read it",
        r"RFC ?3339|ISO ?8601",
    ),
    Form(
        "version",
        "version",
        lambda it: f"1.{it.number(30)}.{it.number(10, 4)}",
        "1.22.3",
        "a semantic version is also a plain one",
    ),
    Form(
        "SHA-1 thumbprint",
        "thumbprint|sha1_fingerprint|sha1",
        lambda it: it.hex(40),
        "5ce2b9e13c552a3e9c1d0f6a2b7c8d9e01234567",
        "40 hex digits, as OIDC providers validate them",
    ),
    Form(
        "fingerprint",
        "fingerprint|fingerprint_md5",
        lambda it: ":".join(re.findall("..", it.hex(32))),
        "5c:e2:b9:e1:3c:55:2a:3e:9c:1d:0f:6a:2b:7c:8d:9e",
        "16 bytes, as of keys",
    ),
    Form(
        "digest in base64",
        "base64sha256|code_sha256|source_code_hash",
        lambda it: it.base64(32),
        "XOK54TxVKj6cHQ9qK3yNnl...=",
        "32 bytes, as Lambda tells of code",
    ),
    Form("SHA-512", "sha512|sha_512", lambda it: it.hex(128), "5ce2b9e1… (128 digits)", "128 hex digits"),
    Form("SHA-256", "sha256|fingerprint_sha256|sha_256", lambda it: it.hex(64), "5ce2b9e1… (64 digits)", "64 hex digits"),
    Form("image digest", "digest", lambda it: f"sha256:{it.hex(64)}", "sha256:5ce2b9e1…", "registries name images so"),
    Form("MD5", "md5|etag|e_tag|checksum|hash", lambda it: it.hex(32), "5ce2b9e13c552a3e9c1d0f6a2b7c8d9e", "32 hex digits"),
    Form(
        "PEM",
        "pem|private_key|public_key|certificate_body|certificate_chain|cert_pem|private_key_openssh",
        _pem,
        "-----BEGIN CERTIFICATE-----…",
        "what looks for the armour finds it; what is inside is no key",
        r"\bPEM\b",
    ),
    Form(
        "OpenSSH key",
        "openssh|public_key_openssh",
        lambda it: f"ssh-ed25519 {it.base64(33)} {it.label}",
        "ssh-ed25519 AAAA… key-5ce2b9e1",
        "a type, base64, a comment",
    ),
    Form(
        "base64",
        r"base64|b64|b64_std|certificate_authority\.data|certificate_authorities\.data|ca_certificate|ca_cert|client_certificate|client_key",
        _text,
        "Y2x1c3Rlci01Y2UyYjllMQ==",
        "engines decode it to text alone; of clusters it is a certificate (PEM)",
        r"(?i)base64",
    ),
    Form("hex", "hex", lambda it: it.hex(16), "5ce2b9e13c552a3e", "hex digits"),
    Form(
        "secret",
        "password|secret|token|secret_string|secret_key",
        lambda it: it.hex(32),
        "5ce2b9e13c552a3e9c1d0f6a2b7c8d9e",
        "long enough for limits of length",
    ),
    Form("status", "status|state", _always("available"), "available", "what is asked for is there"),
    Form("path", "path", lambda it: f"/{it.label}", "/role-5ce2b9e1", "a path begins with /"),
    Form("name", "name", lambda it: it.label, "bucket-5ce2b9e1", "lower case, digits and -: a name that every cloud takes"),
    Form("id", "id", _id, "vpc-05ce2b9e13c552a3e", "AWS's ids tell their kind; others are eight hex digits"),
    Form(
        "port",
        "port",
        lambda it: 1024 + it.number(64512),
        23778,
        "above the privileged ones",
        kinds=("integer", "number"),
    ),
    Form("percentage", "percent|percentage", lambda it: it.number(101), 85, "0 to 100", kinds=("integer", "number")),
    Form(
        "count",
        "count|capacity|replicas|size|total",
        lambda it: 1 + it.number(9),
        4,
        "few, since programs may loop",
        kinds=("integer", "number"),
    ),
)
"""The table, most particular forms first."""

_PATTERNS = [
    (form, re.compile(rf"(?:^|[_.])(?:{form.pattern})$"), re.compile(form.words) if form.words else None) for form in FORMS
]


def form_of(kind: str, name: str, description: str = "") -> Form | None:
    """The form of a value of this kind and name (``certificate_authority.data``); ``None`` if nothing says one."""
    fitting = [row for row in _PATTERNS if kind in row[0].kinds]
    named = next((form for form, pattern, _ in fitting if pattern.search(name)), None)
    return named or next((form for form, _, words in fitting if words and description and words.search(description)), None)
