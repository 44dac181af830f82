"""What the pages of results have in common: tables in Markdown, and the comments at the head of a file."""

from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["BENCHMARKS", "head", "link", "table"]

BENCHMARKS = Path(__file__).parent


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one."""
    columns = list(columns)
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def head(path: str) -> list[str]:
    """Give the comments at the top of a file of results."""
    with open(BENCHMARKS / path) as file:
        return [line[2:].strip() for line in file if line.startswith("#")]


def link(path: str) -> str:
    """Point to a file of benchmarks from a page in docs/results."""
    return f"[{Path(path).name}](../../benchmarks/{path})"
