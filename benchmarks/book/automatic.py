"""SSKPCAClassifier with its defaults on the book's data: nothing chosen by hand.

    python benchmarks/book/automatic.py                            # a quarter of an hour; resumes where it stopped
    python benchmarks/book/automatic.py --set USPS --labels 100    # one cell, anew; nothing is written
    python benchmarks/book/automatic.py --summary                  # what is in results/automatic.csv

The kernels of a set are decomposed once, and the labels of one published split after another are put in: the answer is
that of a fit to each (tests/estimators/test_live.py). Split 1 is fitted anew, to measure the time, with one thread.
Written to benchmarks/book/results/:

- automatic.csv: error in % on the unlabelled rows, leave-one-out error and expected calibration error; for split 1 also
  the seconds of the fit, and of one `numpy.linalg.eigh` of a 1500 x 1500 matrix at that moment;
- kernels.csv: the error that each kernel alone would have had, its own candidates averaged by the same rule.
"""

import copy
import csv
import time
import warnings
from collections import defaultdict
from itertools import product

import numpy as np
from cells import LABELS, RESULTS, SETS, SPLITS, compare, options, published, read
from threadpoolctl import threadpool_limits

from sskpca import SSKPCAClassifier
from sskpca._selection.averaging import predicted_shares
from sskpca._selection.ensemble import average
from sskpca._transduction import Geometry
from sskpca._transduction.calibration import expected_calibration_error
from sskpca._transduction.held_out import decided_codes, flat
from sskpca.datasets import load_ssl_book

FILES = {
    "automatic.csv": ["set", "labels", "split", "error", "loo_error", "calibration_error", "seconds", "eigh"],
    "kernels.csv": ["set", "labels", "split", "kernel", "error", "weight"],
}


def time_of_eigh():
    A = np.random.default_rng(0).standard_normal((1500, 1500))
    start = time.perf_counter()
    np.linalg.eigh(A + A.T)
    return time.perf_counter() - start


def alone(model, book):
    """Yield the error of each kernel's own average."""
    answer = model.answer_
    codes = answer.labels.codes[answer.labels.labeled]
    sample = answer.geometry.sample
    names = list(model.kernel_weights_)[: len(model.kernels_)]  # the forest comes last
    for name, part, found in zip(names, model.coordinates_, answer.found.found, strict=True):
        shares = predicted_shares(found.decisions(part.values[slice(None) if sample is None else sample]))
        decision = average([found], codes, shares=shares).on_data(Geometry(None, (), (part,)))
        called = model.classes_[decided_codes(flat(decision))]
        yield name, 100 * np.mean(called[book.unlabeled] != book.target[book.unlabeled])


def measure(empty, name, n_labeled, split):
    """Return the row of a split for each file; `empty` is a model of the set without labels."""
    book = load_ssl_book(name, n_labeled, split)
    times = []
    if split == 1:
        eigh = time_of_eigh()
        start = time.perf_counter()
        SSKPCAClassifier().fit(book.data, book.y)
        times = [time.perf_counter() - start, eigh]
    model = with_labels(empty, book)
    right = model.transduction_[book.unlabeled] == book.target[book.unlabeled]
    confidence = model.label_distributions_[book.unlabeled].max(axis=1)
    ece = expected_calibration_error(confidence, right)
    cell = [name, n_labeled, split]
    numbers = [100 * np.mean(~right), 100 * model.loo_error_, ece, *times]
    kernels = [
        [*cell, " ".join(kernel.split()), f"{error:.2f}", f"{model.kernel_weights_[kernel]:.3f}"]
        for kernel, error in alone(model, book)
    ]
    return [*cell, *(f"{x:.3f}" for x in numbers), *[""] * (2 - len(times))], kernels


def with_labels(empty, book):
    return copy.copy(empty).update_labels(book.labeled, book.target[book.labeled], new_classes=True)


def anew(name, n_labeled, splits):
    """Yield the error of each split."""
    empty = SSKPCAClassifier(n_jobs=2).fit(load_ssl_book(name, n_labeled, 1).data)
    for split in splits:
        book = load_ssl_book(name, n_labeled, split)
        model = with_labels(empty, book)
        yield split, f"{100 * np.mean(model.transduction_[book.unlabeled] != book.target[book.unlabeled]):.3f}"


def append(file, rows):
    path = RESULTS / file
    new = not path.exists()
    with open(path, "a", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        if new:
            out.write("# python benchmarks/book/automatic.py; SSKPCAClassifier() on splits 1 to 12, no randomness\n")
            writer.writerow(FILES[file])
        writer.writerows(rows)


def summary():
    cells = defaultdict(list)
    for row in read("automatic.csv"):
        cells[row["set"], int(row["labels"])].append(row)
    book = published()
    for n_labeled in LABELS:
        print(
            f"{n_labeled} labels      error (std)    best found of the book   |loo - error|   calibration   time / eigh"
        )
        means = []
        for name in SETS:
            rows = cells[name, n_labeled]
            if not rows:
                continue
            get = lambda key, rows=rows: np.array([float(row[key]) for row in rows])  # noqa: E731
            error = get("error")
            means.append(error.mean())
            least = min(other for (_, s, n), other in book.items() if (s, n) == (name, n_labeled))
            print(
                f"{name:8s} {len(rows):3d}   {error.mean():6.2f} ({error.std(ddof=1):5.2f})   {least:12.2f}   "
                f"{np.abs(get('loo_error') - error).mean():15.2f}   {get('calibration_error').mean():10.3f}   "
                f"{float(rows[0]['seconds']) / float(rows[0]['eigh']):10.1f}"
            )
        if len(means) >= 6:
            print(f"mean of six  {np.mean(means[:6]):6.2f}\n")


def main():
    wanted = options(__doc__, flags={"summary": "print what is in the file, run nothing"})
    warnings.simplefilter("ignore", UserWarning)  # classes with one label: the splits have them
    RESULTS.mkdir(exist_ok=True)
    if wanted.name or wanted.labels or wanted.split:
        found, splits = {}, [wanted.split] if wanted.split else SPLITS
        for name, n_labeled in product(
            [wanted.name] if wanted.name else SETS, [wanted.labels] if wanted.labels else LABELS
        ):
            for split, error in anew(name, n_labeled, splits):
                found[name, n_labeled, split] = error
                print(name, n_labeled, split, error, flush=True)
        print(f"mean {np.mean([float(error) for error in found.values()]):.2f}")
        compare(found, "automatic.csv", "set", "labels", "split")
        return
    done = {(row["set"], int(row["labels"]), int(row["split"])) for row in read("automatic.csv")}
    for name in () if wanted.summary else SETS:
        left = [cell for cell in product(LABELS, SPLITS) if (name, *cell) not in done]
        if left:
            with threadpool_limits(1):
                empty = SSKPCAClassifier().fit(load_ssl_book(name, LABELS[0], 1).data)
                for cell in left:
                    row, kernels = measure(empty, name, *cell)
                    append("automatic.csv", [row])
                    append("kernels.csv", kernels)
                    print(*row, flush=True)
    summary()


if __name__ == "__main__":
    main()
