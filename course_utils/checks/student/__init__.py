"""What the student keeps: predictions, own functions, and a record of what is done."""
