"""The built site in Chromium: pages open without an error, equations are set, a phone has no sideways scrolling.

`make docs` builds it, `make docs-check` runs this, too; without a built site, or without Chromium, nothing is tested.
"""

import html
import json
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

SITE = Path(__file__).parents[1] / "build" / "docs" / "html"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--virtual-time-budget=20000",
)
PAGES = {
    "home": "index.html",
    "API": "api/generated/sskpca.SSKPCAClassifier.html",
    "gallery": "gallery/plot_01_two_moons.html",
    "gallery index": "gallery/index.html",
    "mathematics": "math/least_squares.html",
    "results": "results/book.html",
}
# A page in a frame of given width, asked by a script of the same origin what it looks like.
PROBE = """<!doctype html><iframe id="page" src="/{page}" style="width:{width}px;height:900px;border:0"></iframe>
<pre id="found"></pre><script>
const frame = document.getElementById("page");
frame.onload = () => setTimeout(() => {{
  const page = frame.contentDocument;
  const broken = [...page.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src);
  document.getElementById("found").textContent = JSON.stringify({{
    title: page.title, width: page.documentElement.scrollWidth, broken,
    equations: page.querySelectorAll("mjx-container").length, formulas: page.querySelectorAll(".math").length,
    foreign: frame.contentWindow.performance.getEntriesByType("resource").map(entry => entry.name)
      .filter(name => !name.startsWith(location.origin) && !name.startsWith("data:")),
  }});
}}, 3000);
</script>"""

pytestmark = pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs")


class Handler(SimpleHTTPRequestHandler):
    def do_GET(self):
        if not self.path.startswith("/probe/"):
            return super().do_GET()
        width, page = unquote(self.path.removeprefix("/probe/")).split("/", 1)
        text = PROBE.format(page=page, width=int(width)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text)
        return None

    def log_message(self, *args):
        pass


@contextmanager
def served():
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def site():
    with served() as address:
        yield address


def probe(site, tmp_path, page, width):
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path}", f"--window-size={width + 40},1000", "--dump-dom"]
    done = subprocess.run([*command, f"{site}/probe/{width}/{page}"], capture_output=True, text=True, timeout=180)
    found = re.search(r'<pre id="found">(.+?)</pre>', done.stdout, flags=re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", PAGES)
def test_pages_open(site, tmp_path, page, width):
    found = probe(site, tmp_path, PAGES[page], width)
    assert "sskpca" in found["title"]
    assert found["broken"] == []
    assert found["foreign"] == []  # it works without a network
    assert found["width"] <= width, "the page scrolls sideways"
    assert found["equations"] >= found["formulas"]
    if page == "mathematics":
        assert found["equations"] > 50


def test_every_public_name_has_a_page():
    import sskpca
    from sskpca import coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory

    for module in (sskpca, coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory):
        for name in set(module.__all__) - {"__version__"}:
            text = (SITE / "api" / "generated" / f"{module.__name__}.{name}.html").read_text()
            assert f'id="{module.__name__}.{name}"' in text, name


def test_links_inside_the_site_lead_somewhere():
    pages = {page: page.read_text() for page in SITE.rglob("*.html") if "_static" not in page.parts}
    ids = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    n_links = 0
    for page, text in pages.items():
        targets = set(re.findall(r'(?:href|src)="([^"?#]*)(?:\?[^"#]*)?(?:#([^"]*))?"', text))
        for target, anchor in targets:
            if ":" in target or target.startswith("//"):
                continue
            n_links += 1
            file = (page.parent / unquote(target)).resolve() if target else page
            assert file.exists(), (page, target)
            if anchor and file in ids:
                assert html.unescape(unquote(anchor)) in ids[file], (page, target, anchor)
    print(f"{n_links} links inside the site lead somewhere")


def test_the_search_finds_names():
    index = (SITE / "searchindex.js").read_text()
    assert "sskpcaclassifi" in index
    assert "api/generated/sskpca.LSKPCA" in index
