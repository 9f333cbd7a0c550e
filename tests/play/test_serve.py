import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from play_ground import Client, program

from unfooled.errors import BadInput
from unfooled.play.serve import bound, check_remote, named, serve


def test_a_port_in_use_gives_the_next_free_one_and_says_so() -> None:
    said: list[str] = []
    with bound("127.0.0.1", 0, said.append) as first:
        port = first.getsockname()[1]
        with bound("127.0.0.1", port, said.append) as second:
            assert second.getsockname()[1] > port
    assert len(said) == 1 and f"port {port} is taken; the page is at" in said[0]


def test_what_is_no_port_or_no_host_of_ours_is_refused() -> None:
    with pytest.raises(BadInput, match="--port 70000 is no port"):
        bound("127.0.0.1", 70_000, print)
    with pytest.raises(BadInput, match="no page can be served at 192.0.2.1"):
        bound("192.0.2.1", 8021, print)


def test_another_host_has_to_be_meant_and_its_danger_is_said() -> None:
    with pytest.raises(BadInput, match="--allow-remote"):
        serve(["model"], host="0.0.0.0")
    said: list[str] = []
    check_remote("0.0.0.0", True, said.append)
    assert "nothing is encrypted" in said[0] and said[0].startswith("WARNING")
    assert named("0.0.0.0") == socket.gethostname() and named("::1") == "[::1]"


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(BadInput, match="play needs uvicorn; run: pip install 'unfooled.play.'"):
        serve(["model"])


def test_the_program_answers_and_ends_cleanly_at_ctrl_c(models: Path, tmp_path: Path) -> None:
    with program(models / "plain", "--port", "0") as (address, process):
        port, token = int(address.split(":")[2].split("/")[0]), address.split("/")[3]
        assert len(token) >= 32
        client = Client(port, token)
        assert client.ask("begin")["players"][0]["name"] == "plain"
        process.send_signal(signal.SIGINT)
        said = process.stdout.read() if process.stdout else ""
        assert process.wait(timeout=30) == 0
        assert "ended" in said and "Traceback" not in said and "opening plain" in said


def test_a_model_that_cannot_be_opened_ends_it_with_a_sentence(models: Path) -> None:
    began = time.monotonic()
    with program(models / "encoder", "--port", "0") as (_, process):
        said = process.stdout.read() if process.stdout else ""
        assert process.wait(timeout=60) == 2
        assert "no trained classifier" in said and "Traceback" not in said
    assert time.monotonic() - began < 300


def test_the_page_is_there_before_torch_is_loaded() -> None:
    code = "import sys, unfooled.play.server; print([one for one in ('torch', 'transformers') if one in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
