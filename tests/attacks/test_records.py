from toys import Bag, attacked

from unfooled.attacks import OUTCOMES, PWWS


def test_queries_are_what_was_asked_less_what_was_remembered() -> None:
    [record] = attacked(PWWS(), Bag(), ["good film"], [1])
    assert record.queries == record.asked - record.from_cache > 0 and record.outcome in OUTCOMES
