"""Run the command line as `python -m pipeline`."""

from __future__ import annotations

from pipeline.cli import main

if __name__ == "__main__":
    main()
