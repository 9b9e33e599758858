"""The instructor's page about the gain of a class, as Markdown."""

from statistics import median

from measuring import each_item, forms, formulas, lessons_left
from measuring.returned import n_pairs

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.items import load

ENOUGH = 60  # students: with fewer, a concept with two questions gets only an interval
HASTY = 120  # seconds
SHOWN = 10


def page(group, picture="", alt="", other=None):
    """Return the page of a class. picture: the file with what `alt` says. other: the comparison group."""
    parts = [participation(group), gain(group), comparison(group, other), picture_of(picture, alt), concepts(group)]
    parts += [both_forms(group), questions(group), misconceptions(group), checks(group), omissions(group)]
    return "\n".join(["# What the class gained", *(line for part in parts for line in part)]) + "\n"


def fmt_number(x, digits=2):
    return "–" if x is None else f"{x:.{digits}f}".replace("-", "−")


def fmt(estimate, point=True):
    """Format an estimate: the number, and its interval in brackets."""
    if estimate.value is None:
        return "–"
    interval = (
        f"[{fmt_number(estimate.low)}, {fmt_number(estimate.high)}]" if estimate.low is not None else "[no interval]"
    )
    return f"{fmt_number(estimate.value)} {interval}" if point else interval


def count_students(n):
    return f"{n} student{'s' * (n != 1)}"


def participation(group):
    """Who answered, how long it took, and how many answers are missing."""
    both = group.respondents(*SITTINGS)
    yield from ["", "## Who answered", "", "| | students | minutes, the one in the middle | no answer | do not know |"]
    yield "|---|---|---|---|---|"
    for name in SITTINGS:
        students = group.respondents(name)
        times = [student.sittings[name]["seconds"] for student in students]
        median_minutes = fmt_number(median(times) / 60, 0) if times else "–"
        shares = [sum(s.count_open(name)[i] for s in students) / max(1, len(students) * n_pairs()) for i in (0, 1)]
        yield f"| {name} | {len(students)} | {median_minutes} | {shares[0]:.0%} | {shares[1]:.0%} |"
    yield f"| both | {len(both)} | | | |"
    yield from ["", "Everything below that compares is about those who answered both. No answer counts as not right."]
    single = {name: [s for s in group.respondents(name) if s not in both] for name in SITTINGS}
    if single["before"]:
        scores = [fmt_number(group.right("before", s).mean()) for s in (single["before"], both) if s]
        words = f"{len(single['before'])} answered before only, with a mean score of {scores[0]}"
        yield words + (f"; those who stayed had {scores[1]}." if both else ".")
    if single["after"]:
        yield f"{len(single['after'])} answered after only."
    hasty = sum(part["seconds"] < HASTY for s in group.students for part in s.sittings.values())
    if hasty:
        yield f"Finished in less than {HASTY // 60} minutes: {hasty} of the questionnaires; they count all the same."


def gain(group):
    """The gain of those who answered both, in four numbers."""
    both = group.respondents(*SITTINGS)
    yield from ["", "## The gain", ""]
    if not both:
        yield "Nobody answered before and after, so there is no gain to compute."
        return
    before, after = (group.right(name, both).mean(axis=1) for name in SITTINGS)
    changes, unchanged = formulas.mean_of_changes(before, after)
    yield from [f"Of {count_students(len(both))}, with intervals of 95 %:", "", "| | |", "|---|---|"]
    yield f"| mean score before | {fmt(formulas.mean(before))} |"
    yield f"| mean score after | {fmt(formulas.mean(after))} |"
    yield f"| **normalised gain of the class** (Hake) | **{fmt(formulas.class_gain(before, after))}** |"
    yield f"| mean of the students' own normalised changes | {fmt(changes)} |"
    yield f"| effect size (Hedges' g, average standard deviation) | {fmt(formulas.effect_size(before, after))} |"
    yield from ["", "The gain of the class is the share of what was missing before and is there after."]
    if unchanged:
        yield f"{unchanged} had everything right before and after, or nothing, and so have no change of their own."
    if len(both) < 10:
        yield "So few students say hardly anything: read the intervals, not the numbers."
    yield "Without a comparison group nobody knows how much of it is due to the course."


def comparison(group, other):
    """The gain beside that of a comparison group."""
    if other is None:
        return
    yield from ["", "## Against the comparison group", ""]
    gains = []
    for one in (group, other):
        both = one.respondents(*SITTINGS)
        gains.append(formulas.class_gain(*(one.right(name, both).mean(axis=1) for name in SITTINGS)))
    n = len(other.respondents(*SITTINGS))
    yield f"This class gained {fmt(gains[0])}, the comparison group {fmt(gains[1])} ({n})."
    yield f"The difference is {fmt(formulas.difference(*gains))}."


def picture_of(picture, alt):
    if picture:
        yield from ["", f"![{alt}]({picture})"]


def concepts(group):
    """The gain by concept; with few students the interval alone, since two questions say little."""
    n = len(group.respondents(*SITTINGS))
    if not n:
        return
    yield from ["", "## By concept", ""]
    if n < ENOUGH:
        yield f"With {count_students(n)} and two questions a concept has no number, only an interval."
        yield ""
    yield from ["| concept | lessons | gain |", "|---|---|---|"]
    for id, estimate in each_item.by_concept(group).items():
        concept = load().concepts[id]
        yield f"| {concept.name} | {', '.join(concept.lessons)} | {fmt(estimate, point=n >= ENOUGH)} |"


def both_forms(group):
    """Whether the forms are equally hard."""
    result = forms.compare(group)
    yield from ["", "## The two forms", ""]
    yield f"{result.first['A']} began with form A, {result.first['B']} with form B."
    if result.easier.value is None:
        yield "That is too few of one of them to compare the forms."
        return
    yield f"By the changes of both halves, form A is easier by {fmt(result.easier)} of the score."
    yield f"Before the course, form A was answered better by {fmt(result.before)}, by other students than form B."
    yield f"With both halves counted alike, so that this cancels, scores changed by {fmt(result.change)}."


def questions(group):
    """Difficulty and discrimination of each question, and those that measure nothing."""
    rows = each_item.rows(group)
    yield from ["", "## The questions", ""]
    yield "Right before and after: the share of right answers, each with other students for A and B."
    yield "Apart: how well a right answer after the course goes with the other questions (corrected point-biserial)."
    yield "27 %: right answers in the upper less the lower 27 % of the class."
    yield from ["", "| question | n | right before | right after | apart | 27 % | taken by nobody |"]
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        n = "/".join(str(row.n[name]) for name in SITTINGS)
        cells = [row.item.id, n, fmt(row.before), fmt(row.after), fmt(row.discrimination), fmt_number(row.upper_lower)]
        yield f"| {' | '.join(cells)} | {', '.join(row.unchosen)} |"
    problems = [f"- {row.item.id}: {words}." for row in rows for words in row.problems]
    few = sum(row.n["after"] < each_item.MIN_ANSWERS for row in rows)
    yield from [
        "",
        "Questions that measure nothing in this class:" if problems else "No question stands out.",
        *problems,
    ]
    if few:
        least = each_item.MIN_ANSWERS
        yield f"{few} questions have fewer than {least} answers after the course, too few to say anything."


def misconceptions(group):
    """Which misconceptions are chosen, before and after."""
    n, shares = len(group.respondents(*SITTINGS)), list(each_item.misconceptions(group).items())[:SHOWN]
    if shares:
        yield from ["", "## Misconceptions that stay", "", "The share of students who choose it at least once.", ""]
        yield from ["| misconception | before | after |", "|---|---|---|"]
        for id, (before, after) in shares:
            yield f"| `{id}` | {fmt(before, n >= ENOUGH)} | {fmt(after, n >= ENOUGH)} |"


def checks(group):
    """What the checks recorded, for students who handed it in."""
    students = [s for s in group.students if s.checks]
    yield from ["", "## In the lessons", ""]
    if not students:
        yield "Nobody handed in what the checks noted."
        return
    yield f"{len(students)} handed in what the checks noted: tries and minutes are those in the middle."
    yield from [
        "",
        "| lesson | began | exercises done | tries | minutes | mistakes met by most |",
        "|---|---|---|---|---|---|",
    ]
    for lesson in lessons_left.lessons(group):
        mistakes = ", ".join(f"`{id}` ({count})" for id, count in lesson.mistakes)
        numbers = [fmt_number(x, 0) for x in (lesson.tries, lesson.minutes)]
        cells = [lesson.number, lesson.students, f"{lesson.done:.0%}", *numbers, mistakes]
        yield f"| {' | '.join(map(str, cells))} |"
    survivors = lessons_left.survivors(group)
    yield from ["", "Misconceptions that were met in a lesson and are chosen after the course:" if survivors else ""]
    yield from (f"- `{id}`, lesson {lessons}: {after} of {met} who met it." for id, lessons, met, after in survivors)


def omissions(group):
    if group.problems:
        yield from ["", "## What was left out", "", *(f"- {problem}" for problem in group.problems)]
