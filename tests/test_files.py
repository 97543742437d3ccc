"""Files are written whole or not at all, by one module."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import stoic
from stoic.files import make_folder, replacing, write

ROOT = Path(stoic.__file__).parent

FULL = """
import resource, signal, sys
from pathlib import Path
import stoic
folder = Path(sys.argv[1])
policy = stoic.policies.GPUCB(stoic.Arms([[i / 300] for i in range(300)]), stoic.Matern(2.5, 0.2))
for i in range(300):
    policy.tell(i, float(i) / 3.0)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
for name in ("policy.json", "policy.npz"):
    try:
        policy.save(folder / name)
    except OSError:
        print("refused", name)
"""


def test_a_full_disk_leaves_the_last_state(tmp_path: Path) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([[0.0], [1.0]]), stoic.Matern(2.5, 0.2))
    policy.tell(1, 0.5)
    for name in ("policy.json", "policy.npz"):
        policy.save(tmp_path / name)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["refused", "policy.json", "refused", "policy.npz"], done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert stoic.policies.GPUCB.load(tmp_path / "policy.npz").t == 1


def test_nothing_is_left_of_what_was_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error), replacing(path) as file:
            file.write(b"new")
            raise error
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    with path.open() as reader, replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
        write(tmp_path / "beside", "of another thread's")
    with path.open() as reader:
        assert reader.read() == "new"


@pytest.mark.parametrize(("umask", "made"), [(0o022, 0o644), (0o077, 0o600), (0o000, 0o666)])
def test_permissions(tmp_path: Path, umask: int, made: int) -> None:
    path = tmp_path / "file"
    before = os.umask(umask)
    try:
        write(path, b"new")
        write(tmp_path / "own", b"new", mode=0o600)
        make_folder(tmp_path / "a" / "b", 0o700)
        assert stat.S_IMODE(path.stat().st_mode) == made
        path.chmod(0o751)
        write(path, b"newer")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o600
    for folder in ("a", "a/b"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700


def test_a_symbolic_link_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link", tmp_path / "there" / "file"
    link.symlink_to(target)
    for text in ("first", "second"):  # the link leads nowhere at first
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(OSError, match="symbolic links"):
        write(link, "third")


def test_what_is_no_regular_file_is_written_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join(timeout=30)
    assert found == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(OSError, match="No space left"):
        write("/dev/full", b"data" * 10_000)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"data")


def test_a_descriptor_keeps_its_file(tmp_path: Path) -> None:
    """What a shell redirects is the shell's file: it is written to, never replaced."""
    code = "from stoic.files import write; print('one', flush=True); write('/dev/stdout', 'two')"
    out = tmp_path / "out"
    with out.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.exists()
    assert os.listdir(tmp_path) == ["out"]


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        write(path, b"")
    assert caught.value.filename == str(path)


def test_a_write_protected_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for anybody but root
    with pytest.raises(PermissionError):
        write(path, b"new")
    assert path.read_text() == "old"


def _writers(tree: ast.AST) -> list[str]:
    """Calls that would write a file in place."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        texts += [k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)]
        modes = [t for t in texts if isinstance(t, str) and set(t) <= set("rwaxbt+")]
        if name in ("write_text", "write_bytes"):
            found.append(name)
        if name == "open" and any(set(mode) & set("wax+") for mode in modes):
            found.append(name)
    return found


def test_no_other_module_writes_files_in_place() -> None:
    assert _writers(ast.parse("open(p, 'w'); p.write_text('')")) == ["open", "write_text"]
    for path in ROOT.rglob("*.py"):
        if path != ROOT / "files.py":
            assert not _writers(ast.parse(path.read_text(encoding="utf-8"))), path
