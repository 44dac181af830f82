"""sskpca open: a page until it is stopped."""

import http.client
import json
import os
import signal
import subprocess
import sys
from contextlib import closing

import pytest
from commands import refused, run

from sskpca._web.lock import FolderLock

PROGRAM = "from sskpca._cli import main; main()"
TOKEN = "a-token-for-the-test"


class Opened:
    """A process of `sskpca open`, and what it has printed up to the address."""

    def __init__(self, *arguments):
        command = [sys.executable, "-c", PROGRAM, *map(str, arguments), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if line.endswith("Ctrl-C stops.\n"):
                break
        address = next(line for line in self.said if line.startswith("The page: ")).split()[-1]
        self.port, self.token = int(address.split(":")[2].split("/")[0]), address.split("#token=")[1]

    def ask(self, method, path, content=None, **headers):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"X-Sskpca-Token": self.token, "Content-Type": "application/json", **headers}
        with closing(line):
            line.request(method, path, None if content is None else json.dumps(content), headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())

    def end(self):
        """Wait for its end; return its exit code and what it has said."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_labels_are_there_after_ctrl_c_and_the_last_sentence_says_where(table):
    opened = Opened("open", table, "--label", "species")
    assert "60 rows, 12 labels" in opened.said[0]
    assert len(opened.token) >= 30
    status, saved = opened.ask("POST", "/api/actions", {"do": "label", "rows": [40], "class": "fox"})
    assert (status, saved["n_given"]) == (200, 13)
    second = run("open", table, "--no-browser")
    refused(second, f"open for labelling already, by the process {opened.process.pid};")
    opened.process.send_signal(signal.SIGINT)
    code, out, err = opened.end()
    assert code == 0
    assert err == ""
    assert out == (
        f"Stopped. What was labelled here is in {table}.sskpca/journal.jsonl; open the table again to go on.\n"
    )
    again = Opened("open", table, "--token", TOKEN)
    assert again.token == TOKEN
    assert again.ask("GET", "/api/row/40")[1]["given"] == "fox"
    assert again.ask("POST", "/api/quit", {}) == (200, {})
    assert again.end()[0] == 0


def test_other_machines_may_come_in_if_the_token_is_given_twice_and_the_terminal_warns(table):
    opened = Opened("open", table, "--host", "0.0.0.0", "--token", TOKEN, "--token", TOKEN)
    assert "Warning: other machines can reach this page, and what is sent to them is not encrypted.\n" in opened.said
    own = f"10.1.2.3:{opened.port}"  # an address of this machine, as another one calls it
    assert opened.ask("GET", "/api/table", Host=own, Origin=f"http://{own}")[0] == 200
    assert opened.ask("GET", "/api/table", Host=f"evil.example:{opened.port}")[0] == 421
    assert opened.ask("GET", "/api/table", Host=own, Origin="http://evil.example")[0] == 403
    opened.token = "another-token-of-somebody"
    assert opened.ask("GET", "/api/table", Host=own)[0] == 401
    assert opened.ask("POST", "/api/quit", {}, Host=own)[0] == 401
    opened.token = TOKEN
    assert opened.ask("POST", "/api/quit", {}, Host=own)[0] == 200
    assert opened.end()[0] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_label_for_which_there_is_no_room_is_a_sentence_and_is_not_there_afterwards(table):
    import resource

    opened = Opened("open", table, "--token", TOKEN)
    journal = table.parent / f"{table.name}.sskpca" / "journal.jsonl"
    assert opened.ask("POST", "/api/actions", {"do": "label", "rows": [40], "class": "fox"})[0] == 200
    before = journal.read_bytes()
    room = len(before) + 20  # for the beginning of a line
    resource.prlimit(opened.process.pid, resource.RLIMIT_FSIZE, (room, room))
    status, answer = opened.ask("POST", "/api/actions", {"do": "label", "rows": [41], "class": "fox"})
    assert status == 507
    assert answer["error"].startswith("this was not saved, and does not count: ")
    assert opened.ask("GET", "/api/row/41")[1]["given"] is None
    assert journal.read_bytes() == before
    assert opened.ask("POST", "/api/quit", {})[0] == 200
    assert opened.end()[0] == 0
    again = Opened("open", table, "--token", TOKEN)
    assert [again.ask("GET", f"/api/row/{row}")[1]["given"] for row in (40, 41)] == ["fox", None]
    again.ask("POST", "/api/quit", {})
    assert again.end()[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "open to other machines"),
        (["--host", "0.0.0.0", "--token", TOKEN], "give the same token twice"),
        (["--host", "0.0.0.0", "--token", TOKEN, "--token", TOKEN + "x"], "give the same token twice"),
        (["--token", "short"], "16 plain characters or more"),
        (["--pixels", "large"], "give width and height"),
        (["--pixels", "3x3"], "9 pixels, but the table has 2 columns"),
        (["--port", "99999999"], "cannot be used"),
        (["--label", "speces"], 'did you mean "species"'),
        (["--picture", "photo"], 'no column "photo"'),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_leaves_no_lock(table, arguments, words):
    refused(run("open", table, "--no-browser", *arguments), words)
    assert (
        not (table.parent / f"{table.name}.sskpca" / "lock").exists()
        or FolderLock(table.parent / f"{table.name}.sskpca").taken_by is None
    )


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    refused(run("open", tmp_path / "nothing.csv"), "nothing.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_written_is_a_sentence(table, unprivileged):
    table.parent.chmod(0o555)
    try:
        refused(run("open", table, "--no-browser"), "labels cannot be saved")
    finally:
        table.parent.chmod(0o755)


def test_without_the_extra_a_sentence_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "sskpca._web.start", raising=False)
    refused(run("open", table), 'pip install "sskpca[web]"')


def test_the_demo_shows_digits_as_pictures(tmp_path):
    opened = Opened("demo", tmp_path / "demo", "--page")
    about = opened.ask("GET", "/api/table")[1]
    assert about["n_rows"] == 1797
    assert about["picture"] == {"kind": "pixels", "column": None, "width": 8, "height": 8}
    assert [entry["name"] for entry in about["classes"]] == list("0123456789")
    opened.ask("POST", "/api/quit", {})
    assert opened.end()[0] == 0
