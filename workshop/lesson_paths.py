"""Where a lesson lies, how a line of it is named, and the error that says so."""


class BuildError(Exception):
    """Why a lesson cannot be built. The message begins with the file and the line to mend."""


def number(source):
    """The number of a lesson, 05 for 05_not_good.py."""
    return source.stem.split("_")[0]


def notebook_path(source, kind):
    """The file of the "student" or the "solved" notebook of a source."""
    notebooks = source.parents[1]
    return (notebooks if kind == "student" else notebooks / "solutions") / f"{source.stem}.ipynb"


def short(path, source):
    """A path as seen from the top of the course, with forward slashes on every system."""
    return path.relative_to(source.parents[2]).as_posix()


def place(source, line):
    """file:line, as editors and terminals understand it."""
    return f"{short(source, source)}:{line}"
