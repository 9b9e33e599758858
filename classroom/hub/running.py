"""Which programs of a class are running, and how they are ended: none is taken for one of ours by its number alone."""

import contextlib
import json
import sqlite3

import psutil


def students_pids(folder):
    """The numbers of the processes that are students' servers, as the hub noted them, and that still run."""
    database = folder / "hub" / "hub.sqlite"
    if not database.exists():
        return []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as noted:
        states = [json.loads(state) for (state,) in noted.execute("select state from spawners") if state]
    return [state["pid"] for state in states if is_running(state.get("pid"), "jupyterhub-singleuser")]


def is_running(pid, word):
    """Whether a process has this number, and this word in its command."""
    try:
        return bool(pid) and any(word in part for part in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def programs_of(folder):
    """The hub, its proxy and its services: they run in the folder where the hub keeps its state."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder / "hub"):
                found.append(process)
        except psutil.Error:
            continue  # it has ended, or belongs to somebody else
    return found


def hub_runs(folder):
    """Whether the hub itself runs."""
    return any(is_running(process.pid, "jupyterhub_config.py") for process in programs_of(folder))


def end(processes, seconds=10):
    """End processes and all that they started, gently, then not."""
    families = [one for process in processes for one in (process, *process.children(recursive=True))]
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    _, left = psutil.wait_procs(families, timeout=seconds)
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()


def stop(folder):
    """End the hub with all that belongs to it, then the students' servers with their kernels. Returns how many."""
    ours, servers = programs_of(folder), [psutil.Process(pid) for pid in students_pids(folder)]
    end(ours)
    end(servers)
    return len(ours), len(servers)
