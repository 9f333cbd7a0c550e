"""Pairs of lines: what belongs together, in batches of about as many tokens; what is wrong is one sentence."""

import gzip

import numpy as np
import pytest
import torch

from sequences import marked_text, save_pairs
from unfooled.data.datasets import DataSettings
from unfooled.data.parallel import Pairs, load_parallel
from unfooled.errors import BadInput
from unfooled.types import NO_LABEL


def settings(folder, **other):
    return DataSettings(**{"source": str(folder), "text": "en", "label": "de", **other})


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, lines in files.items():
        (folder / f"{name.replace('_', '.')}.txt").write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_lines_of_two_files_belong_together(tmp_path):
    write(tmp_path, train_en=["a dog", "two"], train_de=["ein Hund", "zwei"], dev_en=["x y"], dev_de=["u v"])
    with gzip.open(tmp_path / "test2016.en.gz", "wt") as first, gzip.open(tmp_path / "test2016.de.gz", "wt") as second:
        first.write("one\n")
        second.write("eins\n")
    (tmp_path / "test2017.en.txt").write_text("no partner\n")
    data = load_parallel(settings(tmp_path))
    assert data.splits == {
        "train": [("a dog", "ein Hund"), ("two", "zwei")],
        "validation": [("x y", "u v")],
        "test2016": [("one", "eins")],
    }
    turned = load_parallel(settings(tmp_path, text="de", label="en"))
    assert turned.splits["train"][0] == ("ein Hund", "a dog") and turned.fingerprint != data.fingerprint


def test_a_split_to_be_measured_on_can_be_named(tmp_path):
    save_pairs(tmp_path)
    for language in ("en", "de"):
        (tmp_path / f"other.{language}.txt").write_text(f"{language}\n")
    assert "other" in load_parallel(settings(tmp_path, test="other")).splits
    with pytest.raises(BadInput, match="no split called nothing in both languages; there are"):
        load_parallel(settings(tmp_path, test="nothing"))


def test_without_validation_it_is_the_end_of_train(tmp_path):
    lines = [f"s{number}" for number in range(20)]
    data = load_parallel(settings(write(tmp_path, train_en=lines, train_de=lines), limit=4))
    assert [pair[0] for pair in data.splits["validation"]] == ["s18", "s19"]
    assert len(data.splits["train"]) == 4


def test_files_of_different_lengths_are_refused_where_they_part(tmp_path):
    write(tmp_path, train_en=["a", "b", "and then some"], train_de=["x", "y"])
    with pytest.raises(BadInput, match=r"train\.en\.txt, row 3: 'and then some' has no partner.*3 lines against 2"):
        load_parallel(settings(tmp_path))
    write(tmp_path, train_en=["a"], train_de=["x", "y"])
    with pytest.raises(
        BadInput, match=r"train\.de\.txt, row 2: 'y' has no partner, since .*train\.en\.txt ends at row 1"
    ):
        load_parallel(settings(tmp_path))


def test_an_empty_side_is_refused(tmp_path):
    write(tmp_path, train_en=["a", "b"], train_de=["x", "  "])
    with pytest.raises(BadInput, match=r"train\.de\.txt, row 2: an empty side of a pair"):
        load_parallel(settings(tmp_path))


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"text": None}, "name them, as in --text en --label de"),
        ({"label": "en"}, "both en"),
        ({"label": "fr"}, r"no train\.en\.txt and train\.fr\.txt .* splits in both languages: none"),
        ({"source": "nowhere-at-all"}, "no folder called nowhere-at-all"),
    ],
)
def test_what_is_not_there_is_said(tmp_path, other, sentence):
    save_pairs(tmp_path / "pairs")
    with pytest.raises(BadInput, match=sentence):
        load_parallel(settings(tmp_path / "pairs", **other))


LENGTHS = [[2, 9, 4, 4, 7, 3, 4, 2, 5, 4, 6, 4], [3, 8, 4, 2, 7, 5, 4, 2, 3, 1, 6, 4]]


def loader(**other):
    sides = [marked_text(lengths, seed) for seed, lengths in enumerate(LENGTHS)]
    return Pairs(*sides, **{"batch_tokens": 16, "paddings": (0, 0), "start": 0, "seed": 0, **other})


def test_a_batch_holds_no_more_padded_tokens_than_asked():
    for epoch in range(3):
        rows = []
        for (batch,) in loader().updates(epoch):
            longest = max(batch.tokens.ids.shape[1], batch.label.shape[1])
            assert len(batch) * longest <= 16 or len(batch) == 1 or 9 in [LENGTHS[0][row] for row in batch.index]
            rows += batch.index.tolist()
        assert sorted(rows) == list(range(12))


def test_epochs_differ_in_their_batches_and_never_in_their_number():
    some = loader()
    epochs = [[sorted(batch.index.tolist()) for (batch,) in some.updates(epoch)] for epoch in range(6)]
    assert {len(epoch) for epoch in epochs} == {some.updates_per_epoch}
    assert len({tuple(map(tuple, sorted(epoch))) for epoch in epochs}) > 1
    later = [batch.index.tolist() for (batch,) in some.updates(2, 2)]
    assert later == [batch.index.tolist() for (batch,) in some.updates(2)][2:]
    assert sorted(int(row) for batch in some.sweep() for row in batch.index) == list(range(12))
    assert sorted(int(row) for batch in some.in_order() for row in batch.index) == list(range(12))


def test_the_decoder_reads_what_comes_before_what_is_asked():
    some = loader(smoothing=0.1)
    batch = some.pairs(np.array([1, 3, 0]), 0)
    assert batch.smoothing == 0.1 and batch.kind == "token"
    for place, row in enumerate((1, 3, 0)):
        source, target = some.source.line(row).tolist(), some.target.line(row).tolist()
        assert batch.tokens.ids[place][batch.tokens.mask[place]].tolist() == source
        assert batch.label[place][batch.label[place] != NO_LABEL].tolist() == target
        assert batch.tokens.decoder[place, : len(target)].tolist() == [0, *target[:-1]]
        words = batch.targets["words"][place]
        begin = some.source.offsets[row]
        assert words[: len(source)].tolist() == some.source.words[begin : begin + len(source)].tolist()
        assert not words[len(source) :].any()
    assert batch.counts["targets"] == sum(LENGTHS[1][row] for row in (1, 3, 0))
    assert batch.counts["anchors"] == int(batch.targets["words"].any(dim=1).sum())


def test_processes_share_a_batch_out_or_say_that_they_cannot():
    alone = [batch for (batch,) in loader(batch_tokens=60).updates(0)]
    shares = [[b for (b,) in loader(batch_tokens=60, rank=rank, processes=2).updates(0)] for rank in (0, 1)]
    assert len(alone) == len(shares[0]) == len(shares[1])
    for whole, first, second in zip(alone, *shares, strict=True):
        assert sorted([*first.index.tolist(), *second.index.tolist()]) == sorted(whole.index.tolist())
        assert torch.equal(whole.index[0::2], first.index)
    with pytest.raises(BadInput, match="raise plan.batch_tokens"):
        list(loader(processes=2).updates(0))
