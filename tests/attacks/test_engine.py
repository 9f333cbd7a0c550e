"""The engine: exact accounting, full batches, errors that stay with their example, memory that is given back."""

import gc
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from toys import Bag, attacked, constant, essence, known, labelled, sentences

from unfooled.attacks import PWWS, Attack, DeepWordBug, Limits, Parts, RandomWords, TextFooler, run_attack
from unfooled.attacks.attempt import Ask, Compare, Question, SearchEnd
from unfooled.attacks.engine import Effort, Flight, SearchEngine
from unfooled.attacks.pool import Item
from unfooled.errors import BadInput
from unfooled.text.document import read
from unfooled.victims import open_victim


class Counting:
    """Passes texts on and writes down each batch."""

    def __init__(self) -> None:
        self.bag, self.batches = Bag(), list[list[str]]()

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.batches.append(list(texts))
        return self.bag(texts)


@pytest.mark.parametrize("attack", [PWWS(), RandomWords(), DeepWordBug()])
def test_the_accounting_is_what_the_victim_saw(attack: PWWS) -> None:
    texts = sentences(40)
    labels = labelled(Bag(), texts)
    victim = Counting()
    able = open_victim(victim).tried((texts[0],))
    victim.batches.clear()
    records = attacked(attack, able, texts, labels)
    assert sum(map(len, victim.batches)) == sum(record.queries for record in records)
    assert sum(record.from_cache for record in records) > 0 or not isinstance(attack, PWWS)


def test_batches_are_full_while_more_examples_could_be_in_flight() -> None:
    texts = sentences(300)
    victim = Counting()
    able = open_victim(victim).tried((texts[0],))
    victim.batches.clear()
    attacked(PWWS(), able, texts, labelled(Bag(), texts), limits=Limits(in_flight=32, batch_size=16))
    sizes = [len(batch) for batch in victim.batches]
    assert max(sizes) == 16 and np.mean(sizes) > 15


def test_outcomes_do_not_depend_on_how_many_are_in_flight() -> None:
    texts = sentences(50, seed=2)
    labels = labelled(Bag(), texts)
    runs = [
        [
            essence(record)
            for record in attacked(PWWS(), Bag(), texts, labels, limits=Limits(in_flight=flying, batch_size=size))
        ]
        for flying, size in ((1, 1), (8, 5), (64, 64))
    ]
    assert runs[0] == runs[1] == runs[2]


def test_answers_are_remembered_for_one_example_alone() -> None:
    """Pairs that share the attacked text are different questions."""

    def victim(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.array([[0.1, 0.9] if one == "yes" else [0.8, 0.2] for one, _ in pairs])

    records = attacked(PWWS(), victim, [("yes", "good film"), ("no", "good film")], [1, 0])
    assert [record.before for record in records] == [(0.1, 0.9), (0.8, 0.2)]
    assert [record.outcome for record in records] == ["held", "held"] and records[0].asked == records[1].asked


def test_an_error_stays_with_its_example_and_is_never_robust() -> None:
    texts = ["good film", "bad egg", "great story"]

    def victim(some: Sequence[str]) -> np.ndarray:
        if any("egg" in text for text in some):
            raise RuntimeError("no eggs\nplease")
        return Bag()(some)

    records = attacked(PWWS(), victim, texts, [1, 1, 1])
    assert [record.outcome for record in records] == ["fooled", "error", "fooled"]
    assert records[1].error == "RuntimeError: no eggs please" and records[1].prediction is None


def test_an_answer_that_is_no_probability_is_an_error_of_its_example() -> None:
    def victim(some: Sequence[str]) -> np.ndarray:
        rows = Bag()(some)
        return np.where(np.array(["egg" in text for text in some])[:, None], np.nan, rows)

    records = attacked(PWWS(), victim, ["good film", "bad egg"], [1, 1])
    assert records[0].outcome == "fooled" and records[1].error is not None and "not finite" in records[1].error


def test_a_search_that_breaks_is_an_error_of_its_example() -> None:
    parts = known({"good": ("fine",)})

    def substitutes(document: object) -> list[tuple[str, ...]]:
        if "dull" in str(document):
            raise KeyError("dull")
        assert parts.substitutes is not None
        return list(parts.substitutes(read(str(document))))

    records = attacked(PWWS(), Bag(), ["good", "dull"], [1, 0], parts=replace(parts, substitutes=substitutes))
    assert [record.outcome for record in records] == ["held", "error"]


def test_a_victim_that_always_fails_ends_the_run_with_a_sentence() -> None:
    calls = []

    def victim(some: Sequence[str]) -> np.ndarray:
        calls.append(len(some))
        if len(calls) > 1:
            raise RuntimeError("out of memory")
        return Bag()(some)

    found = run_attack(PWWS(), victim, sentences(40), [1] * 40, parts=known())
    with pytest.raises(BadInput, match="5 examples in a row could not be attacked .RuntimeError: out of memory"):
        list(found)


@pytest.mark.parametrize("flying", [1, 64])
def test_many_texts_at_fault_are_so_many_errors_while_the_victim_lives(flying: int) -> None:
    def victim(some: Sequence[str]) -> np.ndarray:
        if not all(some):
            raise RuntimeError("nothing to read")
        return Bag()(some)

    texts = ["good film", *[""] * 12, "great story"]
    records = attacked(PWWS(), victim, texts, [1] * 14, limits=Limits(in_flight=flying))
    assert [record.outcome for record in records] == ["fooled", *["error"] * 12, "fooled"]


def test_searches_that_always_break_end_the_run_with_a_sentence() -> None:
    def broken(_: object) -> list[tuple[str, ...]]:
        raise KeyError("dull")

    with pytest.raises(BadInput, match="5 examples in a row could not be attacked .KeyError: 'dull'"):
        attacked(PWWS(), Bag(), ["good"] * 9, [1] * 9, parts=Parts(broken))


@pytest.mark.parametrize("too_few", [0, 1])
def test_lengths_that_are_too_few_are_not_used(too_few: int) -> None:
    class Measured(Bag):
        def lengths(self, texts: Sequence[tuple[str, ...]]) -> list[int]:
            return [1] * (len(texts) - too_few)

    engine = SearchEngine(open_victim(Measured()).tried(("a",)), Limits())
    engine.fresh = [(Item(Flight(0, ("a",), 0, asking("a")), text), 2) for text in ("good", "film")]  # type: ignore[arg-type]
    engine.file()
    assert len(engine.pool) == 2


@pytest.mark.parametrize(("reason", "shrinks"), [("CUDA out of memory", True), ("something else", False)])
def test_batches_that_are_too_large_are_halved_for_good_and_counted(reason: str, shrinks: bool) -> None:
    sizes = []

    def victim(some: Sequence[str]) -> np.ndarray:
        sizes.append(len(some))
        if len(some) > 5:
            raise RuntimeError(reason)
        return Bag()(some)

    texts = sentences(60)
    work = Effort()
    labels = labelled(Bag(), texts)
    records = attacked(PWWS(), victim, texts, labels, limits=Limits(batch_size=16), work=work)
    plain = attacked(PWWS(), Bag(), texts, labels, limits=Limits(batch_size=16))
    assert [essence(record) for record in records] == [essence(record) for record in plain]
    failed = sum(size > 5 for size in sizes)
    assert work.halved == failed > 0 and work.reason == f"RuntimeError: {reason}" and work.examples == 60
    assert work.texts == sum(record.queries for record in records) and work.batches == len(sizes) - failed - 1
    assert (failed <= 4) == shrinks


@pytest.mark.parametrize("queries", [1, 5, 12, 5000])
def test_the_budget_is_never_passed_and_never_robust(queries: int) -> None:
    texts = sentences(40)
    victim = Counting()
    able = open_victim(victim).tried((texts[0],))
    records = attacked(PWWS(), able, texts, labelled(Bag(), texts), limits=Limits(queries=queries))
    assert all(record.queries <= queries for record in records)
    free = attacked(PWWS(), able, texts, labelled(Bag(), texts), limits=Limits(queries=None))
    for record, unlimited in zip(records, free, strict=True):
        assert essence(record) == essence(unlimited) if unlimited.queries <= queries else record.outcome == "budget"


@pytest.mark.parametrize("attack", [PWWS(), TextFooler(), DeepWordBug()])
def test_a_text_too_long_for_its_budget_is_given_up_before_its_texts_are_made(attack: Attack) -> None:
    text = " ".join(["good film was the story"] * 400)  # 2,000 texts of 9,600 letters at least
    parts = replace(known(), similarity=Encoder())
    tracemalloc.start()
    [record] = attacked(attack, Bag(), [text], [1], parts=parts, limits=Limits(queries=100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert record.outcome == "budget" and record.asked == 1 and peak < 8e6


def test_a_time_budget_ends_an_example() -> None:
    def slow(some: Sequence[str]) -> np.ndarray:
        time.sleep(0.02)
        return Bag()(some)

    [record] = attacked(PWWS(), slow, ["good film"], [1], limits=Limits(seconds=0.01))
    assert record.outcome == "budget" and record.asked == 1


def test_a_time_budget_takes_no_adversary_back_and_leaves_no_example_unanswered() -> None:
    def found(text: str) -> Iterator[Question]:
        time.sleep(0.02)
        yield Ask([text])
        return (yield Compare(text, [text]))

    limits = Limits(seconds=0.01)
    engine = SearchEngine(open_victim(constant).tried(("a",)), limits, lambda reference, texts: [0.25] * len(texts))
    [landing] = engine.run([Flight(0, ("ab",), 0, found("ab"))])  # type: ignore[arg-type]
    assert landing.ending == "returned" and landing.result == [0.25] and landing.flight.asked == 1


class Encoder:
    """Vectors by letters, and how often it was called."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        rows = np.array([[text.count("a") + 1.0, len(text)] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def asking(text: str) -> Iterator[Question]:
    answers = yield Compare("aaa", [text, "b", text])
    rows = yield Ask([text])
    assert rows.shape == (1, 2)
    return SearchEnd(read(text), True, 1, float(answers[0]))


def test_likenesses_of_many_examples_are_asked_together() -> None:
    encoder = Encoder()
    flights = [Flight(number, (text,), 0, asking(text)) for number, text in enumerate(["ab", "aab", "xyz"])]  # type: ignore[arg-type]
    landings = list(SearchEngine(open_victim(constant).tried(("a",)), Limits(batch_size=4), encoder).run(flights))
    expected = {text: float(encoder.vectors(["aaa"])[0] @ encoder.vectors([text])[0]) for text in ("ab", "aab", "xyz")}
    assert {str(land.result.document): land.result.similarity for land in landings} == pytest.approx(expected)
    assert len(encoder.calls[0]) == len(set(encoder.calls[0])) == 5  # one call, every text once


def test_a_plain_callable_is_a_similarity_too() -> None:
    flights = [Flight(0, ("ab",), 0, asking("ab"))]  # type: ignore[arg-type]
    engine = SearchEngine(open_victim(constant).tried(("a",)), Limits(), lambda reference, texts: [0.25] * len(texts))
    assert next(engine.run(flights)).result.similarity == 0.25


@pytest.mark.parametrize("answer", [[float("nan")] * 3, [0.5], 0.5, [[0.5]] * 3])
def test_a_similarity_that_judges_nothing_is_an_error_and_not_a_filter(answer: object) -> None:
    engine = SearchEngine(open_victim(constant).tried(("a",)), Limits(), lambda reference, texts: answer)
    [landing] = engine.run([Flight(0, ("ab",), 0, asking("ab"))])  # type: ignore[arg-type]
    assert landing.ending == "error" and landing.error is not None and "a finite number for each of 3" in landing.error


def test_memory_does_not_grow_with_the_examples() -> None:
    """Python's own count of what it holds, at its lowest within 300 examples: what is in flight comes and goes."""
    texts = sentences(5300, seed=4, longest=6)
    held = []
    for _ in run_attack(PWWS(), constant, texts, [1] * len(texts), parts=known(), limits=Limits(in_flight=16)):
        held.append(sys.getallocatedblocks())
    gc.collect()
    growth = min(held[5000:]) - min(held[:300])
    assert growth < 10_000  # blocks of about a hundred bytes: 1 MB in 5,000 examples
