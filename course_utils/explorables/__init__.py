"""Explorables: pictures that respond within a frame, in JupyterLab and on a page without a kernel."""

from course_utils.explorables.attention_explorer import AttentionExplorer
from course_utils.explorables.head_gallery import HeadGallery
from course_utils.explorables.look_playground import LookPlayground
from course_utils.explorables.next_word import NextWord
from course_utils.explorables.softmax_dial import SoftmaxDial
from course_utils.explorables.standalone_page import export_html
from course_utils.explorables.the_machine import TheMachine
from course_utils.explorables.training_replay import TrainingReplay
from course_utils.explorables.vector_pad import VectorPad

__all__ = [
    "AttentionExplorer",
    "HeadGallery",
    "LookPlayground",
    "NextWord",
    "SoftmaxDial",
    "TheMachine",
    "TrainingReplay",
    "VectorPad",
    "export_html",
]


def __getattr__(name):
    """Notebooks of version 2 ask for CutByHand: they get what replaced it, and a notice."""
    if name != "CutByHand":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    print("TheMachine took the place of CutByHand: it does the same, and shows the numbers on their way.")
    return TheMachine
