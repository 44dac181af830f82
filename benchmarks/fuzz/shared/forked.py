"""Cases in children of this process: a crash, a case without end and the memory of each are seen from outside."""

import json
import os
import signal
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from shared.counting import Outcome

__all__ = ["fork", "in_children"]

# Seconds of a case; cases of a child.
LONGEST, EACH = 120, 100


def in_children(case: Callable[[int], str], numbers: Iterable[int], memory: int) -> Iterator[Outcome]:
    """Run cases.

    Parameters
    ----------
    case : callable
        From the number of a case to what came out; "failed: ..." if it failed.
    numbers : iterable of int
    memory : int
        Bytes that a case may take beyond what there was before.

    Yields
    ------
    number, outcome, bytes, failed
    """
    left = deque(numbers)
    while left:
        some = [left.popleft() for _ in range(min(EACH, len(left)))]
        reader, writer = os.pipe()
        child = fork()
        if child == 0:
            try:
                os.close(reader)
                _run(case, some, writer)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            for line in lines:
                number, outcome, size = json.loads(line)
                some.remove(number)
                if size > memory and not outcome.startswith("failed"):
                    outcome = f"failed: took {size / 1e6:.0f} MB"
                yield number, outcome, size, outcome.startswith("failed")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if some:  # the first of them has killed it
            yield some[0], f"failed: ended with {status}", 0, True
            left.extendleft(reversed(some[1:]))


def fork() -> int:
    """Fork, although Arrow has threads: they hold nothing that a child waits for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _run(case: Callable[[int], str], numbers: list[int], writer: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in numbers:
        signal.alarm(LONGEST)
        before = _memory("VmRSS")
        _forget_peak()
        try:
            outcome = case(number)
        except BaseException:
            outcome = f"failed: {traceback.format_exc()[-600:]}"
        size = max(_memory("VmHWM") - before, 0)
        os.write(writer, (json.dumps([number, outcome, size]) + "\n").encode())


def _forget_peak() -> None:
    with suppress(OSError):  # another system: then memory is not measured
        Path("/proc/self/clear_refs").write_text("5")


def _memory(name: str) -> int:
    """Read a number of bytes that the system knows of this process."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
    except (OSError, StopIteration):
        return 0
