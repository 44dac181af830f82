"""Damaged tables in every format: each is read, or refused with one sentence.

    python benchmarks/fuzz/tables.py [--cases 10000] [--summary] [--case NUMBER]

A table that can be labelled is written in a format, some of its bytes are changed, and ``sskpca check`` gets it. What
can be read must come back from another format, and every 25th is labelled. A case fails if the exit code is neither 0
nor 2, if there is a traceback or no single sentence, if the process crashes, if it takes more than twice the limit of
memory, or if text that other parts of the process have left in memory is in the output.
"""

import gzip
import io
import random
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from shared.commands import CANARIES, LIMIT, base_table, judge, leaks, leave_canaries, run_command, small_memory
from shared.counting import Outcome, count_cases
from shared.forked import in_children
from shared.mutations import mutate_bytes

from sskpca._tables import TableError, read_table, write_table
from sskpca._tables.workbooks import put_workbook
from sskpca._tables.writing import put_table

NAMES = ("a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.arrow", "a.csv.gz", "a.jsonl.gz", "a.json", "a.xlsx")
LABELLED = 25


def written(table: pa.Table, name: str, rng: random.Random) -> bytes:
    """Write a table in a format, with some of its options."""
    file = io.BytesIO()
    if name == "a.parquet":
        settings = {
            "compression": rng.choice(["none", "snappy", "zstd", "gzip", "lz4"]),
            "row_group_size": rng.choice([7, 99]),
        }
        settings |= {"use_dictionary": rng.random() < 0.5, "data_page_version": rng.choice(["1.0", "2.0"])}
        pq.write_table(table, file, **settings)
    elif name == "a.arrow":
        options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, None, "zstd", "lz4"]))
        new = rng.choice([pa.ipc.new_file, pa.ipc.new_stream])
        with new(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=rng.choice([7, 99]))
    elif name == "a.xlsx":
        put_workbook(table.select([field.name for field in table.schema if not pa.types.is_nested(field.type)]), file)
    else:
        kind = name.split(".")[1]
        put_table(table, file, kind, False, "\t" if kind == "tsv" else ",")
    return file.getvalue()


def repacked(book: bytes, rng: random.Random) -> bytes:
    """Change the content of some parts of a workbook, which is a zip: every part is whole, and has its checksum."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            often = 0.7 if "sheet1" in name else 0.1
            new.writestr(name, mutate_bytes(old.read(name), rng) if rng.random() < often else old.read(name))
    return file.getvalue()


def damaged(number: int) -> tuple[str, bytes]:
    """Return the name and the content of the file of a case."""
    rng = random.Random(f"tables {number}")
    name = NAMES[number % len(NAMES)]
    content = written(base_table(rng), name, rng)
    if name == "a.xlsx" and rng.random() < 0.7:
        return name, repacked(content, rng)
    if not name.endswith(".gz"):
        return name, mutate_bytes(content, rng)
    if rng.random() < 0.5:
        return name, gzip.compress(mutate_bytes(content, rng))
    return name, mutate_bytes(gzip.compress(content), rng)


def case(number: int) -> str:
    name, content = damaged(number)
    small_memory()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        held = leave_canaries()
        found = judge(run_command("check", path))
        if not found.startswith("failed"):
            found = returned(path, Path(folder), number) or found
        if found == "exit 0" and number // len(NAMES) % LABELLED == 0:
            out = path.with_name("out." + name.split(".")[1])
            found = judge(run_command("label", path, "-o", out, "--method", "ls"), out)
    del held
    return found


def returned(path: Path, folder: Path, number: int) -> str:
    """Write what can be read in another format, and read it again; return what is wrong."""
    try:
        table = read_table(path)
        other = folder / ("back" + (".parquet", ".arrow", ".jsonl", ".csv")[number // len(NAMES) % 4])
        write_table(table, other)
    except TableError:
        return ""
    if leaks(other.read_bytes()):
        return "failed: memory of the process in what was written"
    try:
        again = read_table(other)
    except TableError as error:
        return f"failed: what was written cannot be read: {error}" if other.suffix != ".csv" else ""
    if other.suffix == ".arrow" and not _same(again, table):
        return "failed: what was written is not what was read"
    return "" if again.num_rows == table.num_rows else "failed: another number of rows"


def _same(one: pa.Table, other: pa.Table) -> bool:
    return one.equals(other) or str(one.to_pydict()) == str(other.to_pydict())  # NaN is not NaN


def load_everything() -> None:
    """Run commands on a table that is whole: what they import is no memory of a case."""
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            path, rng = Path(folder) / name, random.Random(0)
            content = written(base_table(rng), name, rng)
            path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
            assert judge(run_command("check", path)) == "exit 0"
        assert judge(run_command("label", path, "-o", path.with_name("out.csv"), "--method", "ls")) == "exit 0"


def outcomes(numbers: Iterable[int]) -> Iterator[Outcome]:
    load_everything()
    return in_children(case, numbers, 2 * LIMIT + CANARIES)


def main() -> None:
    count_cases("tables", outcomes, 10_000, "largest memory of a case in bytes")


if __name__ == "__main__":
    main()
