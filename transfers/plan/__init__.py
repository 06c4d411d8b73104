"""Copy plans: which regions of which arrays move, and when."""
