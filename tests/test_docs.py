"""Documentation is executed, and complete."""

import re
from pathlib import Path

import pytest

import sskpca
from sskpca import coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory

PUBLIC = (coordinates, datasets, distributed, kernels, plots, rows, saving, solvers, theory)
ROOT = Path(__file__).parents[1]
PAGES = sorted(page for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "```python" in page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks_run_in_order(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        exec(compile(block, str(page), "exec"), namespace)


def test_there_are_pages_with_code():
    assert {"README.md", "automatic.md", "first_steps.md", "add_kernel.md", "add_loss.md"} <= {
        page.name for page in PAGES
    }


@pytest.mark.parametrize("page", [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "module",
    [sskpca, *PUBLIC],
    ids=lambda module: module.__name__,
)
def test_public_names_are_documented(module):
    text = "".join(page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    for name in set(module.__all__) - {"__version__"}:
        assert getattr(module, name).__doc__ or name.isupper(), name
        assert re.search(rf"\b{name}\b", text), f"{name} is in no page"


def test_two_commands_are_named():
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


def test_dir_shows_public_names_only():
    shown = {name for name in dir(sskpca) if not name.startswith("__")}
    assert shown == {*sskpca.__all__, *(module.__name__.split(".")[1] for module in PUBLIC)} - {"__version__"}


def test_everything_else_is_in_modules_with_an_underscore():
    public = {module.__name__ for module in PUBLIC}
    for path in Path(sskpca.__file__).parent.rglob("*.py"):
        parts = path.relative_to(Path(sskpca.__file__).parent).with_suffix("").parts
        name = ".".join(("sskpca", *parts)).removesuffix(".__init__")
        assert name == "sskpca" or name in public or any(part.startswith("_") and part != "__init__" for part in parts)
    for module in PUBLIC:
        assert {name for name in vars(module) if not name.startswith("_")} <= {*module.__all__}


def test_there_are_some_sixty_public_names():
    names = [name for module in (sskpca, *PUBLIC) for name in module.__all__ if not name.startswith("__")]
    assert len(set(names)) <= 80
