"""What the report says of recordings of real providers: whether a replay will be refused is known when they are made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from terraform_stage import ENGINES

from mockprovider.cassette.report import lines
from mockprovider.double import Double, real, recording, replaying
from mockprovider.double.reporting import proved, reported
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import CassetteError, ProgramError

KEYS = """
resource "tls_private_key" "a" {
  algorithm = "ED25519"
}
resource "tls_private_key" "b" {
  algorithm = "ED25519"
}
resource "tls_self_signed_cert" "a" {
  private_key_pem       = tls_private_key.a.private_key_pem
  validity_period_hours = 24
  allowed_uses          = ["cert_signing"]
}
"""
NAMES = """
resource "random_pet" "p" {
  count = 3
}
resource "random_password" "p" {
  count   = 3
  length  = 12
  keepers = { pet = random_pet.p[count.index].id }
}
"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    name: str = request.param
    return name


def taken(provider: str, configuration: str, folder: Path, engine: str, *, addressed: bool) -> Path:
    """The cassette of an apply and a destroy; its calls have addresses only where the driver tells them."""
    path = folder / "it.json"
    with Double(provider=recording(path, real([f"terraform-provider-{provider}"], "terraform"))) as double:
        serving = double.serve("terraform")
        doubles = [double] if addressed else []
        cli = Terraform(folder / "cli", lambda: serving.environment, binary=engine, doubles=doubles)
        cli.write(configuration)
        cli.apply()
        cli.destroy()
        double.raise_errors()
    return path


def test_two_keys_and_a_certificate_of_one(engine: str, tmp_path: Path) -> None:
    """Two equal keys and a certificate of one cannot be told apart without addresses: the report and the proof say so."""
    path = taken("tls", KEYS, tmp_path, engine, addressed=False)
    report = reported(path)
    (family,) = report.families
    assert (family.type, len(family.interactions), family.told_apart, family.addressed) == ("tls_private_key", 2, False, False)
    assert [one.interactions for one in report.refused] == [family.interactions]
    (line,) = [line for line in lines(report)[1:] if "equal" in line]
    numbers = ", ".join(map(str, family.interactions))
    assert line.startswith(
        f"2 equal tls_private_key (interactions {numbers}) cannot be told apart, so each replay refuses them."
    )
    with pytest.raises(CassetteError, match=r"ApplyResourceChange of tls_private_key .* was recorded 2 times with equal"):
        proved(path)
    assert "PRIVATE KEY" not in str(report.to_json())


def test_two_keys_with_addresses(engine: str, tmp_path: Path) -> None:
    """Recorded through the driver, the same keys have addresses: a serial replay tells them apart, and the proof passes."""
    report = reported(path := taken("tls", KEYS, tmp_path, engine, addressed=True))
    (family,) = report.families
    assert (family.told_apart, family.addressed, report.refused) == (False, True, [])
    assert re.search("2 equal tls_private_key .* are told apart by their addresses alone", "\n".join(lines(report)))
    assert proved(path) == report.calls


def test_equal_names_with_what_hangs_on_them(engine: str, tmp_path: Path) -> None:
    """Equal names whose dependents can be renamed are a family that needs no line, and the proof passes without addresses."""
    report = reported(path := taken("random", NAMES, tmp_path, engine, addressed=False))
    assert "random_pet" in {family.type for family in report.families}
    assert all(family.told_apart for family in report.families)
    assert (report.refused, proved(path)) == ([], report.calls)
    assert not [line for line in lines(report)[1:] if "equal" in line]


def test_a_type_that_was_never_recorded(engine: str, tmp_path: Path) -> None:
    """A configuration with a type that the recording does not have is told so, and what it has, also with all types."""
    path = taken("random", 'resource "random_pet" "p" {}', tmp_path, engine, addressed=True)
    for whole_schema in (False, True):
        with Double(provider=replaying(path, whole_schema=whole_schema)) as double:
            serving = double.serve("terraform")
            cli = Terraform(tmp_path / f"{whole_schema}", lambda: serving.environment, binary=engine, doubles=[double])  # noqa: B023
            cli.write('resource "random_uuid" "u" {}')
            with pytest.raises(ProgramError, match="Nothing about random_uuid was recorded, only about random_pet") as failed:
                cli.plan()
            # Without all types the engine finds that out by itself, and our driver explains it.
            assert ("holds no answer to ValidateResource" in str(failed.value)) == whole_schema
