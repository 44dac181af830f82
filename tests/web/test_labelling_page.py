"""The page in a real browser, against the real server."""

import io
import json
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("no Chromium: the page is not tested in a browser", allow_module_level=True)

from PIL import Image  # noqa: E402
from uvicorn import Config, Server  # noqa: E402

from sskpca._tables.options import FileOptions, Options  # noqa: E402
from sskpca._web.desk import Desk  # noqa: E402
from sskpca._web.server import make_app  # noqa: E402
from sskpca._web.start import _listening  # noqa: E402
from sskpca._web.table import open_table  # noqa: E402
from sskpca.kernels import Gaussian, Linear  # noqa: E402

TOKEN = "a-token-for-the-tests"
# WebGL by software, and no way out but to this machine.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
ATTACK = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
CLASSES = ("cat", "dog", "fox")
PATIENCE = 30


class Served:
    """A table and its server, which can be stopped and started again at the same address."""

    def __init__(self, path: Path) -> None:
        self.path, self.port = path, 0
        self.start()

    def start(self) -> None:
        options = Options(label="species", kernels=[Gaussian(), Linear()], rank=20, n_jobs=1)
        self.desk = Desk(open_table(self.path, options, FileOptions()), 1)
        listener = _listening("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        app = make_app(self.desk, TOKEN, "127.0.0.1", self.port, lambda: None)
        config = Config(app, ws="wsproto", log_level="error", access_log=False, timeout_graceful_shutdown=1)
        self.server = Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([listener],), daemon=True)
        self.desk.start()
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        self.desk.close(PATIENCE)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/#token={TOKEN}"

    def journal(self) -> list[dict[str, object]]:
        file = self.path.parent / f"{self.path.name}.sskpca" / "journal.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines() if '"do"' in line]


def write_animals(path: Path, labels: int, rows: int = 150) -> Path:
    """Three groups of animals that are told apart with ease; some have a label, one has a script for a name."""
    draw = np.random.default_rng(0)
    lines = ["name,weight,length,tail,note,species"]
    for i in range(rows):
        kind = i % 3
        weight, length, tail = draw.normal([(4, 46, 30), (20, 70, 32), (7, 65, 42)][kind], 1.2)
        note = '"' + ATTACK.replace('"', '""') + '"' if i == 20 else f"seen {'at home' if i % 7 == 0 else 'outside'}"
        label = CLASSES[kind] if i < labels else ""
        name = '"' + ATTACK.replace('"', '""') + '"' if i == 20 else f"A{i:03d}"
        lines.append(f"{name},{weight:.2f},{length:.1f},{tail:.1f},{note},{label}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def animals(tmp_path_factory):
    served = Served(write_animals(tmp_path_factory.mktemp("animals") / "animals.csv", 9))
    yield served
    served.stop()


@pytest.fixture
def serve(tmp_path):
    """Serve a small table that a test has for itself."""
    served = []

    def start(labels: int) -> Served:
        served.append(Served(write_animals(tmp_path / "animals.csv", labels, 45)))
        return served[-1]

    yield start
    for each in served:
        each.stop()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Tab:
    """A tab with the page; it notes requests to elsewhere and what the console complains of."""

    def __init__(self, context, address: str) -> None:
        self.page = context.new_page()
        self.complaints: list[str] = []
        # 409 is the answer to a question that came too early, which happens.
        self.page.on("console", lambda m: m.type == "error" and "409" not in m.text and self.complaints.append(m.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def __getattr__(self, name: str):
        return getattr(self.page, name)

    @property
    def now(self) -> dict:
        return self.page.evaluate("window.__sskpca.page")

    @property
    def state(self) -> dict:
        return self.page.evaluate("window.__sskpca.state")

    def answer(self, row: int) -> dict:
        return self.page.evaluate(f"window.__sskpca.answer({row})")

    def until(self, condition: str, why: str = ""):
        """Wait for an expression in `page` and `state` (the policy of the page forbids Playwright's own way)."""
        end = time.monotonic() + PATIENCE
        expression = f"(() => {{ const {{page, state}} = window.__sskpca; return {condition}; }})()"
        while not (found := self.page.evaluate(expression)):
            assert time.monotonic() < end, f"{why or condition}: {self.now}, {self.complaints}"
            self.page.wait_for_timeout(20)
        return found

    def ready(self) -> "Tab":
        self.until("state && state.error && page.current !== null && (page.drawn === state.version || page.noMap)")
        return self

    def settled(self) -> "Tab":
        """Wait until everything is saved and drawn."""
        self.until("!page.saving && page.version === state.version && page.drawn === page.version")
        return self

    def circle(self, around: tuple[float, float], radius: float = 0.3) -> None:
        """Draw a lasso."""
        box = self.page.locator(".map").bounding_box()
        for k in range(17):
            x = around[0] + radius * box["width"] * np.cos(k * np.pi / 8)
            y = around[1] + radius * box["width"] * np.sin(k * np.pi / 8)
            self.page.mouse.move(box["x"] + x, box["y"] + y)
            if k == 0:
                self.page.mouse.down()
        self.page.mouse.up()


@pytest.fixture
def visit(browser):
    """Open tabs of one browser profile; none may ask anybody but this machine."""
    contexts, tabs, elsewhere = [], [], []

    def guard(route):
        if route.request.url.startswith("http://127.0.0.1:"):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    def open_tab(address: str, complaints: bool = False, browser=browser, **choices) -> Tab:
        if not contexts:
            contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **choices}))
            contexts[0].route("**/*", guard)
        tabs.append((Tab(contexts[0], address), complaints))
        return tabs[-1][0]

    yield open_tab
    for context in contexts:
        context.close()
    assert elsewhere == []
    for tab, may_complain in tabs:
        assert may_complain or tab.complaints == []


def pixels_of(tab: Tab) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(tab.locator(".map").screenshot())).convert("RGB"), dtype=float)


def test_the_map_is_drawn(visit, animals):
    tab = visit(animals.address).ready()
    picture = pixels_of(tab)
    assert picture.var() > 100
    assert len({tuple(pixel) for pixel in picture.reshape(-1, 3)}) > 100
    assert "token" not in tab.url


def test_a_key_labels_the_row_and_goes_on_and_undo_takes_it_back(visit, animals):
    tab = visit(animals.address).ready()
    row, given = tab.now["current"], tab.state["n_given"]
    before = pixels_of(tab)
    tab.keyboard.press("2")
    tab.until(f"state.n_given === {given + 1}")
    tab.settled()
    assert tab.answer(row) == {"called": 1, "confidence": 255, "source": 1}
    assert tab.now["current"] != row
    assert animals.journal()[-1]["rows"] == [row]
    assert animals.journal()[-1]["class"] == "dog"
    tab.until("state.last && state.last.class === 'dog'")
    assert "+1 label" in tab.get_by_test_id("last").inner_text()
    assert np.abs(pixels_of(tab) - before).max() > 50
    tab.keyboard.press("z")
    tab.until(f"state.n_given === {given}")
    tab.settled()
    assert tab.answer(row)["source"] != 1
    assert tab.now["current"] == row
    tab.until("state.last.do === 'undo'")
    playwright.expect(tab.get_by_test_id("last")).to_contain_text("Taken back")
    tab.keyboard.press("Shift+Z")
    tab.until(f"state.n_given === {given + 1} && state.last.do === 'redo'")
    playwright.expect(tab.get_by_test_id("last")).to_contain_text("Done again")
    tab.keyboard.press("z")
    tab.until(f"state.n_given === {given}")


def test_labels_are_there_after_a_reload(visit, animals):
    tab = visit(animals.address).ready()
    row, given = tab.now["current"], tab.state["n_given"]
    tab.keyboard.press("3")
    tab.until(f"state.n_given === {given + 1}")
    tab.settled()
    tab.reload()
    tab.ready()
    assert tab.state["n_given"] == given + 1
    assert tab.answer(row)["source"] == 1


def test_a_lasso_labels_what_is_inside_and_keeps_labels_that_were_given(visit, animals):
    tab = visit(animals.address).ready()
    given = tab.state["n_given"]
    labelled = [row for row in range(150) if tab.answer(row)["source"] == 1]
    tab.keyboard.press("l")
    tab.circle(tab.evaluate(f"window.__sskpca.place({labelled[0]})"), 0.12)
    inside = tab.now["selection"]
    assert labelled[0] in inside
    fresh = [row for row in inside if row not in labelled]
    assert len(fresh) >= 2
    before = {row: tab.answer(row)["called"] for row in labelled}
    tab.keyboard.press("1")
    tab.until(f"state.n_given === {given + len(fresh)}")
    tab.settled()
    assert all(tab.answer(row) == {"called": 0, "confidence": 255, "source": 1} for row in fresh)
    assert {row: tab.answer(row)["called"] for row in labelled} == before
    assert tab.now["selection"] == []
    tab.keyboard.press("z")
    tab.until(f"state.n_given === {given}")


def test_a_lasso_takes_shown_points_only(visit, animals):
    tab = visit(animals.address).ready()
    tab.keyboard.press("/")
    tab.keyboard.type("at home")
    tab.until("page.found !== null")
    tab.keyboard.press("Enter")
    tab.keyboard.press("l")
    box = tab.locator(".map").bounding_box()
    tab.circle((box["width"] / 2, box["height"] / 2), 0.49)
    assert 0 < len(tab.now["selection"]) <= 22
    assert all(row % 7 == 0 for row in tab.now["selection"])


def test_skip_and_unsure_are_kept(visit, animals):
    tab = visit(animals.address).ready()
    first = tab.now["current"]
    tab.keyboard.press(" ")
    tab.settled()
    second = tab.now["current"]
    tab.keyboard.press("u")
    tab.until("state.n_unsure === 1")
    tab.settled()
    assert second != first
    assert tab.answer(second)["source"] == 2
    assert [entry["do"] for entry in animals.journal()[-2:]] == ["skip", "unsure"]
    tab.keyboard.press("z")
    tab.until("state.n_unsure === 0")


def test_shift_and_a_class_key_show_what_would_change_and_label_nothing(visit, animals):
    tab = visit(animals.address).ready()
    entries, row = animals.journal(), tab.now["current"]
    tab.keyboard.down("Shift")
    tab.keyboard.down("Digit1")
    assert row in tab.until("page.preview")
    assert "would change" in tab.get_by_test_id("what-if").inner_text()
    tab.keyboard.up("Digit1")
    tab.keyboard.up("Shift")
    tab.until("page.preview === null")
    assert animals.journal() == entries
    tab.locator("[data-class=fox]").hover()
    tab.until("page.preview")


def test_why_opens_the_labels_that_pulled(visit, animals):
    tab = visit(animals.address).ready()
    reason = tab.locator(".why li button").first
    reason.click()
    playwright.expect(tab.locator(".answer")).to_contain_text("You said", timeout=1000 * PATIENCE)


def test_what_another_tab_does_is_shown_and_said(visit, animals):
    one, other = visit(animals.address).ready(), visit(animals.address).ready()
    row, given = one.now["current"], one.state["n_given"]
    one.keyboard.press("1")
    other.until(f"state.n_given === {given + 1}")
    other.settled()
    assert other.answer(row)["source"] == 1
    assert other.until("page.said.includes('nother tab') || page.said.includes('rows changed')")
    other.keyboard.press("z")
    one.until(f"state.n_given === {given}")


def test_the_page_says_that_the_server_is_gone_saves_nothing_and_comes_back(serve, visit):
    served = serve(6)
    tab = visit(served.address, complaints=True).ready()
    served.stop()
    tab.until("page.link === 'lost'")
    assert "does not answer" in tab.get_by_role("alert").inner_text()
    entries, row = served.journal(), tab.now["current"]
    tab.keyboard.press("1")
    tab.until("page.said.startsWith('Not saved')")
    assert tab.answer(row)["source"] != 1
    served.start()
    tab.until("page.link === 'open'")
    assert served.journal() == entries
    tab.keyboard.press("1")
    tab.until("state.n_given === 7")


def test_a_label_that_cannot_be_written_is_not_shown_as_saved(visit, animals, monkeypatch):
    from sskpca._web.journal import JournalError

    def full(self, content):
        raise JournalError("there is no room left on the disk; nothing was saved.")

    tab = visit(animals.address, complaints=True).ready()
    row, given = tab.now["current"], tab.state["n_given"]
    with monkeypatch.context() as patch:
        patch.setattr(type(animals.desk.journal), "append", full)
        tab.keyboard.press("1")
        tab.until("page.unsaved === 1")
    assert "no room left" in tab.get_by_test_id("unsaved").inner_text()
    assert tab.answer(row)["source"] != 1
    assert tab.state["n_given"] == given
    tab.get_by_role("button", name="Save again").click()
    tab.until(f"state.n_given === {given + 1} && page.unsaved === 0")
    tab.keyboard.press("z")
    tab.until(f"state.n_given === {given}")


def test_from_no_classes_to_an_answer(serve, visit):
    served = serve(0)
    tab = visit(served.address)
    playwright.expect(tab.get_by_label("Names of the classes")).to_be_focused()
    tab.keyboard.type("cat, dog")
    tab.keyboard.press("Enter")
    tab.until("state.classes.length === 2 && page.current !== null")
    for _ in range(4):
        row, given = tab.now["current"], tab.state["n_given"]
        tab.keyboard.press("1" if row % 3 == 0 else "2")
        tab.until(f"state.n_given === {given + 1}")
    tab.keyboard.press("n")
    tab.get_by_label("Name", exact=True).fill("fox")
    tab.keyboard.press("Enter")
    tab.until("state.classes.length === 3")
    assert [entry["do"] for entry in served.journal()] == ["class"] * 2 + ["label"] * 4 + ["class"]


def test_the_first_row_gives_way_to_the_best_one_when_that_is_known(serve, visit, monkeypatch):
    go_on, fit = threading.Event(), Desk._fit

    def slow(desk):
        go_on.wait(PATIENCE)
        return fit(desk)

    monkeypatch.setattr(Desk, "_fit", slow)
    served = serve(0)
    tab = visit(served.address)
    tab.until("page.current === 0", "a row is shown while the kernels are fitted")
    assert tab.get_by_test_id("row-name").inner_text() == "row 2"
    go_on.set()
    best = tab.until("state.queue.next.length && state.queue.next")[0]
    tab.until(f"page.current === {best}")
    tab.get_by_label("Names of the classes").fill("cat, dog")
    tab.keyboard.press("Enter")
    tab.until("state.classes.length === 2")
    tab.keyboard.press("1")
    tab.until("state.n_given === 1")
    assert served.journal()[-1]["rows"] == [best]


def test_scripts_in_cells_are_text(visit, animals):
    tab = visit(animals.address).ready()
    tab.keyboard.press("/")
    tab.keyboard.type("onerror")
    tab.until("page.found === 1")
    tab.locator("#listed li button").first.click()
    tab.until("page.current === 20")
    tab.get_by_text(ATTACK, exact=True).first.wait_for()
    tab.get_by_role("button", name="Table", exact=True).click()
    tab.locator("td", has_text="onerror").wait_for()
    assert tab.title() == "animals.csv · sskpca"
    assert tab.locator("main img").count() == 0


def test_keys_can_be_changed_but_not_doubled(visit, animals):
    tab = visit(animals.address).ready()
    tab.keyboard.press("?")
    tab.get_by_role("button", name="Mark as unsure").click()
    tab.keyboard.press("z")
    assert "taken" in tab.get_by_role("alert").inner_text()
    tab.get_by_role("button", name="Mark as unsure").click()
    tab.keyboard.press("q")
    tab.keyboard.press("Escape")
    tab.reload()
    tab.ready()
    tab.keyboard.press("q")
    tab.until("state.n_unsure === 1")
    tab.keyboard.press("z")
    tab.until("state.n_unsure === 0")


def test_without_webgl_there_is_the_table_with_the_same_keys(visit, browser, animals):
    flat = browser.browser_type.launch(executable_path=CHROMIUM, args=[*FLAGS, "--disable-3d-apis"])
    try:
        tab = visit(animals.address, browser=flat).ready()
        assert "no WebGL" in tab.get_by_role("status").first.inner_text()
        row, given = tab.now["current"], tab.state["n_given"]
        playwright.expect(tab.locator("tbody tr")).to_have_count(50)
        tab.keyboard.press("1")
        tab.until(f"state.n_given === {given + 1} && page.version === state.version")
        assert tab.answer(row)["source"] == 1
        tab.keyboard.press("z")
        tab.until(f"state.n_given === {given}")
    finally:
        flat.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_does_not_scroll_sideways(visit, animals, scheme):
    tab = visit(animals.address, viewport={"width": 390, "height": 844}, color_scheme=scheme).ready()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert pixels_of(tab).var() > 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_assistive_technology(visit, animals, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    tab = visit(animals.address, color_scheme=scheme).ready()

    def serious() -> list[str]:
        found = axe.run(tab.page).response["violations"]
        return [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in found if v["impact"] in ("serious", "critical")]

    assert serious() == []
    tab.keyboard.press("t")
    tab.locator("tbody tr").first.wait_for()
    assert serious() == []
    tab.keyboard.press("?")
    tab.locator("dialog").wait_for()
    assert serious() == []
