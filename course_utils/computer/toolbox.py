"""Does this machine have what the course needs? If not, what is missing, and how to get it."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

COURSE = "learning-to-look"
MEND = "in a terminal, in the folder of the course, type: nox -s lab"


def toolbox() -> list[str]:
    """Return one line for each package that the course needs: ready, too old or too new, or missing, and what to do.

    The ranges are those of pyproject.toml, read from the installed course. Raises nothing.

    >>> [line for line in toolbox() if line.startswith("numpy")]
    ['numpy         ready']
    """
    try:
        requirements = [Requirement(line) for line in requires(COURSE) or []]
    except PackageNotFoundError:
        return [f"the course itself is not installed; {MEND}"]
    applicable = [requirement for requirement in requirements if applies(requirement)]
    lines = [f"{requirement.name.removesuffix('-cpu'):<13} {state(requirement)}" for requirement in applicable]
    return [*lines, f"{'fonts':<13} {fonts()}"]


def applies(requirement: Requirement) -> bool:
    """Return whether this machine needs the package: its marker holds here, and it is not only for tests."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def state(requirement: Requirement) -> str:
    """Return "ready", or in words what is wrong with the package here."""
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return f"MISSING; {MEND}"
    if not requirement.specifier.contains(installed, prereleases=True):
        return f"is version {installed}, the course needs {requirement.specifier}; {MEND}"
    return "ready"


def fonts() -> str:
    """Return "ready" if the font of the pictures is here, or what to do."""
    from matplotlib.font_manager import findfont  # imported here, because that takes longer than all the rest

    try:
        findfont("DejaVu Sans", fallback_to_default=False)
    except ValueError:
        return f"DejaVu Sans is MISSING, pictures may lack signs; {MEND}"
    return "ready"
