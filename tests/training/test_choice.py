from looks import chosen

from unfooled.training.choice import shown_scores


def test_the_choice_by_hand() -> None:
    assert chosen([(0.80, 0.40), (0.79, 0.50)]) == 1  # a point less, and a better mean
    assert chosen([(0.80, 0.40), (0.78, 0.70)]) == 0  # two points less are too many
    assert chosen([(0.80, 0.40), (0.82, 0.36)]) == 1  # the first is no longer within a point of the best
    assert chosen([(0.80, 0.40), (0.805, 0.36)]) == 0  # it is, and has the better mean
    assert chosen([(0.80, 0.40), (0.80, 0.40)]) == 0  # of equal looks the first


def test_scores_are_shown_in_their_order() -> None:
    assert shown_scores({"accuracy": 0.5, "loss": 1 / 3}) == "accuracy 0.5000, loss 0.3333"
