"""Sealed checks: whoever watches sees the same, whatever comes out; the owner sees all of it."""

import json
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from nacl import public
from tests.support.repositories import ENVIRONMENT, git, linear

import feint.integrations.git
from feint.cli.app import run
from feint.errors import BadState, InvalidValue
from feint.integrations.git import (
    CheckResult,
    new_key,
    open_result,
    public_key,
    seal_check,
    seal_result,
)
from feint.search import write_private

ENDS = {
    "good": ("exit 0", 0),
    "bad": ("exit 1", 1),
    "prints": ("echo $(seq 1 5000); echo wrong >&2; exit 3", 3),
    "cannot be checked": ("exit 125", 125),
    "crashes": ("kill -SEGV $$", -11),
    "hangs": ("exec sleep 600", 124),
    "leaves a child": ("sleep 600 & exit 1", 1),
}


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "private"
    new_key(path)
    return path


@pytest.mark.parametrize("name", ENDS)
def test_however_a_check_ends_nothing_shows(
    name: str, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: object
) -> None:
    """Exit code, output, and the file's name and size are those of a check that does nothing."""
    line, code = ENDS[name]
    assert isinstance(capfd, pytest.CaptureFixture)
    folder = linear(tmp_path / "repository", 3)
    monkeypatch.chdir(folder)
    seen = []
    for check in ("true", line):
        words = ["seal", "--to", public_key(key), "--commit", "main", "--limit", "1", "--no-wait"]
        assert run([*words, "--", "sh", "-c", check]) == 0
        (file,) = folder.glob("*.sealed")
        seen.append((file.name, file.stat().st_size, capfd.readouterr()))
        found = open_result(file.read_bytes(), key)
        file.unlink()
    assert seen[0] == seen[1]
    assert found.code == code
    assert found.commit == git(folder, "rev-parse", "main").strip()


def test_a_check_cannot_write_where_github_would_show_it(
    key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some test runners write a summary by themselves if they find the variable."""
    monkeypatch.chdir(linear(tmp_path / "repository", 3))
    names = [f"GITHUB_{each}" for each in ("ENV", "OUTPUT", "PATH", "STATE", "STEP_SUMMARY")]
    for name in names:
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    check = "; ".join(f'test -z "${name}" || echo failed >> "${name}"' for name in names)
    words = ["seal", "--to", public_key(key), "--limit", "1", "--no-wait", "--output", "box"]
    assert run([*words, "--", "sh", "-c", f"{check}; test $GITHUB_ACTIONS = true"]) == 0
    assert open_result(Path("box").read_bytes(), key).code == 0
    assert not list(tmp_path.glob("GITHUB_*"))


TAKEN_AWAY = {
    "its folder": "rm -rf ../repository",
    "the file": "rm -f *.sealed",
    "what it holds": "for each in *.sealed; do rm -f $each; echo another > $each; done",
    "the right to write": "chmod a-w . .. *.sealed",
    "all there is to write to": "rm -rf ../repository; : > ../repository",
}


@pytest.mark.parametrize("name", TAKEN_AWAY)
def test_whatever_a_check_takes_away_nothing_shows(
    name: str,
    key: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = linear(tmp_path / "repository", 3)
    commit = git(folder, "rev-parse", "main").strip()
    monkeypatch.chdir(folder)
    words = ["seal", "--to", public_key(key), "--limit", "60", "--no-wait", "--", "sh", "-c"]
    assert run([*words, f"{TAKEN_AWAY[name]}; exit 3"]) == 0
    assert capsys.readouterr() == (f"Sealed: {commit}.sealed\n", "")
    if folder.is_dir():
        assert open_result((folder / f"{commit}.sealed").read_bytes(), key).code == 3
        folder.chmod(0o755)
    tmp_path.chmod(0o755)


@pytest.mark.parametrize(("to", "output", "code"), [("", "none/box", 4), ("no key", "box", 2)])
def test_where_nothing_can_be_sealed_no_check_is_run(
    to: str, output: str, code: int, key: Path, tmp_path: Path
) -> None:
    folder = linear(tmp_path / "repository", 3)
    words = ["--to", to or public_key(key), "--output", output, "--no-wait", "--", "touch", "run"]
    done = subprocess.run(
        [sys.executable, "-m", "feint", "seal", *words], cwd=folder, env=ENVIRONMENT, check=False
    )
    assert done.returncode == code
    assert git(folder, "status", "--porcelain") == ""


def test_a_job_lasts_as_long_whatever_comes_out(key: Path) -> None:
    for line in ("true", "false"):
        now, slept = [0.0], list[float]()

        def clock(now: list[float] = now) -> float:
            now[0] += 2.0
            return now[0]

        seal_check(
            [line], commit="c", to=public_key(key), limit=60, clock=clock, sleep=slept.append
        )
        assert slept == [63.0]  # and five seconds, in which the box is closed


def test_a_log_is_kept_to_its_end_and_never_shows_in_the_size(key: Path) -> None:
    long = CheckResult("c", 1, "é\n" * 200_000 + "the end")
    box = seal_result(long, public_key(key))
    assert len(box) == len(seal_result(CheckResult("c", 0, ""), public_key(key)))
    found = open_result(box, key)
    assert found.log.endswith("the end")
    assert len(found.log) > 1000


def test_names_of_before_work_and_say_so(key: Path) -> None:
    names = {"Sealed": CheckResult, "sealed": seal_result, "opened": open_result}
    for name, now in names.items():
        with pytest.warns(DeprecationWarning, match=f"{name} is deprecated"):
            assert getattr(feint.integrations.git, name) is now
    before: dict[str, Any] = {"message": CheckResult("c", 1, ""), "to": public_key(key)}
    with pytest.warns(DeprecationWarning, match="use result=…"):
        box = seal_result(**before)
    assert open_result(box, key).code == 1


def test_a_wrong_key_a_cut_and_a_changed_box_are_refused(key: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    new_key(other)
    assert other.stat().st_mode & 0o077 == 0
    box = seal_result(CheckResult("c", 1, ""), public_key(key), size=100)
    for wrong in (box[:-1], box[:20], b"", box[:-1] + bytes([box[-1] ^ 1])):
        with pytest.raises(BadState, match="does not open it"):
            open_result(wrong, key)
    with pytest.raises(BadState, match="does not open it"):
        open_result(box, other)
    with pytest.raises(BadState, match="this file exists already"):
        new_key(other)
    write_private(tmp_path / "text", b"no key")
    with pytest.raises(BadState, match="no private key"):
        open_result(box, tmp_path / "text")
    with pytest.raises(BadState, match="no such file"):
        open_result(box, tmp_path / "none")
    with pytest.raises(InvalidValue, match="no public key"):
        seal_result(CheckResult("c", 1, ""), "abc")


@pytest.mark.parametrize("kind", ["x25519", "mlkem768-x25519", None])
def test_keys_of_every_kind_open_what_is_sealed_to_them(kind: str | None, tmp_path: Path) -> None:
    to = new_key(tmp_path / "key", kind=kind)
    assert to == public_key(tmp_path / "key")
    assert to.startswith(f"feint-hpke-1:{kind or ''}")
    box = seal_result(CheckResult("c", 3, "log"), to)
    assert box.startswith(b"feint-hpke-1\0")
    assert open_result(box, tmp_path / "key").log == "log"
    assert open_result(seal_result(CheckResult("c", 3, ""), to), tmp_path / "key").code == 3
    name, of_kind, text = to.split(":")
    for wrong in (f"{name}:{of_kind}:{text[:-8]}", f"other:{of_kind}:{text}", f"{name}:x:{text}"):
        with pytest.raises(InvalidValue, match="no public key"):
            seal_result(CheckResult("c", 1, ""), wrong)
    with pytest.raises(InvalidValue, match="must be mlkem768-x25519 or x25519"):
        new_key(tmp_path / "other", kind="rsa")


def test_what_an_earlier_version_sealed_is_opened_and_nothing_is_sealed_to_its_keys(
    tmp_path: Path,
) -> None:
    """It wrote the key as base64, and boxes as PyNaCl has them."""
    secret = public.PrivateKey(bytes(range(32)))
    write_private(tmp_path / "key", b64encode(bytes(secret)) + b"\n")
    data = json.dumps({"commit": "c", "code": 1, "log": "old", "once": "m"}).encode()
    padded = (len(data).to_bytes(4, "big") + data).ljust(1000, b"\0")
    box = public.SealedBox(secret.public_key).encrypt(padded)
    assert open_result(box, tmp_path / "key") == CheckResult("c", 1, "old", "m")
    to = b64encode(bytes(secret.public_key)).decode()
    with pytest.raises(InvalidValue, match=r"earlier version.*make a new one"):
        seal_result(CheckResult("c", 1, ""), to)
    with pytest.raises(BadState, match="earlier version"):
        public_key(tmp_path / "key")
    new = new_key(tmp_path / "new")
    for sealed, key in (
        (box, tmp_path / "new"),
        (box[:-1], tmp_path / "key"),
        (seal_result(CheckResult("c", 1, ""), new), tmp_path / "key"),
    ):
        with pytest.raises(BadState, match="does not open it"):
            open_result(sealed, key)


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    public = new_key(tmp_path / "key")
    assert [each.name for each in tmp_path.iterdir()] == ["key"]  # nothing is left beside it
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    box = seal_result(CheckResult("c0ffee", 0, ""), public)
    assert open_result(box, tmp_path / "key").commit == "c0ffee"
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(BadState, match="others may read it; chmod 600 it"):
        open_result(box, tmp_path / "key")
    (tmp_path / "link").symlink_to(tmp_path / "key")
    with pytest.raises(BadState, match="is a link"):
        open_result(box, tmp_path / "link")


def test_a_bisection_whose_checks_are_sealed_elsewhere(
    key: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Round by round: list, seal in a clone that anybody may watch, tell at home."""
    home = linear(tmp_path / "home", 12)
    public = tmp_path / "public"
    git(tmp_path, "clone", "-q", str(home), str(public))
    monkeypatch.chdir(home)
    assert run(["bisect", "--good", "start", "--level", "2", "--delta", "2", "--list", "json"]) == 0
    rounds = 0
    while names := json.loads(capsys.readouterr().out or "[]"):
        rounds += 1
        boxes = []
        for name in names:
            git(public, "checkout", "-q", name)
            monkeypatch.chdir(public)
            check = ["sh", "-c", "test $(cat number) -lt 8"]
            assert run(["seal", "--to", public_key(key), "--no-wait", "--", *check]) == 0
            boxes.append(public / f"{name}.sealed")
        monkeypatch.chdir(home)
        told = [word for box in boxes for word in ("--tell", str(box))]
        if rounds == 1:
            swapped = CheckResult("f" * 40, 0, "")
            stranger = tmp_path / "stranger"
            stranger.write_bytes(seal_result(swapped, public_key(key)))
            assert run(["bisect", "--tell", str(stranger), "--key", str(key)]) == 2
            assert "not one of this round" in capsys.readouterr().err
            assert run(["bisect", *told]) == 2
            assert "--key" in capsys.readouterr().err
            capsys.readouterr()
            told_log = seal_result(CheckResult(names[0], 3, "one\ntwo\x1b[2J"), public_key(key))
            stranger.write_bytes(told_log)
            assert run(["seal", "--open", str(stranger), "--key", str(key)]) == 0
            assert capsys.readouterr().out == f"{names[0]}  exit code 3\none\ntwo [2J\n"
            stranger.write_bytes(told_log[:-1])
            assert run(["seal", "--open", str(stranger), "--key", str(key)]) == 2
            assert "--open " in (why := capsys.readouterr().err)
            assert "this key does not open it" in why
            assert run(["seal", "--open", str(stranger)]) == 2
            assert "--open needs --key" in capsys.readouterr().err
        capsys.readouterr()
        assert run(["bisect", *told, *told[:2], "--key", str(key)]) == 0
        seen = capsys.readouterr()
        said = seen.out
        assert "was read before and is skipped." in " ".join(seen.err.split())
        if "first bad commit" in said:
            assert "commit 8" in said
            return
        assert run(["bisect", "--list", "json"]) == 0
    raise AssertionError("no commit was named")
