import random

from play_ground import SENTENCE, Client
from play_random import status_of


def test_no_random_question_breaks_anything(client: Client) -> None:
    """A sample; make fuzz-play asks for ten minutes."""
    draw = random.Random(0)
    statuses = [status_of(draw, client.port, client.token) for _ in range(80)]
    assert not [status for status in statuses if status is not None and status >= 500]
    assert {200, 422} <= set(statuses)
    assert client.ask("ask", texts=[SENTENCE])["answers"]
