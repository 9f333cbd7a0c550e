"""Text models that small changes cannot fool and changes of meaning cannot slip past.

``import unfooled as uf`` is cheap; torch is loaded by the first name that needs it.
"""

from typing import TYPE_CHECKING

from unfooled.attacks.table import ATTACKS
from unfooled.methods.table import METHODS
from unfooled.table import lazily

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unfooled.attacks.run import run_attack as run_attack
    from unfooled.commands.attack import attack as attack
    from unfooled.commands.attack import attack_text as attack_text
    from unfooled.commands.compare import compare as compare
    from unfooled.commands.evaluate import evaluate as evaluate
    from unfooled.commands.gate import gate as gate
    from unfooled.commands.generate import generate_versions as generate_versions
    from unfooled.commands.hits_evaluator import HitsEvaluator as HitsEvaluator
    from unfooled.commands.merge import merge as merge
    from unfooled.commands.predict import Predictor as Predictor
    from unfooled.commands.predict import predict as predict
    from unfooled.commands.push import push as push
    from unfooled.commands.report import report as report
    from unfooled.commands.train import train as train
    from unfooled.commands.translate import translate as translate
    from unfooled.commands.tune import tune as tune
    from unfooled.commands.tuning.bounds import Bound as Bound
    from unfooled.commands.verify import verify as verify
    from unfooled.errors import BadInput as BadInput
    from unfooled.generate.lines import VersionLines as VersionLines
    from unfooled.generate.reconstruction import generate_adversaries as generate_adversaries
    from unfooled.loops.callback import RobustnessCallback as RobustnessCallback
    from unfooled.loops.prepare import prepare as prepare
    from unfooled.loops.robust import robust as robust
    from unfooled.loops.trainer import RobustMixin as RobustMixin
    from unfooled.loops.trainer import RobustTrainer as RobustTrainer
    from unfooled.victims.objects.skops_file import SkopsFile as SkopsFile
    from unfooled.victims.servers.chat import ChatVictim as ChatVictim

_COMMANDS = (
    *("attack", "compare", "evaluate", "gate", "merge", "predict", "push", "report", "train", "translate", "tune"),
    "verify",
)
_PLACES = {
    **METHODS.exports,
    **ATTACKS.exports,
    **{name: f"unfooled.commands.{name}:{name}" for name in _COMMANDS},
    "BadInput": "unfooled.errors:BadInput",
    "Bound": "unfooled.commands.tuning.bounds:Bound",
    "ChatVictim": "unfooled.victims.servers.chat:ChatVictim",
    "HitsEvaluator": "unfooled.commands.hits_evaluator:HitsEvaluator",
    "SkopsFile": "unfooled.victims.objects.skops_file:SkopsFile",
    "Predictor": "unfooled.commands.predict:Predictor",
    "RobustMixin": "unfooled.loops.trainer:RobustMixin",
    "RobustTrainer": "unfooled.loops.trainer:RobustTrainer",
    "RobustnessCallback": "unfooled.loops.callback:RobustnessCallback",
    "VersionLines": "unfooled.generate.lines:VersionLines",
    "attack_text": "unfooled.commands.attack:attack_text",
    "generate_adversaries": "unfooled.generate.reconstruction:generate_adversaries",
    "generate_versions": "unfooled.commands.generate:generate_versions",
    "prepare": "unfooled.loops.prepare:prepare",
    "robust": "unfooled.loops.robust:robust",
    "run_attack": "unfooled.attacks.run:run_attack",
}
__all__ = sorted(_PLACES)
__getattr__ = lazily(__name__, _PLACES)
