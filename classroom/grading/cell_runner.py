"""Runs the cells of a notebook that was written elsewhere: with magics and packages that are not here.

What a right notebook may have and this place has not is passed over, and said: an unknown magic, an installation, and
in a cell of imports a statement that stops.
"""

import ast
import re
import traceback

PYTHON_MAGICS = {"time", "timeit", "prun", "capture", "run", "debug"}  # what they run is the student's own
SILENT_MAGICS = {"matplotlib", "config", "gui", "autosave", "pylab"}  # of a front end: none of them changes a number
INSTALLS = re.compile(r"\s*(?:python3? -m )?(?:pip3?|conda|mamba|apt|apt-get|npm|uv)\b")
WITHOUT_EFFECT = re.compile(r"^\s*%%(?:time|capture)\b.*")  # the rest of the cell is an ordinary one
MAX_REMARKS = 20
PACKAGES = "Besides Python there are the packages of the course: numpy, matplotlib, tensorflow and ipywidgets."


class CellRunner:
    """Runs cells in a shell. Remarks are texts about what was passed over."""

    def __init__(self, shell):
        self.shell, self.remarks = shell, []
        self.run_line, self.run_body, self.system = shell.run_line_magic, shell.run_cell_magic, shell.system
        shell.run_line_magic, shell.run_cell_magic = self.line_magic, self.cell_magic
        shell.system = lambda command: self.command(command, self.system)
        output, shell.getoutput = shell.getoutput, lambda command, **how: self.command(command, output, **how)

    def run(self, cell):
        """Run a cell and return whether it ran to its end. A cell of imports goes on after a statement that stops."""
        cell = WITHOUT_EFFECT.sub("", cell)
        rest, whole = self.statements(cell), True
        if not any(isinstance(one, ast.Import | ast.ImportFrom) for one in rest):
            return bool(self.shell.run_cell(cell).success)
        source = self.shell.transform_cell(cell)
        while rest:
            above = first_line(rest[0]) - 1
            result = self.shell.run_cell("\n".join(source.splitlines()[above:]))
            if result.success:
                break
            whole, line = False, line_in_cell(result.error_in_exec)
            stopped = [one for one in rest if first_line(one) <= above + line]
            if not line or not stopped:
                break
            self.remark_stop(stopped[-1], source, result.error_in_exec)
            rest = rest[len(stopped) :]
        return whole

    def statements(self, cell):
        try:
            return ast.parse(self.shell.transform_cell(cell)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []

    def remark_stop(self, statement, source, error):
        line = (ast.get_source_segment(source, statement) or "").partition("\n")[0]
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        unknown = f" {PACKAGES}" if isinstance(error, ImportError) else ""
        self.remark(f"This line stops where notebooks are graded: `{line[:100]}` ({reason}).{unknown}")

    def remark(self, text):
        if text not in self.remarks:
            self.remarks.append(text)

    def take_remarks(self):
        remarks, self.remarks = self.remarks[:MAX_REMARKS], []
        return remarks

    def line_magic(self, name, line, _stack_depth=1):
        if name in SILENT_MAGICS:
            return None
        if name in PYTHON_MAGICS:
            return self.run_line(name, line, _stack_depth + 1)
        if name in ("pip", "conda", "mamba", "uv"):
            return self.command(f"{name} {line}", self.system)
        try:
            return self.run_line(name, line, _stack_depth + 1)
        except Exception:
            return self.remark(f"The magic `%{name}` does not work where notebooks are graded, and was passed over.")

    def cell_magic(self, name, line, cell):
        if name in PYTHON_MAGICS:
            return self.run_body(name, line, cell)
        try:
            return self.run_body(name, line, cell)
        except Exception:
            self.remark(f"The magic `%%{name}` does not work where notebooks are graded, and was passed over.")
            return self.run(cell) if self.statements(cell) else None

    def command(self, command, run, **how):
        """Run a command of the system, unless it installs something: there is no network."""
        if INSTALLS.match(command):
            return self.remark(f"Nothing is installed where notebooks are graded: `{command[:80]}`. {PACKAGES}")
        return run(command, **how)


def first_line(statement):
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])


def line_in_cell(error):
    """Return the line of a cell at which an error came up, 0 for none."""
    frames = traceback.extract_tb(error.__traceback__) if error else ()
    return next((frame.lineno for frame in frames if "<ipython" in frame.filename), 0)
