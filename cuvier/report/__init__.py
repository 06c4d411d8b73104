"""Reports: what each loop is, for terminals and for programs."""
