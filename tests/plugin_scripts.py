"""Plugin executables of a few lines, as users write them: a double of one bucket type, and what goes wrong in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mockprovider.cloud import Cloud, CloudObject
from mockprovider.double.launchers import EXECUTABLE
from mockprovider.tape.cloudfile import SqliteStore

TYPE = "cloud:index:Bucket"
START = f"""\
#!{sys.executable}
import os, sys
from pathlib import Path

from mockprovider import Cloud, Double, Property, ResourceType, SqliteStore
from mockprovider.calls import Op
from mockprovider.plugin import main

HERE = Path(__file__).parent
BUCKET = ResourceType("{TYPE}", {{"acl": Property(str, default="private"), "arn": Property(str, computed="arn:{{id}}")}})


def once(name):
    marker = HERE / name
    if marker.exists():
        return False
    marker.touch()
    return True


def layer(call, proceed):
    return proceed(call)


"""
END = """

with SqliteStore(HERE / "cloud.sqlite") as store:
    main(double=Double(BUCKET, cloud=Cloud(store), layers=(layer,)))
"""


class Script:
    """An executable ``pulumi-resource-cloud`` in ``folder``. ``text`` stands before its double, which has a ``layer``."""

    def __init__(self, folder: Path, text: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / "pulumi-resource-cloud"
        self.path.write_text(START + text + END, encoding="utf-8")
        self.path.chmod(EXECUTABLE)

    @property
    def environment(self) -> dict[str, str]:
        """What leads an engine to it."""
        return {"PATH": os.pathsep.join([str(self.folder), os.environ["PATH"]])}

    def objects(self) -> list[CloudObject]:
        """What exists in its cloud."""
        with SqliteStore(self.folder / "cloud.sqlite") as store:
            return Cloud(store).objects(TYPE)


BEFORE_ITS_PORT = """
if once("crashed"):
    sys.stderr.write("the licence has run out\\n")
    sys.stderr.flush()
    os._exit(7)
"""
IN_A_CREATE = """
def layer(call, proceed):
    reply = proceed(call)
    if call.op is Op.CREATE and not call.preview and once("crashed"):
        # What it made exists, and nobody is told of it.
        sys.stderr.write("the disk is full\\n")
        sys.stderr.flush()
        os._exit(9)
    return reply
"""
AFTER_AN_ANSWER = """
def layer(call, proceed):
    # Whoever asks next finds that it has gone since the create was answered.
    if (HERE / "created").exists() and once("crashed"):
        os._exit(9)
    reply = proceed(call)
    if call.op is Op.CREATE and not call.preview:
        (HERE / "created").touch()
    return reply
"""
NOISY = """
def noise(what):
    for number in range(2000):
        print(f"{what} {number} of a chatty library \\x1b[31m %s", file=sys.stderr)


noise("start")


def layer(call, proceed):
    noise(call.method)
    return proceed(call)
"""
