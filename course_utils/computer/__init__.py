"""The computer under the course: what is installed, what a call costs, the notebook around the code."""
