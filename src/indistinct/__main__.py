"""The command line, as ``python -m indistinct``."""

from __future__ import annotations

from indistinct.cli import main

if __name__ == "__main__":
    main()
