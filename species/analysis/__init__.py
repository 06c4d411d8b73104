"""The analysis of a file from end to end: every loop with its verdict, its species and its reasons."""
