"""Explorables: pictures that respond within a frame, in JupyterLab and on a page without a kernel."""

from course_utils.explorables.attention_explorer import AttentionExplorer
from course_utils.explorables.cut_by_hand import CutByHand
from course_utils.explorables.head_gallery import HeadGallery
from course_utils.explorables.look_playground import LookPlayground
from course_utils.explorables.next_word import NextWord
from course_utils.explorables.softmax_dial import SoftmaxDial
from course_utils.explorables.standalone_page import export_html
from course_utils.explorables.training_replay import TrainingReplay
from course_utils.explorables.vector_pad import VectorPad

__all__ = [
    "AttentionExplorer",
    "CutByHand",
    "HeadGallery",
    "LookPlayground",
    "NextWord",
    "SoftmaxDial",
    "TrainingReplay",
    "VectorPad",
    "export_html",
]
