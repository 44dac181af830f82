"""The demo, and the guide."""

import re
import shlex
from pathlib import Path

import pytest
from commands import contents, read_csv, refused, run, use_few_kernels

from sskpca._cli.app import app
from sskpca._cli.demo import FILES
from sskpca._tables import RESULT_COLUMNS

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Run the demo in a folder of its own, and go there: what it printed, and where."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        use_few_kernels(patch)
        patch.chdir(folder)
        result = run("demo")
        assert result.exit_code == 0, result.output
        yield result.stdout, folder


def test_the_demo_labels_the_digits_and_its_commands_can_be_pasted(shown):
    demo, tmp_path = shown
    header, rows = read_csv(tmp_path / "demo-output" / "digits.labelled.csv")
    assert len(rows) == 1797
    assert header[-8:] == list(RESULT_COLUMNS)
    assert sum(row[-7] == "given" for row in rows) == 50
    assert set(contents(tmp_path / "demo-output")) == set(FILES)
    wrong, written = map(int, re.search(r"(\d+) of the ([\d,]+) labels", demo.replace(",", "")).groups())
    assert written == sum(row[-7] == "model" for row in rows)
    assert wrong < 0.15 * written
    assert read_csv(tmp_path / "demo-output" / "new.labelled.csv")[1][-1][-1] == "true"
    pasted = [line.strip() for line in demo.splitlines() if line.startswith("  sskpca ")]
    assert len(pasted) == 3
    for line in pasted:
        result = run(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.output)


def test_the_demo_replaces_its_own_files_only(tmp_path, monkeypatch):
    (tmp_path / "digits.csv").write_text("of an earlier demo")
    (tmp_path / "mine.txt").write_text("mine")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sskpca._frames.labelled.label_table", stop)
    result = run("demo", tmp_path)
    assert result.exit_code == 130
    assert result.stderr == f"sskpca: stopped; what was done so far is in {tmp_path}.\n"
    assert result.stdout.startswith(f"note      replacing digits.csv in {tmp_path}, and nothing else.")
    assert set(contents(tmp_path)) == {"digits.csv", "new.csv", "mine.txt"}
    assert (tmp_path / "mine.txt").read_text() == "mine"
    refused(run("demo", tmp_path / "mine.txt"), "is a file; name a folder")


def test_the_commands_of_the_guide_run_in_order(shown):
    lines = [
        line
        for block in re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
        for line in block.splitlines()
        if line.startswith("sskpca ")
    ]
    assert lines[0] == "sskpca demo"  # it was run
    assert len(lines) >= 6
    for line in lines[1:]:
        result = run(*shlex.split(line.split(" | ")[0])[1:])
        assert result.exit_code == 0, (line, result.output)


def test_every_command_and_option_is_in_the_guide():
    text = GUIDE.read_text()
    for command in app.registered_commands:
        name = command.name or command.callback.__name__
        assert f"sskpca {name}" in text
        help = run(name, "--help").stdout
        for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help)) - {"--help"}:
            assert option in text, option
