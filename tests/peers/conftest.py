"""What needs other people's plugins, which would be in each inner run of pytest if they were installed for all tests."""

from __future__ import annotations

from importlib.util import find_spec

# `make peers` installs them into an environment of its own; a run of these tests that finds none fails.
collect_ignore_glob = [] if find_spec("pytest_vcr") and find_spec("pytest_recording") else ["test_*.py"]
