"""What providers tell the real ``pulumi`` on their own, recorded and replayed: views, and lines of log."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_toolbox import Remote, cli_of, said
from kept_cassettes import SITE, SITES

from mockprovider.double import Double, Wiring, attached, real, recording, replaying
from mockprovider.fake.views import View
from mockprovider.journal import Side
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

HUSH = "correct horse battery staple"
SERVER = ResourceType(
    "cloud:index:Server",
    {"size": Property(str), "key": Property(str, secret=True), "arn": Property(str, computed="arn:{id}")},
    traits=[
        ResourceTraits(views=(View("cloud:index:Disk", "{name}-disk", {"size": "{size}", "key": "{key}"}, {"of": "{arn}"}),))
    ],
)


def server(size: str) -> dict[str, Any]:
    """A YAML program of one server with a secret."""
    properties = {"size": size, "key": {"fn::secret": HUSH}}
    return {"resources": {"web": {"type": SERVER.token, "properties": properties}}}


def shown(double: Double, folder: Path) -> list[Any]:
    """Preview, up, update, refresh and destroy of one server: the steps and the view in the state after each."""
    cli = cli_of(double, folder)
    found = []
    for operation in (
        partial(cli.preview, server("s")),
        partial(cli.up, server("s")),
        partial(cli.up, server("m")),
        cli.refresh,
        cli.destroy,
    ):
        steps = sorted((op, urn.rpartition("::")[2]) for op, urn in operation().steps)
        resources = cli.export()["deployment"].get("resources") or []
        found.append((steps, [(each["inputs"], each["outputs"]) for each in resources if each.get("viewOf")]))
    double.raise_errors()
    return found


@pytest.mark.parametrize("wire", [False, True], ids=["in-process", "behind-a-wire"])
def test_views_come_from_a_replay(wire: bool, tmp_path: Path) -> None:
    """With nothing but a cassette behind it, the engine shows the steps of the views and has them in its state."""
    path = tmp_path / "views.json"
    with Double(SERVER) as real_one:
        behind = attached(real_one.serve().address, name="cloud") if wire else Wiring("cloud")
        with Double(SERVER, provider=recording(path, behind)) as double:
            recorded = shown(double, tmp_path / "recorded")
    assert ("create", "web-disk") in recorded[0][0]
    assert [len(views) for _, views in recorded] == [0, 1, 1, 1, 0]
    text = path.read_text(encoding="utf-8")
    assert text.count('"PublishViewSteps"') >= 4
    assert HUSH not in text

    with Double(provider=replaying(path)) as double:
        assert _plain(shown(double, tmp_path / "replayed")) == _plain(recorded)


def _plain(found: Any) -> Any:
    """Without the ciphertext of secrets, which is another in each stack."""
    if isinstance(found, dict):
        return {key: _plain(item) for key, item in found.items() if key != "ciphertext"}
    return [_plain(each) for each in found] if isinstance(found, (list, tuple)) else found


def site() -> None:
    """A program with a component whose provider logs that it builds it."""
    Remote(SITE, "home", title="Home", sha256=None)


def test_a_real_providers_line_is_shown_on_replay(tmp_path: Path) -> None:
    """What a real provider's process logged while it was recorded is among what the CLI shows on replay, each time again."""
    path = tmp_path / "sites.json"
    place = tmp_path / "files"
    place.mkdir()
    behind = real(SITES, name="sites", env={"FILES_FOLDER": str(place)})
    line = ("info", "building the site home")
    with Double(provider=recording(path, behind)) as double:
        assert line in said(cli_of(double, tmp_path / "recorded").up(site))
        double.raise_errors()
    with Double(provider=replaying(path)) as double:
        assert line in said(cli_of(double, tmp_path / "replayed").up(site))
        assert "Construct" in [each.call.method for each in double.journal.entries(side=Side.PROVIDER)]
        double.raise_errors()
