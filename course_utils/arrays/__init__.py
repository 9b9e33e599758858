"""Shapes in signatures, and errors that name the argument, its shape and the shape wanted."""
