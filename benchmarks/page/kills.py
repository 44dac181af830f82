"""kill -9 while somebody labels: what was acknowledged is there after a restart, and nothing else.

    python benchmarks/page/kills.py            # 50 kills, some minutes; writes benchmarks/page/results/kills.csv
    python benchmarks/page/kills.py --kills 3

A script labels a table over HTTP as fast as the server of `sskpca open` acknowledges; after a random time the server is
killed. The next one opens the same table, and the labels that it has are compared with those that were acknowledged:
labels that are not there are lost, others that nobody asked for are invented. One action was under way when the server
was killed: it may be there or not, and the file says how often it was.
"""

import argparse
import csv
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from sskpca._web.session import Action, ActionError, Session

RESULTS = Path(__file__).parent / "results" / "kills.csv"
TOKEN = "token-of-the-benchmark"
N_ROWS, CLASSES = 300, ("cat", "dog", "fox")
# Seconds between the first action and the kill.
SOONEST, LATEST = 0.02, 1.5
HEADERS = {"X-Sskpca-Token": TOKEN, "Content-Type": "application/json"}


class Server:
    """A process of `sskpca open`."""

    def __init__(self, table):
        program = "from sskpca._cli import main; main()"
        command = [sys.executable, "-c", program, "open", str(table), "--no-browser", "--token", TOKEN, "--jobs", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("The page: "):
                self.port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
                return
        raise SystemExit("the server did not start")

    def kill(self):
        """End it, whatever it is doing."""
        os.kill(self.process.pid, signal.SIGKILL)

    def wait(self):
        """Wait for its end."""
        self.process.stdout.close()
        self.process.wait()

    def labels(self):
        """Ask for all labels."""
        line = http.client.HTTPConnection("127.0.0.1", self.port)
        line.request("GET", f"/api/rows?list=labeled&limit={N_ROWS}", headers=HEADERS)
        rows = json.loads(line.getresponse().read())["rows"]
        line.close()
        return {row["row"]: row["given"] for row in rows}


def write_table(path):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, N_ROWS)
    values = rng.normal(3.0 * kind[:, None] * [1, -1, 0.5], size=(N_ROWS, 3))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["length", "weight", "age", "species"])
        writer.writerows(
            [*(f"{v:.3f}" for v in row), CLASSES[k] if i < 6 else ""]
            for i, (row, k) in enumerate(zip(values, kind, strict=True))
        )
    return {i: CLASSES[kind[i]] for i in range(6)}


def session_after(given, actions):
    session = Session(N_ROWS, CLASSES, given)
    for action in actions:
        session.apply(action)
    return session.labeled


def some_action(rng):
    rows = tuple(sorted(rng.sample(range(N_ROWS), rng.choice([1, 1, 1, 5, 40]))))
    do = rng.choice(["label"] * 6 + ["unlabel", "unsure", "undo", "redo"])
    if do in ("undo", "redo"):
        return Action(do)
    return Action(do, rows, rng.choice(CLASSES) if do == "label" else "")


def label_until_killed(server, done, rng):
    """Send actions one after the other; return the one that was not acknowledged any more."""
    line = http.client.HTTPConnection("127.0.0.1", server.port)
    while True:
        action = some_action(rng)
        try:
            line.request("POST", "/api/actions", json.dumps(action.to_dict()), HEADERS)
            answer = line.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            return action
        if answer.status == 200:
            done.append(action)
            if json.loads(content)["entry"] != len(done):
                raise SystemExit(f"entry {json.loads(content)['entry']} for action {len(done)}")
        elif answer.status != 400:  # nothing to take back
            raise SystemExit(content.decode())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=50)
    number = options.parse_args().kills
    rng, found = random.Random(0), []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "animals.csv"
        given, done = write_table(table), []
        journal = Path(folder) / "animals.csv.sskpca" / "journal.jsonl"
        server = Server(table)
        for kill in range(1, number + 1):
            after, before = rng.uniform(SOONEST, LATEST), len(done)
            timer = threading.Timer(after, server.kill)
            timer.start()
            under_way = label_until_killed(server, done, rng)
            server.wait()
            torn = not journal.read_bytes().endswith(b"\n")
            server = Server(table)
            there, expected = server.labels(), session_after(given, done)
            try:
                with_it = session_after(given, [*done, under_way])
            except ActionError:
                with_it = expected
            written = len(journal.read_bytes().splitlines()) - 1 - len(done)
            if written == 1:
                done.append(under_way)
                expected = with_it
            lost = sum(there.get(row) != name for row, name in expected.items())
            invented = sum(row not in expected for row in there)
            found.append([kill, f"{after:.3f}", len(done) - before, len(done), written, int(torn), lost, invented])
            print(*found[-1], flush=True)
        server.kill()
        server.wait()
    if number >= 50:
        with RESULTS.open("w", newline="") as file:
            file.write("# python benchmarks/page/kills.py; kill -9 while a script labels over HTTP\n")
            writer = csv.writer(file)
            head = ["kill", "after seconds", "actions", "actions in all", "one under way was written"]
            writer.writerow([*head, "line cut off", "labels lost", "labels invented"])
            writer.writerows(found)
    lost, invented = sum(line[6] for line in found), sum(line[7] for line in found)
    print(f"{number} kills, {len(done)} actions: {lost} labels lost, {invented} invented")


if __name__ == "__main__":
    main()
