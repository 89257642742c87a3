"""What the tests of the pytest plugin share: a real provider's command, and what an inner run of pytest goes without."""

from __future__ import annotations

import sys
from pathlib import Path

FILES = Path(__file__).parents[1] / "examples" / "files"
COMMAND = [sys.executable, str(FILES / "provider.py")]
BY_HAND = ("-o", "provider_contract_allow=*: calls by hand")
"""What an inner run is given whose tests ask providers by hand, as no engine does: the contract has tests of its own."""
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:randomly", *BY_HAND)
"""The plugins of pytest that an inner run in a process of its own goes without."""
