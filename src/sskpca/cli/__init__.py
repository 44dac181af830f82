"""The command line: parse, call one function, print."""

from sskpca.cli.start import main

__all__ = ["main"]
