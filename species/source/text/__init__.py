"""Texts of C: files, tokens, edits, macros, and where statements begin and end."""
