"""Derive solved_attention.py and solved_model.py: what a student who solved every lesson would have kept.

They lie beside the solved notebooks, which import from them what students import from their own files.
A solution is included if its lesson calls keep("name"), together with the names that it reads from its lesson.
"""

import ast
import builtins

from derive_notebooks import split_fences
from lesson_paths import BuildError, location

from course_utils.checks.exercises import exercise_of, function_name
from pagecheck.exercise import Value

FILES = {
    "solved_attention.py": '"""The solutions, as my_attention.py would hold them. Derived: nox -s build."""\n',
    "solved_model.py": '"""The solutions in Keras, as my_model.py would hold them. Derived: nox -s build."""\n',
}


def solved_tools(sources):
    """Return {file: text} for the sources of the lessons, in order. Raises BuildError for an undefined name."""
    files = {name: [] for name in FILES}
    written = set()  # (file, name)
    for source in sources:
        lesson = LessonCode(source)
        for exercise in lesson.keep_names:
            if isinstance(value := exercise_of(exercise), Value) and not value.takes:
                continue  # not a function: it stays in its lesson
            name = function_name(exercise)
            pieces, needed = lesson.with_dependencies(name)
            in_keras = exercise_of(exercise).adapt or needed & {"keras", "tf"}
            file = "solved_model.py" if in_keras else "solved_attention.py"
            for piece_name, piece in pieces.items():
                if (file, piece_name) not in written:
                    written.add((file, piece_name))
                    files[file].append(piece)
    return {name: "\n\n\n".join([head.rstrip(), *files[name]]) + "\n" for name, head in FILES.items() if files[name]}


DEFINES = ast.FunctionDef | ast.ClassDef


class LessonCode:
    """The solved code of a lesson, its keep() names, and the definition of each name."""

    def __init__(self, source):
        solved, _ = split_fences(source, source.read_text(encoding="utf-8").splitlines())
        self.source, self.code = source, "\n".join(solved)
        self.tree = ast.parse(self.code)
        self.keep_names = dict.fromkeys(name for call in calls(self.tree, "keep") for name in string_arguments(call))
        self.definitions = {name: piece for node in self.tree.body for name, piece in self.bindings(node)}

    def bindings(self, node):
        """Yield each name that a statement binds, and its text in a file, "" if the file already defines it."""
        text = self.text(node)
        if isinstance(node, DEFINES):
            yield node.name, text
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                one = type(node)(**{**vars(node), "names": [alias]})
                yield alias.asname or alias.name, ast.unparse(one)
        elif isinstance(node, ast.Assign):
            targets = [n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)]
            tools = [function_name(name) for call in calls(node, "keep", "mine") for name in string_arguments(call)]
            for i, target in enumerate(targets):
                if tools:
                    yield target, "" if target == tools[i] else f"{target} = {tools[i]}"
                elif isinstance(node.value, ast.Constant) and len(targets) == 1:
                    yield target, text

    def with_dependencies(self, name):
        """Return {name: text}, the function last, and the names that it reads. Raises BuildError."""
        node = [n for n in self.tree.body if isinstance(n, DEFINES) and n.name == name]
        if not node:
            raise BuildError(f"{location(self.source, 1)}: keeps {name}, and no cell defines it")
        return self.pieces_of(node[-1])

    def pieces_of(self, node):
        pieces, needed = {}, free_names(node)
        for read in sorted(needed - {node.name}):
            if read not in self.definitions:
                where = location(self.source, node.lineno)
                raise BuildError(f"{where}: {node.name} reads {read}, which no file can hold")
            helper = [n for n in self.tree.body if isinstance(n, DEFINES) and n.name == read]
            if helper and read not in map(function_name, self.keep_names):
                more, deeper = self.pieces_of(helper[-1])
                pieces, needed = pieces | more, needed | deeper
            elif self.definitions[read] and not helper:
                pieces[read] = self.definitions[read]
        return pieces | {node.name: self.text(node)}, needed

    def text(self, node):
        """Return the lines of a statement, including a comment at the end of the last one."""
        return "\n".join(self.code.splitlines()[node.lineno - 1 : node.end_lineno])


def calls(tree, *names):
    """The calls of these functions in a tree."""
    name_calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return [call for call in name_calls if call.func.id in names]


def string_arguments(call):
    """The literal arguments of a call."""
    return [argument.value for argument in call.args if isinstance(argument, ast.Constant)]


def free_names(node):
    """The names that a function reads from its surroundings."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    own = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)} - {node.name}
    return {n.id for n in names} - own - set(vars(builtins))
