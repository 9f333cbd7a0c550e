"""What the system tells of its memory, read from files as Linux writes them."""

from pathlib import Path

from unfooled.free_memory import free_bytes, kilobytes


def proc(folder: Path, free: int) -> Path:
    (folder / "proc" / "self").mkdir(parents=True)
    (folder / "proc" / "meminfo").write_text(f"MemTotal: 9999999 kB\nMemAvailable:   {free} kB\n")
    (folder / "proc" / "self" / "status").write_text("Name: python\nVmRSS:\t  500 kB\n")
    return folder / "proc"


def group(folder: Path, most: str, taken: int, cached: int) -> Path:
    (folder / "group").mkdir()
    (folder / "group" / "memory.max").write_text(f"{most}\n")
    (folder / "group" / "memory.current").write_text(f"{taken}\n")
    (folder / "group" / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")
    return folder / "group"


def test_what_is_free_is_the_least_of_machine_and_group(tmp_path: Path) -> None:
    machine = proc(tmp_path, 1000)
    assert kilobytes(machine / "self" / "status", "VmRSS") == 500 * 1024
    assert free_bytes(machine, tmp_path / "none") == 1000 * 1024
    assert free_bytes(machine, group(tmp_path, "300000", 200000, 50000)) == 150000


def test_a_group_without_a_bound_and_a_system_that_does_not_say(tmp_path: Path) -> None:
    assert free_bytes(proc(tmp_path, 7), group(tmp_path, "max", 1, 1)) == 7 * 1024
    assert free_bytes(tmp_path / "none", tmp_path / "none") is None
    assert kilobytes(tmp_path / "none", "VmRSS") is None
