"""Pure functions of arrays that solve the methods' problems, each with a report of its own quality."""

from sskpca.solvers._held_out import HeldOut, leave_one_out
from sskpca.solvers._least_squares import solve_ls_kpca
from sskpca.solvers._losses import HuberHinge, Logistic, Loss, Sigmoid
from sskpca.solvers._report import Report, Solution, Status
from sskpca.solvers._reweighted import solve_lr_kpca
from sskpca.solvers._within_class import Components, solve_mv_kpca

__all__ = [
    "Components",
    "HeldOut",
    "HuberHinge",
    "Logistic",
    "Loss",
    "Report",
    "Sigmoid",
    "Solution",
    "Status",
    "leave_one_out",
    "solve_lr_kpca",
    "solve_ls_kpca",
    "solve_mv_kpca",
]
