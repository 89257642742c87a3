"""Running a program that is a Python function, through the real SDK, against a monitor in the same process.

The SDK keeps its settings in context variables, and each run is in a context of its own, so two runs never meet. With one
worker the SDK's calls are carried out in the program's own thread, one after the other, so that a run repeats exactly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from msgspec import Struct

from mockprovider import loops
from mockprovider.engine.programs.sparing import sparing
from mockprovider.engine.threads import executor
from mockprovider.pulumi.languages.bootstrap import trace

Program = Callable[[], Any]
"""A function without arguments, as ``pulumi.automation`` takes it; may be ``async``."""

MACHINERY = (str(Path(__file__).parent), str(Path(asyncio.__file__).parent), str(Path("pulumi", "runtime", "stack.py")))
"""Parts of file names: tracebacks leave out the frames of these files, which run the program."""


class Environment(Struct, frozen=True, kw_only=True):
    """What a program is run in: a monitor and an engine (objects), and what the SDK tells the program.

    ``over`` says whether the operation has ended, ``providers`` which variables lead whoever needs schemas to the providers.
    """

    monitor: Any
    engine: Any
    project: str
    stack: str
    organization: str
    preview: bool
    parallel: int
    config: Mapping[str, str]
    secret_keys: frozenset[str]
    over: Callable[[], bool] = bool
    providers: Callable[[], AbstractContextManager[Mapping[str, str]]] = lambda: nullcontext({})


class Ended(Struct, frozen=True):
    """How a program ended, and what it printed where that was caught.

    ``quiet``: it has nothing to add where the operation has failed already. ``shown``: the user was told its error.
    """

    error: BaseException | None = None
    trace: str = ""
    quiet: bool = False
    shown: bool = False
    output: str = ""


def run_program(program: Program, environment: Environment) -> Ended:
    """Run ``program`` to its end, in this thread."""
    from pulumi.errors import RunError  # noqa: PLC0415 - importing pulumi takes half a second
    from pulumi.runtime import run_in_stack, settings  # noqa: PLC0415 - as above

    from mockprovider.engine.programs.callbacks import ProgramCallbacks  # noqa: PLC0415 - as above

    _configure(environment)
    workers = executor(environment.parallel)
    loop = asyncio.new_event_loop()
    settings.SETTINGS.callbacks = environment.monitor.callbacks.local = ProgramCallbacks(environment.monitor, loop, workers)
    try:
        loop.set_default_executor(workers)
        # What a failed program leaves behind has been told by its error.
        loop.set_exception_handler(lambda *_: None)
        asyncio.set_event_loop(loop)
        with sparing():
            loop.run_until_complete(run_in_stack(program))
    except RunError as error:
        return Ended(error, trace(error, MACHINERY), quiet="Resource monitor has terminated" in str(error))
    except Exception as error:  # noqa: BLE001 - a program may raise anything, and is judged by whoever waits for it
        return Ended(error, trace(error, MACHINERY))
    except SystemExit as error:
        return Ended(error if error.code else None, trace(error, MACHINERY) if error.code else "")
    finally:
        asyncio.set_event_loop(None)
        loops.end(loop)
        workers.shutdown(wait=True)
    return Ended()


def _configure(environment: Environment) -> None:
    from pulumi.runtime import settings  # noqa: PLC0415 - importing pulumi takes half a second
    from pulumi.runtime.config import set_all_config  # noqa: PLC0415 - as above

    settings.ROOT.set(None)
    settings.configure(
        settings.Settings(
            project=environment.project,
            stack=environment.stack,
            monitor=environment.monitor,
            engine=environment.engine,
            parallel=environment.parallel,
            dry_run=environment.preview,
            organization=environment.organization,
            root_directory=str(Path.cwd()),
        )
    )
    set_all_config(dict(environment.config), sorted(environment.secret_keys))
