"""Positions, budgets, memoisation, reasons and refusals: what every part of the analysis needs."""
