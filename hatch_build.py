"""See that a wheel holds the labelling page, which is bundled beforehand."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("index.html", "page.js", "page.css")


class PageHook(BuildHookInterface):
    """Refuses to build a wheel without the page."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Look for the files of the page; an editable installation may do without."""
        if version == "editable":
            return
        folder = Path(self.root) / "src" / "sskpca" / "_web" / "static"
        missing = [name for name in FILES if not (folder / name).is_file() or not (folder / name).stat().st_size]
        if missing:
            raise RuntimeError(f"{folder} lacks {', '.join(missing)}; run make page first.")
