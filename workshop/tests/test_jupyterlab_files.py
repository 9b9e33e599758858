"""What the course brings along for JupyterLab lands where JupyterLab looks, and leaves other files alone."""

import json

import jupyterlab_files
from jupyterlab_server.settings_utils import _get_overrides


def test_the_files_land_where_jupyterlab_looks(tmp_path):
    settings, other = tmp_path / "lab" / "settings", tmp_path / "labextensions" / "other" / "package.json"
    settings.mkdir(parents=True)
    (settings / "overrides.json").write_text('{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}')
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    for _ in range(2):  # again, with what an older version left
        jupyterlab_files.install(tmp_path)
        (tmp_path / "labextensions" / "learning-to-look" / "static" / "old.js").touch()
    jupyterlab_files.install(tmp_path)
    found, error = _get_overrides(str(settings))
    assert not error
    assert found["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert found["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false"}
    extension = other.parent.parent / "learning-to-look"
    load = json.loads((extension / "package.json").read_text())["jupyterlab"]["_build"]["load"]
    assert [path.name for path in (extension / "static").iterdir()] == [(extension / load).name]
    assert other.read_text() == "{}"
