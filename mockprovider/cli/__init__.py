"""The command line. Bad input is one line that says what to do, and a non-zero exit code."""

from mockprovider.cli.commands import main

__all__ = ["main"]
