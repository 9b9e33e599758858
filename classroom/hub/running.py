"""Find and stop the processes of a class, never trusting a process id alone."""

import contextlib
import json
import sqlite3

import psutil


def student_pids(folder):
    """Return the pids of students' servers that the hub recorded and that still run."""
    database = folder / "hub" / "hub.sqlite"
    if not database.exists():
        return []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        states = [json.loads(state) for (state,) in connection.execute("select state from spawners") if state]
    return [state["pid"] for state in states if is_running(state.get("pid"), "jupyterhub-singleuser")]


def account_names(folder):
    """Return the names of the students who have an account."""
    database = folder / "hub" / "hub.sqlite"
    if not database.exists():
        return []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = [name for (name,) in connection.execute("select username from users_info order by username")]
    return [name for name in names if name != "instructor"]


def is_running(pid, word):
    """Whether a process with this pid has this word in its command."""
    try:
        return bool(pid) and any(word in part for part in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def hub_processes(folder):
    """Return the hub, its proxy and its services, which run in the hub's state folder."""
    processes = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder / "hub"):
                processes.append(process)
        except psutil.Error:
            continue  # it has exited or belongs to somebody else
    return processes


def is_hub_running(folder):
    """Whether the hub itself runs."""
    return any(is_running(process.pid, "jupyterhub_config.py") for process in hub_processes(folder))


def end(processes, seconds=10):
    """Terminate processes, then kill them and their children if they do not exit."""
    families = [member for process in processes for member in (process, *process.children(recursive=True))]
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    _, survivors = psutil.wait_procs(families, timeout=seconds)
    for process in survivors:
        with contextlib.suppress(psutil.Error):
            process.kill()


def stop(folder):
    """Stop the hub, then the students' servers with their kernels. Returns how many of each."""
    programs, servers = hub_processes(folder), [psutil.Process(pid) for pid in student_pids(folder)]
    end(programs)
    end(servers)
    return len(programs), len(servers)
