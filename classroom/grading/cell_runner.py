"""Runs the cells of a notebook that was written elsewhere: with magics and packages that are not here.

What a right notebook may use and the sandbox lacks is passed over, with a remark: an unknown magic, an installation,
and any statement that stops. The statements below it run all the same.
"""

import ast
import re
import sys

PYTHON_MAGICS = {"time", "timeit", "prun", "run", "debug"}  # what they run is the student's own
SILENT_MAGICS = {"matplotlib", "config", "gui", "autosave", "pylab"}  # of a front end: none of them changes a number
NOT_RUN = {"skip", "writefile", "file", "script", "bash", "sh", "html", "javascript", "js", "latex", "markdown", "svg"}
NOT_RUN |= {"R", "sql", "perl", "ruby", "cython", "julia"}  # bodies that are not Python, or that nobody wants to run
INSTALLS = re.compile(r"\s*(?:python3? -m )?(?:pip3?|conda|mamba|apt|apt-get|npm|uv)\b")
WITHOUT_EFFECT = re.compile(r"^(?:\s*%%(?:time|capture)\b.*\n?)+")  # the rest of the cell is an ordinary one
MAX_REMARKS = 20
PACKAGES = (
    "Besides Python there are the packages of the course, numpy, matplotlib, tensorflow and ipywidgets; a file of your "
    "own has to be my_attention.py or my_model.py, handed in beside the notebook."
)


class TooSlow(BaseException):
    """Raised when a cell or a call takes too long; not an Exception, because notebooks catch those."""


class CellRunner:
    """Runs cells in a shell. Remarks are texts about what was passed over."""

    def __init__(self, shell):
        self.shell, self.remarks = shell, []
        self.run_line, self.run_body, self.system = shell.run_line_magic, shell.run_cell_magic, shell.system
        shell.run_line_magic, shell.run_cell_magic = self.line_magic, self.cell_magic
        shell.system = lambda command: self.command(command, self.system)
        output, shell.getoutput = shell.getoutput, lambda command, **how: self.command(command, output, **how)

    def run(self, cell):
        """Run a cell, statement by statement, and return whether each ran to its end."""
        cell = WITHOUT_EFFECT.sub("", cell)
        statements = self.statements(cell)
        if not statements:
            return bool(self.shell.run_cell(cell).success)
        source, whole, slow = self.shell.transform_cell(cell), True, 0
        for statement in statements:
            text = source_of(source, statement)
            result = self.shell.run_cell(text)
            if not result.success:
                whole = False
                error = result.error_in_exec or result.error_before_exec
                self.remark_stop(text, error)
                slow += isinstance(error, TooSlow)
                if slow > 1:
                    return False
            self.import_singly(statement)
        return whole

    def statements(self, cell):
        try:
            return ast.parse(self.shell.transform_cell(cell)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []

    def import_singly(self, statement):
        """Import what one missing package kept from being imported: in one line with it, or in one block."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        for node in ast.walk(statement):
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                name = (alias.asname or alias.name).partition(".")[0]
                if name not in self.shell.user_ns and name != "*":
                    single = type(node)(**{**{f: getattr(node, f) for f in node._fields}, "names": [alias]})
                    self.shell.run_cell(ast.unparse(single))

    def remark_stop(self, text, error):
        reason = f"{type(error).__name__}: {str(error)[:200]}".replace(sys.prefix, "…").replace(sys.base_prefix, "…")
        unknown = f" {PACKAGES}" if isinstance(error, ImportError) else ""
        line = text.strip().partition("\n")[0][:100]
        self.remark(f"This line stops where notebooks are graded: `{line}` ({reason}).{unknown}")

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
            return self.run(cell) if name not in NOT_RUN and self.statements(cell) else None

    def command(self, command, run, **how):
        """Run a command of the system, unless it installs something: there is no network."""
        if INSTALLS.match(command):
            return self.remark(f"Nothing is installed where notebooks are graded: `{command[:80]}`. {PACKAGES}")
        return run(command, **how)


def source_of(source, statement):
    """Return the text of a statement, with its decorators."""
    decorators = getattr(statement, "decorator_list", ())
    if not decorators:
        return ast.get_source_segment(source, statement)
    lines = source.split("\n")
    return "\n".join(lines[min(one.lineno for one in decorators) - 1 : statement.end_lineno])
