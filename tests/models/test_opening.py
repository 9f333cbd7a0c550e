from pathlib import Path

import pytest
import transformers
from tiny import save_encoder

from unfooled.errors import BadInput, Stopped
from unfooled.models import ModelSettings, build, load, save
from unfooled.models.locate import locate
from unfooled.models.opening import network_of, network_size, opening, tokenizer_of

LABELS = ["negative", "positive", "neutral"]


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    return str(save_encoder(tmp_path / "encoder"))


@pytest.mark.parametrize("damage", ["cut", "junk", "pickle"])
def test_corrupted_weights_are_one_sentence(encoder: str, tmp_path: Path, damage: str) -> None:
    save(build(ModelSettings(name=encoder), LABELS, seed=0), tmp_path / "saved", "")
    weights = tmp_path / "saved" / "model.safetensors"
    content = {
        "cut": weights.read_bytes()[:-100],
        "junk": b"\xff" * 400,
        "pickle": b"\x80\x04\x95" + b"x" * 300,
    }
    weights.write_bytes(content[damage])
    with pytest.raises(BadInput, match="cannot be read|cannot be opened|has a header of") as error:
        load(str(tmp_path / "saved"))
    assert "\n" not in str(error.value)


def test_a_networks_weights_are_counted_before_there_are_any(encoder: str) -> None:
    network = network_of(locate(encoder))
    weights = sum(tensor.numel() for tensor in network.state_dict().values())
    assert network_size(transformers.AutoModel, network.config) == weights


def test_whatever_goes_wrong_is_one_sentence_but_a_stop_stays_a_stop(encoder: str) -> None:
    place = locate(encoder)
    with pytest.raises(BadInput, match=r"cannot be opened as a model \(odd\)") as error, opening(place):
        raise TypeError("odd\nand more")
    assert "\n" not in str(error.value)
    with pytest.raises(Stopped), opening(place):
        raise Stopped("enough")
    assert tokenizer_of(place)("good")["input_ids"]
