"""From the sources of the lessons to what a student who solved all of them keeps: solved_attention.py, solved_model.py.

They lie beside the solved notebooks, which take from them what the student's own files give the student.
A solution is in when its lesson calls keep("name"); with it comes what it reads from its lesson.
"""

import ast
import builtins

from derive_notebooks import fenced
from lesson_paths import BuildError, place

from course_utils.checks.exercises import exercise_of, function_name
from pagecheck.exercise import Value

FILES = {
    "solved_attention.py": '"""The solutions, as my_attention.py would hold them. Derived: nox -s build."""\n',
    "solved_model.py": '"""The solutions in Keras, as my_model.py would hold them. Derived: nox -s build."""\n',
}


def solved_tools(sources):
    """Return {file: text} for the sources of the lessons, in their order. Raises BuildError for a name from nowhere."""
    files = {name: [] for name in FILES}
    there = set()  # (file, name): what stands in it already
    for source in sources:
        lesson = LessonCode(source)
        for exercise in lesson.kept:
            if isinstance(value := exercise_of(exercise), Value) and not value.takes:
                continue  # no function: it stays in its lesson
            name = function_name(exercise)
            pieces, needed = lesson.with_what_it_reads(name)
            in_keras = exercise_of(exercise).adapt or needed & {"keras", "tf"}
            file = "solved_model.py" if in_keras else "solved_attention.py"
            for piece_name, piece in pieces.items():
                if (file, piece_name) not in there:
                    there.add((file, piece_name))
                    files[file].append(piece)
    return {name: "\n\n\n".join([head.rstrip(), *files[name]]) + "\n" for name, head in FILES.items() if files[name]}


DEFINES = ast.FunctionDef | ast.ClassDef


class LessonCode:
    """The solved code of a lesson: what each of its names stands for."""

    def __init__(self, source):
        self.source, self.code = source, "\n".join(fenced(source, source.read_text(encoding="utf-8").splitlines())[0])
        self.tree = ast.parse(self.code)
        self.kept = dict.fromkeys(word for call in calls(self.tree, "keep") for word in words(call))
        self.meant = {name: piece for node in self.tree.body for name, piece in self.bound(node)}

    def bound(self, node):
        """Yield each name that a statement binds, and its text in a file, "" for what is there already."""
        text = self.text(node)
        if isinstance(node, DEFINES):
            yield node.name, text
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                one = type(node)(**{**vars(node), "names": [alias]})
                yield alias.asname or alias.name, ast.unparse(one)
        elif isinstance(node, ast.Assign):
            targets = [n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)]
            tools = [function_name(word) for call in calls(node, "keep", "mine") for word in words(call)]
            for i, target in enumerate(targets):
                if tools:
                    yield target, "" if target == tools[i] else f"{target} = {tools[i]}"
                elif isinstance(node.value, ast.Constant) and len(targets) == 1:
                    yield target, text

    def with_what_it_reads(self, name):
        """Return {name: text}, the function last, and all names that it reads. Raises BuildError."""
        node = [n for n in self.tree.body if isinstance(n, DEFINES) and n.name == name]
        if not node:
            raise BuildError(f"{place(self.source, 1)}: keeps {name}, and no cell defines it")
        return self.pieces_of(node[-1])

    def pieces_of(self, node):
        pieces, needed = {}, free_names(node)
        for read in sorted(needed - {node.name}):
            if read not in self.meant:
                raise BuildError(f"{place(self.source, node.lineno)}: {node.name} reads {read}, which no file can hold")
            helper = [n for n in self.tree.body if isinstance(n, DEFINES) and n.name == read]
            if helper and read not in map(function_name, self.kept):
                more, deeper = self.pieces_of(helper[-1])
                pieces, needed = pieces | more, needed | deeper
            elif self.meant[read] and not helper:
                pieces[read] = self.meant[read]
        return pieces | {node.name: self.text(node)}, needed

    def text(self, node):
        """Return the lines of a statement, with the comment behind the last one."""
        return "\n".join(self.code.splitlines()[node.lineno - 1 : node.end_lineno])


def calls(tree, *names):
    """The calls of these functions in a tree."""
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return [call for call in found if call.func.id in names]


def words(call):
    """The texts among the arguments of a call."""
    return [argument.value for argument in call.args if isinstance(argument, ast.Constant)]


def free_names(node):
    """The names that a function reads from outside itself."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    own = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)} - {node.name}
    return {n.id for n in names} - own - set(vars(builtins))
