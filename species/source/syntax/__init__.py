"""Walking syntax trees, and what trees of declarations, statements and expressions say."""
