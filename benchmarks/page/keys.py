"""From a key to the recoloured map, as a person at the page sees it.

    python benchmarks/page/keys.py               # writes benchmarks/page/results/keys.csv
    python benchmarks/page/keys.py --rows 1797   # one size; the others' lines are kept

`sskpca open` serves a table to Chromium, which draws without a graphics card. A script presses the right class key for
the row in question, 100 times, and looks at what the page has drawn:

- first: from the key until the map shows the first answer that knows the label,
- whole: until it shows the whole answer (all kernels weighed, the error, the next rows) and nothing is pending.

It goes on as soon as the map has changed (pause 0), or a second later, as a person would who looks at each row. The
digits of scikit-learn, and Gaussian clouds with 20 columns and five classes. The load is that of the machine at the
end: what is above the number of cores is other people's work, and the times are longer for it.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

RESULTS = Path(__file__).parent / "results" / "keys.csv"
TOKEN = "token-of-the-benchmark"
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking"]
SIZES, N_LABELS, PAUSES = (1797, 20_000, 100_000), 100, (0.0, 1.0)
PATIENCE = 3600
FIELDS = [
    "rows",
    "pause_s",
    "labels",
    "open_to_page_s",
    "page_to_fit_s",
    "fit_to_picture_s",
    "first_median_ms",
    "first_95th_ms",
    "whole_median_ms",
    "whole_95th_ms",
    "error_first",
    "error_last",
    "cores",
    "load",
]
# Kept in the page, so that no message between two programs is in the times.
WATCH = """(() => {
  window.pressed = null; window.times = {};
  const look = () => {
    requestAnimationFrame(look);
    if (!window.__sskpca || !window.pressed) return;
    const {state, page} = window.__sskpca, now = page.drawnAt - window.pressed.at;
    if (page.saving || page.drawn !== state.version) return;
    if (window.times.first === undefined) {
      if (JSON.stringify(state.last) === window.pressed.last) return;
      window.times.first = now;
    }
    if (!state.pending) { window.times.whole = now; window.pressed = null; }
  };
  look();
  document.addEventListener('keydown', () => {
    window.times = {};
    window.pressed = {at: performance.now(), last: JSON.stringify(window.__sskpca.state.last)};
  }, true);
})()"""


def chromium():
    """Find the browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("Chromium is needed: make browser")
    return found


def write_table(folder, n):
    """Write a table with one label of each class; return it and all classes."""
    rng = np.random.default_rng(0)
    if n == SIZES[0]:
        X, target = load_digits(return_X_y=True)
        X = X.astype(int)
    else:
        target = rng.integers(5, size=n)
        X = (rng.standard_normal((n, 20)) + 1.2 * rng.standard_normal((5, 20))[target]).round(3)
    labeled = {int(np.flatnonzero(target == k)[0]) for k in np.unique(target)}
    path = folder / f"table{n}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "label"])
        writer.writerows([*x, f"{target[i]}" if i in labeled else ""] for i, x in enumerate(X))
    return path, target


def until(page, condition, step=0.01):
    """Wait for an expression about the page; return the time."""
    end = time.perf_counter() + PATIENCE
    while not page.evaluate(condition):
        if time.perf_counter() > end:
            raise SystemExit(f"waited in vain: {condition}: {page.evaluate('window.__sskpca.page')}")
        time.sleep(step)
    return time.perf_counter()


def measure(browser, n, pause, n_labels):
    with tempfile.TemporaryDirectory() as folder:
        path, target = write_table(Path(folder), n)
        command = [sys.executable, "-c", "from sskpca._cli import main; main()", "open", str(path)]
        begin = time.perf_counter()
        server = subprocess.Popen(
            [*command, "--label", "label", "--no-browser", "--token", TOKEN], stdout=subprocess.PIPE, text=True
        )
        try:
            address = next(line for line in server.stdout if line.startswith("The page: ")).split()[-1]
            opened = time.perf_counter()
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(WATCH)
            page.goto(address)
            return {
                "rows": n,
                "pause_s": pause,
                "labels": n_labels,
                "open_to_page_s": round(opened - begin, 2),
                **label(page, target, pause, n_labels, opened),
                "cores": os.cpu_count(),
                "load": round(os.getloadavg()[0], 1),
            }
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


def label(page, target, pause, n_labels, opened):
    now = "const {state, page} = window.__sskpca; return"
    fitted = until(page, f"(() => {{ {now} !!(state && state.error) }})()")
    shown = until(page, f"(() => {{ {now} page.drawn === state.version && page.current !== null }})()")
    until(page, f"(() => {{ {now} !state.pending }})()")
    error_first = page.evaluate("window.__sskpca.state.error.expected")
    first, whole = [], []
    for _ in range(n_labels):
        row = page.evaluate("window.__sskpca.page.current")
        name = f"{target[row]}"
        names = page.evaluate("window.__sskpca.state.classes.map((c) => c.name)")
        if name not in names:
            raise SystemExit(f"no class {name}")
        page.keyboard.press(name)
        until(page, "window.times.first !== undefined")
        first.append(page.evaluate("window.times.first"))
        if pause:
            time.sleep(pause)
        times = page.evaluate("window.times")
        if "whole" in times:
            whole.append(times["whole"])
    until(page, f"(() => {{ {now} !state.pending }})()")
    return {
        "page_to_fit_s": round(fitted - opened, 2),
        "fit_to_picture_s": round(shown - fitted, 2),
        "first_median_ms": round(float(np.median(first))),
        "first_95th_ms": round(float(np.percentile(first, 95))),
        "whole_median_ms": round(float(np.median(whole))) if whole else "",
        "whole_95th_ms": round(float(np.percentile(whole, 95))) if whole else "",
        "error_first": round(error_first, 4),
        "error_last": round(page.evaluate("window.__sskpca.state.error.expected"), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--labels", type=int, default=N_LABELS)
    parser.add_argument("--pauses", type=float, nargs="+", default=PAUSES)
    choices = parser.parse_args()
    kept = []
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            kept = list(csv.DictReader(file))
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium(), args=FLAGS)
        for n in choices.rows:
            for pause in choices.pauses:
                found = measure(browser, n, pause, choices.labels)
                print(found, flush=True)
                kept = [line for line in kept if (int(line["rows"]), float(line["pause_s"])) != (n, pause)]
                kept = sorted([*kept, found], key=lambda line: (int(line["rows"]), float(line["pause_s"])))
                RESULTS.parent.mkdir(exist_ok=True)
                with RESULTS.open("w", newline="") as file:
                    writer = csv.DictWriter(file, FIELDS)
                    writer.writeheader()
                    writer.writerows(kept)
        browser.close()


if __name__ == "__main__":
    main()
