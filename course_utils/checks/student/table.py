"""A small table that displays as HTML in a notebook and as plain lines elsewhere."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of words below a header, with a caption: what progress() returns and recap() shows.

    >>> Table("Lesson 01", ("exercise", "state"), [("cosine", "✓ done")])
    Lesson 01
      cosine  ✓ done
    """

    caption: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def __repr__(self):
        widths = [max((len(row[i]) for row in self.rows), default=0) for i in range(len(self.header))]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in self.rows]
        return "\n".join([self.caption, *(f"  {line}".rstrip() for line in lines)])

    def _repr_html_(self):
        cell = 'style="text-align: left; vertical-align: top; padding: 4px 20px 4px 0; white-space: normal"'
        head = "".join(f'<th scope="col" {cell}>{escape(word)}</th>' for word in self.header)
        body = "".join(
            "<tr>" + "".join(f"<td {cell}>{escape(word)}</td>" for word in row) + "</tr>" for row in self.rows
        )
        caption = (
            f'<caption style="text-align: left; padding: 4px 0; caption-side: top">{escape(self.caption)}</caption>'
        )
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
