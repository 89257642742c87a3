"""The first act: a program as people write it, with the real schema of its provider, on the embedded engine."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mockprovider.double import Double
from mockprovider.double.artefacts import keep
from mockprovider.engine import Result, Stack
from mockprovider.errors import MockProviderError
from mockprovider.pulumi.installed.reading import from_sdk

SDK = "pulumi_digitalocean"
DROPLET = "digitalocean:index/droplet:Droplet"
LIMIT = "you have reached your droplet limit"


def web_fleet(folder: Path) -> Path:
    """A copy in ``folder`` of the example program, from an installed package or from a checkout."""
    installed = Path(__file__).parent / "web_fleet"
    source = installed if installed.is_dir() else Path(__file__).parents[2] / "examples" / "pulumi" / "web_fleet"
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*source.glob("*.yaml"), *source.glob("fleet.py"), *source.glob("__main__.py")]:
        shutil.copyfile(path, folder / ("__main__.py" if path.suffix == ".py" else path.name))
    return folder


def real_program(folder: Path, say: Callable[[str], Any]) -> bool:
    """Take the program through its life; whether everything held. Artefacts go to ``folder``. Without the SDK it says so."""
    say("\n=== A real program, with the real schema of its provider ======================")
    if importlib.util.find_spec(SDK) is None:
        say(f"   (left out: it needs {SDK}. pip install {SDK.replace('_', '-')}, or `make demo` in a checkout)")
        return True
    package = from_sdk(SDK)
    say(f"   {len(package.resources)} types, read from the SDK; web servers behind a load balancer; nothing is declared\n")
    with Double(package) as double:
        life = _Life(double, say, web_fleet(folder / "web_fleet"))
        try:
            life.play()
        except MockProviderError as error:
            life.check(f"no error, but: {error}", held=False)
        keep(folder, double)
    return life.held


class _Life:
    """The program's life, a line a moment."""

    def __init__(self, double: Double, say: Callable[[str], Any], project: Path) -> None:
        self.double = double
        self.held = True
        self._say = say
        self.stack = Stack(double, project=project)

    def play(self) -> None:
        """An up, a second one, an edit, an accident, a failure, and the end."""
        first = self.up()
        self.check(f"up: {_counted(first)}; its url is {first.outputs['url']}", held=first.summary == {"create": 6})
        again = self.up()
        self.check(f"the same once more: {_counted(again)}", held=not again.summary)
        self.stack.config["web-fleet:servers"] = "3"
        more = self.up()
        self.check(f"one more server: {_counted(more)}", held=more.summary == {"create": 1})
        self.double.cloud.vanish(DROPLET, self.stack.state["web-1"].id)
        lost = self.stack.refresh()
        self.check(
            f"somebody deletes web-1 by hand, and a refresh notices: {_counted(lost)}", held=lost.summary == {"delete": 1}
        )
        self.double.faults.on.create(DROPLET).error(LIMIT)
        failed = self.stack.up(interpreter=sys.executable, expect_failure=True)
        clean = self.double.audit(self.stack).is_clean
        self.check(f"its replacement fails ({LIMIT!r}), and nothing is orphaned", held=LIMIT in str(failed) and clean)
        mended = self.up()
        self.check(f"the next run mends it: {_counted(mended)}", held=mended.summary == {"create": 1})
        self.stack.destroy()
        self.check("destroy leaves nothing", held=not self.double.cloud.objects() and not self.stack.state)

    def up(self) -> Result:
        """Run the program with the interpreter that runs the demo."""
        return self.stack.up(interpreter=sys.executable)

    def check(self, what: str, *, held: bool) -> None:
        """Print whether it held."""
        self.held = self.held and held
        self._say(f"   {'ok    ' if held else 'FAILED'} {what}")


def _counted(result: Result) -> str:
    return ", ".join(f"{count} {op}" for op, count in result.summary.items()) or "nothing changes"
