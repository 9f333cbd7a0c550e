"""Changes of a definition's syntax tree: what is looked for and what takes its place are written as source.

Trees are compared, not texts: line breaks, comments and where a definition stands do not matter. In what is looked for,
``...`` is like anything, as the body of a statement like any body.
"""

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
# What only holds an expression is taken out with it.
HOLDERS = {ast.Expr: "value", ast.keyword: "value", ast.Starred: "value", ast.withitem: "context_expr"}


def definitions(tree: ast.AST, above: str = "") -> Iterator[tuple[str, Definition]]:
    """Functions, classes and constants of modules and classes, by qualified name, the outer before the inner."""
    for node in getattr(tree, "body", ()):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield above + node.name, node
            yield from definitions(node, f"{above}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not isinstance(tree, ast.FunctionDef):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((above + target.id, node) for target in targets if isinstance(target, ast.Name))


@cache
def parsed(source: str) -> list[ast.AST]:
    """An expression, or statements."""
    body = ast.parse(source).body
    return [body[0].value] if len(body) == 1 and isinstance(body[0], ast.Expr) else list(body)


def anything(wanted: Any) -> bool:
    """Whether this is ``...``, also as the body of a statement."""
    if isinstance(wanted, list):
        return len(wanted) == 1 and isinstance(wanted[0], ast.Expr) and anything(wanted[0].value)
    return isinstance(wanted, ast.Constant) and wanted.value is ...


def alike(wanted: Any, node: Any) -> bool:
    """Whether parts of trees say the same; a name is the same where it is read and where it is written."""
    if anything(wanted) or isinstance(wanted, ast.expr_context):
        return True
    if type(wanted) is not type(node):
        return False
    if isinstance(wanted, list):
        return len(wanted) == len(node) and all(map(alike, wanted, node))
    if isinstance(wanted, ast.AST):
        return all(alike(getattr(wanted, name, None), getattr(node, name, None)) for name in wanted._fields)
    return wanted == node


class Swapping(ast.NodeTransformer):
    """Puts trees in the place of those that are alike; a ``with`` that opens nothing any more is its body."""

    def __init__(self, pairs: list[tuple[ast.AST, list[ast.AST]]]) -> None:
        self.pairs = pairs

    def visit(self, node: ast.AST) -> Any:
        for old, new in self.pairs:
            if alike(old, node):
                return copy.deepcopy(new[0] if len(new) == 1 else new) or None
            if not new and type(node) in HOLDERS and alike(old, getattr(node, HOLDERS[type(node)])):
                return None
        self.generic_visit(node)
        return node.body if isinstance(node, ast.With) and not node.items else node


@dataclass(frozen=True)
class Swap:
    """Each source on the left, found exactly once in a definition, becomes that on its right; "" takes it out."""

    sources: Mapping[str, str]

    def missing(self, definition: ast.AST) -> list[str]:
        """What does not stand exactly once in a definition, and how often it does."""
        times = {old: sum(alike(parsed(old)[0], node) for node in ast.walk(definition)) for old in self.sources}
        return [f"{old!r} stands {count} times" for old, count in times.items() if count != 1]

    def made(self, text: str, name: str) -> str:
        """The text of a module with the change in its definition of this name."""
        tree = ast.parse(text)
        definition = dict(definitions(tree)).get(name)
        if definition is None:
            raise ValueError("there is no such definition")
        if missing := self.missing(definition):
            raise ValueError(" and ".join(missing))
        Swapping([(parsed(old)[0], parsed(new)) for old, new in self.sources.items()]).visit(definition)
        return ast.unparse(tree) + "\n"


@dataclass(frozen=True)
class Quote:
    """A text, found exactly once in a file that is no Python, becomes another."""

    old: str
    new: str

    def made(self, text: str, name: str = "") -> str:
        """The text of the file with the change in it."""
        times = text.count(self.old)
        if times != 1:
            raise ValueError(f"{self.old!r} stands {times} times")
        return text.replace(self.old, self.new)


def swap(old: str, new: str) -> Swap:
    """One expression or statement for another; a statement may become several."""
    return Swap({old: new})


def drop(old: str) -> Swap:
    """A statement, an argument, a condition or what a ``with`` opens is taken out."""
    return Swap({old: ""})


def exchange(one: str, other: str) -> Swap:
    """Two expressions, each in the place of the other."""
    return Swap({one: other, other: one})
