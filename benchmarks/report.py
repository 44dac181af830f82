"""Write the pages in docs/results from the files of results.

make results
"""

from collections.abc import Callable, Iterator

from book.automatic_page import automatic_page
from book.page import book_page
from everyday.page import everyday_page
from markdown_table import BENCHMARKS
from paper.page import paper_page
from speed.page import speed_page
from tables.page import tables_page

DOCS = BENCHMARKS.parent / "docs" / "results"
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "paper": paper_page,
    "book": book_page,
    "automatic": automatic_page,
    "speed": speed_page,
    "tables": tables_page,
    "everyday": everyday_page,
}


def text(page: Callable[[], Iterator[str]]) -> str:
    return "\n".join(page()).rstrip() + "\n"


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        try:
            written = text(page)
        except (KeyError, FileNotFoundError) as missing:
            print(f"{name}.md is not written: its results are not complete, {missing} is missing.")
            continue
        (DOCS / f"{name}.md").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
