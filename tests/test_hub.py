"""The hub, played by a server on this machine: what is asked of it, at which revision, and what is not."""

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tiny import save_encoder

from unfooled.data.sources import find, forget
from unfooled.errors import BadInput
from unfooled.hub import may_fetch, only_typed, parted
from unfooled.models.encoders.pretrained import ModelSettings, build
from unfooled.models.locate import locate, pinned
from unfooled.training.jobs import pinned_model

REVISION = "1a2b3c4d" * 5


class Hub(BaseHTTPRequestHandler):
    """One model of one revision, as the hub serves it."""

    files: Path
    asked: list[str]

    def log_message(self, *_: object) -> None:
        return

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        names = sorted(path.name for path in self.files.iterdir())
        if self.path.startswith("/api/models/owner/model/tree/"):
            files = [
                {"type": "file", "path": name, "size": (self.files / name).stat().st_size, "oid": "0"} for name in names
            ]
            return self.answer(json.dumps(files).encode())
        if self.path.startswith("/api/models/owner/model"):
            facts = {"id": "owner/model", "modelId": "owner/model", "sha": REVISION}
            return self.answer(json.dumps({**facts, "siblings": [{"rfilename": name} for name in names]}).encode())
        name = self.path.rsplit("/", 1)[-1].partition("?")[0]
        if f"/resolve/{REVISION}/" in self.path and name in names:
            return self.answer((self.files / name).read_bytes())
        return self.answer(b"", 404)

    def answer(self, content: bytes, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("ETag", f'"{hash(content) & 0xFFFFFFFF:08x}"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    save_encoder(tmp_path / "served")
    (tmp_path / "served" / "pytorch_model.bin").write_bytes(b"a pickle")
    (tmp_path / "served" / "modeling_evil.py").write_text("raise SystemExit")
    Hub.files, Hub.asked = tmp_path / "served", []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "HF_HUB_OFFLINE": False,
        "ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HUB_CACHE": str(tmp_path / "cache"),
        "HUGGINGFACE_CO_URL_TEMPLATE": f"http://127.0.0.1:{server.server_port}"
        + "/{repo_id}/resolve/{revision}/{filename}",
    }.items():
        monkeypatch.setattr(f"huggingface_hub.constants.{name}", value)
    yield Hub
    server.shutdown()
    server.server_close()


def test_a_name_may_hold_a_revision() -> None:
    assert parted("owner/model@main") == ("owner/model", "main") and parted("bert") == ("bert", None)


def test_only_what_was_typed_is_asked_for() -> None:
    assert may_fetch("owner/model")
    with only_typed("owner/typed", None):
        assert may_fetch("owner/typed") and not may_fetch("owner/model")
    assert may_fetch("owner/model")


def test_a_model_of_the_hub_is_a_folder_whose_revision_is_said_and_recorded(hub: type[Hub]) -> None:
    place = locate("owner/model")
    assert place.name == f"owner/model@{REVISION}" and place.folder.name == REVISION
    assert f'at revision {REVISION}; model="owner/model@{REVISION}" takes the same again' in place.note
    assert not [name for name in hub.asked if name.endswith((".py", ".bin"))]
    assert pinned("owner/model") == place.name and pinned("minilm") == "minilm"
    assert pinned_model(ModelSettings(name="owner/model")).name == place.name
    assert pinned_model(ModelSettings(name="textcnn", tokenizer="owner/model")).tokenizer == place.name
    assert place.note in build(ModelSettings(name="owner/model"), ["a", "b"], 0).notes
    assert not locate(place.name).note  # who names the revision need not be told


def test_a_model_of_the_hub_is_checked_before_transformers_sees_it(hub: type[Hub]) -> None:
    config = json.loads((hub.files / "config.json").read_text())
    (hub.files / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "modeling_evil.Evil"}}))
    with pytest.raises(BadInput, match="code of its own .auto_map"):
        locate("owner/model")


def test_a_name_out_of_a_file_opens_no_socket_and_what_lies_here_is_used(
    hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("opened a socket")

    with only_typed(), monkeypatch.context() as patch:
        patch.setattr(socket, "socket", refuse)
        with pytest.raises(BadInput, match="read from a file, which never chooses what is fetched"):
            locate("owner/model")
    locate("owner/model")
    with only_typed(), monkeypatch.context() as patch:
        patch.setattr(socket, "socket", refuse)
        assert locate("owner/model").folder.name == REVISION


def test_what_the_hub_does_not_have_is_one_sentence(hub: type[Hub]) -> None:
    with pytest.raises(BadInput, match="owner/gone could not be had from the Hugging Face hub"):
        locate("owner/gone")


def test_data_out_of_a_file_is_not_asked_for_either(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("opened a socket"))
    for name in ("owner/data", "hub:data", "owner/data@main"):
        with only_typed("owner/other"), pytest.raises(BadInput, match="read from a file, which never chooses"):
            find(name)
