"""The class server on one machine: JupyterHub, a home for each student, the course shared.

    nox -s hub                                   start it, on this machine only: http://127.0.0.1:8000
    nox -s hub -- students anna ben @class.txt   make accounts; their passwords go to class/passwords.csv
    nox -s hub -- --ip 0.0.0.0 --certificate FILE --key FILE     for the room
    nox -s hub -- release 05                     put the solutions of lesson 05 into each home
    nox -s hub -- collect 05                     copy what each home holds of lesson 05 into returns/, to be graded
    nox -s hub -- update                         bring all homes up to date with the course, as it is here now
    nox -s hub -- stop                           end the hub and all students' servers

What a student changed is never overwritten. Everything about the class stands in one folder, class/ or --folder.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import accounts
import collect as collecting
import running
from refusals import COURSE, ROOT, refusals

HUB = Path(__file__).resolve().parent
LOOPBACK = ("127.0.0.1", "localhost", "::1")
QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}


def main():
    """Run the requested command. Returns the exit status."""
    options = arguments().parse_args()
    options.folder = options.folder.resolve()
    given = (options.folder, options.idle, options.disk, options.shared_account, options.what == "start")
    if options.what in MAKES and (refused := list(refusals(*given))):
        print("\n".join(refused))
        return 2
    for name in ("hub", "homes"):
        (options.folder / name).mkdir(parents=True, exist_ok=True)
    (options.folder / "hub").chmod(0o700)
    options.folder.chmod(0o755)
    (options.folder / "homes").chmod(0o711)
    return COMMANDS[options.what](options)


def arguments():
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nox -s hub --", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="start", choices=list(COMMANDS))
    parser.add_argument("names", nargs="*", help="students, or @FILE with one on each line; lessons")
    parser.add_argument("--folder", type=Path, default=ROOT / "class", help="the class: homes, accounts, lessons")
    parser.add_argument("--ip", default="127.0.0.1", help="the address to listen on; this machine only, by default")
    parser.add_argument("--port", type=int, default=8000, help="the next two are used as well, on this machine only")
    parser.add_argument("--certificate", default="", help="for TLS; else passwords cross the network in the clear")
    parser.add_argument("--key", default="", help="of the certificate")
    parser.add_argument("--memory", type=float, default=2.0, help="GB of data for each process of a student")
    parser.add_argument("--cpus", type=float, default=1, help="processors for each student")
    parser.add_argument("--disk", type=float, default=1.0, help="GB of each home")
    parser.add_argument("--idle", type=int, default=3600, help="seconds until a server that nobody uses is ended")
    parser.add_argument("--out", type=Path, default=ROOT / "returns", help="collect: where the work goes")
    parser.add_argument("--shared-account", action="store_true", help="all students run as root; read README.md")
    parser.add_argument("--again", action="store_true", help="students: a new password for those who have one")
    return parser


def start(options):
    """Prepare everything, print what applies here, and become JupyterHub."""
    separate = os.geteuid() == 0 and not options.shared_account
    running.end(running.hub_processes(options.folder))  # leftovers of a killed hub
    prepare(options)
    run(sys.executable, HUB / "passwords.py", options.folder, "instructor", capture_output=True)
    for line in startup_lines(options, separate):
        print(line, flush=True)
    systemd = os.geteuid() == 0 and Path("/run/systemd/system").is_dir()
    for_hub = vars(options) | {"separate": separate, "systemd": systemd, "root": os.geteuid() == 0}
    for_hub |= {"memory": int(options.memory * 1e9), "disk": int(options.disk * 1e9)}
    for_hub |= {"folder": str(options.folder), "out": str(options.out)}
    os.environ["LEARNING_TO_LOOK_CLASS"] = json.dumps(for_hub)
    os.chdir(options.folder / "hub")
    hub = Path(sys.executable).parent / "jupyterhub"
    return os.execv(hub, [str(hub), "--config", str(HUB / "jupyterhub_config.py")])  # it does not return


def startup_lines(options, separate):
    """Yield what the instructor has to know, line by line."""
    yield f"Students open {address(options)}"
    yield f"The class is in {options.folder}; passwords not handed out yet are in passwords.csv there."
    if separate:
        yield "Each student has a home and a system number of their own; nobody reads another one's files."
    else:
        yield "All students share one system account: each has a home, and a determined one can read the others'."
    if options.ip not in LOOPBACK and not options.certificate:
        yield "No --certificate: on this network, passwords and work can be read on the way."
    processors = f"{options.cpus:g} processor{'s' if options.cpus > 1 else ''}"
    yield f"Limits: {options.memory:g} GB a process; {processors} and {options.disk:g} GB of disk a student."
    if n_servers := len(running.student_pids(options.folder)):
        yield f"The servers of {n_servers} students that ran on are taken over."
    yield "Ctrl-C ends the hub alone, and students go on working; nox -s hub -- stop ends everything."


def address(options):
    """Return the address for students, with this machine's host name if it listens on all interfaces."""
    host = socket.gethostname() if options.ip in ("", "0.0.0.0", "::") else options.ip
    return f"{'https' if options.certificate else 'http'}://{host}:{options.port}"


def prepare(options):
    """Stage the lessons, and make the course's kernel and widgets known to the servers."""
    kernel = (
        options.folder / "jupyter" / "kernels" / "python3"
    )  # not in an environment, whose files are links into a cache
    kernel.mkdir(parents=True, exist_ok=True)
    command = [str(COURSE), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3 (Learning to Look)", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec | {"metadata": {"debugger": True}}), encoding="utf-8")
    settings = Path(sys.prefix) / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(QUIET), encoding="utf-8")
    run(sys.executable, ROOT / "workshop" / "jupyterlab_files.py")
    run(COURSE, "-m", "compileall", "-q", ROOT / "course_utils", ROOT / "pagecheck")  # students may not write there
    run(COURSE, HUB / "stage.py", options.folder, *released_lessons(options.folder))


def students(options):
    """Make accounts."""
    try:
        names = [name for word in options.names for name in (read_names(word[1:]) if word.startswith("@") else [word])]
    except (OSError, UnicodeDecodeError) as problem:
        print(f"The list of names cannot be read: {problem}. Save it as plain text in UTF-8, one name on each line.")
        return 2
    if not names:
        print("Name the students, or @FILE with one name on each line.")
        return 2
    again = ["--again"] if options.again else []
    return subprocess.run([sys.executable, HUB / "passwords.py", options.folder, *again, *names]).returncode


def read_names(file):
    """The names in a file, one on each line."""
    return [line.strip() for line in Path(file).read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def released_lessons(folder):
    """The numbers of the lessons whose solutions are released."""
    file = folder / "released.txt"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def release(options):
    """Record these lessons as released, and update all homes."""
    lessons = lesson_numbers()
    numbers = {name.zfill(2) for name in options.names}
    if not numbers or numbers - lessons:
        print(f"Name lessons by their numbers, such as 05; there are {min(lessons)} to {max(lessons)}.")
        return 2
    all_released = sorted({*released_lessons(options.folder), *numbers})
    (options.folder / "released.txt").write_text(" ".join(all_released) + "\n", encoding="utf-8")
    return update(options)


def update(options):
    """Update the staged lessons and each home, the latter with its owner's rights."""
    run(COURSE, HUB / "stage.py", options.folder, *released_lessons(options.folder))
    homes = sorted(home for home in (options.folder / "homes").iterdir() if home.is_dir())
    failed = [home.name for home in homes if not update_home(options.folder, home)]
    print(f"{len(homes) - len(failed)} of {len(homes)} homes are up to date.")
    if failed:
        print(f"These are not, see the lines above: {', '.join(failed)}")
    return int(bool(failed))


def update_home(folder, home):
    """Update one home. Returns whether that succeeded."""
    uid = home.stat().st_uid if os.geteuid() == 0 and home.stat().st_uid >= accounts.FIRST_UID else None
    identity = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
    command = [sys.executable, HUB / "start_student.py", folder / "lessons"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(command, env=environment, cwd=home, umask=0o077, capture_output=True, text=True, **identity)
    for line in (done.stdout + done.stderr).splitlines():
        print(f"{home.name}: {line}")
    return done.returncode == 0


def collect(options):
    """Copy the work of one lesson out of all homes, and say who had nothing."""
    if len(options.names) != 1 or options.names[0].zfill(2) not in lesson_numbers():
        print("Name one lesson by its number, such as 05.")
        return 2
    found = collecting.collect(options.folder / "homes", options.names[0].zfill(2), options.out)
    names = sorted({*running.account_names(options.folder), *found})
    copied = {name: files for name, (files, _) in found.items()}
    without = [name for name in names if not any(file.lower().endswith(".ipynb") for file in copied.get(name, ()))]
    print(f"The work of {len(names) - len(without)} of {len(names)} students is in {options.out}.")
    if without:
        print(f"No notebook of this lesson: {', '.join(without)}")
    for name in (f"{student}/{file}" for student, (_, passed_over) in found.items() for file in passed_over):
        print(f"Passed over, as a link, a folder, too large or too many: {name!r}")
    return 0


def lesson_numbers():
    return {path.name[:2] for path in (ROOT / "notebooks" / "source").glob("[0-9][0-9]_*.py")}


def stop(options):
    """End the hub, its proxy, and all students' servers."""
    programs, servers = running.stop(options.folder)
    print(f"{programs} programs of the hub and the servers of {servers} students have ended.")
    print(f"What was saved is in {options.folder / 'homes'}.")
    return 0


def run(*command, **options):
    """Run a program. Raises CalledProcessError if it fails."""
    subprocess.run([str(word) for word in command], check=True, **options)


COMMANDS = {one.__name__: one for one in (start, students, release, collect, update, stop)}
MAKES = ("start", "students")  # what makes accounts or processes asks first whether the server would start

if __name__ == "__main__":
    sys.exit(main())
