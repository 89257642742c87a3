"""``python -m mockprovider.plugin EXECUTABLE ...``: what launchers run, with their own path first."""

import sys

from mockprovider.plugin.main import main

if __name__ == "__main__":
    main(sys.argv[1:])
