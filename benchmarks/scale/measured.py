"""Numbers of the scale benchmarks: where they are kept, and how they are measured."""

import csv
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy
from threadpoolctl import threadpool_info

RESULTS = Path(__file__).parent / "results"
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def timed(function, *arguments):
    """Return what a function returns, and the seconds it took."""
    start = time.perf_counter()
    found = function(*arguments)
    return found, time.perf_counter() - start


def peak_gigabytes():
    """Give the largest memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def alone(script, *arguments):
    """Run a script by itself, so that its peak of memory is its own; return its last line."""
    command = [sys.executable, script, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]


def about():
    threads = max(part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas")
    return f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, {threads} threads"


def write(name, columns, rows, command):
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / name, "w", newline="") as file:
        file.write(f"# {command}; {about()}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def read(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
