"""The reconstruction head: its parameters counted, its decoder tied, its layers in order."""

import math

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from support import ARCHITECTURES, VOCABULARY, configuration, make_tokens, padding_of, tiny_network
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
)

from unfooled.errors import BadInput
from unfooled.models.heads.reconstructor import Reconstructor, has_pretrained_head, pretrained_head


def head_of(network, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Reconstructor(network.get_input_embeddings(), network.config.hidden_size)


def size(module):
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.fixture(scope="module")
def albert():
    """albert-base-v2 by its configuration, with random weights."""
    sizes = {"hidden_size": 768, "embedding_size": 128, "vocab_size": 30000, "intermediate_size": 3072}
    return AlbertForSequenceClassification(AlbertConfig(**sizes, num_hidden_layers=12, num_attention_heads=12))


def test_oracle_6_3_1_it_adds_128688_parameters_to_albert_base(albert):
    head = head_of(albert)
    assert size(head) == 128_688
    together = torch.nn.ModuleDict({"model": albert, "head": head})
    assert size(together) == 11_813_810
    assert head.weight is albert.albert.embeddings.word_embeddings.weight
    assert sorted(head.state_dict()) == ["bias", "dense.bias", "dense.weight", "norm.bias", "norm.weight"]


def test_oracle_6_3_2_a_head_of_zeros_is_wrong_by_the_logarithm_of_the_vocabulary(albert):
    head = head_of(albert)
    torch.nn.init.zeros_(head.dense.weight)
    with torch.no_grad():
        logits = head.logits(torch.randn(6, 768, generator=torch.Generator().manual_seed(0)))
    assert F.cross_entropy(logits, torch.arange(6) * 4000).item() == pytest.approx(10.308953, rel=1e-6)
    assert math.log(30000) == pytest.approx(10.308953, rel=1e-7)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_every_architecture_is_decoded_by_its_own_table(kind):
    network = tiny_network(kind)
    head, table = head_of(network), network.get_input_embeddings().weight
    width = 16 if kind in ("albert", "electra") else 32  # factorised or full
    assert head.weight is table and table.shape == (VOCABULARY, width)
    assert size(head) == 32 * width + 3 * width + VOCABULARY
    assert head.logits(torch.zeros(2, 3, 32)).shape == (2, 3, VOCABULARY)


def test_the_layers_in_order_written_out():
    network = tiny_network("albert")
    head = head_of(network).double()
    torch.nn.init.normal_(head.bias)
    torch.nn.init.normal_(head.norm.weight)
    states = torch.randn(5, 32, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    wide = states @ head.dense.weight.T + head.dense.bias
    bent = wide / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
    centred = bent - bent.mean(dim=1, keepdim=True)
    normal = centred / centred.pow(2).mean(dim=1, keepdim=True).sqrt() * head.norm.weight + head.norm.bias
    torch.testing.assert_close(head(states), normal, rtol=1e-6, atol=1e-8)
    network.double()  # the table follows its network, and the decoder follows the table
    torch.testing.assert_close(head.logits(states), normal @ head.weight.T + head.bias, rtol=1e-6, atol=1e-8)


def test_it_starts_from_narrow_normal_weights_that_follow_the_seed(albert):
    head = head_of(albert, seed=3)
    assert head.dense.weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert abs(head.dense.weight.mean().item()) < 5e-4
    assert not head.dense.bias.any() and not head.bias.any() and not head.norm.bias.any()
    assert head.norm.eps == 1e-12
    assert torch.equal(head.dense.weight, head_of(albert, seed=3).dense.weight)
    assert not torch.equal(head.dense.weight, head_of(albert, seed=4).dense.weight)


def test_states_of_reduced_precision_are_read_in_that_of_the_weights():
    head = head_of(tiny_network())
    assert head(torch.ones(2, 32, dtype=torch.bfloat16)).dtype is torch.float32


@pytest.fixture
def masked(tmp_path):
    """A factory of masked language models with random weights in every layer, and of classifiers loaded from them."""

    def build(kind, act="gelu_new"):
        config = configuration(kind, 2, 0.0, 2, 32)
        config.hidden_act = act
        config.layer_norm_eps = 1e-12
        with torch.random.fork_rng():
            torch.manual_seed(0)
            network = AutoModelForMaskedLM.from_config(config).eval()
            for name, parameter in network.named_parameters():
                if any(part in name for part in ("predictions", "lm_head", "vocab_")):
                    torch.nn.init.normal_(parameter, std=0.5)
        network.save_pretrained(tmp_path / kind)
        return network, tmp_path / kind

    return build


@pytest.mark.parametrize("kind", ["bert", "albert", "roberta", "distilbert", "mpnet", "deberta"])
def test_a_pretrained_head_guesses_what_the_masked_language_model_guesses(masked, kind):
    network, folder = masked(kind)
    classifier = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    head = head_of(classifier)
    head.take_over(pretrained_head(classifier), "refused")
    tokens = make_tokens([5, 7], [0, 1], padding=padding_of(kind))
    with torch.no_grad():
        wanted = network(input_ids=tokens.ids, attention_mask=tokens.mask.long()).logits
        states = classifier.base_model(input_ids=tokens.ids, attention_mask=tokens.mask.long()).last_hidden_state
        # These heads have a GELU of their own, whatever the configuration says; the tanh form is within 0.001 of it.
        near = 0.02 if kind in ("roberta", "mpnet", "distilbert") else 1e-4
        torch.testing.assert_close(head.logits(states), wanted, rtol=1e-4, atol=near)
    assert wanted.std() > 0.5


def test_names_of_the_first_years_and_weights_in_several_files_are_read(masked):
    _, folder = masked("bert")
    classifier = AutoModelForSequenceClassification.from_pretrained(folder)
    tensors, wanted = load_file(folder / "model.safetensors"), pretrained_head(classifier)
    norm = "cls.predictions.transform.LayerNorm."
    renamed = {
        name.replace(f"{norm}weight", f"{norm}gamma").replace(f"{norm}bias", f"{norm}beta"): tensor
        for name, tensor in tensors.items()
    }
    assert set(renamed) != set(tensors)
    (folder / "model.safetensors").unlink()
    for number, part in enumerate((list(renamed)[::2], list(renamed)[1::2])):
        save_file({name: renamed[name] for name in part}, folder / f"model-{number}.safetensors")
    found = pretrained_head(classifier)
    assert found.keys() == wanted.keys() and all(torch.equal(found[name], wanted[name]) for name in wanted)


def test_a_checkpoint_without_such_a_head_or_with_a_broken_file_is_one_sentence(masked):
    with pytest.raises(BadInput, match="the model has no masked-language-model head"):
        pretrained_head(tiny_network())
    assert not has_pretrained_head(tiny_network())
    _, folder = masked("albert")
    classifier = AutoModelForSequenceClassification.from_pretrained(folder)
    assert has_pretrained_head(classifier)
    with pytest.raises(BadInput, match="does not fit"):
        head_of(tiny_network("albert", width=16)).take_over(pretrained_head(classifier), "it does not fit")
    classifier.save_pretrained(folder)  # a classifier alone, in the same place
    with pytest.raises(BadInput, match='has nothing to start from; use "fresh"'):
        pretrained_head(classifier)
    (folder / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(BadInput, match="cannot be read"):
        pretrained_head(classifier)
