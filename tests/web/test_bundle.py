"""The page in the package is the one whose sources are in the folder `page`."""

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "page"
STATIC = files("sskpca._web") / "static"


def source_hash() -> str:
    """Repeat what page/build.mjs does."""
    names = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"]
    names += [f"src/{path.name}" for path in (SOURCES / "src").iterdir()]
    found = hashlib.sha256()
    for name in sorted(names):
        found.update(name.encode() + b"\0" + (SOURCES / name).read_bytes() + b"\0")
    return found.hexdigest()


@pytest.mark.parametrize("name", ["page.js", "page.css"])
def test_the_bundle_was_built_from_these_sources(name):
    stamp = re.match(r"/\*! sskpca page, sources ([0-9a-f]{64}) \*/", (STATIC / name).read_text())
    assert stamp is not None
    assert stamp[1] == source_hash(), f"src/sskpca/_web/static/{name} is older than its sources: run make page"


def test_the_frame_of_the_page_is_the_one_in_the_sources():
    assert (STATIC / "index.html").read_bytes() == (SOURCES / "src" / "index.html").read_bytes(), "run make page"


def test_the_bundle_asks_nobody_for_anything():
    for name in ("index.html", "page.js", "page.css"):
        addresses = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", (STATIC / name).read_text()))
        assert addresses <= {"http://www.w3.org"}, name  # the name of SVG, which is not an address


def test_the_page_needs_no_eval():
    assert not re.search(r"\beval\(|new Function|\bFunction(\.apply)?\(", (STATIC / "page.js").read_text())


def test_no_text_becomes_markup():
    for path in (SOURCES / "src").iterdir():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", path.read_text(), re.I), (
            path.name
        )


def test_the_licences_of_what_is_bundled_are_in_the_package():
    bundled = json.loads((SOURCES / "package.json").read_text())["dependencies"]
    notices = (STATIC / "licenses.txt").read_text()
    for name, version in bundled.items():
        assert f"page.js holds {name} {version}:" in notices, "run make page"


def test_the_lock_file_names_no_registry():
    assert "resolved" not in (SOURCES / "package-lock.json").read_text()
