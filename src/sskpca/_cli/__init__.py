"""The command line: parse, call one function, print."""

from sskpca._cli.start import main

__all__ = ["main"]
