"""JSON lines: parsed in blocks of bounded memory, and written back as they were."""

import io
import json
import tracemalloc

import pytest

from sskpca._tables import Limits, TableError, json_lines, read_table
from sskpca._tables.json_lines import put_json_lines
from sskpca._tables.reading import read_file
from sskpca._tables.writing import put_table

SMALL = Limits(size=10**7)


def put(folder, *rows):
    path = folder / "a.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
    return path


@pytest.fixture
def two_rows_a_block(monkeypatch):
    monkeypatch.setattr(json_lines, "CELLS", 1)


ROWS = [
    {"n": 1, "v": [], "s": {"x": 1}, "none": None},
    {"n": None, "v": [1]},
    {"n": 2.5, "v": [0.5], "s": {"y": "é"}, "new": "007"},
    {},
    {"late": True, "n": 3},
]


def test_blocks_are_the_same_table_as_the_whole(tmp_path, two_rows_a_block, monkeypatch):
    blocks = read_table(put(tmp_path, *ROWS))
    assert blocks.column(0).num_chunks == 1
    monkeypatch.setattr(json_lines, "ONE_PIECE", -1)
    pieces = read_table(put(tmp_path, *ROWS))
    assert pieces.column(0).num_chunks > 1
    assert blocks.equals(pieces)
    monkeypatch.undo()
    whole = read_table(put(tmp_path, *ROWS))
    assert whole.column(0).num_chunks == 1
    assert blocks.equals(whole)
    assert whole["n"].to_pylist() == [1.0, None, 2.5, None, 3.0]


@pytest.mark.parametrize(
    "rows",
    [
        [{"a": 1, "b": "x"}, {"b": "y", "a": 2}],  # in another order
        [{"a": 1, "b": "x"}, {"a": 2, "c": "y"}],  # as many, and others
        [{"a": 1, "b": "x"}, {"a": 2}],
        [{}, {"a": 1}],
        [{"a": 1}, {}],
    ],
)
def test_cells_are_found_by_their_keys(tmp_path, rows):
    table = read_table(put(tmp_path, *rows))
    for name in table.column_names:
        assert table[name].to_pylist() == [row.get(name) for row in rows]


def test_blocks_of_different_kinds_are_refused_as_the_whole_is(tmp_path, two_rows_a_block):
    path = put(tmp_path, {"a": 1}, {"a": 1}, {"a": 1}, {"a": "x"})
    with pytest.raises(TableError, match='mixes kinds of values in "a"'):
        read_table(path)


BOMBS = {
    "empty lists": [{"a": [[]] * 10**5}] * 10,
    "short keys": [{f"{i}": 1 for i in range(10_000)}] * 100,
    "other keys in every row": [{f"k{i}": 1} for i in range(10_000)],
    "other keys in every inner object": [{"a": [{f"k{i}": 1} for i in range(5_000)]}],
    "empty objects": [{"a": [{}] * 10**5}] * 10,
    "numbers": [{"a": list(range(10_000))}] * 100,
}


@pytest.mark.parametrize("what", BOMBS)
def test_what_takes_many_times_its_size_is_refused_before_it_does(tmp_path, what):
    path = put(tmp_path, *BOMBS[what])
    assert path.stat().st_size < 20 * 10**6
    tracemalloc.start()
    try:
        try:
            read_table(path, limits=SMALL)
        except TableError as error:
            assert "more than 10 MB" in str(error)  # noqa: PT017
        assert tracemalloc.get_traced_memory()[1] <= 2 * SMALL.size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("row", ['{"a": "\\ud800"}', '{"\\udfff": 1}', '{"a": {"b": ["x\\ud83d"]}}'])
def test_half_a_character_is_refused_with_its_line(tmp_path, row):
    path = put(tmp_path, {"a": "whole: \U0001f600"}, row)
    with pytest.raises(TableError, match=r"has half a character \(a lone surrogate, such as \\ud800\) in line 2"):
        read_table(path)


def test_what_was_read_is_written_as_it_was(tmp_path):
    lines = [
        '{"a": 1, "b": 2.50, "big": 9007199254740993}',
        "",
        '  {"b":1e3,"a":-0.0, "sskpca_label": "old", "sskpca_unseen": false}  ',
        '{"a": 2.5, "n": null, "s": {"y": "\\u00e9"}}',
        "{ }",
    ]
    path = put(tmp_path, *lines)
    read = read_file(path)
    result = read.table.select([]).append_column("sskpca_label", [["x", "y", None, "x"]])
    file = io.BytesIO()
    put_json_lines(result, file, read.lines)
    assert file.getvalue().decode().splitlines() == [
        '{"a": 1, "b": 2.50, "big": 9007199254740993, "sskpca_label": "x"}',
        '{"b": 1000.0, "a": -0.0, "sskpca_label": "y"}',
        '{"a": 2.5, "n": null, "s": {"y": "\\u00e9"}, "sskpca_label": null}',
        '{"sskpca_label": "x"}',
    ]


def array(folder, content, name="a.json"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_is_the_same_table_as_lines(tmp_path, name, indent):
    rows = [*ROWS, {"late": False, "t": 'brackets ]}[{ and "quotes", \\ and\nlines'}]
    found = read_file(array(tmp_path, b"\xef\xbb\xbf" + json.dumps(rows, indent=indent).encode(), name))
    assert found.form.array
    assert found.table.equals(read_table(put(tmp_path, *rows)))
    assert [json.loads(line) for line in found.lines.split(b"\n")] == rows


def test_a_list_is_written_as_it_was(tmp_path):
    read = read_file(array(tmp_path, '[{"a": 1.50,\n "b": "x"},\r\n\t{"b": "é", "sskpca_label": "old"}]'))
    file = io.BytesIO()
    result = read.table.select([]).append_column("sskpca_label", [["x", None]])
    put_table(result, file, "json", False, None, read)
    assert file.getvalue().decode() == (
        '[\n{"a": 1.50, "b": "x", "sskpca_label": "x"},\n{"b": "é", "sskpca_label": null}\n]\n'
    )


def test_lines_called_json_stay_lines(tmp_path):
    read = read_file(array(tmp_path, '{"a": 1}\n{"a": 2}\n'))
    file = io.BytesIO()
    put_table(read.table, file, "json", False, None, read)
    assert file.getvalue() == b'{"a": 1}\n{"a": 2}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "no columns"),
        ("[1, 2]", "something else than rows after row 0"),
        ('["x"]', "something else than rows after row 0"),
        ("[[1]]", "no object in row 1"),
        ('[{"a": 1} {"a": 2}]', "something else than rows after row 1"),
        ('[{"a": 1},]', "something else than rows after row 1"),
        ('[{"a": 1}, 5, {"a": 2}]', "something else than rows after row 1"),
        ('[{"a": 1}] x', "something else than rows after row 1"),
        ('[{"a": 1}, {"a": ', "cut off or damaged after row 1"),
        ('[{"a": 1}, {"a" 2}]', "no JSON in row 2"),
        ('[{"a": 1, "a": 2}]', "a name twice in row 1"),
        ('[{"a": "x\ny"}]', "no JSON in row 1"),
        ('{\n "rows": [{"a": 1}]}', "one object in several lines"),
    ],
)
def test_what_is_no_list_of_rows_is_refused(tmp_path, content, words):
    with pytest.raises(TableError, match=words):
        read_table(array(tmp_path, content))


@pytest.mark.parametrize(
    "content", ['{"a":{"0":1,"1":2},"b":{"0":"x","1":null}}', '{"columns":["a"],"index":[0],"data":[[1]]}']
)
def test_columns_in_place_of_rows_are_told(tmp_path, content):
    with pytest.raises(TableError, match=r'has columns in place of rows, .* orient="records"'):
        read_table(array(tmp_path, content))


def test_a_list_in_one_long_line_is_no_long_row(tmp_path):
    limits = Limits(row=2**12)
    rows = [{"a": i, "b": "x" * 100} for i in range(500)]
    assert read_table(array(tmp_path, json.dumps(rows)), limits=limits).num_rows == 500
    with pytest.raises(TableError, match=r"a row of more than 4.1 kB \(row 2\)"):
        read_table(array(tmp_path, json.dumps([{"a": 1}, {"a": "x" * 5000}])), limits=limits)


@pytest.mark.parametrize("what", BOMBS)
def test_a_list_that_takes_many_times_its_size_is_refused_too(tmp_path, what):
    path = array(tmp_path, json.dumps(BOMBS[what]))
    tracemalloc.start()
    try:
        try:
            read_table(path, limits=SMALL)
        except TableError as error:
            assert "more than 10 MB" in str(error) or "a row of more than" in str(error)  # noqa: PT017
        assert tracemalloc.get_traced_memory()[1] <= 2 * SMALL.size
    finally:
        tracemalloc.stop()
