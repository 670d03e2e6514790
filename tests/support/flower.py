"""A Flower server of a test's own, with its database and log in a folder."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.forked import free_port

BIN = Path(sys.executable).parent


@contextmanager
def superlink(home: Path) -> Iterator[None]:
    """Run Flower's own server with its database and log in a folder, known to `flwr run`."""
    port = free_port()
    words: list[str | Path] = [
        *(BIN / "flower-superlink", "--insecure", "--simulation", "--isolation", "subprocess"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--log-file", home / "superlink.log", "--database", home / "state.db"),
    ]
    lines = ["[superlink]", 'default = "here"', "[superlink.here]"]
    lines += [f'address = "127.0.0.1:{port}"', "insecure = true"]
    (home / "config.toml").write_text("\n".join(lines) + "\n", "utf-8")
    with open(home / "superlink.out", "wb") as out:
        server = subprocess.Popen(words, env=environment(home), stdout=out, stderr=out)
    try:
        while server.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def environment(home: Path) -> dict[str, str]:
    own = {"FLWR_HOME": str(home), "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1"}
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return (
        os.environ | own | path | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    )
