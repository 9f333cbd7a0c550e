"""What other packages take long over at first: imported and made once, before processes are forked."""

import accelerate as accelerate
import lemminflect as lemminflect
import torch.distributed as distributed
from transformers.conversion_mapping import get_checkpoint_conversion_mapping
from transformers.models.bert import modeling_bert as modeling_bert

__all__ = ["accelerate", "distributed", "lemminflect", "modeling_bert"]
get_checkpoint_conversion_mapping("bert")  # a thousand regular expressions, at the first model of a process
