"""Help beside the work, in a real JupyterLab: Explain after two tries, and the pages that lessons link to."""

import shutil
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"
TWICE = """from course_utils.checks import check
def cosine(a, b): return a @ b
_ = check("cosine", cosine)
check("cosine", cosine)"""
LINK = "from IPython.display import Markdown; Markdown('[All terms](GLOSSARY.md)')"
TITLE = "() => window.jupyterapp.shell.currentWidget.title.label"


def test_explain_opens_with_the_keyboard_and_leads_to_the_section(cells, lab, page, shot):
    shutil.copy(NOTEBOOKS / "01_dot_products.ipynb", lab.folder)
    page = cells(TWICE)
    fold = page.locator(".jp-OutputArea details", has_text="Explain")
    assert not fold.get_by_text("your function gives").is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    fold.get_by_text("your function gives 11").wait_for()
    shot(page, "explain")
    fold.get_by_role("link", name="01_dot_products").click()
    page.wait_for_function(f"({TITLE})() === '01_dot_products.ipynb'")


def test_the_glossary_opens_to_read(cells, lab, page, shot):
    shutil.copy(NOTEBOOKS / "GLOSSARY.md", lab.folder)
    page = cells(LINK)
    page.get_by_role("link", name="All terms").click()
    page.get_by_role("heading", name="Glossary").wait_for()
    shot(page, "glossary")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
