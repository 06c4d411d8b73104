"""Variables, types, and the effects of functions: what names mean, and what calls may do."""
