"""Write names.md: every public name with the first line of its docstring.

python docs/api/write_names.py
"""

import importlib
import inspect
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
    "Estimators and tables": "sskpca",
    "Kernels": "sskpca.kernels",
    "Pictures": "sskpca.plots",
    "Model files": "sskpca.saving",
    "Data sets": "sskpca.datasets",
    "Rows in blocks": "sskpca.rows",
    "Rows on a cluster": "sskpca.distributed",
    "Theory": "sskpca.theory",
    "Coordinates": "sskpca.coordinates",
    "Solvers": "sskpca.solvers",
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
    """Yield the names of a package."""
    module = importlib.import_module(package)
    for name in module.__all__:
        if not name.startswith("__"):
            yield name, getattr(module, name)


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
