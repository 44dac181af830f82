"""Damaged and crafted model files: each predicts something, or is refused with one sentence.

    python benchmarks/fuzz/model_files.py [--cases 5000] [--summary] [--case NUMBER]

A third has changed bytes, as storage and networks do it. The others are crafted: an archive with right check sums in
which descriptions, headers of arrays or their numbers are changed. ``sskpca predict`` gets each; a case fails as
in tables.py.
"""

import io
import json
import random
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tokenize import TokenError
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from shared.commands import LIMIT, base_table, judge, leave_canaries, run_command, small_memory
from shared.counting import Outcome, count_cases
from shared.forked import in_children
from shared.mutations import NUMBERS, mutate_bytes

from sskpca._selection import portfolio
from sskpca._tables import Options, label_table, write_table
from sskpca.kernels import Cosine, Diffusion, Gaussian, Linear
from sskpca.saving._model_file import put_model

METHODS = ("ls", "auto", "lr", "mv", "sgt", "text", "landmarks")
VALUES = (None, True, 0, -1, 1e308, "", "x", [], {}, {"float": "nan"}, {"float": "-inf"}, {"tuple": []}, {"array": 0})
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|b1", "<U3", "|S2", "<M8[s]", ">f8", "<c16", "|O", "|V4", "<U99999999")


@cache
def model(method: str) -> bytes:
    """Fit a model to a small table, and return its file."""
    table = base_table(random.Random(method))
    if method == "text":
        table = table.append_column(
            "words", pa.array([f"some words {i % 3} more{i % 2}" for i in range(table.num_rows)])
        )
    special = {"text": {"text": ("words",)}, "landmarks": {"landmarks": 8}}
    options = Options(**special.get(method, {"method": method}))
    few = [Gaussian(), Linear(), *([] if method == "text" else [Cosine(), Diffusion(3)])]
    with patch.object(portfolio, "default_kernels", lambda *_: few):
        found, fitted, features = label_table(table, options)
    kept = {**features.to_dict(), "label_column": found.label_column, "least_confidence": 0.75}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        put_model(path, fitted, kept, full=method not in ("landmarks", "mv", "sgt"))  # both kinds of files
        return path.read_bytes()


def crafted(content: bytes, rng: random.Random) -> bytes:
    """Change what the archive holds, and write it with right check sums."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice([1, 1, 2, 4])):
        name = rng.choice(sorted(members)[:-1])
        match rng.randrange(8):
            case 0 | 1 | 2 | 3:
                members["model.json"] = described(members["model.json"], rng)
            case 4:
                members[name] = with_header(members[name], rng)
            case 5:
                members[name] = with_numbers(members[name], rng)
            case 6:
                members[name] = mutate_bytes(members[name], rng)
            case _:
                other = rng.choice(sorted(members)[:-1])
                members[name], members[other] = members[other], members[name]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    made = file.getvalue()
    # Now and then what the index of the archive says about itself.
    return mutate_bytes(made[-300:], rng).join([made[:-300], b""]) if rng.random() < 0.1 else made


def described(text: bytes, rng: random.Random) -> bytes:
    """Change one place in the description."""
    try:
        description = json.loads(text)
    except ValueError:
        return text
    places = list(_places(description))
    if not places:
        return text
    owner, key = rng.choice(places)
    match rng.randrange(6):
        case 0:
            del owner[key]
        case 1:
            owner[key] = rng.choice(VALUES)
        case 2:
            owner[key] = rng.choice(NUMBERS)
        case 3 if isinstance(owner[key], int | float):
            owner[key] = owner[key] + rng.choice([-1, 1, 1000, 0.5])
        case _:
            other, place = rng.choice(places)
            owner[key] = other[place]
    try:
        return json.dumps(description).encode()
    except (ValueError, RecursionError):  # a part of itself
        return text


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def with_header(part: bytes, rng: random.Random) -> bytes:
    """Give an array another shape or type that fits its bytes, or does not."""
    try:
        array = np.load(io.BytesIO(part))
    except (ValueError, EOFError, SyntaxError, TokenError):
        return part
    size = array.size * array.itemsize
    dtype = rng.choice([array.dtype.str, *DTYPES])
    width = max(np.dtype(dtype).itemsize, 1)
    number = size // width
    shape = rng.choice(
        [(number,), (number, 1), (1, number), (0, 2**40), (-1,), (2**62, 4), (), tuple(reversed(array.shape))]
    )
    header = repr({"descr": dtype, "fortran_order": rng.random() < 0.3, "shape": shape})
    if rng.random() < 0.1:
        header = rng.choice(["[" * 30_000, "{" * 100, "()" * 999, "-" * 30_000 + "1", "{'descr': " + "(" * 200])
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.tobytes()


def with_numbers(part: bytes, rng: random.Random) -> bytes:
    """Change some entries of an array."""
    try:
        array = np.load(io.BytesIO(part)).copy()
    except (ValueError, EOFError, SyntaxError, TokenError):
        return part
    if array.size == 0 or array.dtype.kind not in "fiu":
        return part
    places = rng.sample(range(array.size), rng.choice([1, min(3, array.size), array.size]))
    with np.errstate(all="ignore"):
        value = (
            rng.choice([np.nan, np.inf, -1, 0, 1e300, -1e300, 10**6])
            if array.dtype.kind == "f"
            else rng.choice(NUMBERS)
        )
        array.reshape(-1)[places] = np.array([value]).astype(array.dtype)[0]
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def case(number: int) -> str:
    rng = random.Random(f"model files {number}")
    method = METHODS[number % len(METHODS)]
    content = mutate_bytes(model(method), rng) if number // len(METHODS) % 3 == 0 else crafted(model(method), rng)
    small_memory()
    with tempfile.TemporaryDirectory() as folder:
        path, new, out = (Path(folder) / name for name in ("m.sskpca", "new.csv", "out.csv"))
        path.write_bytes(content)
        table = base_table(random.Random(method))
        if method == "text":
            table = table.append_column("words", pa.array(["some words 1"] * table.num_rows))
        write_table(table, new)
        leave_canaries()
        return judge(run_command("predict", path, new, "-o", out), out)


def outcomes(numbers: Iterable[int]) -> Iterator[Outcome]:
    for method in METHODS:  # once, before there are children
        model(method)
    return in_children(case, numbers, 2 * LIMIT)


def main() -> None:
    count_cases("model_files", outcomes, 5_000, "largest memory of a case in bytes")


if __name__ == "__main__":
    main()
