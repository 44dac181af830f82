"""How long a command takes to start: seconds, and ratios to imports that nobody can avoid, in one run.

    python benchmarks/speed/start.py       # two minutes; writes benchmarks/speed/results/start.csv

Every command in a process of its own with one BLAS thread, in turns, so that a busy machine is busy for all of them.
Medians of the wall time and of the processor time, which a busy machine changes less. The model is that of
``sskpca demo``: 1,797 digits, 50 labels. The figures that are kept are of an environment with the extra cli alone:
where pandas is installed, too, scikit-learn imports it, and everything takes 0.07 s longer.
"""

import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

FILE = Path(__file__).parent / "results" / "start.csv"
ROUNDS = 9
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SSKPCA = "from sskpca._cli import main; main()"
BASES = ("import numpy", "import sklearn.ensemble")
COLUMNS = ("what", "wall", "processor", *(f"processor to {base}" for base in BASES))


def seconds(program: str, *arguments: str) -> tuple[float, float]:
    """Run a program of Python; return its wall time and its processor time."""
    start = time.perf_counter()
    command = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}.")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        seconds(SSKPCA, "demo", folder, "--quiet")
        model, one, out = (str(Path(folder) / name) for name in ("digits.sskpca", "one.csv", "out.csv"))
        with open(Path(folder) / "new.csv") as new:
            Path(one).write_text(new.readline() + new.readline())
        cases = {
            **{base: (base,) for base in BASES},
            "import sskpca": ("import sskpca",),
            "sskpca --version": (SSKPCA, "--version"),
            "sskpca --help": (SSKPCA, "--help"),
            "sskpca predict of one row": (SSKPCA, "predict", model, one, "-o", out, "--overwrite"),
        }
        runs = [{name: seconds(*case) for name, case in cases.items()} for _ in range(ROUNDS)]
    wall, processor = ({name: statistics.median(run[name][i] for run in runs) for name in cases} for i in range(2))
    names = ("numpy", "scipy", "scikit-learn", "pyarrow")
    with FILE.open("w", newline="") as file:
        versions = ", ".join(f"{name} {version(name)}" for name in names)
        file.write(f"# python benchmarks/speed/start.py; python {sys.version.split()[0]}, {versions}; seconds\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name in cases:
            ratios = [f"{processor[name] / processor[base]:.2f}" for base in BASES]
            writer.writerow([name, f"{wall[name]:.2f}", f"{processor[name]:.2f}", *ratios])
            print(f"{name:28s} wall {wall[name]:5.2f} s   processor {processor[name]:5.2f} s   {' '.join(ratios)}")


if __name__ == "__main__":
    main()
