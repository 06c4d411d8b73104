"""Do two references meet in different iterations?  Integer sets decide, and quicker tests before them."""
