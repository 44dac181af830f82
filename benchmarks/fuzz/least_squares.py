"""LS-KPCA against an oracle in extended precision.

    python benchmarks/fuzz/least_squares.py               # 100,000 problems, some minutes; resumes
    python benchmarks/fuzz/least_squares.py --summary

A claim is false if the solver calls itself successful and its objective is above the optimum by more than its gap
and a millionth, or if the bound that it proves is above the optimum; both relative to the size of the terms.
"""

import sys
from pathlib import Path

import numpy as np
from shared.counting import count_cases

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from oracles.extended import optima
from sskpca._linalg.threads import one_thread
from sskpca.solvers import Status, solve_ls_kpca

CASES = 100_000
KINDS = ("plain", "repeated", "hard", "nearly hard", "twins", "contradicting", "steep", "flat")
# What is accepted beside the claim: of the objective, and of the bound.
OBJECTIVE, BOUND = 1e-6, 1e-9


def draw(number):
    """Draw the problem of a number: 2 to 6 coordinates, 1 to 8 labels."""
    rng = np.random.default_rng(number)
    kind, rank, n_labeled = KINDS[number % len(KINDS)], 2 + number // 8 % 5, 1 + number // 40 % 8
    spread = {"steep": (-7, 2), "flat": (0, 1e-9)}.get(kind, (-2, 1))
    d = np.sort(10 ** rng.uniform(*spread, rank))[::-1].copy()
    if kind in ("repeated", "hard"):
        d[: int(rng.integers(2, rank + 1))] = d[0]
    if rng.random() < 0.3:
        d[-1] = 0.0
    B = rng.standard_normal((n_labeled, rank)) * np.sqrt(np.maximum(d, 1e-3))
    t = rng.choice([-1.0, 1.0], n_labeled)
    if kind == "hard":
        B[:, 0] = 0.0
    elif kind == "nearly hard":
        B[:, 0] *= 10 ** rng.uniform(-16, -3)
    elif kind in ("twins", "contradicting"):
        half = n_labeled // 2
        B[half : 2 * half] = B[:half]
        t[half : 2 * half] = t[:half] if kind == "twins" else -t[:half]
    return B, d, t, 10 ** rng.uniform(-5, 6), 10 ** rng.uniform(-3, 3)


def run(numbers):
    numbers = list(numbers)
    problems = {number: draw(number) for number in numbers}
    best = {}
    for shape in {problem[0].shape for problem in problems.values()}:
        some = [number for number in numbers if problems[number][0].shape == shape]
        found = optima(*(np.array(parts) for parts in zip(*(problems[number] for number in some), strict=True)))
        best.update(zip(some, found, strict=True))
    with one_thread():
        for number in numbers:
            yield judged(number, problems[number], best[number])


def judged(number, problem, best):
    B, _, t, c, _ = problem
    solution = solve_ls_kpca(*problem)
    report = solution.report
    misfit = B @ solution.coef - t
    size = float(solution.coef @ solution.coef + c * (misfit @ misfit)) + 1e-12 * c * len(t)
    excess = float(report.objective - best) / size
    status = str(report.status)
    if report.status in (Status.CONVERGED, Status.HARD_CASE) and excess > max(report.gap, 0.0) + OBJECTIVE:
        return number, f"failed: {status}, but {excess:.1e} above the optimum", abs(excess), True
    if float(report.bound - best) / size > BOUND:
        return number, f"failed: a bound {float(report.bound - best) / size:.1e} above the optimum", abs(excess), True
    return number, status, abs(excess) if report.converged else 0.0, False


def main():
    count_cases("least_squares", run, CASES, "excess over the optimum, relative")


if __name__ == "__main__":
    main()
