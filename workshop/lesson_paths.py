"""File paths and line locations of lessons, and the error raised when one cannot be built."""


class BuildError(Exception):
    """A lesson cannot be built. The message begins with the file and the line to fix."""


def number(source):
    """The number of a lesson, 05 for 05_not_good.py."""
    return source.stem.split("_")[0]


def notebook_path(source, kind):
    """The file of the "student" or the "solved" notebook of a source, or of the "questions" beside theirs."""
    folders = {"student": source.parents[1], "solved": source.parents[1] / "solutions", "questions": source.parent}
    return folders[kind] / f"{source.stem}.ipynb"


def short_path(path, source):
    """A path relative to the root of the course, with forward slashes on every system."""
    return path.relative_to(source.parents[2]).as_posix()


def location(source, line):
    """file:line, as editors and terminals understand it."""
    return f"{short_path(source, source)}:{line}"
