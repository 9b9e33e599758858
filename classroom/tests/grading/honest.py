"""Right notebooks of lesson 04 as people hand them in: each a function from a notebook to what is in the file."""

import copy
import json
import random
import re
from pathlib import Path

import nbformat
from grading.cells import lessons

ROOT = Path(__file__).resolve().parents[3]
LESSON = "04_queries_keys_values"


def points(lesson=LESSON):
    """The points of a right notebook."""
    return str(len(lessons()[lesson[:2]]))


def right(lesson=LESSON):
    """The lesson of a student whose answers are those of the solved notebook."""
    notebook, solved = (
        json.loads((ROOT / "notebooks" / folder / f"{lesson}.ipynb").read_text(encoding="utf-8"))
        for folder in (".", "solutions")
    )
    for one in notebook["cells"] + solved["cells"]:
        one["source"] = "".join(one["source"])
    for one, other in zip(answers(notebook), answers(solved), strict=True):
        one["source"] = other["source"]
    return notebook


def on_top(text):
    """The text at the start of the cell of imports, as most people write it."""

    def change(notebook):
        imports(notebook)["source"] = f"{text}\n{imports(notebook)['source']}"

    return change


def below(text):
    """The text at the end of the cell of imports."""

    def change(notebook):
        imports(notebook)["source"] += f"\n{text}"

    return change


def cell(text, place=1):
    """A cell of its own, before the imports or anywhere."""
    return lambda notebook: notebook["cells"].insert(place, new(text))


def answer(before, after):
    """Another text in the cells that hold an answer."""

    def change(notebook):
        for one in answers(notebook):
            one["source"] = re.sub(before, after, one["source"], flags=re.M)

    return change


def metadata(**entries):
    return lambda notebook: notebook.update(metadata=entries)


def new(text):
    return {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}


def code(notebook):
    return [one for one in notebook["cells"] if one["cell_type"] == "code"]


def imports(notebook):
    return next(one for one in code(notebook) if "import numpy" in one["source"])


def answers(notebook):
    return [one for one in code(notebook) if "check(" in one["source"]]


def magic_bodies(head):
    def change(notebook):
        for one in answers(notebook):
            one["source"] = f"{head}\n{one['source']}"

    return change


def checks_at_the_end(notebook):
    checks = []
    for one in answers(notebook):
        text, check, name = one["source"].rpartition("check(")
        one["source"], checks = text, [*checks, new(check + name)]
    notebook["cells"] += checks


def one_cell(notebook):
    texts = [one["source"] for one in code(notebook) if "predict(" not in one["source"]]
    notebook["cells"] = [new("\n\n".join(texts))]


def twice(notebook):
    notebook["cells"] += copy.deepcopy(answers(notebook))


def wrong_first(notebook):
    for one in answers(notebook):
        if "def " in one["source"]:
            place = notebook["cells"].index(one)
            notebook["cells"].insert(place, new(re.sub(r"return .*", "return 0", one["source"])))


def without_predictions(notebook):
    notebook["cells"] = [one for one in notebook["cells"] if "predict(" not in one["source"]]


def without_text(notebook):
    notebook["cells"] = code(notebook)


def shuffled_text(notebook):
    texts = [one for one in notebook["cells"] if one["cell_type"] != "code"]
    random.Random(1).shuffle(texts)
    notebook["cells"] = texts + code(notebook)


def many_outputs(notebook):
    text = {"output_type": "stream", "name": "stdout", "text": ["x" * 1000 + "\n"] * 1_000}
    for one in code(notebook):
        one["outputs"] = [text]


def lists_of_lines(notebook):
    for one in notebook["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)


def windows_lines(notebook):
    for one in notebook["cells"]:
        one["source"] = one["source"].replace("\n", "\r\n")


def unknown_keys(notebook):
    notebook["x"] = 1
    for one in notebook["cells"]:
        one |= {"id": "same", "colab": 1, "metadata": {"tags": [1], "deletable": "no"}}


def own_predictions(notebook):
    for one in code(notebook):
        if "predict(" in one["source"]:
            one["source"] = re.sub(
                r"^predict\([\s\S]*", 'predict("And?", {1: True, 2: "No."})', one["source"], flags=re.M
            )


TENSORS = """import tensorflow as tf
@tf.function
def attention(Q, K, V):
    scores = tf.matmul(Q, K, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(K)[-1], K.dtype))
    return tf.matmul(tf.nn.softmax(scores), V)"""
RELOAD = "import importlib, sys\nimportlib.reload(sys.modules['course_utils.checks.check'])"
ANEW = """import sys
for name in [name for name in sys.modules if name.startswith('course_utils')]:
    del sys.modules[name]
from course_utils.checks import check, keep, mine, predict"""
CHANGES = {
    # Magics
    "retina": on_top('%config InlineBackend.figure_format = "retina"'),
    "matplotlib inline": on_top("%matplotlib inline"),
    "matplotlib notebook": on_top("%matplotlib notebook"),
    "matplotlib widget": on_top("%matplotlib widget"),
    "matplotlib qt": on_top("%matplotlib qt"),
    "autosave": on_top("%autosave 30"),
    "autoreload": on_top("%load_ext autoreload\n%autoreload 2"),
    "an extension": on_top("%load_ext lab_black"),
    "gui": on_top("%gui qt"),
    "pylab": cell("%pylab inline"),
    "env": on_top("%env TF_CPP_MIN_LOG_LEVEL=3"),
    "precision": on_top("%precision 4\n%xmode Plain"),
    "pip": on_top("%pip install -q seaborn"),
    "pip in a shell": on_top("!pip install -q seaborn --upgrade"),
    "python -m pip": on_top("!python -m pip install seaborn"),
    "conda": on_top("%conda install -y seaborn"),
    "a command": on_top("!ls -la\nfiles = !ls"),
    "a command that is missing": on_top("!nvidia-smi"),
    "time of imports": on_top("%%time"),
    "capture of imports": on_top("%%capture"),
    "time of answers": magic_bodies("%%time"),
    "capture of answers": magic_bodies("%%capture out"),
    "time of a check": answer(r"^check\(", "%time check("),
    "help": cell("softmax?\n?print"),
    "html": cell("%%html\n<b>my notes</b>"),
    "javascript": cell("%%javascript\nalert(1)"),
    "bash": cell("%%bash\necho hello"),
    "a file": cell("%%writefile notes.txt\nmine"),
    "sql": cell("%%sql\nSELECT 1"),
    "an unknown magic around answers": magic_bodies("%%memit"),
    "run another notebook": on_top("%run helpers.ipynb"),
    "timeit": cell("%timeit -n 1 -r 1 sum(range(10))", 5),
    "history": cell("%who\n%history -n 1\n%lsmagic", 5),
    # Packages and settings that are not there
    "seaborn": on_top("import seaborn as sns\nsns.set_theme()"),
    "seaborn below": below("import seaborn as sns\nsns.set_theme()"),
    "colab": on_top("from google.colab import drive\ndrive.mount('/content/drive')"),
    "torch": on_top("import torch, torch.nn as nn\ndevice = torch.device('cpu')"),
    "tqdm": on_top("from tqdm.notebook_ import tqdm"),
    "a window": on_top("import matplotlib\nmatplotlib.use('TkAgg')"),
    "a style": on_top("import matplotlib.pyplot as plt\nplt.style.use('my-own-style')"),
    "a file of their own": on_top("from helpers import *"),
    "a loop around a missing package": on_top("for name in ('seaborn',):\n    __import__(name)"),
    "a try around a missing package": on_top("try:\n    import seaborn\nexcept ImportError:\n    seaborn = None"),
    "warnings": on_top("import warnings\nwarnings.filterwarnings('error')"),
    "a file of a drive": on_top("import sys\nsys.path.append('/content/drive')\nimport my_helpers"),
    "a folder of a drive": on_top("%cd /content/drive/MyDrive\nimport os\nos.chdir('C:/Users/anna')"),
    "settings of a graphics card": on_top("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'"),
    "TeX and many dots": on_top("import matplotlib.pyplot as plt\nplt.rcParams.update({'text.usetex': True})"),
    "everything of two packages": on_top("from numpy import *\nfrom matplotlib.pyplot import *"),
    "annotations": on_top("from __future__ import annotations"),
    "an indented magic": on_top("if True:\n    %matplotlib inline\n    %autosave 3"),
    "an extension with its magic": on_top("%load_ext tensorboard\n%tensorboard --logdir logs"),
    "a magic of their own": cell(
        "from IPython.core.magic import register_cell_magic\n@register_cell_magic\ndef skip(line, cell): return\n"
    ),
    "all names removed": cell("%reset -f"),
    "packages in one line": on_top("import seaborn as sns, numpy as np, re"),
    "packages in one block": on_top(
        "try:\n    import pandas as pd\n    import numpy as np\nexcept ImportError:\n    pass"
    ),
    "two heads": on_top("%%capture\n%%time\nimport seaborn as sns"),
    "a stop before the answer": answer(r"^def attention", "drive.mount('/content')\nsns.set_theme()\ndef attention"),
    "a stop after the answer": answer(r"^check\(", "open('/home/anna/q.txt')\ncheck("),
    "an old try that was skipped": cell(
        '%%skip True\ndef attention(*a): return 0\ncheck("attention", attention)', 10_000
    ),
    "an old try that was written away": cell('%%writefile /content/old.py\ncheck("attention", len)', 10_000),
    "in a profile": answer(r"^check\((.+)\)$", r"%prun -q check(\1)"),
    "in a thread": answer(
        r"^check\((.+)\)$", r"from threading import Thread as T; t = T(target=check, args=(\1)); t.start(); t.join()"
    ),
    "other lessons below": lambda notebook: notebook["cells"].extend(
        [new(f'check("{name}", None)') for name in lessons()["12"]]
    ),
    # How the checks are called
    "under another name": below("from course_utils.checks import check as check_it"),
    "in a module": answer(r"^check\(", "import course_utils.checks as ch; ch.check("),
    "by keywords": answer(r'^check\("(\w+)", (.+)\)$', r'check(name="\1", answer=\2)'),
    "in a print": answer(r"^check\((.+)\)$", r"print(check(\1))"),
    "not at all": answer(r"^check\(.+\)$", ""),
    "in a try": answer(r"^check\((.+)\)$", r"try:\n    check(\1)\nexcept Exception as error:\n    print(error)"),
    "in a program": answer(r"^check\((.+)\)$", r'if __name__ == "__main__":\n    check(\1)'),
    # How the answers are written
    "a lambda": answer(r"^def attention\(Q, K, V\):\n\s+return (.+)$", r"attention = lambda Q, K, V: \1"),
    "more arguments": answer(r"def attention\(Q, K, V\)", "def attention(Q, K, V, verbose=False, *rest, **more)"),
    "a method": answer(
        r'check\("attention", (\w+)\)', r'check("attention", type("A", (), {"row": staticmethod(\1)}).row)'
    ),
    "a partial": answer(
        r'check\("attention", (\w+)\)', r'from functools import partial; check("attention", partial(\1))'
    ),
    "a decorator": answer(r"^def attention", "def same(f):\n    return lambda *a: f(*a)\n@same\ndef attention"),
    "in TensorFlow": answer(r"^def attention.*\n.*", TENSORS),
    "in TensorFlow, of whole numbers": answer(
        r"^def attention.*\n.*",
        TENSORS.replace("tf.sqrt(tf.cast(tf.shape(K)[-1], K.dtype))", "np.sqrt(K.shape[-1])"),
    ),
    # What else is in a notebook
    "a plot": cell("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"),
    "a widget": cell("import ipywidgets\nipywidgets.interact(lambda n: n, n=3)"),
    "a question": cell("name = input('your name? ')"),
    "a wait": cell("import asyncio\nawait asyncio.sleep(0.01)"),
    "an error": cell("1 / 0", 3),
    "an error in Python": cell("def broken(:", 3),
    "processes": cell("from concurrent.futures import ProcessPoolExecutor as P\nprint(*P(2).map(abs, [1, 2]))", 4),
    "a debugger": cell("%pdb on\nbreakpoint()\n1 / 0", 4),
    "a path of Windows": cell("import numpy as np\nnp.save('C:\\\\Users\\\\me\\\\x.npy', np.ones(3))", 4),
    "exit at the end": cell("exit()", 10_000),
    "a thread": cell("import threading\nthreading.Thread(target=print).start()"),
    "the kernel": cell("get_ipython().kernel.do_shutdown(True)"),
    "logging": cell("import logging, sys\nlogging.basicConfig(stream=sys.stdout, level=10)"),
    "prints": answer(r"^(\s+)return", r"\1print(3); return"),
    "types": answer(r"def (\w+)\(Q", r"def \1(Q: 'np.ndarray'"),
    "another indentation": answer(r"^    return", "  return"),
    "tabs": answer(r"^    return", "\treturn"),
    "wrong first": wrong_first,
    "checks at the end": checks_at_the_end,
    "all in one cell": one_cell,
    "twice": twice,
    "predictions left out": without_predictions,
    "predictions of their own": own_predictions,
    "the check is loaded anew": below(RELOAD),
    "the course is loaded anew": cell(ANEW, 4),
    "the course is loaded anew in the one cell": lambda notebook: (below(ANEW)(notebook), one_cell(notebook)),
    "a check of their own": below("def check(name, answer):\n    print(name)"),
    "a cell without text": lambda notebook: notebook["cells"].append(new(None)),
    "text left out": without_text,
    "text in another order": shuffled_text,
    "1 MB of output in each cell": many_outputs,
    # Programs that wrote the file
    "Colab": metadata(colab={"provenance": []}, kernelspec={"name": "python3"}, accelerator="GPU"),
    "VS Code": metadata(language_info={"name": "python", "version": "3.12.1"}, vscode={"interpreter": {"hash": "x"}}),
    "another kernel": metadata(kernelspec={"name": "ir", "display_name": "R"}, language_info={"name": "R"}),
    "Kaggle": metadata(kaggle={"accelerator": "none"}, papermill={"duration": 1}, jupytext={"formats": "ipynb,py"}),
    "no metadata": lambda notebook: notebook.pop("metadata"),
    "lists of lines": lists_of_lines,
    "lines of Windows": windows_lines,
    "unknown keys": unknown_keys,
}


def as_bytes(notebook, encoding="utf-8"):
    return json.dumps(notebook, ensure_ascii=False).encode(encoding, "replace")


def format_3(notebook):
    old = nbformat.convert(nbformat.from_dict(notebook), 3)
    return nbformat.writes(old, version=nbformat.NO_CONVERT).encode()


FILES = {  # what the file is called and how it is written
    "UTF-8 with a mark": (f"{LESSON}.ipynb", lambda notebook: as_bytes(notebook, "utf-8-sig")),
    "UTF-16": (f"{LESSON}.ipynb", lambda notebook: as_bytes(notebook, "utf-16")),
    "UTF-16 without a mark": (f"{LESSON}.ipynb", lambda notebook: as_bytes(notebook, "utf-16-le")),
    "UTF-32": (f"{LESSON}.ipynb", lambda notebook: as_bytes(notebook, "utf-32")),
    "Windows 1252": (f"{LESSON}.ipynb", lambda notebook: as_bytes(notebook, "cp1252")),
    "format 3": (f"{LESSON}.ipynb", format_3),
    "capitals": ("04_QUERIES_KEYS_VALUES.IPYNB", as_bytes),
    "a text": (f"{LESSON}.ipynb.txt", as_bytes),
    "JSON": (f"{LESSON}.json", as_bytes),
    "a name of their own": ("homework week 3 FINAL (2) (1).ipynb", as_bytes),
    "a blank at the end": (f"{LESSON}.ipynb ", as_bytes),
    "a copy": (f"{LESSON} - Copy.ipynb", as_bytes),
}
