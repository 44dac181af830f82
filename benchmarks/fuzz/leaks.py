"""Arrow files whose texts and lists end behind the end of the file: nothing that lies there is read.

    python benchmarks/fuzz/leaks.py [--cases 2000] [--summary] [--case NUMBER]
    python benchmarks/fuzz/leaks.py --unvalidated         # 200 cases without validation: it is seen that it leaks

One offset of the last column is raised, so that its last cell goes on into memory of other parts of the process, where
there is text that can be recognised. ``sskpca check`` and ``sskpca label`` get the file, and it is read and written
again. A case fails as those of tables.py do.
"""

import io
import random
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
from shared.commands import CANARIES, LIMIT, base_table, judge, leaks, leave_canaries, run_command, small_memory
from shared.counting import Outcome, count_cases
from shared.forked import in_children

from sskpca._tables import TableError, read_table, typed_tables, write_table

LAST = ("text", "bytes", "floats", "integers")
# How far a cell reaches beyond the end, in values.
BEYOND = (8, 40, 200, 1000)
UNVALIDATED = 200


def overlong(number: int) -> bytes:
    """Return an Arrow file whose last cell is longer than what there is."""
    rng = random.Random(f"leaks {number}")
    table, kind = base_table(rng), LAST[number % len(LAST)]
    n = table.num_rows
    if kind in ("text", "bytes"):
        last = pa.array([f"{i % 3} tail" for i in range(n)], pa.string() if kind == "text" else pa.binary())
    else:
        values = [[1.5 * i, 2.5] if kind == "floats" else [i, 2**40] for i in range(n)]
        last = pa.array(values, pa.list_(pa.float64() if kind == "floats" else pa.int64()))
    table = table.append_column("last", last)
    file = io.BytesIO()
    with rng.choice([pa.ipc.new_file, pa.ipc.new_stream])(file, table.schema) as writer:
        writer.write_table(table)
    content = bytearray(file.getvalue())
    offsets = last.buffers()[1].to_pybytes()[: 4 * (n + 1)]
    place = bytes(content).rindex(offsets) + 4 * n
    end = struct.unpack_from("<i", content, place)[0]
    struct.pack_into("<i", content, place, end + rng.choice(BEYOND))
    return bytes(content)


def case(number: int) -> str:
    content = overlong(number)
    small_memory()
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "a.arrow", Path(folder) / ("out" + (".jsonl", ".arrow")[number // len(LAST) % 2])
        path.write_bytes(content)
        held = leave_canaries()
        found = judge(run_command("check", path))
        try:
            write_table(read_table(path), out)
        except TableError:
            return found
        finally:
            del held
        return "failed: memory of the process in what was written" if leaks(out.read_bytes()) else found


def outcomes(numbers: Iterable[int]) -> Iterator[Outcome]:
    return in_children(case, numbers, 2 * LIMIT + CANARIES)


def unvalidated(numbers: Iterable[int]) -> Counter[str]:
    """Count what comes out if files are not validated."""

    def as_they_are(batch: pa.RecordBatch, counter: object) -> pa.RecordBatch:
        return batch

    before, typed_tables._validated = typed_tables._validated, as_they_are
    try:
        return Counter(" ".join(outcome.splitlines()[:1])[:60] for _, outcome, *_ in outcomes(numbers))
    finally:
        typed_tables._validated = before


def main() -> None:
    if "--unvalidated" in sys.argv:
        for outcome, times in unvalidated(range(UNVALIDATED)).most_common():
            print(f"{times:4} {outcome}")
        return
    count_cases("leaks", outcomes, 2_000, "largest memory of a case in bytes")


if __name__ == "__main__":
    main()
