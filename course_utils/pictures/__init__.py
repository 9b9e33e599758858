"""Arrays in, pictures out; nothing here computes attention."""
