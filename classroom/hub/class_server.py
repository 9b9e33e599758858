"""The class server on one machine: JupyterHub, a home for each student, the course shared.

    nox -s hub                                   start it, on this machine only: http://127.0.0.1:8000
    nox -s hub -- students anna ben @class.txt   make accounts; their passwords go to class/passwords.csv
    nox -s hub -- --ip 0.0.0.0 --certificate FILE --key FILE     for the room
    nox -s hub -- release 05                     put the solutions of lesson 05 into each home
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
import running

HUB = Path(__file__).resolve().parent
ROOT = HUB.parents[1]
COURSE = ROOT / ".venv" / "bin" / "python"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}


def main():
    """Do what was asked for. Returns the exit status."""
    asked = arguments().parse_args()
    asked.folder = asked.folder.resolve()
    for name in ("hub", "homes"):
        (asked.folder / name).mkdir(parents=True, exist_ok=True)
    (asked.folder / "hub").chmod(0o700)
    asked.folder.chmod(0o755)
    (asked.folder / "homes").chmod(0o711)
    return {"start": start, "students": students, "release": release, "update": update, "stop": end}[asked.what](asked)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="nox -s hub --", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="start", choices=["start", "students", "release", "update", "stop"])
    parser.add_argument("names", nargs="*", help="students, or @FILE with one on each line; lessons to release")
    parser.add_argument("--folder", type=Path, default=ROOT / "class", help="the class: homes, accounts, lessons")
    parser.add_argument("--ip", default="127.0.0.1", help="the address to listen on; this machine only, by default")
    parser.add_argument("--port", type=int, default=8000, help="the next two are used as well, on this machine only")
    parser.add_argument("--certificate", default="", help="of TLS; without it passwords cross the network in the clear")
    parser.add_argument("--key", default="", help="of the certificate")
    parser.add_argument("--memory", type=float, default=2.0, help="GB of data for each process of a student")
    parser.add_argument("--cpus", type=float, default=1, help="processors for each student")
    parser.add_argument("--idle", type=int, default=3600, help="seconds until a server that nobody uses is ended")
    parser.add_argument("--shared-account", action="store_true", help="all students run as root; read README.md")
    parser.add_argument("--again", action="store_true", help="students: a new password for those who have one")
    return parser


def start(asked):
    """Prepare everything, say what holds here, and become JupyterHub."""
    separate = separated(asked)
    if separate is None:
        return 2
    if running.hub_runs(asked.folder):
        print("The hub of this class runs already; end it with Ctrl-C where it runs, or with: nox -s hub -- stop")
        return 2
    running.end(running.programs_of(asked.folder))  # what a hub left behind that was killed
    prepare(asked)
    run(sys.executable, HUB / "passwords.py", asked.folder, "instructor", capture_output=True)
    for line in told(asked, separate):
        print(line, flush=True)
    systemd = os.geteuid() == 0 and Path("/run/systemd/system").is_dir()
    for_hub = vars(asked) | {"separate": separate, "systemd": systemd, "root": os.geteuid() == 0}
    for_hub |= {"memory": int(asked.memory * 1e9), "folder": str(asked.folder)}
    os.environ["LEARNING_TO_LOOK_CLASS"] = json.dumps(for_hub)
    os.chdir(asked.folder / "hub")
    hub = Path(sys.executable).parent / "jupyterhub"
    return os.execv(hub, [str(hub), "--config", str(HUB / "jupyterhub_config.py")])  # it does not return


def separated(asked):
    """Whether each student gets a number of their own. None, after saying why, where root cannot give them one."""
    if os.geteuid() != 0 or asked.shared_account:
        return False
    bases = [Path(Path(python).resolve()) for python in (COURSE, sys.executable)]
    closed = accounts.closed_to_others([*bases, ROOT / "classroom" / "hub", asked.folder])
    if closed:
        print(
            f"Students' processes do not run as root, and {closed} is closed to everybody else.\n"
            "Start nox with a Python outside of it, such as /usr/bin/python3, put the course where others may read, "
            "and delete .venv and .venv-hub; or type --shared-account if every student may do all that root can do "
            "on this machine, as in a container that holds nothing else."
        )
        return None
    return True


def told(asked, separate):
    """What the instructor has to know, a line each."""
    yield f"Students open {address(asked)}"
    yield f"The class is in {asked.folder}; passwords not handed out yet are in passwords.csv there."
    if separate:
        yield "Each student has a home and a system number of their own; nobody reads another one's files."
    else:
        yield "All students share one system account: each has a home, and a determined one can read the others'."
    if asked.ip not in LOOPBACK and not asked.certificate:
        yield "No --certificate: on this network, passwords and work can be read on the way."
    processors = f"{asked.cpus:g} processor{'s' if asked.cpus > 1 else ''}"
    yield f"Limits: {asked.memory:g} GB for each process, {processors} for each student."
    if there := len(running.students_pids(asked.folder)):
        yield f"The servers of {there} students that ran on are taken over."
    yield "Ctrl-C ends the hub alone, and students go on working; nox -s hub -- stop ends everything."


def address(asked):
    """What students type into their browsers; the name of this machine where it listens on all of its addresses."""
    host = socket.gethostname() if asked.ip in ("", "0.0.0.0", "::") else asked.ip
    return f"{'https' if asked.certificate else 'http'}://{host}:{asked.port}"


def prepare(asked):
    """Lay out the lessons once, and let the servers find the course's kernel and widgets."""
    kernel = asked.folder / "jupyter" / "kernels" / "python3"  # not in an environment: its files are links into a store
    kernel.mkdir(parents=True, exist_ok=True)
    command = [str(COURSE), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3 (Learning to Look)", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec | {"metadata": {"debugger": True}}), encoding="utf-8")
    settings = Path(sys.prefix) / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(QUIET), encoding="utf-8")
    run(sys.executable, ROOT / "workshop" / "jupyterlab_files.py")
    run(COURSE, "-m", "compileall", "-q", ROOT / "course_utils", ROOT / "pagecheck")  # students may not write there
    run(COURSE, HUB / "stage.py", asked.folder, *released(asked.folder))


def students(asked):
    """Make accounts."""
    try:
        names = [name for word in asked.names for name in (listed(word[1:]) if word.startswith("@") else [word])]
    except (OSError, UnicodeDecodeError) as problem:
        print(f"The list of names cannot be read: {problem}. Save it as plain text in UTF-8, one name on each line.")
        return 2
    if not names:
        print("Name the students, or @FILE with one name on each line.")
        return 2
    again = ["--again"] if asked.again else []
    return subprocess.run([sys.executable, HUB / "passwords.py", asked.folder, *again, *names]).returncode


def listed(file):
    """The names in a file, one on each line."""
    return [line.strip() for line in Path(file).read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def released(folder):
    """The numbers of the lessons whose solutions are released."""
    file = folder / "released.txt"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def release(asked):
    """Note that the solutions of these lessons are released, and bring all homes up to date."""
    there = {path.name[:2] for path in (ROOT / "notebooks" / "source").glob("[0-9][0-9]_*.py")}
    numbers = {name.zfill(2) for name in asked.names}
    if not numbers or numbers - there:
        print(f"Name lessons by their numbers, such as 05; there are {min(there)} to {max(there)}.")
        return 2
    now = sorted({*released(asked.folder), *numbers})
    (asked.folder / "released.txt").write_text(" ".join(now) + "\n", encoding="utf-8")
    return update(asked)


def update(asked):
    """Bring the staged lessons and each home up to date, each with the rights of its owner."""
    run(COURSE, HUB / "stage.py", asked.folder, *released(asked.folder))
    homes = sorted(home for home in (asked.folder / "homes").iterdir() if home.is_dir())
    failed = [home.name for home in homes if not up_to_date(asked.folder, home)]
    print(f"{len(homes) - len(failed)} of {len(homes)} homes are up to date.")
    if failed:
        print(f"These are not, see the lines above: {', '.join(failed)}")
    return int(bool(failed))


def up_to_date(folder, home):
    """Lay out one home. Returns whether that went well."""
    number = home.stat().st_uid if os.geteuid() == 0 and home.stat().st_uid >= accounts.FIRST else None
    rights = {} if number is None else {"user": number, "group": number, "extra_groups": []}
    command = [sys.executable, HUB / "start_student.py", folder / "lessons"]
    clean = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(command, env=clean, cwd=home, umask=0o077, capture_output=True, text=True, **rights)
    for line in (done.stdout + done.stderr).splitlines():
        print(f"{home.name}: {line}")
    return done.returncode == 0


def end(asked):
    """End the hub, its proxy, and all students' servers."""
    ours, servers = running.stop(asked.folder)
    print(f"{ours} programs of the hub and the servers of {servers} students have ended.")
    print(f"What was saved is in {asked.folder / 'homes'}.")
    return 0


def run(*command, **options):
    """Run a program that has to succeed."""
    subprocess.run([str(word) for word in command], check=True, **options)


if __name__ == "__main__":
    sys.exit(main())
