"""The command as a process: signals, pipes, start-up."""

import array
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from commands import animals, as_csv, contents, read_csv, run

COMMAND = [sys.executable, "-c", "from sskpca._cli import main; main()"]
if os.name == "posix":
    import fcntl
    import termios

posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


def start(*arguments, **settings):
    # Where the tests run in the background, interrupts are ignored, and children would inherit that.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL) if os.name == "posix" else None
    return subprocess.Popen([*COMMAND, *map(str, arguments)], preexec_fn=heed, **settings)


def finished(*arguments, **settings):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, **settings)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Label a table once: the arguments, the target, what was printed, and the seconds that it took."""
    folder = tmp_path_factory.mktemp("labelled")
    (folder / "a.csv").write_text(as_csv(*animals(300, 20)[:2]))
    arguments = ("label", folder / "a.csv", "-o", folder / "out.csv", "--method", "ls", "--overwrite")
    before = time.perf_counter()
    done = finished(*arguments)
    return arguments, folder / "out.csv", done, time.perf_counter() - before


def test_no_colour_and_no_progress_where_there_is_no_terminal(labelled):
    done = labelled[2]
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert all(line[10] != " " for line in done.stdout.splitlines())
    assert len(read_csv(labelled[1])[1]) == 300


@posix
def test_killed_at_any_moment_the_target_is_the_old_or_the_whole_new_file(labelled):
    arguments, out, _, duration = labelled
    new = out.read_bytes()
    moments = random.Random(0)
    for _ in range(4):
        out.write_text("old")
        process = start(*arguments, stdout=subprocess.DEVNULL)
        time.sleep(duration * moments.uniform(0.3, 1.0))
        process.kill()
        process.wait()
        assert out.read_bytes() in (b"old", new)


@posix
def test_interrupted_it_says_so_in_a_line_and_writes_nothing(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(as_csv(*animals()[:2]))
    before = contents(tmp_path)
    # The table never ends: the command waits for it, and is interrupted there.
    reader, writer = os.pipe()
    process = start("label", "-", "-o", tmp_path / "out.csv", stdin=reader, stderr=subprocess.PIPE, text=True)
    # More than a pipe holds: when all of it is written, the command is reading.
    text = source.read_bytes() + b"A,1.5,2.5,\n" * 100_000
    while text:
        text = text[os.write(writer, text) :]
    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.01)
        fcntl.ioctl(reader, termios.FIONREAD, left)
    time.sleep(0.5)  # it has taken all there is: now it waits for more
    process.send_signal(signal.SIGINT)
    message = process.communicate(timeout=60)[1]
    os.close(reader)
    os.close(writer)
    assert process.returncode == 130
    assert message == "sskpca: stopped; nothing was written.\n"
    assert contents(tmp_path) == before


@posix
def test_a_reader_that_leaves_early_is_no_failure_to_complain_of(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(as_csv(*animals(3000, 20)[:2]))
    model = tmp_path / "m"
    small = tmp_path / "small.csv"
    small.write_text(as_csv(*animals()[:2]))
    assert run("label", small, "-o", tmp_path / "o.csv", "--method", "ls", "--save-model", model).exit_code == 0
    process = start("predict", model, source, "-o", "-", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"animal_id,")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_help_and_version_load_nothing_heavy():
    program = (
        "import sys\n"
        "from sskpca._cli.app import app\n"
        "app(['--version'], standalone_mode=False)\n"
        "app(['label', '--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'rich', 'matplotlib', 'jinja2', 'joblib'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("sskpca 0.")
    assert lines[-1] == "[]"


@pytest.mark.parametrize("arguments", [["labl"], ["label"], ["label", "a.csv", "--colour"], ["check", "a", "b"]])
def test_a_command_that_is_none_is_refused(arguments, tmp_path):
    done = finished(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def shell(line, folder):
    """Run the command in a shell that closes streams, with a table there."""
    (folder / "a.csv").write_text(as_csv(*animals()[:2]))
    script = f'sskpca() {{ {shlex.join(COMMAND)} "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder)


@posix
def test_a_reader_of_a_check_that_leaves_early_is_no_failure(tmp_path):
    done = shell("sskpca check a.csv | head -c 1; echo; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.stdout.splitlines()[-1] in ("0", "141")  # it may have been quicker than the reader
    assert done.stderr == ""
    process = start("check", tmp_path / "a.csv", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@posix
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("sskpca label a.csv -o o.csv --method ls >&-", 0, ""),
        ("sskpca label a.csv -o o.csv --method ls >&- 2>&-", 0, ""),
        ("sskpca check a.csv <&- >&-", 0, ""),
        ("sskpca check - <&-", 2, "the standard input is closed; name a file"),
        ("sskpca label a.csv -o - --method ls >&-", 2, "--out: the standard output is closed; name a file"),
        ("sskpca check a.csv > /dev/full", 2, "No space left on device"),
    ],
)
def test_closed_and_full_streams_are_no_bugs(tmp_path, line, code, words):
    done = shell(line, tmp_path)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == bool(words)
    if "o.csv" in line:
        header, rows = read_csv(tmp_path / "o.csv")
        assert header[-1] == "sskpca_label_quality"
        assert len(rows) == 60


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_while_it_writes_leaves_no_temporary_files(tmp_path, number):
    (tmp_path / "a.csv").write_text(as_csv(*animals()[:2]))
    program = (
        "import time\n"
        "from sskpca._cli import main, outputs\n"
        "def slow(table, file, *rest):\n"
        "    file.write(b'secret')\n"
        "    file.flush()\n"
        "    print('writing', flush=True)\n"
        "    time.sleep(60)\n"
        "outputs.put_table = slow\n"
        "main()\n"
    )
    arguments = ["label", "a.csv", "-o", "o.csv", "--report", "o.html", "--save-model", "m", "--method", "ls"]
    # Where the tests run under nohup, hang-ups are ignored, and children would inherit that.
    heed = partial(signal.signal, number, signal.SIG_DFL)
    command = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, preexec_fn=heed)
    assert process.stdout.readline() == b"writing\n"
    assert len(list(tmp_path.iterdir())) == 4
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    process.stdout.close()
    assert list(contents(tmp_path)) == ["a.csv"]
