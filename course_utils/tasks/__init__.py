"""The seeded tasks: sentences with a question about one position, reviews in pairs of twins, reviews to write."""
