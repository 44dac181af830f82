"""A fit on a busy machine beside one on a quiet machine, by the clock.

    python benchmarks/speed/busy.py      # a minute; writes benchmarks/speed/results/busy.csv

Breast cancer (569 rows, 30 columns) with 3, 30 and 100 labels, and as many threads as the library takes by itself. Four
other processes multiply matrices all the time, each with one thread, or with as many as there are processors; small
fits were thirty times slower once. Medians of five fits, each in a process that has fitted before. With k runnable
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


def default_threads():
    return {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}


def in_process():
    command = [sys.executable, __file__, "--measure"]
    return json.loads(subprocess.run(command, env=default_threads(), capture_output=True, check=True).stdout)


def beside(environment):
    """Measure while others are at work."""
    others = [subprocess.Popen([sys.executable, "-c", MULTIPLY], env=environment) for _ in range(OTHERS)]
    try:
        time.sleep(2)
        return in_process()
    finally:
        for other in others:
            other.kill()
            other.wait()


def main():
    load = os.getloadavg()[0]
    quiet = in_process()
    busy = [beside({**default_threads(), **threads}) for threads in ({"OMP_NUM_THREADS": "1"}, {})]
    with FILE.open("w", newline="") as file:
        file.write(f"# python benchmarks/speed/busy.py; {os.cpu_count()} processors, load {load:.1f} before\n")
        writer = csv.writer(file, lineterminator="\n")
        times = [f"{OTHERS} others", f"{OTHERS} others, all threads"]
        writer.writerow(
            ["task", "seconds, quiet", *(f"seconds, {name}" for name in times), "ratio", "ratio, all threads"]
        )
        for name, alone in quiet.items():
            found = [part[name] for part in busy]
            row = [f"{x:.3f}" for x in (alone, *found)] + [f"{x / alone:.2f}" for x in found]
            writer.writerow([name, *row])
            print(f"{name:24s}", *row)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure()))
    else:
        main()
