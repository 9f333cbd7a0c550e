"""Small tokenizers that split words into pieces: by letters (WordPiece), by bytes (as RoBERTa's), by likelihood."""

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

WORDS = ["the", "film", "was", "good", "and", "warm", "a", "plot", "it", "very", "##s", "##ed", "bright"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    ends = [("[CLS]", tokenizer.token_to_id("[CLS]")), ("[SEP]", tokenizer.token_to_id("[SEP]"))]
    if tokenizer.post_processor is None:
        both = "[CLS] $A [SEP] $B:1 [SEP]:1"
        tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", both, special_tokens=ends)
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def piece_tokenizer() -> PreTrainedTokenizerFast:
    """Known words whole, others letter by letter; lower case, accents kept apart as BERT does."""
    letters = [chr(code) for code in range(33, 127)] + ["😀"]
    pieces = [*SPECIAL, *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return wrapped(tokenizer)


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE that has hardly learnt anything: an emoji is several pieces."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(["the film was good and the plot was warm"] * 3, trainer)
    ends = (("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]")))
    tokenizer.post_processor = processors.RobertaProcessing(*ends, trim_offsets=True, add_prefix_space=False)
    return wrapped(tokenizer)


def likely_tokenizer() -> PreTrainedTokenizerFast:
    """A unigram model whose pieces begin with the mark of the space before them, as ALBERT's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    letters = [chr(code) for code in range(33, 127)]
    trainer = trainers.UnigramTrainer(
        vocab_size=180, special_tokens=SPECIAL, unk_token="[UNK]", initial_alphabet=letters, show_progress=False
    )
    tokenizer.train_from_iterator(["the film was good and the plot was warm", "a very bright film"] * 3, trainer)
    return wrapped(tokenizer)
