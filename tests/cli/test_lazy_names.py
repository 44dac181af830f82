"""The public names are imported when they are asked for, so that the command starts at once."""

import subprocess
import sys

import pytest

import sskpca


def test_every_public_name_is_found_and_listed():
    for name in sskpca.__all__:
        assert getattr(sskpca, name) is not None
    assert set(sskpca.__all__) <= set(dir(sskpca))


def test_folders_are_found_without_an_import_of_their_own():
    program = "import sskpca; print(sskpca.kernels.Gaussian.__name__, sskpca.saving.load_model.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "Gaussian load_model\n"


def test_a_name_that_is_none_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sskpca.nothing
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from sskpca import nothing  # noqa: F401
