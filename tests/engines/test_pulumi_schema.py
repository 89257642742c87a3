"""The real CLI judges the package schemas that we answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import package

from mockprovider.drivers.command import run
from mockprovider.drivers.pulumi import SECONDS, PulumiCli
from mockprovider.errors import ProgramError
from mockprovider.fake.definitions import load
from mockprovider.pulumi.schema import dump
from mockprovider.schema import Function, Property, ResourceType

CATALOG = sorted((Path(__file__).resolve().parents[2] / "plugins/catalog").glob("*.json"))
TYPES = package(
    ResourceType(
        "cloud:index:Bucket",
        {
            "rule": Property({"inner": Property({"x": int}, secret=True)}),
            "ruleInner": Property({"y": list[dict[str, float]]}),
            "file": "asset",
            "files": "archive",
            "any": "any",
            "bag": set[bool],
            "arn": Property(computed="arn:{id}"),
            "odd-name": Property(str, required=True, description="odd"),
        },
    ),
    ResourceType("cloud:index:BucketRule"),
    ResourceType("cloud:storage/key:Key", {"spec": Property({"a": str})}),
    ResourceType("cloud::Bare", {"id": str, "urn": str}),
    Function("cloud:index:getZone", {"region": Property(required=True), "filter": Property({"tag": str})}, {"zone": "z"}),
    config={"region": Property(default="north"), "token": Property(secret=True), "retry": Property({"times": int})},
)
PACKAGES = {"every kind": TYPES} | {path.stem: load(path.read_text(encoding="utf-8"))[0] for path in CATALOG}


def check(cli, path):
    """The CLI's word on a schema file."""
    command = [cli.binary, "schema", "check", str(path)]
    return run(command, cwd=cli.folder, env=cli.environment, seconds=SECONDS, expect_failure=False)


@pytest.mark.pulumi_cli
def test_the_cli_accepts_our_schemas(tmp_path):
    """Every schema that we dump is bound by the real CLI without a complaint; one with a dangling reference is not."""
    cli = PulumiCli(tmp_path / "stack")
    for name, each in PACKAGES.items():
        path = tmp_path / f"{name}.json"
        path.write_text(dump(each), encoding="utf-8")
        checked = check(cli, path)

        assert checked.exit_code == 0, name
        assert "rror" not in checked.stdout + checked.stderr, name
    broken = tmp_path / "broken.json"
    broken.write_text(dump(TYPES).replace("#/types/cloud:index:BucketRule2", "#/types/cloud:index:Nothing"), encoding="utf-8")
    with pytest.raises(ProgramError, match="Nothing not found"):
        check(cli, broken)
