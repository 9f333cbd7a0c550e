"""A classifier behind an address is asked in a plain protocol, and refused where it says something else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from servers import chances, classified, serving

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.hub import only_typed
from unfooled.victims import open_victim
from unfooled.victims.servers.web import WEB


def test_texts_and_pairs_are_sent_and_rows_come_back_in_their_order() -> None:
    with serving(classified) as running:
        victim = open_victim(f"{running.url}/predict?token=abc")
        rows = victim.answer([("a good film",), ("a dull film",)])
        victim.answer([("a good film", "it is fine")])
    assert victim.labels == ("negative", "positive") and not victim.hash and not victim.labels_only
    assert np.allclose(rows, [chances("a good film"), chances("a dull film")]) and "token" not in victim.name
    assert running.bodies[1:] == [{"texts": ["a good film", "a dull film"]}, {"texts": [["a good film", "it is fine"]]}]


def test_logits_and_labels_are_told_apart() -> None:
    def logits(body: Any, number: int) -> Any:
        return {"logits": [[0.0, 3.0]] * len(body["texts"])}

    with serving(logits) as running:
        victim = open_victim(running.url, ["no", "yes"])
        assert victim.logits and victim.answer([("a",)])[0, 1] == pytest.approx(1 / (1 + np.exp(-3)))
        with pytest.raises(BadInput, match="does not name its labels"):
            open_victim(running.url)
    with serving(lambda body, number: {"labels": ["no", "yes"], "answers": ["yes"] * len(body["texts"])}) as running:
        victim = open_victim(running.url)
        assert victim.labels_only and victim.answer([("a",)]).tolist() == [[0.0, 1.0]]


ROW = [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("later", "words"),
    [
        ({"labels": ["no", "maybe"], "probabilities": ROW}, "otherwise than at first: .*of no, yes then, .*no, maybe"),
        ({"labels": ["no", "yes"], "logits": ROW}, "probabilities of no, yes then, logits of no, yes now"),
        ({"labels": ["no", "yes"], "probabilities": ROW * 2}, "must give a list of 1 rows"),
        ({"probabilities": [["a", "b"]]}, "that are no table of numbers"),
        ({"probabilities": [[0.5], [0.2, 0.8]][:1]}, None),
        ({"error": "oh"}, "answers with error; it must give one of probabilities, logits, answers"),
        ([1, 2], "answers with list"),
    ],
)
def test_other_answers_than_at_first_are_refused(later: Any, words: str | None) -> None:
    first = {"labels": ["no", "yes"], "probabilities": ROW}
    with serving(lambda body, number: later if number else first) as running:
        victim = open_victim(running.url)
        if words is None:  # what is wrong with the numbers is said by whoever asks for probabilities
            assert victim.wrong(victim.answer([("a",)]), 1) is not None
            return
        with pytest.raises(BadInput, match=words):
            victim.answer([("a",)])


def test_other_labels_than_asked_for_or_named_are_refused() -> None:
    with serving(classified) as running, pytest.raises(BadInput, match="with negative, positive, not with bad, good"):
        open_victim(running.url, ["bad", "good"])
    odd = {"labels": ["no", "yes"], "answers": ["perhaps"]}
    with serving(lambda body, number: odd) as running, pytest.raises(BadInput, match="'perhaps', which is none of"):
        open_victim(running.url).answer([("a",)])


def test_a_server_is_attacked_and_verified_only_as_itself(tmp_path: Path) -> None:
    data = Split([("a good film",), ("a dull film",)], [1, 0])
    with serving(classified) as running:
        attacked = uf.attack(running.url, data, "deepwordbug", tmp_path / "out", similarity=None)
        assert attacked.records[0].outcome == "fooled"
        with pytest.raises(BadInput, match=f"cannot be hashed .{running.url}: a callable, an object or a server"):
            uf.verify(tmp_path / "out")
        assert uf.verify(tmp_path / "out", running.url).holds


def test_only_an_address_is_taken() -> None:
    assert WEB.takes("https://example.org") and not WEB.takes("http") and not WEB.takes(Path("http://here"))


def test_an_address_out_of_a_file_is_never_asked() -> None:
    with only_typed("http://127.0.0.1:9/other"), pytest.raises(BadInput, match="it was read from a file"):
        open_victim("http://127.0.0.1:9/model.onnx")
