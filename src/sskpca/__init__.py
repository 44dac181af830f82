"""Semi-supervised kernel PCA: label a data set from a handful of labels."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sskpca.estimators import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
    from sskpca.selection import LabelledOnlySplit, SSKPCAClassifier
    from sskpca.theory import risk_bound

    __version__: str

__all__ = [
    "KPCA",
    "LRKPCA",
    "LSKPCA",
    "MVKPCA",
    "LabelledOnlySplit",
    "SSKPCAClassifier",
    "SpectralGraphTransducer",
    "__version__",
    "risk_bound",
]

# Where the public names are. They are imported when they are asked for, so that the command line, which is in this
# package too, answers before scikit-learn is there.
_HOMES = {
    **dict.fromkeys(("KPCA", "LRKPCA", "LSKPCA", "MVKPCA", "SpectralGraphTransducer"), "estimators"),
    **dict.fromkeys(("LabelledOnlySplit", "SSKPCAClassifier"), "selection"),
    "risk_bound": "theory",
}
_FOLDERS = (
    *("coordinates", "datasets", "distributed", "estimators", "graphs", "kernels", "linalg", "plots", "rows"),
    *("selection", "solvers", "tables", "theory"),
)

if not TYPE_CHECKING:  # or every name would be known to it

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("sskpca")
        elif name in _HOMES:
            value = getattr(import_module(f"sskpca.{_HOMES[name]}"), name)
        elif name in _FOLDERS:
            return import_module(f"sskpca.{name}")
        else:
            raise AttributeError(f"module 'sskpca' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *_FOLDERS})
