"""C texts of transformed nests."""
