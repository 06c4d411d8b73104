"""Loops with statements that are put off: which, and whether what is made of them is right."""
