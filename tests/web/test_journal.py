"""The journal: what was acknowledged is there, whatever happens."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from sskpca._web.journal import Journal, JournalError, fingerprint, folder_of

TABLE = pa.table({"size": [1.5, 2.5, None], "name": ["a", "b", "c"], "species": ["cat", None, None]})
MARK = fingerprint(TABLE, "species")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text("size,name,species\n1.5,a,cat\n2.5,b,\n,c,\n")
    return path


def opened(table, mark=MARK, label="species", n_rows=3):
    return Journal.open(table, mark, label, n_rows)


def contents(journal):
    return [{key: value for key, value in entry.items() if key != "time"} for entry in journal.entries]


def test_entries_come_back_in_their_order_and_numbered(table):
    journal = opened(table)
    assert [journal.append({"do": "label", "rows": [i], "class": "é\n"}) for i in range(3)] == [1, 2, 3]
    journal.close()
    again = opened(table)
    assert contents(again) == [{"entry": i + 1, "do": "label", "rows": [i], "class": "é\n"} for i in range(3)]
    assert again.append({"do": "undo"}) == 4
    again.close()


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_that_was_cut_off_is_removed_and_the_next_takes_its_place(table, cut):
    journal = opened(table)
    journal.append({"do": "undo"})
    whole = journal.path.read_bytes()
    journal.append({"do": "redo"})
    journal.close()
    journal.path.write_bytes(journal.path.read_bytes()[:-cut])
    again = opened(table)
    assert contents(again) == [{"entry": 1, "do": "undo"}]
    assert again.path.read_bytes() == whole
    assert again.append({"do": "skip"}) == 2
    again.close()


def test_a_last_line_of_zeros_is_removed(table):
    journal = opened(table)
    journal.append({"do": "undo"})
    journal.close()
    journal.path.write_bytes(journal.path.read_bytes() + b"\0" * 50 + b"\n")
    again = opened(table)
    assert contents(again) == [{"entry": 1, "do": "undo"}]
    again.close()


def test_a_damaged_line_in_the_middle_is_refused_by_its_number_and_left_alone(table):
    journal = opened(table)
    for _ in range(3):
        journal.append({"do": "undo"})
    journal.close()
    lines = journal.path.read_bytes().split(b"\n")
    lines[2] = b"{"
    damaged = b"\n".join(lines)
    journal.path.write_bytes(damaged)
    with pytest.raises(JournalError, match=r"line 3 of .* is damaged; put back a copy"):
        opened(table)
    assert journal.path.read_bytes() == damaged


def test_another_table_is_refused_with_the_way_out(table):
    opened(table).close()
    with pytest.raises(JournalError, match=r"animals.csv has changed .*3 rows then, 4 now.*move the folder"):
        opened(table, mark="other", n_rows=4)


def test_another_column_of_labels_is_refused_with_its_name(table):
    opened(table).close()
    with pytest.raises(JournalError, match=r'labels of the column "species".*label="species"'):
        opened(table, label="colour")


def test_something_that_is_no_journal_is_refused_and_left_alone(table):
    folder_of(table).mkdir()
    (folder_of(table) / "journal.jsonl").write_text('{"a": 1}\n{"b": 2}\n')
    with pytest.raises(JournalError, match="no journal"):
        opened(table)
    assert (folder_of(table) / "journal.jsonl").read_text() == '{"a": 1}\n{"b": 2}\n'


def test_a_second_process_is_refused_with_the_number_of_the_first(table):
    program = (
        "import sys\n"
        "from sskpca._web.journal import Journal\n"
        "journal = Journal.open(sys.argv[1], sys.argv[2], 'species', 3)\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(table), MARK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(JournalError, match=rf"open for labelling already, by the process {other.pid};"):
            opened(table)
        other.kill()
    opened(table).close()  # the system has let go of it


def test_two_in_one_process_are_refused_as_well(table):
    journal = opened(table)
    with pytest.raises(JournalError, match=f"process {os.getpid()}"):
        opened(table)
    journal.close()


def test_a_full_disk_acknowledges_nothing_and_leaves_whole_lines(table, monkeypatch):
    journal = opened(table)
    journal.append({"do": "undo"})
    before, write = journal.path.read_bytes(), os.write

    def half(file, content):
        if len(content) > 10:
            return write(file, content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(JournalError, match="not saved, and does not count: No space left on device"):
        journal.append({"do": "label", "rows": [1], "class": "cat"})
    assert journal.path.read_bytes() == before
    monkeypatch.setattr(os, "write", write)
    assert journal.append({"do": "redo"}) == 2
    journal.close()
    assert [entry["do"] for entry in opened(table).entries] == ["undo", "redo"]


def test_nothing_is_acknowledged_that_did_not_reach_the_disk(table, monkeypatch):
    journal = opened(table)
    sync = os.fsync

    def failing(file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(JournalError, match="Input/output error"):
        journal.append({"do": "undo"})
    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(JournalError, match="cannot be written any more"):  # what is on the disk is not known
        journal.append({"do": "undo"})
    journal.close()
    again = opened(table)
    assert again.entries == []
    again.close()


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_limit_of_the_system_on_the_size_of_files_is_a_sentence(table):
    program = (
        "import resource, sys\n"
        "from sskpca._web.journal import Journal, JournalError\n"
        "journal = Journal.open(sys.argv[1], sys.argv[2], 'species', 3)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "number = 0\n"
        "try:\n"
        "    while True:\n"
        "        number = journal.append({'do': 'label', 'rows': [1], 'class': 'cat'})\n"
        "except JournalError as error:\n"
        "    print(number, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(table), MARK], capture_output=True, text=True, check=True)
    number, sentence = done.stdout.split(" ", 1)
    assert "not saved" in sentence
    assert "File too large" in sentence
    again = opened(table)
    assert len(again.entries) == int(number) > 0
    again.close()


def test_a_folder_that_may_not_be_written_is_a_sentence(table, unprivileged):
    table.parent.chmod(0o555)
    try:
        with pytest.raises(JournalError, match=r"labels cannot be saved in .*Permission denied; move the table"):
            opened(table)
    finally:
        table.parent.chmod(0o755)
    assert not folder_of(table).exists()


def test_a_journal_that_was_removed_meanwhile_takes_no_more_labels(table):
    journal = opened(table)
    journal.path.unlink()
    with pytest.raises(JournalError, match="removed or replaced"):
        journal.append({"do": "undo"})
    journal.close()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [1, 7, 40])
def test_what_was_acknowledged_before_a_kill_is_there_after_it(table, number):
    program = (
        "import sys\n"
        "from sskpca._web.journal import Journal\n"
        "journal = Journal.open(sys.argv[1], sys.argv[2], 'species', 3)\n"
        "while True:\n"
        "    print(journal.append({'do': 'label', 'rows': [1], 'class': 'cat'}), flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(table), MARK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        for _ in range(number):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = [int(line) for line in writer.stdout if line.endswith("\n")]
    last = max([number, *acknowledged])
    again = opened(table)
    assert last <= len(again.entries) <= last + 1  # one may have been written whose writer could not say so any more
    again.close()


def test_the_fingerprint_is_of_the_cells_and_not_of_the_labels_or_of_results():
    labels = TABLE.set_column(2, "species", pa.array(["dog", "cat", "cat"]))
    results = TABLE.append_column("sskpca_label", pa.array(["cat"] * 3))
    pieces = pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)])
    for same in (labels, results, pieces):
        assert fingerprint(same, "species") == MARK
    for other in (
        TABLE.slice(0, 2),
        TABLE.take([1, 0, 2]),
        TABLE.rename_columns(["length", "name", "species"]),
        TABLE.set_column(1, "name", pa.array(["ab", "", "c"])),
        TABLE.set_column(0, "size", pa.array([1.5, 2.5, 0.0])),
    ):
        assert fingerprint(other, "species") != MARK


def test_every_line_is_json_that_says_when(table):
    journal = opened(table)
    journal.append({"do": "label", "rows": [2], "class": 'a "b"\n'})
    journal.close()
    head, entry = map(json.loads, Path(journal.path).read_text().splitlines())
    assert head["table"] == "animals.csv"
    assert head["fingerprint"] == MARK
    assert entry["class"] == 'a "b"\n'
    assert entry["time"].endswith("+00:00")


FOREIGN = {
    "another file": b"dear diary,\nyesterday",
    "a word": b"secret",
    "another file of JSON": b'{"a": 1}\n{"b": 2',
    "brackets": b"[" * 200_000 + b"\n",
    "a journal of other rows": b'{"journal":1,"label_column":"species","fingerprint":"x","rows":[]}\n{"cut',
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_journal_of_the_table_is_refused_and_not_touched(table, content):
    folder_of(table).mkdir()
    path = folder_of(table) / "journal.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="move the folder"):
        opened(table)
    assert path.read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="a system without such links")
def test_a_journal_that_is_a_link_is_refused_and_what_it_leads_to_not_touched(table, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("mine\nall mine")
    folder_of(table).mkdir()
    (folder_of(table) / "journal.jsonl").symlink_to(other)
    with pytest.raises(JournalError, match="cannot be saved"):
        opened(table)
    assert other.read_text() == "mine\nall mine"
