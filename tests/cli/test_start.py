"""What a command imports: nothing heavy that it does not use."""

import subprocess
import sys

import pytest
from commands import animals, as_csv, run

# scikit-learn imports scipy, joblib, narwhals, rich, and pandas where it is installed: what imports it has them all.
LIBRARIES = {"numpy", "scipy", "sklearn", "joblib", "narwhals", "pandas", "pyarrow", "rich"}
# For fits, for text, for other formats, for pictures and for the page.
NEVER_TO_PREDICT = {
    *("sklearn.ensemble", "sklearn.tree", "sklearn.manifold", "sklearn.cluster", "sklearn.feature_extraction"),
    *("pyarrow.parquet", "pyarrow.fs", "openpyxl", "matplotlib", "jinja2", "markupsafe", "dask", "pynndescent"),
    *("sskpca._report.page", "sskpca.plots", "sskpca.distributed", "sskpca.theory", "sskpca.datasets"),
}


def imported(*arguments):
    """Run a command in a process of its own; return the modules that it has imported by its end."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n' + ' '.join(sys.modules), file=sys.stderr))\n"
        "from sskpca._cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "animals.csv").write_text(as_csv(*animals()[:2]))
    saved = folder / "animals.sskpca"
    assert run("label", folder / "animals.csv", "-o", folder / "out.csv", "--save-model", saved).exit_code == 0
    return saved


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["predict", "--help"], ["label", "--help"]])
def test_help_and_version_import_no_library_of_numbers(arguments):
    assert not imported(*arguments) & (LIBRARIES | NEVER_TO_PREDICT)


def test_a_row_is_predicted_without_what_only_fits_text_and_pages_need(model, tmp_path):
    header, row = (model.parent / "animals.csv").read_text().splitlines()[:2]
    (tmp_path / "one.csv").write_text(f"{header}\n{row}\n")
    modules = imported("predict", model, tmp_path / "one.csv", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().count("\n") == 2
    assert "sklearn.neighbors" in modules
    assert not modules & NEVER_TO_PREDICT


def test_the_libraries_come_first_and_garbage_is_collected_again():
    program = (
        "import gc, sys\n"
        "from sskpca._cli.start import load_libraries\n"
        "load_libraries()\n"
        "frozen = gc.get_freeze_count()\n"
        "load_libraries()\n"
        "ours = [name for name in sys.modules if name.startswith('sskpca.') and not name.startswith('sskpca._cli')]\n"
        "print(ours, 'sklearn' in sys.modules, gc.isenabled(), frozen > 0, gc.get_freeze_count() <= frozen)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['sskpca._sources'] True True True True\n"
