"""One table in the twelve ways in which programs export it: the same cells, and the same bytes back."""

import math

import pytest

from benchmarks.scripts import ROOT, imported
from sskpca._tables import TableError, read_table
from sskpca._tables.cells import texts
from sskpca._tables.reading import read_file
from sskpca._tables.writing import put_table

with imported(ROOT / "benchmarks" / "everyday", "spoiled") as spoiled:
    EXPORTS, CLEAN = spoiled.EXPORTS, spoiled.clean()

READ_AS = {
    "xlsx": 'the sheet "Weine" of an Excel workbook',
    "semicolons": "; separated, UTF-8",
    "decimal commas": "; separated, decimal commas, UTF-8",
    "Latin-1": "comma separated, Windows-1252",
    "UTF-16": "tab separated, UTF-16",
    "a line sep=": "; separated, a first line sep=, decimal commas, Windows-1252",
    "JSON array": "a JSON array",
    "other dates": "comma separated, UTF-8",
    "other truth values": "comma separated, UTF-8",
    "byte order mark": "comma separated, UTF-8 with a BOM",
    "line ends of Windows": "comma separated, UTF-8",
    "trailing commas": "comma separated, UTF-8, 2 columns without a name and without cells left out",
}


def value(cell):
    """Return a number as such, so that 735 is 735.00."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell or ""


def values(table, leave=()):
    return {
        name: [value(cell) for cell in texts(table[name]).to_pylist()]
        for name in table.column_names
        if name not in leave
    }


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    path = tmp_path_factory.mktemp("clean") / "clean.csv"
    path.write_bytes(CLEAN)
    return values(read_table(path))


@pytest.fixture
def export(tmp_path, request):
    name, content = EXPORTS[request.param]
    path = tmp_path / name
    path.write_bytes(content())
    return request.param, path


EVERY = pytest.mark.parametrize("export", EXPORTS, indirect=True)


@EVERY
def test_every_export_has_the_same_cells(export, clean):
    what, path = export
    read = read_file(path)
    other = {"other dates": ["bottled"], "other truth values": ["organic"]}.get(what, [])
    assert values(read.table, other) == {name: cells for name, cells in clean.items() if name not in other}
    assert read.form.sentence == READ_AS[what]
    assert not any(
        math.isnan(cell) for cells in values(read.table).values() for cell in cells if isinstance(cell, float)
    )


@EVERY
def test_every_export_is_written_as_it_was(export, tmp_path):
    what, path = export
    read = read_file(path)
    out = tmp_path / f"out{path.suffix}"
    with out.open("wb") as file:
        put_table(read.table, file, read.form.format, False, None, read)
    again = read_file(out)
    assert again.table.equals(read.table)
    assert again.form.sentence == read.form.sentence.partition(", 2 columns without")[0]
    if path.suffix in (".csv", ".txt") and what != "trailing commas":
        assert out.read_bytes() == path.read_bytes()


def test_what_is_given_wins(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("a;b,c\nä;1,5\n".encode("cp1252"))
    assert read_table(path, delimiter=",", encoding="latin-1").to_pydict() == {"a;b": ["ä;1"], "c": ["5"]}
    assert read_table(path, delimiter=";", encoding="cp437").to_pydict() == {"a": ["Σ"], "b,c": ["1.5"]}
    assert read_table(path, delimiter=";", decimal=".").to_pydict() == {"a": ["ä"], "b,c": ["1,5"]}
    with pytest.raises(TableError, match='there is no encoding "ascii-art"'):
        read_table(path, encoding="ascii-art")
    with pytest.raises(TableError, match=r'the decimal mark is "." or ","'):
        read_table(path, decimal=";")
    with pytest.raises(TableError, match=r"not in ASCII.*give its encoding"):
        read_table(path, delimiter=";", encoding="ascii")
