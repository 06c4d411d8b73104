"""Which skeleton a kernel gets, with which parameters and clauses, and from how many iterations on."""
