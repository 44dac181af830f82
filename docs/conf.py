"""Sphinx settings of the site; `make docs` builds it, also without a network."""

import importlib.metadata
import os
import re
import shutil
import zlib
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "sskpca"
author = "The sskpca developers"
copyright = "The sskpca developers"
release = version = importlib.metadata.version("sskpca")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["inventories", "_templates", "**/README.md"]
templates_path = ["_templates"]
default_role = "code"

# Markdown: $...$ and $$...$$ as on GitHub, headings as targets of links, ::: for cards and tabs.
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
# scikit-learn's own, which would be repeated on every page.
autodoc_default_options = {
    "exclude-members": "get_metadata_routing, get_params, set_params, set_output, set_fit_request, "
    "set_predict_request, set_score_request, set_transform_request, set_split_request, with_traceback, add_note"
}
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # types stand in the docstrings, in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    "array-like": ":term:`numpy:array_like`",
    "Axes": "matplotlib.axes.Axes",
    "DataFrame": "pandas.DataFrame",
    "Path": "pathlib.Path",
    "RandomState": "numpy.random.RandomState",
    "Transformer": "sklearn.base.TransformerMixin",
    "Classifier": "sklearn.base.ClassifierMixin",
    "ContourSet": "matplotlib.contour.QuadContourSet",
    "callable": ":py:term:`python:callable`",
    "iterable": ":py:term:`python:iterable`",
    "mapping": ":py:term:`python:mapping`",
    "sequence": ":py:term:`python:sequence`",
    "ndarray": "numpy.ndarray",
    **{
        name: f"sskpca.kernels.{name}"
        for name in ("Kernel", "Fitted", "FittedKernel", "FittedFeatures", "Diffusion", "Gaussian")
    },
    **{name: f"sskpca.solvers.{name}" for name in ("Components", "HeldOut", "Loss", "Report", "Solution", "Status")},
    "Coordinates": "sskpca.coordinates.Coordinates",
    "Rows": "sskpca.rows.Rows",
    "RiskBound": "sskpca.theory.RiskBound",
    "SSKPCAClassifier": "sskpca.SSKPCAClassifier",
}

# The objects of other projects that our pages name, as text in inventories/: nothing is fetched during a build.
PROJECTS = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "sklearn": "https://scikit-learn.org/stable",
    "pandas": "https://pandas.pydata.org/docs",
    "matplotlib": "https://matplotlib.org/stable",
}


def write_inventory(name: str, folder: Path) -> str:
    """Write objects.inv of another project from the list in inventories/."""
    folder.mkdir(parents=True, exist_ok=True)
    head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = (HERE / "inventories" / f"{name}.txt").read_bytes()
    path = folder / f"{name}.inv"
    path.write_bytes(head.encode() + zlib.compress(lines))
    return str(path)


_BUILD = HERE.parent / "build" / "docs"
intersphinx_mapping = {name: (url, write_inventory(name, _BUILD / "inventories")) for name, url in PROJECTS.items()}

# Pages of other sites are not fetched, as `make docs` must work without a network; SSKPCA_ONLINE=1 checks them, too.
linkcheck_ignore = [] if os.environ.get("SSKPCA_ONLINE") else [r"https?://"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("sskpca",),
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 5,
    "abort_on_example_error": True,
    "plot_gallery": os.environ.get("SSKPCA_GALLERY", "1") == "1",
}

html_theme = "pydata_sphinx_theme"
html_title = "sskpca"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "sskpca"},
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changes": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# MathJax 3.2.2 from a package of PyPI: equations show without a network, too.
mathjax_path = "mathjax/tex-chtml.js"

# Pages at the top of the repository, which are shown here under other names.
PAGES = {"CONTRIBUTING.md": "extend/contributing.md", "CHANGELOG.md": "changes.md", "SECURITY.md": "guide/security.md"}


def copy_mathjax(app: Sphinx) -> None:
    """Copy MathJax, with one output format of its eight, next to the pages."""
    for file in importlib.metadata.files("sphinx-mathjax-offline") or ():
        inside = str(file).partition("static/")[2]
        if inside == mathjax_path or "chtml/fonts/woff-v2" in inside:
            target = app.outdir / "_static" / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)


def relink(app: Sphinx, docname: str, source: list[str]) -> None:
    """Point links to pages at the top of the repository to where the site has them."""
    depth = docname.count("/")
    for name, page in PAGES.items():
        up = "../" * (depth + 1)
        source[0] = source[0].replace(f"]({up}{name}", f"]({'../' * depth or './'}{page}")
    source[0] = re.sub(r"\]\(((?:\.\./)+)\.\./examples/(plot_\w+)\.py\)", r"](\1gallery/\2.rst)", source[0])


def relink_included(app: Sphinx, relative_path: Path, parent: str, source: list[str]) -> None:
    """Point links of a page from the top of the repository, which start there, to where the site has them."""
    up = "../" * app.env.docname.count("/")
    source[0] = re.sub(r"\]\((?!https?:|#)(?:docs/)?([^)]+)\)", lambda link: f"]({_placed(link, up)})", source[0])


def _placed(link: re.Match[str], up: str) -> str:
    target = link[1]
    if link[0].startswith("](docs/"):
        return f"{up}{target}"
    return f"{up}{PAGES[target]}" if target in PAGES else f"{up}../{target}"


def setup(app: Sphinx) -> None:
    """Register what runs before and during a build."""
    app.connect("builder-inited", copy_mathjax)
    app.connect("source-read", relink)
    app.connect("include-read", relink_included)
