"""Preflight for JupyterLab: it starts, requires its token, and serves the front ends of the widgets."""

import json
import os
import re
import tempfile
import urllib.error
import urllib.request

import real_browser as machine
from shipped import REINSTALL, Missing

FRONT_ENDS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


class OwnLab(machine.Lab):
    """A JupyterLab with the user's own settings and extensions, as `nox -s lab` starts it."""

    def _environment(self):
        return os.environ | {"JUPYTER_TOKEN": self.token, "LEARNING_TO_LOOK_DATA": "off"}


def jupyterlab(lab=OwnLab):
    """JupyterLab starts, requires its token, and serves the front ends of the widgets."""
    with tempfile.TemporaryDirectory() as folder:
        server = lab(folder)
        try:
            page = fetch(server, "/lab").decode()
            config = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
            for path in front_ends(config):
                fetch(server, path)
            if is_open(f"{server.url}/api/contents"):
                advice = "look for `token` or `password` in your jupyter_server_config"
                raise Missing(f"it answers without its token: {advice}")
        finally:
            server.stop()
    return "answers on this machine only, with its token; serves the widgets"


def front_ends(config):
    """Return the paths of the widgets' front ends. Raises Missing if one is absent or disabled."""
    paths = {
        one["name"]: f"{config['fullLabextensionsUrl']}/{one['name']}/{one['load']}"
        for one in config["federated_extensions"]
    }
    disabled = [name for name in FRONT_ENDS if any(one.split(":")[0] == name for one in config["disabledExtensions"])]
    for name in FRONT_ENDS:
        if name not in paths:
            raise Missing(f"it does not find {name}, so widgets stay blank; {REINSTALL}")
        if name in disabled:
            raise Missing(f"{name} is switched off: type .venv/bin/jupyter labextension enable {name}")
    return [paths[name] for name in FRONT_ENDS]


def fetch(server, path):
    """Return a page of a JupyterLab, requested with its token."""
    request = urllib.request.Request(server.url + path, headers={"Authorization": f"token {server.token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def is_open(address):
    """Whether an address can be read without the token."""
    try:
        urllib.request.urlopen(address, timeout=10).close()
    except urllib.error.HTTPError as refused:
        return refused.code not in (401, 403)
    return True
