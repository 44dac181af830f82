"""Fixtures of all tests of commands."""

from commands import few_kernels, table

__all__ = ["few_kernels", "table"]
