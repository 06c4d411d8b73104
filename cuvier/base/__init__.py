"""What all commands need: the console, errors and exit statuses, files, processes, checks of syntax.

Nothing here knows of loops.
"""
