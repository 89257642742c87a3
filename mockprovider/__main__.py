"""``python -m mockprovider``: the command line, where the command itself is not on PATH."""

from mockprovider.cli import main

if __name__ == "__main__":
    main(prog_name="mockprovider")
