from pathlib import Path

from unfooled.workers.memory import affordable, own_bytes


def test_what_this_process_has_taken(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "status").write_text("Name: python\nVmRSS:\t  500 kB\n")
    assert own_bytes(tmp_path) == 500 * 1024 and own_bytes(tmp_path / "none") is None


def test_a_tenth_of_what_is_free_stays_so() -> None:
    assert [affordable(4, 100, free) for free in (0, 99, 112, 223, 10**6)] == [0, 0, 1, 2, 4]
