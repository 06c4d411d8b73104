"""The roofline of machines with the loops of a report in it, as a picture."""
