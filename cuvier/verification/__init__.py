"""Verification: builds the original and the generated program, runs both, and compares what is live."""
