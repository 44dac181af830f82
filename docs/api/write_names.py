"""Write names.md: every public name with the first line of its docstring.

python docs/api/write_names.py
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

PAGE = Path(__file__).with_name("names.md")
HEAD = """\
# Names

Every public name in one line; the docstrings have the equations, parameters and examples. Written by
`python docs/api/write_names.py`.
"""
# In the order of a reader's interest: from what is used to what it is made of.
PARTS = {
    "Estimators": "sskpca",
    "Selection": "sskpca.selection",
    "Kernels": "sskpca.kernels",
    "Graphs": "sskpca.graphs",
    "Rows in blocks": "sskpca.rows",
    "Rows on a cluster": "sskpca.distributed",
    "Data sets": "sskpca.datasets",
    "Tables": "sskpca.tables",
    "Pictures": "sskpca.plots",
    "Theory": "sskpca.theory",
    "Parts of the estimators": "sskpca.estimators",
    "Coordinates": "sskpca.coordinates",
    "Solvers": "sskpca.solvers",
    "Linear algebra": "sskpca.linalg",
}


def first_line(thing):
    """Give the first paragraph of a docstring, with formulas as Markdown has them."""
    if not _described(thing):  # a constant
        return ", ".join(f"`{key}`" for key in thing)
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text).replace("``", "`")
    return re.sub(r" \[\w+\]_", "", text).replace("|", "\\|")


def _described(thing):
    return inspect.isclass(thing) or inspect.isroutine(thing)


def listed(package):
    """Yield the names of a package, then those that only its modules have."""
    module = importlib.import_module(package)
    own = [name for name in getattr(module, "__all__", ()) if not name.startswith("__")]
    for name in own:
        yield name, getattr(module, name)
    if package == "sskpca" or not hasattr(module, "__path__"):
        return
    for part in sorted(info.name for info in pkgutil.iter_modules(module.__path__)):
        inner = importlib.import_module(f"{package}.{part}")
        for name in getattr(inner, "__all__", ()):
            thing = getattr(inner, name)
            if name not in own and _described(thing):
                yield f"{part}.{name}", thing


def page():
    """Give the text of the page."""
    lines = [HEAD]
    for title, package in PARTS.items():
        lines += [f"## {title}: `{package}`\n", "| name | |", "|---|---|"]
        lines += [f"| `{name}` | {first_line(thing)} |" for name, thing in listed(package)]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
