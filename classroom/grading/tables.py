"""Tables as spreadsheets write them, and tables that no spreadsheet runs."""

import csv
import io
import re
from pathlib import Path

from course_utils.checks.student.own_file import text_in


def read_table(path):
    """Return the rows of a table as dicts, in whatever encoding and with whatever separator a spreadsheet wrote."""
    text = text_in(Path(path).read_bytes())
    head = text.partition("\n")[0]
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    table.fieldnames = [name.strip() for name in table.fieldnames or ()]
    return table


def escape_formula(text):
    """Escape a cell so that no spreadsheet runs it as a formula: students choose names, file names and errors.

    In locales with a decimal comma, spreadsheets start a new cell after each semicolon.

    >>> escape_formula("=1+1"), escape_formula("a;@b"), escape_formula("-")
    ("'=1+1", "a;'@b", '-')
    """
    text = str(text)
    return text if text == "-" else re.sub(r"(^|;)(?=\s*[=+\-@\t\r＝＋－＠])", r"\1'", text)


def write_table(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows([escape_formula(cell) for cell in row] for row in rows)
