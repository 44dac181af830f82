"""Kill ``sskpca label`` at random moments: the target must be the old file or the whole new one.

    python benchmarks/cli_kill.py [--kills 20]

Half of the moments are anywhere in a run, half in its last tenth, where files are written.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_ROWS, N_LABELS = 2000, 20
COMMAND = [sys.executable, "-c", "from sskpca.cli import main; main()"]


def write_table(path: Path) -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, N_ROWS)
    values = rng.normal(size=(N_ROWS, 4)) + 3.0 * kind[:, None]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "label"])
        for i in range(N_ROWS):
            writer.writerow([*(f"{v:.4f}" for v in values[i]), "xy"[kind[i]] if i < N_LABELS else ""])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    n_kills = parser.parse_args().kills
    moments = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        source, out = Path(name) / "a.csv", Path(name) / "out.csv"
        write_table(source)
        command = [*COMMAND, "label", str(source), "-o", str(out), "--method", "ls", "--overwrite"]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        duration, new = time.perf_counter() - start, out.read_bytes()
        found = {"old": 0, "new": 0, "broken": 0}
        for i in range(n_kills):
            out.write_text("old")
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(duration * moments.uniform(0.0 if i % 2 else 0.9, 1.0))
            process.kill()
            process.wait()
            content = out.read_bytes()
            found["old" if content == b"old" else "new" if content == new else "broken"] += 1
        left = len(list(Path(name).iterdir())) - 2
    print(f"{n_kills} kills in runs of {duration:.1f} s: {found['old']} times the old file, {found['new']} times the")
    print(f"whole new one, {found['broken']} times a broken one; {left} temporary files left behind")
    if found["broken"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
