from pathlib import Path

from unfooled.data.phrases import listed, place, shown


def test_a_value_in_a_message_stays_short_printable_and_on_one_line():
    text = shown("a\nb\x1b[31m" + "c" * 100_000)
    assert len(text) == 60 and text.startswith("a b?[31mccc") and text.isprintable()


def test_a_long_list_ends_in_a_count():
    assert listed(range(3)) == "0, 1, 2"
    assert listed(range(1000), most=2) == "0, 1 and 998 more"


def test_a_place_names_file_row_and_column():
    assert place(Path("a.csv"), 7, "label") == "a.csv, row 7, column label"
    assert place(Path("a.csv")) == "a.csv"
