"""A fit on a busy machine beside one on a quiet machine, by the clock.

    python benchmarks/speed/busy.py      # a minute; writes benchmarks/speed/results/busy.csv

Breast cancer (569 rows, 30 columns) with 3, 30 and 100 labels, and as many threads as the library takes by itself. Four
other processes multiply matrices all the time, each with as many threads as there are processors: that is what made
small fits thirty times slower once. Medians of five fits, each in a process that has fitted before. With k runnable
threads on two processors nobody can have more than 2 / k of the machine: the best that can be hoped for is shown by a
loop of plain Python, measured in the same way.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

FILE = Path(__file__).parent / "results" / "busy.csv"
ROUNDS, OTHERS = 5, 4
LABELS = (3, 30, 100)
MULTIPLY = "import numpy as np\nA = np.ones((400, 400))\nwhile True: A @ A"


def measure():
    """Return seconds by the clock of each task: medians."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    from sskpca import SSKPCAClassifier

    warnings.simplefilter("ignore")
    X, target = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = {}

    def timed(name, task):
        task()
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            task()
            times.append(time.perf_counter() - start)
        found[name] = statistics.median(times)

    timed("a loop of plain Python", lambda: sum(i * i for i in range(3_000_000)))
    for number in LABELS:
        order = np.random.default_rng(number).permutation(len(target))
        first = [order[target[order] == k][0] for k in (0, 1)]
        chosen = [*first, *(i for i in order if i not in first)][:number]
        y = np.full(len(target), -1)
        y[chosen] = target[chosen]
        timed(f"fit, {number} labels", lambda y=y: SSKPCAClassifier().fit(X, y))
    return found


def in_process():
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    answer = subprocess.run([sys.executable, __file__, "--measure"], env=environment, capture_output=True, check=True)
    return json.loads(answer.stdout)


def main():
    load = os.getloadavg()[0]
    quiet = in_process()
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    others = [subprocess.Popen([sys.executable, "-c", MULTIPLY], env=environment) for _ in range(OTHERS)]
    try:
        time.sleep(2)
        busy = in_process()
    finally:
        for other in others:
            other.kill()
            other.wait()
    with FILE.open("w", newline="") as file:
        file.write(f"# python benchmarks/speed/busy.py; {os.cpu_count()} processors, load {load:.1f} before\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["task", "seconds, quiet", f"seconds, {OTHERS} others", "ratio"])
        for name, alone in quiet.items():
            writer.writerow([name, f"{alone:.3f}", f"{busy[name]:.3f}", f"{busy[name] / alone:.2f}"])
            print(f"{name:24s} {alone:8.3f} s {busy[name]:8.3f} s {busy[name] / alone:7.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure()))
    else:
        main()
