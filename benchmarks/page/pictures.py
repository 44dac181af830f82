"""Take the pictures of the guide: the page of `sskpca demo --page` after forty labels.

    python benchmarks/page/pictures.py    # some minutes; writes docs/images/page*.png and page.gif

The script presses the right keys for the rows that the page asks for, and keeps a picture of every label for the GIF.
"""

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from keys import FLAGS, chromium, until
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

IMAGES = Path(__file__).parents[2] / "docs" / "images"
N_LABELS = 40
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
DRAWN = "window.__sskpca.page.drawn === window.__sskpca.state.version"
READY = "(() => { const {state, page} = window.__sskpca; return !!state?.error && !state.pending && page.why; })()"


def save(picture: bytes, name: str) -> None:
    """Save a picture; PNG keeps every colour, which tell classes apart."""
    Image.open(io.BytesIO(picture)).convert("RGB").save(IMAGES / name, optimize=True)


def film(frames: list[Image.Image]) -> None:
    """Save a GIF: one palette for all frames, from what is rare in them as well."""
    sheet = Image.new("RGB", (frames[0].width, 3 * frames[0].height))
    for k, frame in enumerate((frames[0], frames[len(frames) // 2], frames[-1])):
        sheet.paste(frame, (0, k * frame.height))
    colors = sheet.quantize(255, Image.Quantize.MAXCOVERAGE)
    shown = [frame.quantize(palette=colors, dither=Image.Dither.NONE) for frame in frames]
    shown[0].save(IMAGES / "page.gif", save_all=True, append_images=shown[1:], duration=500, loop=0, optimize=True)


def main() -> None:
    target = load_digits().target
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        command = [
            sys.executable,
            "-c",
            "from sskpca._cli import main; main()",
            "demo",
            folder,
            "--page",
            "--no-browser",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        browser = started.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            address = next(line for line in server.stdout if line.startswith("The page: ")).split()[-1]
            page = browser.new_page(viewport=WIDE)
            page.goto(address)
            until(page, READY)
            frames = [page.screenshot()]
            for k in range(N_LABELS):
                row = page.evaluate("window.__sskpca.page.current")
                page.keyboard.press(f"{target[row]}")
                until(page, f"window.__sskpca.state.n_given >= {11 + k}")
                until(page, f"window.__sskpca.state.last?.changed !== undefined && {DRAWN}")
                time.sleep(1.0)  # the rows that changed are larger for a moment
                frames.append(page.screenshot())
            until(page, READY)
            time.sleep(1.0)
            frames.append(page.screenshot())
            small = [
                Image.open(io.BytesIO(f)).convert("RGB").resize((960, 600), Image.Resampling.LANCZOS) for f in frames
            ]
            film(small[::2])
            save(frames[-1], "page.png")
            for name, size, scheme in (("page_dark", WIDE, "dark"), ("page_narrow", NARROW, "light")):
                other = browser.new_page(
                    viewport=size, color_scheme=scheme, device_scale_factor=1 if size == WIDE else 2
                )
                other.goto(address)
                until(other, READY)
                time.sleep(0.6)
                save(other.screenshot(), f"{name}.png")
        finally:
            browser.close()
            server.kill()
            server.wait()
            server.stdout.close()


if __name__ == "__main__":
    main()
