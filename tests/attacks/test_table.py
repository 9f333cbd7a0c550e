import pytest
from toys import Bag, attacked, constant

from unfooled.attacks import ATTACKS, Parts
from unfooled.attacks.table import attack_named, name_of
from unfooled.errors import BadInput
from unfooled.settings import Settings

PARTS = Parts(
    lambda document: [("solid",) if word == "good" else () for word in document.words],
    lambda reference, texts: [1.0] * len(texts),
    lambda words: ["NN"] * len(words),
)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_keeps_the_contract(name: str) -> None:
    kind = attack_named(name)
    settings = kind()
    assert issubclass(kind, Settings) and name_of(settings) == name and kind.__doc__
    assert kind.model_validate(settings.model_dump(mode="json")) == settings
    fooled, wrong, empty = attacked(settings, Bag(), ["good film good", "good film", ""], [1, 0, 0], parts=PARTS)
    assert fooled.outcome in ("fooled", "held") and wrong.outcome == "already wrong" and wrong.asked == 1
    assert empty.outcome == "no candidates"
    assert attacked(settings, constant, ["good film good"], [1], parts=PARTS)[0].outcome == "held"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean pwws"):
        attack_named("pwvs")
