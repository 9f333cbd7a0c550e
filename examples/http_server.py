"""Attack a model behind HTTP; here a small server on this machine plays your service."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import unfooled as uf

model, data = sys.argv[1:] or ("runs/robust", "reviews.csv")
predictor = uf.Predictor(model)


class Service(BaseHTTPRequestHandler):  # noqa: D101
    def do_POST(self) -> None:  # noqa: D102
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
        rows = [list(answer.probabilities.values()) for answer in predictor(texts)]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"labels": ["negative", "positive"], "probabilities": rows}).encode())


server = HTTPServer(("127.0.0.1", 0), Service)
Thread(target=server.serve_forever, daemon=True).start()
attacked = uf.attack(f"http://127.0.0.1:{server.server_port}", data, out="attacked", limit=8, similarity=None)
print("right under attack:", attacked.scores["accuracy_under_attack"].text)
