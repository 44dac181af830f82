"""Changes of bytes: what storage, networks, other programs and attackers do to files."""

import random
import struct

__all__ = ["mutate_bytes"]

NUMBERS = (0, 1, -1, 2, 7, 127, -128, 255, 2**15, 2**16, 2**31 - 1, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63))
PIECES = (
    *(
        b"",
        b"\0",
        b"\n",
        b"\r\n",
        b'"',
        b'""',
        b",",
        b"\t",
        b"\\",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"{",
        b"}",
        b"[",
        b"]",
    ),
    *(b"1e999", b"-1e-999", b"NaN", b"inf", b"0x1F", b"9" * 40, b"null", b"\\ud800", b"\\u0000", b"[[[[[[", b"," * 99),
    *(b"[]," * 500, b"label", b"=1+1", b"A" * 5000, b"\xed\xa0\x80", b"PAR1", b"ARROW1\0\0", b"\x1f\x8b"),
)


def mutate_bytes(content: bytes, rng: random.Random) -> bytes:
    """Change a few places."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        _change(data, rng)
    return bytes(data)


def _change(data: bytearray, rng: random.Random) -> None:
    where = rng.randrange(len(data) + 1)
    if rng.random() < 0.3:  # where formats keep their sizes
        where = (
            max(len(data) - rng.randrange(1, 400), 0) if rng.random() < 0.5 else rng.randrange(min(400, len(data) + 1))
        )
    length = rng.choice([1, 2, 4, 8, rng.randrange(1, 200)])
    match rng.randrange(8):
        case 0 | 1 if where < len(data):
            data[where] ^= 1 << rng.randrange(8)
        case 2 if where < len(data):
            data[where] = rng.randrange(256)
        case 3:
            del data[where : where + length]
        case 4:
            data[where:where] = rng.choice(PIECES)
        case 5:  # a number where numbers are
            code = rng.choice(["<q", "<i", "<h"])
            size = struct.calcsize(code)
            number = rng.choice(NUMBERS) % 2 ** (8 * size)
            where -= where % rng.choice([1, size])
            data[where : where + size] = number.to_bytes(size, "little")
        case 6:
            other = rng.randrange(len(data) + 1)
            data[where : where + length] = data[other : other + length]
        case _:
            if rng.random() < 0.3:
                del data[where:]
            else:
                data[where:where] = data[where : where + length]
