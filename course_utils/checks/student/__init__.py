"""What the student keeps: predictions, and a record of what is done."""
