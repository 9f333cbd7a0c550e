"""The hub's side of an upload, played on loopback: it makes models, takes bytes, checks them, and keeps commits."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import yaml
from servers import listening

TOKEN = "hf_of_a_test"
COMMIT = "c0ffee00" * 5
Answer = tuple[int, Any]


@dataclass
class PlayedHub:
    """What the hub has come to hold, and everything it was asked, in order."""

    url: str = ""
    private: dict[str, bool] = field(default_factory=dict)  # every model, and whether it is private
    models: dict[str, dict[str, bytes]] = field(default_factory=dict)  # what was committed
    stored: dict[str, bytes] = field(default_factory=dict)  # large files, by hash
    asked: list[str] = field(default_factory=list)
    owners: tuple[str, ...] = ("me",)  # whom the token may write for
    broken: str = ""  # a piece of the paths that are answered with 500

    def whoami(self, body: bytes) -> Answer:
        return 200, {"name": "me", "type": "user", "orgs": []}

    def create(self, body: bytes) -> Answer:
        asked = json.loads(body)
        name = f"{asked['organization']}/{asked['name']}"
        if asked["organization"] not in self.owners:
            return 403, {"error": f"You don't have the rights to create a model under {asked['organization']}"}
        if name in self.private:
            return 409, {"error": "You already created this model repo", "url": f"{self.url}/{name}"}
        self.private[name], self.models[name] = asked.get("visibility") == "private", {}
        return 200, {"url": f"{self.url}/{name}", "name": name, "id": name}

    def info(self, body: bytes, name: str) -> Answer:
        if name not in self.private:
            return 404, {"error": "Repository not found"}
        return 200, {"id": name, "modelId": name, "sha": COMMIT, "private": self.private[name], "siblings": []}

    def validate(self, body: bytes) -> Answer:
        """A card must have a head in YAML, and numbers of a ``model-index`` all that the hub asks for."""
        card = json.loads(body)["content"]
        head = re.match(r"---\n(.*?)\n---\n", card, re.DOTALL)
        values = yaml.safe_load(head.group(1)) if head else None
        if not isinstance(values, dict):
            return 400, {"errors": [{"message": "no metadata"}], "warnings": []}
        wrong = [
            result
            for model in values.get("model-index", [])
            for result in model["results"]
            if not ({"type", "name"} <= set(result["dataset"]) and result["task"]["type"] and result["metrics"])
        ]
        return (400, {"errors": [{"message": f"{wrong[0]}"}]}) if wrong else (200, {"errors": [], "warnings": []})

    def preupload(self, body: bytes, name: str) -> Answer:
        files = [
            {"path": one["path"], "uploadMode": "lfs" if one["path"].endswith(".safetensors") else "regular"}
            for one in json.loads(body)["files"]
        ]
        return 200, {"files": [{**one, "shouldIgnore": False} for one in files]}

    def batch(self, body: bytes, name: str) -> Answer:
        objects = json.loads(body)["objects"]
        return 200, {
            "transfer": "basic",
            "objects": [
                {
                    **{key: one[key] for key in ("oid", "size")},
                    "actions": {
                        "upload": {"href": f"{self.url}/large/{one['oid']}"},
                        "verify": {"href": f"{self.url}/verify"},
                    },
                }
                for one in objects
            ],
        }

    def put(self, body: bytes, oid: str) -> Answer:
        if hashlib.sha256(body).hexdigest() != oid:
            return 400, {"error": "these are other bytes"}
        self.stored[oid] = body
        return 200, {}

    def verify(self, body: bytes) -> Answer:
        asked = json.loads(body)
        whole = len(self.stored.get(asked["oid"], b"")) == asked["size"]
        return (200, {}) if whole else (400, {"error": "it has not come"})

    def commit(self, body: bytes, name: str) -> Answer:
        if name not in self.models:
            return 404, {"error": "Repository not found"}
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                self.models[name][value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.models[name][value["path"]] = self.stored[value["oid"]]
        return 200, {"commitUrl": f"{self.url}/{name}/commit/{COMMIT}", "commitOid": COMMIT, "success": True}


ROUTES: list[tuple[str, Callable[..., Answer]]] = [
    (r"GET /api/whoami-v2", PlayedHub.whoami),
    (r"POST /api/repos/create", PlayedHub.create),
    (r"POST /api/validate-yaml", PlayedHub.validate),
    (r"GET /api/models/([^/]+/[^/?]+)(?:\?.*)?", PlayedHub.info),
    (r"POST /api/models/([^/]+/[^/]+)/preupload/main", PlayedHub.preupload),
    (r"POST /([^/]+/[^/]+)\.git/info/lfs/objects/batch", PlayedHub.batch),
    (r"PUT /large/(\w+)", PlayedHub.put),
    (r"POST /verify", PlayedHub.verify),
    (r"POST /api/models/([^/]+/[^/]+)/commit/main", PlayedHub.commit),
]


class Answering(BaseHTTPRequestHandler):
    """What answers for a hub; all but large files ask for the token."""

    hub: PlayedHub

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""

    def answer(self) -> None:
        line = f"{self.command} {self.path}"
        self.hub.asked.append(line)
        body = self.body()
        given = [(act, match) for pattern, act in ROUTES if (match := re.fullmatch(pattern, line))]
        if not line.startswith("PUT /large/") and self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.reply(401, {"error": "Invalid username or password."})
        elif not given or (self.hub.broken and self.hub.broken in line):
            self.reply(500 if given else 404, {"error": "nobody is at home"})
        else:
            act, match = given[0]
            self.reply(*act(self.hub, body, *match.groups()))

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = b""
        while size := int(self.rfile.readline(), 16):
            pieces += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return pieces

    def reply(self, status: int, content: Any) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        if status >= 400:
            self.send_header("X-Error-Message", str(content.get("error", "refused")))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PUT = answer


@contextmanager
def played_hub() -> Iterator[PlayedHub]:
    """A hub on this machine."""
    hub = PlayedHub()
    with listening(type("OfThis", (Answering,), {"hub": hub})) as hub.url:
        yield hub
