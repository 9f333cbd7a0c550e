"""Blocks that are kept: tokenised once, shared, and never used unless they are whole and of this corpus."""

import gzip
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_text import byte_tokenizer, piece_tokenizer

from unfooled.data.batches import hashes, kept
from unfooled.data.batches.blocks import in_blocks
from unfooled.data.batches.kept import Wanted, kept_blocks
from unfooled.data.corpus import load_corpus, open_corpus
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput

LINES = ["= Heading =", "", *(f"the film number {number} was warm, café 😀" for number in range(40))]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "blocks"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def wanted(path: Path, **changes: Any) -> Wanted:
    return replace(Wanted(open_corpus(DataSettings(source=str(path))), piece_tokenizer(), 40, 30), **changes)


def folders(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if path.is_dir()]


def texts(found: kept.KeptCorpus) -> dict[str, list[str]]:
    return {split: blocks.first(10**6) for split, blocks in found.blocks.items()}


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on nothing may be tokenised."""

    def refuse(*_: Any) -> None:
        raise AssertionError("tokenised again")

    monkeypatch.setattr(kept, "blocks_of", refuse)


def test_what_is_kept_is_what_is_cut_in_memory(corpus: Path) -> None:
    found, held = kept_blocks(wanted(corpus)), load_corpus(DataSettings(source=str(corpus)))
    assert found.fingerprint == held.fingerprint and found.notes[:-1] == held.notes
    for split, length in (("train", 40), ("validation", 30)):
        blocks = in_blocks(held.splits[split], piece_tokenizer(), length)
        assert found.blocks[split].first(999) == blocks.first(999)
        assert found.blocks[split].lengths.tolist() == blocks.lengths.tolist()
    assert isinstance(found.blocks["train"].lengths, np.memmap)
    some = found.blocks["train"].take([3, 0])
    assert some.first(2) == [found.blocks["train"].texts[3], found.blocks["train"].texts[0]]


def test_a_second_start_tokenises_nothing_and_says_so(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept_blocks(wanted(corpus))
    forbid(monkeypatch)
    again = kept_blocks(wanted(corpus))
    assert texts(again) == texts(first) and again.fingerprint == first.fingerprint
    assert "tokenised now" in first.notes[-1] and "as kept in" in again.notes[-1]
    assert again.notes[:-1] == first.notes[:-1]


def test_another_corpus_tokenizer_or_length_has_a_folder_of_its_own(corpus: Path, cache: Path) -> None:
    text = open_corpus(DataSettings(source=str(corpus), validation_fraction=0.5))
    packed = corpus.with_name("packed.txt.gz")
    packed.write_bytes(gzip.compress(corpus.read_bytes()))
    before = kept_blocks(wanted(corpus))
    others = [
        wanted(corpus, tokenizer=byte_tokenizer()),
        wanted(corpus, length=41),
        wanted(corpus, look_length=31),
        wanted(corpus, text=text),
        wanted(packed),
    ]
    found = [kept_blocks(one) for one in others]
    assert texts(found[-1]) == texts(before)  # packed or not
    corpus.write_text("\n".join([*LINES, "one line more"]), encoding="utf-8")
    kept_blocks(wanted(corpus))
    assert len(folders(cache)) == 7


def test_a_tokenizer_that_was_used_is_the_same_tokenizer(corpus: Path) -> None:
    tokenizer = piece_tokenizer()
    before = wanted(corpus, tokenizer=tokenizer).key()
    tokenizer(["some text"], truncation=True, max_length=5, padding=True)
    assert wanted(corpus, tokenizer=tokenizer).key() == before


@pytest.mark.parametrize("part", ["train.texts", "train.ends", "train.tokens", "validation.texts", "validation.ends"])
@pytest.mark.parametrize("letter", [b"\0", b"\xff", b"a"], ids=["zeros", "ones", "letters"])
def test_parts_of_the_right_size_that_hold_something_else_are_made_anew(
    corpus: Path, cache: Path, part: str, letter: bytes
) -> None:
    before = texts(kept_blocks(wanted(corpus)))
    (folder,) = folders(cache)
    whole = (folder / part).read_bytes()
    middle = len(whole) // 2
    for damaged in (letter * len(whole), whole[:middle] + letter + whole[middle + 1 :]):
        if damaged == whole:
            continue
        (folder / part).write_bytes(damaged)
        again = kept_blocks(wanted(corpus))
        assert texts(again) == before and "what was there is damaged" in again.notes[-1]
        assert (folder / part).read_bytes() == whole


@pytest.mark.parametrize("name", ["key", "fingerprint", "sizes", "marks", "notes", "seal"])
def test_a_header_that_lacks_something_or_says_something_else_is_made_anew(
    corpus: Path, cache: Path, name: str
) -> None:
    first = kept_blocks(wanted(corpus))
    (folder,) = folders(cache)
    header = json.loads((folder / "header.json").read_text())
    for other in ({key: value for key, value in header.items() if key != name}, {**header, name: "other"}, [header]):
        (folder / "header.json").write_text(json.dumps(other))
        again = kept_blocks(wanted(corpus))
        assert texts(again) == texts(first) and again.fingerprint == first.fingerprint
        assert again.notes[:-1] == first.notes[:-1] and "what was there is damaged" in again.notes[-1]


def test_damage_between_the_samples_of_a_large_text_is_a_sentence(
    corpus: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashes, "SAMPLE", 2)
    monkeypatch.setattr(hashes, "SAMPLES", 3)
    kept_blocks(wanted(corpus))
    (folder,) = folders(cache)
    whole = (folder / "train.texts").read_bytes()
    (folder / "train.texts").write_bytes(whole[:4] + b"\xff" + whole[5:])
    found = kept_blocks(wanted(corpus))
    with pytest.raises(BadInput, match=r"train\.texts: block 0 is damaged, .*delete the folder .* and start again"):
        found.blocks["train"].first(1)
    (folder / "train.texts").write_bytes(whole[:-1] + b"\xff")  # where there is a sample
    assert "what was there is damaged" in kept_blocks(wanted(corpus)).notes[-1]


@pytest.mark.parametrize("harm", ["cut", "header", "no header", "another's"])
def test_what_is_not_whole_or_of_another_is_made_anew_and_said(corpus: Path, cache: Path, harm: str) -> None:
    before = texts(kept_blocks(wanted(corpus)))
    (folder,) = folders(cache)
    header = folder / "header.json"
    if harm == "cut":
        (folder / "train.texts").write_bytes((folder / "train.texts").read_bytes()[:-7])
    elif harm == "header":
        header.write_text(header.read_text()[:20])
    elif harm == "no header":
        header.unlink()
    else:
        header.write_text(json.dumps({**json.loads(header.read_text()), "key": "0" * 64}))
    again = kept_blocks(wanted(corpus))
    assert texts(again) == before and "not whole, or of another corpus or tokenizer; tokenised now" in again.notes[-1]


def test_a_second_start_does_not_read_the_corpus(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(corpus, (1e9, 1e9))
    first = kept_blocks(wanted(corpus))
    forbid(monkeypatch)
    whole = hashes.whole_hash

    def refuse(file: Path) -> str:
        assert file != corpus, "read again"
        return whole(file)

    monkeypatch.setattr(hashes, "whole_hash", refuse)
    assert texts(kept_blocks(wanted(corpus))) == texts(first)


def test_a_disk_that_fills_leaves_nothing(corpus: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match=r"could not be kept in .*No space left on device.*UNFOOLED_CACHE"):
            kept_blocks(wanted(corpus))
    assert not folders(cache)
    assert len(kept_blocks(wanted(corpus)).blocks["train"])


def test_what_a_killed_process_left_is_never_used(corpus: Path, cache: Path) -> None:
    before = texts(kept_blocks(wanted(corpus)))
    (folder,) = folders(cache)
    half = folder.with_name(f".{folder.name}.writing")
    os.replace(folder, half)
    (half / "train.texts").write_bytes(b"half")
    assert texts(kept_blocks(wanted(corpus))) == before and folders(cache) == [folder]


def test_who_comes_meanwhile_waits_and_shares(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], kept.make

    def counted(*given: Any) -> Any:
        made.append(1)
        return make(*given)

    monkeypatch.setattr(kept, "make", counted)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: texts(kept_blocks(wanted(corpus))), range(4)))
    assert len(made) == 1 and found == [found[0]] * 4


def test_a_corpus_that_changes_while_it_is_read_is_refused(
    corpus: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = kept.write_splits

    def changing(*given: Any) -> Any:
        done = write(*given)
        corpus.write_text("something else\n" * 20)
        return done

    monkeypatch.setattr(kept, "write_splits", changing)
    with pytest.raises(BadInput, match="changed while it was read"):
        kept_blocks(wanted(corpus))
    assert not folders(cache)


def test_a_split_without_text_and_a_file_that_is_gone_are_refused(tmp_path: Path, corpus: Path, cache: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n = Heading = \n")
    for bad, said in ((empty, "no text in it"), (tmp_path / "no.txt", "no such file")):
        with pytest.raises(BadInput, match=said):
            kept_blocks(wanted(corpus, text=open_corpus(DataSettings(source=str(corpus), validation=str(bad)))))
    gone = wanted(corpus)
    shutil.copy(corpus, tmp_path / "copy.txt")
    corpus.unlink()
    with pytest.raises(BadInput, match="cannot be read"):
        kept_blocks(gone)
