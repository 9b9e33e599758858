"""The exercises: for each a reference with switches, its faults, and the inputs that tell them apart."""
