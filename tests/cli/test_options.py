from unfooled.cli.options import given


def test_what_has_no_value_was_not_given() -> None:
    assert given({"text": None, "label": "stars", "limit": 0}) == {"label": "stars", "limit": 0}
