"""What stands in the cell of a judge: grade_one.py puts this text, and a call of `judge`, behind the student's cell.

It runs in the kernel of a returned notebook, among the student's own names and imports,
so it imports what it needs where it needs it, and leaves nothing behind.
"""


def judge(exercise, answer, course, mark):
    """Check an answer with the course in the folder `course`, read afresh, and print the verdict behind `mark`.

    answer: a function that returns the student's answer, which may not be there.
    """
    import json
    import sys

    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "course_utils"}
    sys.path.insert(0, course)
    try:
        from course_utils.checks import check

        verdict = check(exercise, answer())
        found = {"state": verdict.state, "mistakes": list(verdict.mistakes)}
    except NameError:
        found = {"state": "missing", "mistakes": []}
    finally:
        sys.path.remove(course)
        for name in [name for name in sys.modules if name.split(".")[0] == "course_utils"]:
            del sys.modules[name]
        sys.modules.update(kept)
    print(mark + json.dumps(found))
