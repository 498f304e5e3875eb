"""`python -m affidavit` is the command line."""

from affidavit.scripts.cli import main

main()
