"""What belongs to the student: predictions, own functions, and the record of progress."""
