"""The commands of the course. `nox -l` lists them; `nox -s lab` and `nox -s test` are the two that everybody needs.

All except `lowest` and `hub` share one environment, .venv, which contains exactly the packages of requirements.lock.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed
from nox.virtualenv import UV

ROOT = Path(__file__).parent
VENV, VENV_LOWEST = ROOT / ".venv", ROOT / ".venv-lowest"
LOCK = ROOT / "requirements.lock"
EXTRAS = "model", "mutants", "cluster", "book", "hub"  # needed by some commands only
MODEL, MUTANTS, CLUSTER, BOOK, HUB = (ROOT / "locks" / f"{name}.lock" for name in EXTRAS)
VENV_HUB = ROOT / ".venv-hub"
PYTHONS, LOWEST = ">=3.11,<3.14", "3.11"  # TensorFlow has wheels for these
PYTHON, PYTHON_LOWEST = (
    venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python") for venv in (VENV, VENV_LOWEST)
)

HOUSES = "", "classroom/", "workshop/"
SLOW_TESTS = *(f"{house}tests/apart" for house in HOUSES), "notebooks/solutions"  # left to `nox -s test_all`
HIDDEN = ["__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~", "solutions"]  # not listed by JupyterLab

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["lab"]


@nox.session
def lab(session):
    """Open your copies of the lessons, in my_work/, in JupyterLab. Arguments after -- go to JupyterLab.

    For example: nox -s lab -- --no-browser --port 8890
    """
    set_up(session)
    for tool in ("my_work", "jupyterlab_files", "front_door"):
        run(session, str(ROOT / "workshop" / f"{tool}.py"))
    options = [f"--ServerApp.root_dir={ROOT / 'my_work'}", "--LabApp.extension_manager=readonly"]
    options.append(f"--ContentsManager.hide_globs={HIDDEN}")  # links in the lessons still work
    options.append("--LabApp.default_url=/lab/tree/00_start_here.ipynb")  # its map says where to continue
    if not any(word.startswith(("--ip", "--ServerApp.ip")) for word in session.posargs):
        options.append("--ip=127.0.0.1")  # this machine only; JupyterLab prints a token
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # root in a container
    run(session, "jupyterlab", *options, *session.posargs, success_codes=[0, 130, -2])


@nox.session
def test(session):
    """Run the tests of a commit: mathematics, checks, every lesson against its stored output, each explorable once."""
    set_up(session)
    run_tests(session, *(session.posargs or [f"--ignore={path}" for path in SLOW_TESTS]))


@nox.session
def test_all(session):
    """Run all other tests: solved notebooks, trainings, a real browser; and then those of grading, hub and book."""
    set_up(session)
    run_tests(session, *(session.posargs or SLOW_TESTS))
    if not session.posargs:
        session.notify("grade_test")
        if os.name != "nt":
            session.notify("hub", ["--test", "--shared-account"])  # whoever runs this, and wherever the Python lies
        session.notify("book", ["--test"])


@nox.session
def lowest(session):
    """Run the tests with the lowest versions that pyproject.toml allows, in a separate environment."""
    session.chdir(ROOT)
    session.run(UV, "venv", "--quiet", "--clear", "--python", LOWEST, str(VENV_LOWEST), external=True)
    install = [UV, "pip", "install", "--python", str(PYTHON_LOWEST), "--compile-bytecode"]
    session.run(*install, "--resolution", "lowest-direct", "--editable", ".[dev]", external=True)
    session.run(*install, "--no-deps", "--require-hashes", "--requirement", str(MODEL), external=True)
    # The lock describes .venv, not this environment, and style depends on its versions of the tools.
    skipped = ["--deselect=tests/test_versions.py::test_this_environment_is_the_lock", "--ignore=tests/test_style.py"]
    run_tests(session, *skipped, *session.posargs, python=PYTHON_LOWEST)


@nox.session
def browser(session):
    """Open every lesson and every explorable in a real JupyterLab in a real browser; screenshots go to artefacts/."""
    set_up(session)
    needed = {"LEARNING_TO_LOOK_BROWSER": "needed"}  # `nox -s test` skips without a browser; here that is a failure
    folders = [f"{house}tests/apart/browser" for house in HOUSES]
    run(session, "pytest", *folders, *session.posargs, env=needed)


@nox.session
def preflight(session):
    """Prove in under a minute that all is ready: kernel, widgets, TensorFlow, fonts, memory, port, disk, browser.

    `-- --class 30` measures a student in lesson 13, and says whether thirty fit on this machine.
    """
    set_up(session)
    tool = "preflight_class" if "--class" in session.posargs else "preflight"
    run(session, str(ROOT / "classroom" / f"{tool}.py"), *session.posargs)


@nox.session
def demo(session):
    """Show the explorables on stage; `-- --page FILE` writes a page without a kernel, the rest goes to JupyterLab."""
    set_up(session)
    run(session, str(ROOT / "workshop" / "jupyterlab_files.py"))
    run(session, str(ROOT / "classroom" / "demo.py"), *session.posargs, success_codes=[0, 130, -2])


@nox.session
def grade(session):
    """Grade a folder of returned notebooks: nox -s grade -- FOLDER. They are code: read docs/GRADING.md first."""
    set_up(session)
    env = {"PYTHONPATH": install_extra(session, CLUSTER)} if "--scheduler" in session.posargs else {}
    run(session, str(ROOT / "classroom" / "grade.py"), *session.posargs, env=env, success_codes=[0, 130])


@nox.session
def grade_test(session):
    """Test grading with a class of made-up returns, including malicious ones."""
    set_up(session)
    env = {"LEARNING_TO_LOOK_DATA": "off", "PYTHONPATH": install_extra(session, CLUSTER)}
    parallel = ["-n", "2", "--dist", "loadgroup", "--max-worker-restart=0"]  # a class is one group
    run(session, "pytest", *parallel, "classroom/tests/grading", *session.posargs, env=env)


@nox.session
def cluster(session):
    """Run Dask's own program in the course's environment: `-- scheduler`, or `-- worker ADDRESS`, for `grade`."""
    set_up(session)
    path = os.pathsep.join([install_extra(session, CLUSTER), str(ROOT / "classroom"), str(ROOT)])
    run(session, "dask", *session.posargs, env={"PYTHONPATH": path}, success_codes=[0, 130, -2])


@nox.session
def hub(session):
    """Serve a class on this machine: JupyterHub, a home for each student: classroom/hub/README.md. `-- --help`.

    `-- --test` tries it with test students in a separate folder; add `--shared-account` if you serve the class with
    it. `nox -s bench -- hub` measures it.
    """
    python = set_up_hub(session)
    if session.posargs[:1] == ["--test"]:
        words = [word for word in session.posargs[1:] if word != "--shared-account"]
        env = {"HUB_SHARED_ACCOUNT": "1"} if "--shared-account" in session.posargs else {}
        run(session, "pytest", "classroom/tests/hub", *words, env=env)
        return
    options = {"interrupt_timeout": 20, "terminate_timeout": 20, "success_codes": [0, 130, -2]}
    run(session, str(ROOT / "classroom" / "hub" / "class_server.py"), *session.posargs, python=python, **options)


@nox.session
def book(session):
    """Build the course as pages that need no installation, into build/book/html. `-- --test` tests them.

    BOOK_ADDRESS is the address under which they are published, BOOK_REPOSITORY the repository for Binder: OWNER/NAME.
    """
    env = build_book(session)
    if session.posargs[:1] == ["--test"]:
        parallel = ["-n", "3", "--max-worker-restart=0"]  # on two cores: one often waits for its browser
        run(session, "pytest", *parallel, "book/tests/built", *session.posargs[1:], env=env)


@nox.session
def bench(session):
    """Measure every speed figure that the course promises on this machine.

    `-- hub` measures the class server instead, with thirty students, and `-- book` the pages of the book.
    """
    others = {"book": (build_book, "book_speed"), "hub": (set_up_hub, "hub_load")}
    part = session.posargs[0] if session.posargs else ""
    prepare, program = others.get(part, (set_up, "bench"))
    prepare(session)
    run(session, str(ROOT / "workshop" / "benchmarks" / f"{program}.py"), *session.posargs[part in others :])


@nox.session
def mutants(session):
    """Break the code in one small place at a time, and count how often a test notices; `-- task` for one room."""
    set_up(session)
    if os.name == "nt":
        session.error("This command forks processes, which Windows cannot: use WSL, Linux or macOS.")
    env = {"PYTHONPATH": install_extra(session, MUTANTS)}
    run(session, str(ROOT / "workshop" / "mutants.py"), *session.posargs, env=env)


@nox.session
def lint(session):
    """Check style, format and spelling, and the form of lessons and documents; `-- --fix` fixes style and format."""
    set_up(session)
    run(session, "ruff", "check", *session.posargs, str(ROOT))
    run(session, "ruff", "format", *([] if "--fix" in session.posargs else ["--check"]), str(ROOT))
    run(session, "codespell_lib")
    run(session, str(ROOT / "workshop" / "lint.py"))


@nox.session
def lock(session):
    """Renew the locks from the ranges in pyproject.toml: one version of each package everywhere."""
    session.chdir(ROOT)
    sources = {
        LOCK: ["pyproject.toml", "--all-extras", "--fork-strategy", "fewest"],
        MUTANTS: ["--group", "mutants", "--constraint", LOCK.name],  # shared packages have one version
        CLUSTER: ["--group", "cluster", "--constraint", LOCK.name],
        HUB: ["--group", "hub", "--constraint", LOCK.name],
        BOOK: ["--group", "book", "--constraint", LOCK.name, "--fork-strategy", "fewest"],
    }
    for lock, source in sources.items():
        session.run(
            *(UV, "pip", "compile", *source, "--universal", "--python-version", "3.11"),
            *("--generate-hashes", "--no-header", "--upgrade", "--output-file", str(lock.relative_to(ROOT))),
            *session.posargs,
            external=True,
        )


# The commands that do nothing but run a script, and what `nox -l` says of them.
SCRIPTS = {
    "build": (
        "workshop/build_notebooks.py",
        "Build the notebooks from notebooks/source: all, or `-- 05`; `-- --check` proves that those here are derived.",
    ),
    "draw": (
        "images/draw_all.py",
        "Redraw the figures in images/, and write the sheet, the handout and the texts of the talk.",
    ),
    "gain": (
        "classroom/gain.py",
        "Compute what a class gained, from its answers: nox -s gain -- FOLDER. docs/GAIN.md says more.",
    ),
    "release": (
        "classroom/release.py",
        "Write lessons without solutions, for a class whose work is graded: nox -s release -- 05.",
    ),
    "study": (
        "workshop/studies/cls_study.py",
        "Train the classifier on 60 seeds and settings, record where it looks; `-- --ship` for the lessons. Resumable.",
    ),
    "review_study": (
        "workshop/studies/review_study.py",
        "Train the reviewer of lesson 15 on ten seeds, record where it looks; `-- --ship` for the lessons. Resumable.",
    ),
    "writer_study": (
        "workshop/studies/writer_study.py",
        "Train the writer of lesson 17 on ten seeds, check its grammar; `-- --ship` for the lessons. Resumable.",
    ),
    "card_study": (
        "workshop/studies/card_study.py",
        "Train the writers and the adapters of lesson 20, five seeds each; `-- --ship` for the lesson. Resumable.",
    ),
    "question_study": (
        "workshop/studies/question_study.py",
        "Train the two finished studies of lesson 21, five seeds each; `-- --ship` for the lesson. Resumable.",
    ),
    "diagnosis": (
        "workshop/studies/diagnosis.py",
        "Print how often the checks are right about unlisted answers, and write docs/DIAGNOSIS.md.",
    ),
    "oracle": (
        "workshop/oracle.py",
        "Compare the checks' verdicts on every answer in the project with the recorded ones; `-- scores` for a part.",
    ),
}


def add_command(name, script, words):
    """Add the command that runs a script with the arguments after --."""

    def command(session):
        set_up(session)
        run(session, str(ROOT / script), *session.posargs, success_codes=[0, 130])  # 130: Ctrl-C

    command.__doc__ = words
    nox.session(command, name=name)


for name, (script, words) in SCRIPTS.items():
    add_command(name, script, words)


def run(session, module, *arguments, python=PYTHON, **options):
    """Run a module (`pytest`) or a script (a path) with the Python of the course's environment."""
    target = [module] if module.endswith(".py") else ["-m", module]
    session.run(str(python), *target, *arguments, external=True, **options)


def run_tests(session, *arguments, python=PYTHON):
    """Run the tests, and every notebook against its stored outputs, on two cores."""
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=1200", "--nbval-kernel-startup-timeout=600"]
    nbval += ["--nbval-sanitize-with", str(ROOT / "tests" / "not_compared.cfg")]
    # Three workers on two cores, since one often waits for the browser; two with --changed, since each collects anew.
    workers = "2" if "--changed" in arguments else "3"
    parallel = ["-n", workers, "--no-loadscope-reorder", "-rfEs", "--durations=10"]  # finally failures, skips, reasons
    parallel += ["--max-worker-restart=0"]  # where a worker dies, the run ends red; with a new one it would never end
    # One thread per worker: more threads than cores wait for each other, up to five times as long.
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")
    env = {"LEARNING_TO_LOOK_DATA": "off"} | one_thread
    run(session, "pytest", *nbval, *parallel, *arguments, python=python, env=env)


def set_up(session):
    """Make .venv match the lock exactly. Does nothing, and needs no network, if it already does."""
    session.chdir(ROOT)
    sources = b"".join(path.read_bytes() for path in (LOCK, MODEL, ROOT / "pyproject.toml"))
    stamp, wanted = VENV / "course.sha256", [str(ROOT), hashlib.sha256(sources).hexdigest()]
    recorded = stamp.read_text(encoding="utf-8").splitlines() if PYTHON.exists() and stamp.exists() else [None]
    if recorded[:2] == wanted and installed_packages().issuperset(recorded[2:]):  # somebody may have removed a package
        return
    finished = recorded[0] == str(ROOT)  # an environment contains its own path: a moved one must be recreated
    if not finished:
        make_environment(session)
    if install(session, finished):
        stamp.write_text("\n".join([*wanted, *sorted(installed_packages())]), encoding="utf-8")


def installed_packages():
    """The packages in .venv, as the names of their dist-info folders."""
    return {path.name for path in VENV.glob("[Ll]ib/**/site-packages/*.dist-info")}


def set_up_hub(session):
    """Make .venv-hub match hub.lock, with JupyterHub's proxy, and .venv as well. Returns the Python of .venv-hub."""
    set_up(session)
    if os.name == "nt":
        session.error("JupyterHub does not run on Windows: use WSL, Linux or macOS.")
    python, proxy, stamp = VENV_HUB / "bin" / "python", VENV_HUB / "proxy", VENV_HUB / "hub.sha256"
    sources = [ROOT / "classroom" / "hub" / name for name in ("package.json", "package-lock.json")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in (HUB, *sources))).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8").splitlines() == [str(ROOT), digest]:
        return python
    session.run_install(UV, "venv", "--quiet", "--clear", "--python", str(PYTHON), str(VENV_HUB), external=True)
    exact = [UV, "pip", "sync", "--quiet", "--python", str(python), "--require-hashes", "--compile-bytecode"]
    session.run_install(*exact, str(HUB), external=True)
    proxy.mkdir()
    for path in sources:
        shutil.copy(path, proxy)
    path = f"{VENV_HUB / 'bin'}{os.pathsep}{os.environ['PATH']}"
    npm = [str(VENV_HUB / "bin" / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(proxy)]
    session.run_install(*npm, external=True, env={"PATH": path})
    stamp.write_text("\n".join([str(ROOT), digest]), encoding="utf-8")
    return python


def build_book(session):
    """Build the book. Returns the environment variables for its packages."""
    set_up(session)
    env = {"PYTHONPATH": os.pathsep.join([install_extra(session, BOOK), str(ROOT / "workshop")])}
    run(session, str(ROOT / "book" / "build_book.py"), env=env)
    return env


def make_environment(session):
    """Create an empty .venv with a Python for which TensorFlow has wheels."""
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    try:
        python = sys.executable if supported else PYTHONS
        session.run_install(UV, "venv", "--quiet", "--clear", "--python", python, str(VENV), external=True)
    except CommandFailed:
        session.error(f"No suitable Python found. The course needs Python {PYTHONS}; this is {sys.version.split()[0]}.")


def install(session, finished):
    """Make .venv match the locks; on failure, a finished environment stays as it was. Returns success."""
    try:
        sync(session, LOCK.name, str(MODEL))
    except CommandFailed:
        if finished:
            session.warn("The packages could not be brought up to date (no network?). The ones from before are used.")
            install_course(session)  # without a network, in case the course has a new package
            return False
        session.warn(
            "Once more, without the weights of the encoder in lesson 19. Everything else works without them, "
            "and lesson 19 shows its stored outputs. To try again, delete the folder .venv and type the command again."
        )
        try:
            sync(session, LOCK.name)
        except CommandFailed:
            session.error(
                "The packages of requirements.lock could not be installed; the lines above name what is missing. "
                "Usual reasons: no network or a proxy (then try again), less than 3 GB of free disk, "
                "or a system without a TensorFlow wheel "
                "(it has wheels for 64-bit Windows and Linux, Linux on ARM64, and macOS on Apple silicon). "
                'README, part "When something fails", says more.'
            )
    keep_lab_quiet()
    return True


def install_extra(session, lock):
    """Install the packages of a lock into their own folder inside .venv, and return the folder."""
    folder, wanted = VENV / lock.stem, hashlib.sha256(lock.read_bytes()).hexdigest()
    stamp = folder / f"{lock.stem}.sha256"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        options = ["--python", str(PYTHON), "--target", str(folder), "--require-hashes", "--requirements", str(lock)]
        session.run_install(UV, "pip", "install", "--quiet", *options, external=True)
        stamp.write_text(wanted, encoding="utf-8")
    return str(folder)


def keep_lab_quiet():
    """Configure JupyterLab in .venv not to ask about news and not to contact other hosts."""
    quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    settings = VENV / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(quiet))


def sync(session, *locks):
    """Make .venv contain exactly what these files list, and the course itself."""
    exact = [UV, "pip", "sync", "--python", str(PYTHON), "--require-hashes", "--compile-bytecode"]
    session.run_install(*exact, *locks, external=True)
    install_course(session)


def install_course(session):
    """Make the course's own packages in this folder importable from .venv. Needs no network."""
    editable = ["--quiet", "--no-deps", "--no-build-isolation", "--editable", "."]
    session.run_install(UV, "pip", "install", "--python", str(PYTHON), *editable, external=True)
