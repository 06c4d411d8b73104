"""Many files: which they are, how each is built, who analyses them, and what need not be done again."""
