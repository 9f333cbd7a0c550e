"""Somebody's program, run in a folder by a process of its own."""

import os
import runpy
import sys
import traceback


def run_program(path: str, folder: str, arguments: tuple[str, ...]) -> None:
    """Run a program in a folder, its output in files there."""
    os.chdir(folder)
    sys.argv = [path, *arguments]
    with open("stdout", "w") as said, open("stderr", "w") as complaints:
        sys.stdout, sys.stderr = said, complaints
        try:
            runpy.run_path(path, run_name="__main__")
        except BaseException:
            traceback.print_exc(file=complaints)
            raise
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
