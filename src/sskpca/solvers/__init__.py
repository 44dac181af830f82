"""Pure functions of arrays that solve the methods' problems, each with a report of its own quality."""

from sskpca.solvers.held_out import HeldOut, leave_one_out
from sskpca.solvers.least_squares import solve_ls_kpca
from sskpca.solvers.losses import LOSSES, HuberHinge, Logistic, Loss, Sigmoid
from sskpca.solvers.plane import FoldPlane, HeldOutPlane, leave_fold_out_plane, leave_one_out_plane
from sskpca.solvers.report import Report, Solution, Status
from sskpca.solvers.reweighted import solve_lr_kpca
from sskpca.solvers.within_class import Components, solve_mv_kpca, within_group_rows

__all__ = [
    "LOSSES",
    "Components",
    "FoldPlane",
    "HeldOut",
    "HeldOutPlane",
    "HuberHinge",
    "Logistic",
    "Loss",
    "Report",
    "Sigmoid",
    "Solution",
    "Status",
    "leave_fold_out_plane",
    "leave_one_out",
    "leave_one_out_plane",
    "solve_lr_kpca",
    "solve_ls_kpca",
    "solve_mv_kpca",
    "within_group_rows",
]
