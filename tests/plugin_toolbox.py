"""What the tests of the pytest plugin share: a real provider's command."""

from __future__ import annotations

import sys
from pathlib import Path

FILES = Path(__file__).parents[1] / "examples" / "files"
COMMAND = [sys.executable, str(FILES / "provider.py")]
