import subprocess
import sys

import pytest

import unfooled as uf
from unfooled import methods
from unfooled.methods.table import METHODS, PRETRAINING_METHODS


@pytest.mark.parametrize("name", METHODS)
def test_the_line_of_a_method_is_the_first_of_its_docstring_and_its_group_that_of_its_tasks(name: str) -> None:
    kind = METHODS[name]
    assert METHODS.lines[name] == (kind.__doc__ or "").splitlines()[0] and METHODS.name_of(kind) == name
    assert (name in PRETRAINING_METHODS) == (kind.tasks == ("pretraining",))
    assert getattr(methods, kind.__name__) is kind is getattr(uf, kind.__name__)
    assert kind.__name__ in methods.__all__ and kind.__name__ in uf.__all__


def test_the_table_and_the_package_need_no_torch() -> None:
    code = "import sys, unfooled.methods as room; room.METHODS.lines; assert not {'torch', 'pydantic'} & {*sys.modules}"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
