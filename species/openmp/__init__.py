"""What OpenMP asks of directives, and what its clauses may name (OpenMP 5.0)."""
