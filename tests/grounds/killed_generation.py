"""What every attempt of tests/generate/test_file.py runs: generate, or go on generating, and save often."""

import sys


def main(corpus: str, out: str, workers: str) -> None:
    """Make versions with a note after every batch, so that a kill may fall anywhere."""
    from unfooled.commands import generate as generating
    from unfooled.generate import file as version_file

    version_file.SAVE_SECONDS = 0.0
    version_file.BATCH_ROWS = 8
    generating.generate_versions(corpus, out, seed=3, workers=int(workers))


if __name__ == "__main__":
    main(*sys.argv[1:])
