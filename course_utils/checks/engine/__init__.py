"""From an answer to a verdict, whatever the exercise: run it, compare it, name what is wrong."""
