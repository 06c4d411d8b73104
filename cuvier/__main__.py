"""`python -m cuvier`."""

from cuvier.cli import main

main()
