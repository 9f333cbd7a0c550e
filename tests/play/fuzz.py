"""The page is asked at random: half of the time by schemathesis on openapi.json, half by a client with no manners.

``python tests/play/fuzz.py SECONDS``; make fuzz-play takes ten minutes. It fails on an answer of 500 or more, a program
that ended, and memory that grows.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "grounds"))
from play_ground import SENTENCE, Client, program, save_model, save_stubborn
from play_random import status_of

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ROOM = 60.0  # megabytes by which memory may differ between the middle and the end


def megabytes(number: int) -> float:
    """What a process holds in memory."""
    status = Path(f"/proc/{number}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    folder = Path(tempfile.mkdtemp())
    models = save_model(folder), save_stubborn(folder)
    with program(*models, "--port", "0") as (address, process):
        port, token = int(address.split(":")[2].split("/")[0]), address.split("/")[3]
        client = Client(port, token)
        client.ask("begin")
        client.ask("fool", texts=[SENTENCE], attack="pwws", player=0)
        print(f"begins with {megabytes(process.pid):.0f} MB")
        tool = [str(Path(sys.executable).parent / "schemathesis"), "run", str(Path(__file__).with_name("openapi.json"))]
        own = ["--url", address.rstrip("/"), "--header", f"Origin: http://127.0.0.1:{port}", "--checks", CHECKS]
        limits = ["--max-time", str(max(int(seconds / 2), 1)), "--rate-limit", "20/s", "--warnings", "off"]
        told = subprocess.run([*tool, *own, *limits], check=False)
        middle = megabytes(process.pid)
        print(f"schemathesis: exit code {told.returncode}, {middle:.0f} MB")
        draw, statuses, end = random.Random(1), Counter[int | None](), time.monotonic() + seconds / 2
        while time.monotonic() < end:
            statuses[status_of(draw, port, token)] += 1
        client.ask("ask", texts=[SENTENCE])
        grown = megabytes(process.pid) - middle
        print(f"random client: {dict(statuses)}; memory grew by {grown:.1f} MB")
        broken = [status for status in statuses if status is not None and status >= 500]
        assert told.returncode == 0 and not broken and process.poll() is None and grown < ROOM


if __name__ == "__main__":
    main()
