"""Parquet and Arrow files of others: validated in full, and counted before they are unpacked."""

import io
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sskpca._tables import Limits, TableError, read_table
from sskpca._tables.unpacked_sizes import Chunk, count_pages, read_index

SMALL = Limits(size=10**7)
DAMAGED, TOO_LARGE = "cut off or damaged", "more than 10 MB when unpacked"


def put_arrow(path, table, compression=None, stream=False):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(path, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


def put_parquet(path, table, **settings):
    pq.write_table(table, path, **settings)
    return path


POOLS = []  # what they have lent may outlive the test


@contextmanager
def at_most(size):
    """See that Arrow allocates no more."""
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.system_memory_pool())
    POOLS.append(pool)
    pa.set_memory_pool(pool)
    try:
        yield
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() <= size


def changed(path, old, new):
    """Replace bytes that are in a file once."""
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return path


def offsets(*numbers):
    return np.array(numbers, dtype=np.int32).tobytes()


TEXTS = pa.table({"a": ["one", "three", "seventeen", "x"]})
LISTS = pa.table({"a": [[1.0, 2.0, 3.0], [4.0], [5.0, 6.0], [7.0]]})


@pytest.mark.parametrize("wrong", [2**30, -5, 4])
def test_an_arrow_file_with_a_wrong_offset_of_a_text_is_refused(tmp_path, wrong):
    path = put_arrow(tmp_path / "a.arrow", TEXTS)
    changed(path, offsets(0, 3, 8, 17, 18), offsets(0, 3, wrong, 17, 18))
    if wrong == 4:  # sound, only other texts
        assert read_table(path)["a"].to_pylist() == ["one", "t", "hreeseventeen", "x"]
        return
    with pytest.raises(TableError, match=DAMAGED):
        read_table(path)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wrong", [400_000, -1, 2**31 - 1])
def test_an_arrow_file_with_a_wrong_offset_of_a_list_is_refused(tmp_path, wrong, stream):
    path = put_arrow(tmp_path / "a.arrow", LISTS, stream=stream)
    changed(path, offsets(0, 3, 4, 6, 7), offsets(0, 3, 4, 6, wrong))
    with pytest.raises(TableError, match=DAMAGED):
        read_table(path)


def test_text_that_is_no_utf8_is_refused_in_typed_files_too(tmp_path):
    for path in (
        put_arrow(tmp_path / "a.arrow", TEXTS),
        put_parquet(tmp_path / "a.parquet", TEXTS, write_statistics=False),
    ):
        path.write_bytes(path.read_bytes().replace(b"seventeen", b"seven\xff\xfeen"))
        with pytest.raises(TableError, match=DAMAGED):
            read_table(path)


def test_an_arrow_file_that_was_cut_in_its_index_is_refused(tmp_path):
    path = put_arrow(tmp_path / "a.arrow", TEXTS)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(TableError, match=DAMAGED):
        read_table(path)


def test_codes_beyond_a_dictionary_are_refused(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int32()), pa.array(["x", "y"]))
    path = put_arrow(tmp_path / "a.arrow", pa.table({"a": codes}))
    changed(path, offsets(0, 1, 0, 1), offsets(0, 1, 0, 10**6))
    with pytest.raises(TableError, match=DAMAGED):
        read_table(path)


LONG = "x" * 1000
BOMBS = {
    "a text in all rows": pa.table({"a": [LONG] * 10**5}),
    "lists of a text": pa.table({"a": [[LONG] * 100] * 1000}),
    "long lists": pa.table({"a": [[0.0] * 10**5] * 100}),
    "zeros": pa.table({"a": np.zeros(10**7)}),
    "nulls": pa.table({"a": pa.nulls(10**7), "b": pa.nulls(10**7, pa.string())}),
    "a dictionary": pa.table({"a": pa.array([LONG] * 10**5).dictionary_encode()}),
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_parquet_file_that_unpacks_to_far_more_is_refused_before_it_does(tmp_path, what):
    path = put_parquet(tmp_path / "a.parquet", BOMBS[what], compression="zstd")
    assert path.stat().st_size < 10**6
    with at_most(2 * SMALL.size), pytest.raises(TableError, match=TOO_LARGE):
        read_table(path, limits=SMALL)


def test_texts_that_repeat_the_one_before_are_counted(tmp_path):
    settings = {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}, "compression": "zstd"}
    path = put_parquet(tmp_path / "a.parquet", BOMBS["a text in all rows"], **settings)
    with at_most(3 * SMALL.size), pytest.raises(TableError, match=TOO_LARGE):
        read_table(path, limits=SMALL)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("what", BOMBS)
def test_an_arrow_file_that_unpacks_to_far_more_is_refused_before_it_does(tmp_path, what, compression):
    path = put_arrow(tmp_path / "a.arrow", BOMBS[what], compression)
    assert path.stat().st_size < 10**6
    with at_most(2 * SMALL.size), pytest.raises(TableError, match=TOO_LARGE):
        read_table(path, limits=SMALL)


def test_views_of_one_text_are_counted(tmp_path):
    views = pa.array([LONG] * 10**5, pa.string_view())
    view = np.frombuffer(views.buffers()[1], np.int32).reshape(-1, 4).copy()
    view[:] = view[0]
    buffers = [None, pa.py_buffer(view), views.buffers()[2].slice(0, 1000)]
    shared = pa.Array.from_buffers(pa.string_view(), len(views), buffers)
    shared.validate(full=True)
    path = put_arrow(tmp_path / "a.arrow", pa.table({"a": shared}))
    with at_most(2 * SMALL.size), pytest.raises(TableError, match=TOO_LARGE):
        read_table(path, limits=SMALL)


def test_values_that_may_overlap_are_refused_by_their_type(tmp_path):
    array = pa.array([[1], [2, 3]], pa.list_view(pa.int64()))
    path = put_arrow(tmp_path / "a.arrow", pa.table({"a": array}))
    with pytest.raises(
        TableError, match=r"has values of type list_view<.*>, which cannot be read; leave the column out"
    ):
        read_table(path)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_every_type_that_people_have_is_read_from_both_formats(tmp_path, compression):
    texts = ["a", None, "é", "a"]
    table = pa.table(
        {
            "text": texts,
            "large": pa.array(texts, pa.large_string()),
            "coded": pa.array(texts).dictionary_encode(),
            "small codes": pa.array(texts).cast(pa.dictionary(pa.int8(), pa.large_string())),
            "bytes": pa.array([b"\xff", b"", None, b"x"]),
            "lists": [["a", "b"], [], None, [None]],
            "numbers": [[1.5], [], None, [None]],
            "fixed": pa.array([[1, 2], [3, 4], None, [5, 6]], pa.list_(pa.int64(), 2)),
            "records": [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}, {"x": 2, "y": None}],
            "map": pa.array([[("k", 1)], [], None, [("l", 2)]], pa.map_(pa.string(), pa.int64())),
            "decimal": pa.array([1, 2, None, 3], pa.decimal128(10, 2)),
            "truth": [True, None, False, True],
            "time": pa.array([0, 1, None, 2], pa.timestamp("us", "UTC")),
            "none": pa.nulls(4),
        }
    )
    arrow = put_arrow(tmp_path / "a.arrow", table, compression)
    assert read_table(arrow).equals(table)
    views = table.append_column("view", pa.array(texts, pa.string_view()))
    assert read_table(put_arrow(tmp_path / "b.arrow", views, compression, stream=True)).equals(views)
    if int(pa.__version__.split(".")[0]) < 26:  # which cannot read missing lists of a fixed length from Parquet
        whole = pa.array([[1, 2], [3, 4], [5, 6], [7, 8]], pa.list_(pa.int64(), 2))
        table = table.set_column(table.schema.get_field_index("fixed"), "fixed", whole)
    parquet = put_parquet(tmp_path / "a.parquet", table, row_group_size=2)
    assert read_table(parquet).to_pydict() == pq.read_table(parquet).to_pydict()
    assert read_table(parquet).schema.equals(pq.read_table(parquet).schema, check_metadata=True)


@pytest.mark.parametrize("table", [pa.table({"name": [1]}), pa.table({"a": [{"name": 1}]})])
@pytest.mark.parametrize("put", [put_arrow, put_parquet])
def test_names_that_are_no_utf8_are_refused(tmp_path, table, put):
    path = put(tmp_path / f"a.{put.__name__[4:]}", table, **({"store_schema": False} if put is put_parquet else {}))
    path.write_bytes(path.read_bytes().replace(b"name", b"n\xffme"))
    with pytest.raises(TableError, match=DAMAGED):
        read_table(path)


def test_a_header_of_arrow_that_points_beyond_itself_is_refused(tmp_path):
    path = put_arrow(tmp_path / "a.arrow", TEXTS, stream=True)
    content = bytearray(path.read_bytes())
    for where in range(8, 200):
        changed = content.copy()
        changed[where] = 0xF7
        path.write_bytes(changed)
        try:
            read_table(path)
        except TableError as error:
            assert "a.arrow" in str(error)  # noqa: PT017


def test_a_parquet_file_whose_index_hides_the_size_of_its_pages_is_refused(tmp_path):
    number = 10**7
    lists = pa.ListArray.from_arrays([0, number], pa.array(np.zeros(number)))
    settings = {"compression": "zstd", "write_statistics": False, "data_page_size": 2**30, "write_batch_size": number}
    path = put_parquet(tmp_path / "a.parquet", pa.table({"a": lists}), **settings)
    content = path.read_bytes()
    index = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    varint = bytes([2 * number >> shift & 127 | (128 if shift < 21 else 0) for shift in (0, 7, 14, 21)])
    one = b"\x82\x80\x80\x00"
    assert varint in content[index:]
    path.write_bytes(content[:index] + content[index:].replace(varint, one))
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).num_values == 1
    with at_most(2 * SMALL.size), pytest.raises(TableError, match=TOO_LARGE):
        read_table(path, limits=SMALL)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pages_are_counted_as_they_are(tmp_path, version, dictionary):
    table = pa.table({"a": np.arange(10**5) % 1000, "b": ["x" * (i % 300) for i in range(10**5)]})
    settings = {"use_dictionary": dictionary, "data_page_version": version, "data_page_size": 10**4}
    path = put_parquet(tmp_path / "a.parquet", table, row_group_size=30_000, **settings)
    meta = pq.ParquetFile(path).metadata
    with path.open("rb") as file:
        groups = read_index(file)
        assert len(groups) == meta.num_row_groups == 4
        for group, chunks in enumerate(groups):
            for column, chunk in enumerate(chunks):
                known = meta.row_group(group).column(column)
                assert (chunk.n_rows, chunk.n_values) == (meta.row_group(group).num_rows, known.num_values)
                values, size = count_pages(file, chunk)
                assert values == known.num_values + ((1000, 300)[column] if dictionary else 0)
                assert 0.9 * known.total_uncompressed_size <= size <= known.total_uncompressed_size


def test_a_page_whose_size_is_no_number_is_refused(tmp_path):
    header = bytes([0x2C, 0x00, 0x00])  # the second field, a structure without fields
    chunk = Chunk(n_rows=10, n_values=10, start=0, size=100)
    with pytest.raises(ValueError, match="a page without a size"):
        count_pages(io.BytesIO(header + bytes(100)), chunk)


def test_an_index_of_parquet_that_contradicts_itself_is_refused_and_ends_no_process(tmp_path):
    """Arrow ends the process if it is asked for the size statistics of such a column."""
    path = put_parquet(tmp_path / "a.parquet", pa.table({"a": pa.array(range(1000), pa.int64())}))
    content = path.read_bytes()
    index = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    program = (
        "import sys\n"
        "from sskpca._tables import TableError, read_table\n"
        "for path in sys.argv[1:]:\n"
        "    try: read_table(path)\n"
        "    except TableError: pass\n"
    )
    paths = []
    for where in range(index, len(content) - 8):
        changed = bytearray(content)
        changed[where] ^= 1
        paths.append(tmp_path / f"{where}.parquet")
        paths[-1].write_bytes(changed)
    done = subprocess.run([sys.executable, "-c", program, *map(str, paths)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
