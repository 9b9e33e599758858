"""Collects a student's work on a borrowed machine into one file to take away."""

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from course_utils.checks.student.record import record_file

if TYPE_CHECKING:
    from IPython.display import FileLink

WORK = ("my_*.py", "my_*.npz", "[0-9][0-9]_*.ipynb", "inventory/answers_*.json")
ARCHIVE = "my_work.zip"


def take_away() -> "FileLink":
    """Pack the lessons here, with everything you wrote in them, and your own files into my_work.zip, to download.

    Returns a link to the archive. To go on elsewhere, unpack it into the folder my_work there.
    Save the open lessons first: unsaved changes are not in the file.
    """
    files = sorted({path for pattern in WORK for path in Path().glob(pattern)})
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path)
        if (record := record_file()) is not None and record.exists():
            archive.write(record, record.name)
    print(f"{ARCHIVE}: {len(files)} files")
    from IPython.display import FileLink

    return FileLink(ARCHIVE)
