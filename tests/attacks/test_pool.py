import numpy as np

from unfooled.attacks.pool import Item, Pool


def filled(lengths: list[int], sizes: list[int], owners: list[str]) -> Pool[str]:
    pool: Pool[str] = Pool()
    pool.add([Item(owner, str(number)) for number, owner in enumerate(owners)], lengths, sizes)
    return pool


def test_a_batch_is_of_similar_length_around_the_smallest_question() -> None:
    pool = filled([10, 50, 52, 90, 51, 12], [4, 4, 1, 4, 4, 4], list("aabaaa"))
    assert {item.text for item in pool.take(3)} == {"1", "2", "4"}
    assert len(pool) == 3
    assert {item.text for item in pool.take(3)} == {"0", "3", "5"}
    assert pool.take(3) == [] and not pool.open


def test_everything_is_handed_out_once() -> None:
    random = np.random.default_rng(0)
    pool: Pool[int] = Pool()
    seen: list[str] = []
    for number in range(30):
        count = int(random.integers(1, 9))
        items = [Item(number, f"{number} {place}") for place in range(count)]
        pool.add(items, random.integers(1, 40, count).tolist(), [count] * count)
        seen += [item.text for item in pool.take(5)]
    while batch := pool.take(5):
        seen += [item.text for item in batch]
    assert len(seen) == len(set(seen)) and {text.split()[0] for text in seen} == {str(number) for number in range(30)}
    assert not pool.items and not pool.open


def test_batches_are_full_as_long_as_there_is_enough() -> None:
    pool = filled(list(range(20)), [20] * 19 + [1], ["a"] * 20)
    assert [len(pool.take(8)) for _ in range(3)] == [8, 8, 4]


def test_what_an_owner_waits_for_can_be_dropped() -> None:
    one, other = "one", "other"
    pool = filled([1, 2, 3, 4], [4, 4, 4, 4], [one, other, one, other])
    pool.drop(one)
    assert {item.text for item in pool.take(4)} == {"1", "3"} and pool.take(4) == []
