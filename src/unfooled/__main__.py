"""``python -m unfooled`` is ``unfooled``; ``torchrun -m unfooled train …`` trains on several processes."""

from unfooled.cli.main import main

if __name__ == "__main__":
    main()
