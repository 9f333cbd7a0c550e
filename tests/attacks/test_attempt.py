import numpy as np

from unfooled.attacks.attempt import Attempt
from unfooled.attacks.goals import UNTARGETED, targeted
from unfooled.text.document import read
from unfooled.victims.rounding import Yardstick


def test_an_attempt_reads_rows_by_its_goal() -> None:
    rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
    yardstick = Yardstick()
    plain = Attempt(read("a text"), 0, rows[0], UNTARGETED, yardstick, "<unk>", (0, 0))
    aimed = Attempt(read("a text"), 0, rows[0], targeted(2), yardstick, "<unk>", (0, 0))
    assert [plain.reached(row) for row in rows] == [False, True] == [aimed.reached(row) for row in rows]
    assert plain.nearness(rows).tolist() == [-0.6, -0.2] and aimed.nearness(rows).tolist() == [0.1, 0.5]
    assert np.allclose(plain.slack(rows), yardstick.slack(rows[:, 0]))
    assert np.allclose(aimed.slack(rows), yardstick.slack(rows[:, 2]))
