"""Each trained model with its reader: Keras trains it, and a reader holds it as arrays, to read and to cut."""
