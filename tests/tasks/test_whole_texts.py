from pathlib import Path

from tiny import save_encoder

from unfooled.models import ModelSettings, build
from unfooled.tasks.whole_texts import cut_note, encoded


def test_texts_at_the_longest_input_are_counted(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder")), max_length=5), ("a", "b"), 0)
    tokens = encoded(model, [("film",), ("the film was very good",), ("a",)])
    assert tokens.lengths.max() == 5
    assert cut_note(tokens, model) == ("1 of 3 train texts reach 5 tokens and are cut there",)
    assert cut_note(encoded(model, [("film",)]), model) == ()
