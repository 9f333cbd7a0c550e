"""How long ``unfooled play`` lets one wait: for the first answer, a prediction, an attack, and fifty questions at once.

``python bench/play.py [MODEL [MODEL]]``; without a model the demo's two, or MiniLM with a head that has learnt nothing
where there is no demo. Numbers are of one run of this machine, which should have nothing else to do.
"""

import http.client
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SENTENCE = (
    "A moving and beautifully played portrait of a family that is honest, funny and full of life from first to last."
)
ALLOWED = {
    "first answer, s": 10.0,
    "prediction of 20 words, ms (median of 20)": 150.0,
    "PWWS on it, s (median of 3)": 3.0,
}


def untrained(folder: Path) -> str:
    """MiniLM under a fresh head, which takes as long as a trained one."""
    from unfooled.models import ModelSettings, build
    from unfooled.models.encoders.pretrained import save

    save(build(ModelSettings(max_length=64), ("negative", "positive"), 0), folder / "minilm", "untrained")
    return str(folder / "minilm")


def asked(port: int, token: str, address: str, **question: object) -> tuple[float, str]:
    """The seconds until an answer is whole, and its last event."""
    own = f"127.0.0.1:{port}"
    headers = {"host": own, "origin": f"http://{own}", "content-type": "application/json"}
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST", f"/{token}/{address}", json.dumps(question), headers)
    body = connection.getresponse().read().decode()
    connection.close()
    return time.monotonic() - began, body.strip().rpartition("event: ")[2]


def measured(models: list[str]) -> dict[str, float]:
    """Every number, from a program of its own."""
    began = time.monotonic()
    command = [sys.executable, "-m", "unfooled", "play", *models, "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "http://" in line)
        port, token = re.findall(r":(\d+)/([\w-]+)/", line)[0]
        where = int(port), token
        asked(*where, "ask", texts=[SENTENCE])
        numbers = {"first answer, s": time.monotonic() - began}
        single = [asked(*where, "ask", texts=[f"{SENTENCE} {number}"])[0] for number in range(20)]
        numbers["prediction of 20 words, ms (median of 20)"] = 1000 * statistics.median(single)
        asked(*where, "fool", texts=[SENTENCE], attack="pwws", player=0)  # what an attack needs is read once
        attacks = [asked(*where, "fool", texts=[SENTENCE], attack="pwws", player=0) for _ in range(3)]
        numbers["PWWS on it, s (median of 3)"] = statistics.median(seconds for seconds, _ in attacks)
        numbers["fifty questions at once, s until the last"] = crowd(*where)
        process.send_signal(signal.SIGINT)
    return numbers


def crowd(port: int, token: str) -> float:
    """The seconds until fifty questions asked at once are all answered."""
    ended: list[str] = []
    question = {"texts": [SENTENCE]}
    threads = [
        threading.Thread(target=lambda: ended.append(asked(port, token, "ask", **question)[1])) for _ in range(50)
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ended) == 50 and all(event.startswith("done") for event in ended)
    return time.monotonic() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = [path for path in ("demo/plain", "demo/robust") if Path(path, "model", "config.json").is_file()]
        models = sys.argv[1:] or demo or [untrained(Path(folder))]
        print(f"models: {', '.join(models)}; {len(SENTENCE.split())} words")
        for name, value in measured(models).items():
            most = ALLOWED.get(name)
            print(f"{name:<44} {value:8.2f}" + (f"   (at most {most:g})" if most else ""))


if __name__ == "__main__":
    main()
