"""Commands on small tables, and what is wrong with what they said."""

import random
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import typer.testing

import sskpca._report.page
import sskpca._tables
from sskpca._cli.app import app

__all__ = ["CANARIES", "LIMIT", "app", "base_table", "judge", "leaks", "leave_canaries", "run_command", "small_memory"]

# Bytes of a table; what a case may take is twice that. What the canaries take at most.
LIMIT, CANARIES = 50_000_000, 20_000_000
# What other parts of the process have in memory: as text, and as numbers of eight bytes, as which it may be read.
CANARY = b"canary5c"
TRACES = (CANARY, repr(struct.unpack("<d", CANARY)[0]).encode(), str(struct.unpack("<q", CANARY)[0]).encode())
# The commands are made once, not anew for every case.
typer.testing._get_command = cache(typer.testing._get_command)


def small_memory() -> None:
    """Let a table take `LIMIT` bytes at most."""
    sskpca._tables.stream.available_memory = lambda: 4 * LIMIT


def run_command(*arguments: object) -> Any:
    return typer.testing.CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="sskpca")


def judge(result: Any, written: Path | None = None) -> str:
    """Return "exit 0", "exit 2", or "failed: ..." with what is wrong."""
    said = result.stdout + result.stderr
    if result.exit_code not in (0, 2):
        return f"failed: exit {result.exit_code}: {said[-500:]} {result.exception!r}"
    if "Traceback" in said or "a bug" in said:
        return f"failed: {said[-500:]}"
    if result.exit_code == 2:
        if result.stdout or len(result.stderr.splitlines()) != 1 or not result.stderr.startswith("sskpca: "):
            return f"failed: no sentence: {said[-500:]}"
        if written is not None and written.exists():
            return "failed: refused, but written"
    if leaks(said.encode()) or (written is not None and written.exists() and leaks(written.read_bytes())):
        return "failed: memory of the process in the output"
    return f"exit {result.exit_code}"


def leaks(content: bytes) -> bool:
    """Return whether there is something in it that was in memory only."""
    return any(trace in content for trace in TRACES)


def leave_canaries() -> list[list[pa.Buffer]]:
    """Surround memory that Arrow will give to a file with text that can be recognised, while it is held.

    An allocator serves each size from places side by side. So there are canaries of every size, and every second one is
    given back: what a file is read into has a canary behind it.
    """
    held = []
    for size in range(64, 2**14 + 1, 64):
        some = [_canary(size) for _ in range(max(2**16 // size, 6))]
        held.append(some[::2])
    return held


def _canary(size: int) -> pa.Buffer:
    buffer = pa.allocate_buffer(size)
    np.frombuffer(buffer, np.int64)[:] = struct.unpack("<q", CANARY)[0]
    return buffer


def base_table(kind: random.Random) -> pa.Table:
    """Draw a table that can be labelled, with columns of many types."""
    rng = np.random.default_rng(kind.randrange(2**32))
    n = kind.choice([12, 30])
    group = rng.integers(0, 2, n)
    group[:2] = 0, 1
    x = rng.standard_normal((n, 3)) + 3.0 * group[:, None]
    texts = [f"text {value}" for value in rng.integers(0, 5, n)]
    columns = {
        "x": x[:, 0].round(3).tolist(),
        "y": x[:, 1].round(3).tolist(),
        "kind": np.array(["red", "green"])[rng.integers(0, 2, n)].tolist(),
        "note": texts,
        "whole": rng.integers(-5, 5, n).tolist(),
        "gaps": [None if i % 4 == 0 else float(value) for i, value in enumerate(x[:, 2].round(3))],
        "label": [("cat", "dog")[k] if i < n // 2 else "" for i, k in enumerate(group)],
    }
    more = {
        "vector": x.round(2).tolist(),
        "names": [[text, "b"] for text in texts],
        "record": [{"a": int(k), "b": text} for k, text in zip(group, texts, strict=True)],
        "truth": (group > 0).tolist(),
        "coded": pa.array(texts).dictionary_encode(),
        "time": pa.array(np.arange(n), pa.timestamp("s")),
        "none": pa.nulls(n),
    }
    chosen = {name: more[name] for name in kind.sample(sorted(more), kind.randrange(len(more)))}
    return pa.table({**columns, **chosen})
