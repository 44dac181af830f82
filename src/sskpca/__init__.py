"""Semi-supervised kernel PCA: label a data set from a handful of labels."""

from typing import TYPE_CHECKING, Any

from sskpca._sources import Source, register

if TYPE_CHECKING:
    from sskpca._estimators import KPCA, LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
    from sskpca._frames import check, label, predict
    from sskpca._selection import LabelledOnlySplit, SSKPCAClassifier
    from sskpca._tables import TableEncoder, TableError
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
    "TableEncoder",
    "TableError",
    "__version__",
    "check",
    "label",
    "predict",
    "risk_bound",
]

# Where the public names are. They are imported when they are asked for, so that the command line, which is in this
# package too, answers before scikit-learn is there.
_HOMES = {
    **dict.fromkeys(("KPCA", "LRKPCA", "LSKPCA", "MVKPCA", "SpectralGraphTransducer"), "_estimators"),
    **dict.fromkeys(("LabelledOnlySplit", "SSKPCAClassifier"), "_selection"),
    **dict.fromkeys(("TableEncoder", "TableError"), "_tables"),
    **dict.fromkeys(("check", "label", "predict"), "_frames"),
    "risk_bound": "theory",
}
# What the tables need besides what is always there.
_FOR_TABLES = ("pyarrow", "jinja2", "matplotlib", "PIL")
_FOLDERS = ("coordinates", "datasets", "distributed", "kernels", "plots", "rows", "saving", "solvers", "theory")


def _dask() -> Source:
    from sskpca.distributed._rows import SOURCE

    return SOURCE


for _package in ("dask", "dask_expr"):
    register(_package, _dask)

if not TYPE_CHECKING:  # or every name would be known to it

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("sskpca")
        elif name in _HOMES:
            try:
                value = getattr(import_module(f"sskpca.{_HOMES[name]}"), name)
            except ModuleNotFoundError as error:
                if (error.name or "").split(".")[0] not in _FOR_TABLES:
                    raise
                raise ImportError(f'sskpca.{name} needs {error.name}; pip install "sskpca[cli]".') from None
        elif name in _FOLDERS:
            return import_module(f"sskpca.{name}")
        else:
            raise AttributeError(f"module 'sskpca' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_FOLDERS, *(name for name in globals() if name.startswith("__"))})
