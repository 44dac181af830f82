"""A file is written as a whole or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sskpca.saving._atomic import atomic_path, atomic_paths, check_target

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and signals of POSIX")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_file_is_written_and_nothing_else_is_left(tmp_path):
    with atomic_path(tmp_path / "a.csv") as temporary:
        temporary.write_text("new")
        assert not (tmp_path / "a.csv").exists()
    assert (tmp_path / "a.csv").read_text() == "new"
    assert names(tmp_path) == {"a.csv"}


def test_the_temporary_file_is_in_the_same_folder_with_the_same_ending(tmp_path):
    with atomic_path(tmp_path / "a.csv.gz") as temporary:
        assert temporary.parent == tmp_path.resolve()
        assert temporary.name.endswith(".csv.gz")


def test_a_path_may_be_text_and_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with atomic_path("a.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["a" * 251 + ".csv", "a." + "b" * 249 + ".csv", "." + "b" * 254])
def test_a_name_of_the_greatest_length_is_no_problem(tmp_path, name):
    path = tmp_path / name
    with atomic_path(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


def test_a_file_that_is_there_is_refused_before_any_work(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(FileExistsError, match=r"a\.csv is there already"), atomic_path(path):
        pytest.fail("the body was run")
    assert path.read_text() == "old"
    assert names(tmp_path) == {"a.csv"}


def test_a_file_that_is_there_is_replaced_on_request(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with atomic_path(path, overwrite=True) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == {"a.csv"}


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_somebody_makes_meanwhile_is_not_overwritten(tmp_path, monkeypatch, links):
    path = tmp_path / "a.csv"
    if not links:
        monkeypatch.setattr(os, "link", without_links)
    with pytest.raises(FileExistsError, match=r"a\.csv is there already"), atomic_path(path) as temporary:  # noqa: PT012
        temporary.write_text("ours")
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert names(tmp_path) == {"a.csv"}


def without_links(source, target):
    raise OSError("no links here")


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", without_links)
    with atomic_path(tmp_path / "a.csv") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.csv").read_text() == "new"
    assert names(tmp_path) == {"a.csv"}


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_after_an_exception_the_old_file_is_intact_and_the_temporary_one_gone(tmp_path, failure):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(failure), atomic_path(path, overwrite=True) as temporary:  # noqa: PT012
        temporary.write_text("half of the n")
        raise failure
    assert path.read_text() == "old"
    assert names(tmp_path) == {"a.csv"}


@posix
def test_killed_in_the_middle_the_old_file_is_intact(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    program = (
        "import os, signal, sys\n"
        "from sskpca.saving._atomic import atomic_path\n"
        "with atomic_path(sys.argv[1], overwrite=True) as temporary:\n"
        "    temporary.write_text('half of the n')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_the_data_is_on_the_disk_before_the_name(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (events.append("fsync"), fsync(fd))[1])
    monkeypatch.setattr(os, "replace", lambda *args: (events.append("replace"), replace(*args))[1])
    with atomic_path(tmp_path / "a.csv", overwrite=True) as temporary:
        temporary.write_text("new")
    assert events[:2] == ["fsync", "replace"]


@posix
def test_a_symbolic_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "a.csv", tmp_path / "link.csv"
    file.write_text("old")
    link.symlink_to(file)
    with atomic_path(link, overwrite=True) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert names(tmp_path / "elsewhere") == {"a.csv"}


@posix
def test_a_symbolic_link_to_a_file_is_refused_like_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(FileExistsError, match=r"link\.csv"), atomic_path(tmp_path / "link.csv"):
        pytest.fail("the body was run")


@posix
def test_a_symbolic_link_to_nothing_gets_its_file(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with atomic_path(tmp_path / "link.csv") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.csv").read_text() == "new"
    assert (tmp_path / "link.csv").is_symlink()


@posix
def test_a_circle_of_symbolic_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="leads to itself"), atomic_path(tmp_path / "a"):
        pytest.fail("the body was run")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_permissions_of_a_file_are_kept(tmp_path, mode):
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(mode)
    with atomic_path(path, overwrite=True) as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600
        temporary.write_text("new")
    assert path.stat().st_mode & 0o777 == mode


@posix
def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    with atomic_path(tmp_path / "a.csv") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere; make it first"):  # noqa: SIM117
        with atomic_path(tmp_path / "nowhere" / "a.csv"):
            pytest.fail("the body was run")


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(FileNotFoundError, match="there is no folder"), atomic_path(tmp_path / "a.csv" / "b.csv"):
        pytest.fail("the body was run")


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_folder_as_target_is_refused(tmp_path, overwrite):
    with pytest.raises(IsADirectoryError, match="is a folder"), atomic_path(tmp_path, overwrite):
        pytest.fail("the body was run")


@posix
def test_a_device_as_target_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a device or a pipe"), atomic_path(tmp_path / "pipe", overwrite=True):
        pytest.fail("the body was run")


@pytest.mark.usefixtures("unprivileged")
def test_a_write_protected_file_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"a\.csv is write-protected"), atomic_path(path, overwrite=True):
        pytest.fail("the body was run")


@pytest.mark.usefixtures("unprivileged")
def test_a_write_protected_folder_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError, match="the folder is write-protected"), atomic_path(tmp_path / "a.csv"):
            pytest.fail("the body was run")
    finally:
        tmp_path.chmod(0o755)


def test_a_file_that_cannot_be_replaced_because_it_is_open_elsewhere_gets_a_sentence(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(13, "Access is denied")

    path = tmp_path / "a.csv"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", refuse)
    with (
        pytest.raises(PermissionError, match="open in another program"),
        atomic_path(path, overwrite=True) as temporary,
    ):
        temporary.write_text("new")
    assert path.read_text() == "old"
    assert names(tmp_path) == {"a.csv"}


def test_several_files_are_written_together(tmp_path):
    paths = [tmp_path / "a.html", tmp_path / "b.csv"]
    with atomic_paths(paths) as temporaries:
        for temporary, text in zip(temporaries, ("first", "second"), strict=True):
            temporary.write_text(text)
        assert [temporary.suffix for temporary in temporaries] == [".html", ".csv"]
    assert [path.read_text() for path in paths] == ["first", "second"]
    assert names(tmp_path) == {"a.html", "b.csv"}


def test_if_one_of_several_fails_none_is_replaced(tmp_path):
    (tmp_path / "b.csv").write_text("old")
    paths = [tmp_path / "a.html", tmp_path / "b.csv"]
    with pytest.raises(ValueError, match="half"), atomic_paths(paths, overwrite=True) as temporaries:  # noqa: PT012
        temporaries[0].write_text("new")
        raise ValueError("half")
    assert (tmp_path / "b.csv").read_text() == "old"
    assert names(tmp_path) == {"b.csv"}


def test_of_several_files_the_last_one_gets_its_name_last(tmp_path, monkeypatch):
    published = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda source, target: (published.append(target.name), link(source, target)))
    with atomic_paths([tmp_path / name for name in "abc"]):
        pass
    assert published == ["a", "b", "c"]


def test_a_target_is_looked_at_without_a_trace(tmp_path):
    check_target(tmp_path / "a.csv")
    assert names(tmp_path) == set()
    (tmp_path / "a.csv").write_text("old")
    check_target(tmp_path / "a.csv", overwrite=True)
    with pytest.raises(FileExistsError, match="is there already"):
        check_target(tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_target(tmp_path / "none" / "a.csv")
    assert names(tmp_path) == {"a.csv"}


def test_an_interrupt_while_the_temporary_file_is_made_leaves_nothing(tmp_path, monkeypatch):
    close = os.close

    def interrupted(descriptor):
        close(descriptor)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "close", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_path(tmp_path / "a.txt"):
        pass
    assert list(tmp_path.iterdir()) == []
