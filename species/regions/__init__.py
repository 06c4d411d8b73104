"""Which cells of arrays a loop touches: bounds, boxes, and regions as texts of C."""
