"""Every public name is documented where it stands: parameters with types and defaults, returns, an example."""

import dataclasses
import enum
import inspect
import re
from pathlib import Path

import pytest

import sskpca
from sskpca import coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory

docscrape = pytest.importorskip("numpydoc.docscrape")
MODULES = (sskpca, coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory)
API_PAGE = Path(__file__).parents[1] / "docs" / "api" / "index.md"
NAMES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if not name.startswith("__")
}
THINGS = {name: thing for name, thing in NAMES.items() if inspect.isclass(thing) or inspect.isroutine(thing)}


def public_methods(cls):
    """Yield the methods that are ours, not scikit-learn's or Python's."""
    for name, member in inspect.getmembers(cls):
        function = inspect.unwrap(getattr(member, "__func__", member)) if callable(member) else None
        if not name.startswith("_") and (getattr(function, "__module__", None) or "").startswith("sskpca"):
            yield name, function


# Those that others call or write: of estimators, and of what a source of rows, a kernel or a loss has to have.
CONTRACTS = (
    coordinates.Coordinates,
    kernels.Kernel,
    kernels.FittedKernel,
    kernels.FittedFeatures,
    rows.Rows,
    solvers.Loss,
)
METHODS = {
    f"{owner}.{name}": function
    for owner, cls in THINGS.items()
    if inspect.isclass(cls) and (owner.count(".") == 1 or cls in CONTRACTS)
    for name, function in public_methods(cls)
}


def parameters(thing):
    """List the parameters that a caller can pass, with their defaults."""
    if inspect.isclass(thing) and "__init__" not in vars(thing) and issubclass(thing, enum.Enum | Exception):
        return {}
    if getattr(thing, "_is_protocol", False):
        return {}
    found = inspect.signature(thing).parameters
    return {name: p for name, p in found.items() if name not in ("self", "cls") and not name.startswith("_")}


def documented(doc):
    """Return what the sections about parameters say: name to type and description."""
    out = {}
    for entry in [*doc["Parameters"], *doc["Other Parameters"]]:
        for name in entry.name.split(","):
            out[name.strip().lstrip("*")] = (entry.type, " ".join(entry.desc))
    return out


def shown(default):
    return default.__qualname__ if inspect.isroutine(default) or inspect.isclass(default) else repr(default)


def check_parameters(thing, doc):
    wanted, found = parameters(thing), documented(doc)
    fields = [entry.name for entry in doc["Attributes"]]
    if dataclasses.is_dataclass(thing) and not found:  # a value that is returned: its fields are attributes
        missing = [name for name in wanted if not any(name in field.split(", ") for field in fields)]
        assert not missing, f"no attributes {missing}"
        return
    assert list(found) == list(wanted), f"documented {list(found)}, in the signature {list(wanted)}"
    for name, parameter in wanted.items():
        kind, text = found[name]
        assert kind, f"{name} has no type"
        assert text, f"{name} has no description"
        assert not re.search(r"\b[Aa]s (for|of|in|to) `?\w*(KPCA|label|fit|predict)\b", text), f"{name}: {text}"
        if parameter.default is not inspect.Parameter.empty:
            expected = f"default={shown(parameter.default)}"
            assert expected.replace("'", '"') in kind.replace("'", '"'), f"{name}: no {expected}"


@pytest.mark.parametrize("name", THINGS)
def test_parameters_are_those_of_the_signature(name):
    thing = THINGS[name]
    doc = docscrape.ClassDoc(thing) if inspect.isclass(thing) else docscrape.FunctionDoc(thing)
    check_parameters(thing, doc)


@pytest.mark.parametrize("name", THINGS)
def test_there_is_an_example(name):
    assert ">>> " in (inspect.getdoc(THINGS[name]) or "").partition("Examples\n--------")[2]


@pytest.mark.parametrize("name", [name for name, thing in THINGS.items() if not inspect.isclass(thing)])
def test_functions_say_what_they_return(name):
    check_returns(THINGS[name])


def check_returns(function):
    doc = docscrape.FunctionDoc(function)
    if inspect.signature(function).return_annotation not in (None, "None"):
        assert doc["Returns"] or doc["Yields"], "no section Returns"
        assert all(entry.desc for entry in doc["Returns"]), "what is returned is not described"


@pytest.mark.parametrize("name", METHODS)
def test_methods_document_their_parameters(name):
    method = METHODS[name]
    check_parameters(method, docscrape.FunctionDoc(method))
    check_returns(method)


def test_the_page_lists_every_name_once():
    text = API_PAGE.read_text()
    listed = []
    for block in re.findall(r"currentmodule:: (\S+)\n.*?:nosignatures:\n\n(.*?)```", text, flags=re.DOTALL):
        listed += [f"{block[0]}.{name}" for name in block[1].split()]
    assert sorted(listed) == sorted(NAMES)
