"""What preflight asks of JupyterLab: that it starts, keeps its door shut, and serves the pages' half of the widgets."""

import json
import os
import re
import tempfile
import urllib.error
import urllib.request

import real_browser as machine
from shipped import AGAIN, Missing

FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


class OwnLab(machine.Lab):
    """A JupyterLab with the settings and extensions of whoever asks, as `nox -s lab` starts it."""

    def _environment(self):
        return os.environ | {"JUPYTER_TOKEN": self.token, "LEARNING_TO_LOOK_DATA": "off"}


def jupyterlab(lab=OwnLab):
    """JupyterLab starts, keeps its door shut, and serves the pages' half of the widgets."""
    with tempfile.TemporaryDirectory() as folder:
        running = lab(folder)
        try:
            page = fetched(running, "/lab").decode()
            config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
            for path in front_ends(config):
                fetched(running, path)
            if opens(f"{running.url}/api/contents"):
                where = "look for `token` or `password` in your jupyter_server_config"
                raise Missing(f"it answers without its token: {where}")
        finally:
            running.stop()
    return "answers on this machine only, with its token; serves the widgets"


def front_ends(config):
    """The paths of the pages' halves of the widgets. Raises Missing for one that is not there, or switched off."""
    there = {
        one["name"]: f"{config['fullLabextensionsUrl']}/{one['name']}/{one['load']}"
        for one in config["federated_extensions"]
    }
    off = [name for name in FRONT_ENDS if any(one.split(":")[0] == name for one in config["disabledExtensions"])]
    for name in FRONT_ENDS:
        if name not in there:
            raise Missing(f"it does not find {name}, so widgets stay blank; {AGAIN}")
        if name in off:
            raise Missing(f"{name} is switched off: type .venv/bin/jupyter labextension enable {name}")
    return [there[name] for name in FRONT_ENDS]


def fetched(running, path):
    """Return the bytes of a page of a JupyterLab, asked for with its token."""
    request = urllib.request.Request(running.url + path, headers={"Authorization": f"token {running.token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def opens(address):
    """Whether an address is given to who has no token."""
    try:
        urllib.request.urlopen(address, timeout=10).close()
    except urllib.error.HTTPError as refused:
        return refused.code not in (401, 403)
    return True
