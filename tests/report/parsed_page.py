"""A page taken apart by the standard library's parser, which knows nothing of how it was made."""

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr"}


class ParsedPage(HTMLParser):
    """Elements as (tag, attributes), texts, tables as lists of rows; a stray tag is an error."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts, self.tables = [], [], [], {}
        self.table = self.row = None
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "div" and dict(attrs).get("role") == "region":
            self.table = self.tables.setdefault(dict(attrs)["aria-label"], [])
        if tag == "tr":
            self.row = []
            self.table.append(self.row)
        if tag in ("td", "th"):
            self.row.append("")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        assert "svg" in self.open, f"{tag} closes itself outside of a picture"
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            return
        self.texts.append(data)
        if self.open and ("td" in self.open or "th" in self.open):
            self.row[-1] += data

    def unknown_decl(self, data):
        raise AssertionError(f"unknown declaration {data}")

    def of(self, tag):
        """Attributes of all elements of a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        """All text, with single spaces."""
        return " ".join("".join(self.texts).split())

    def cells(self, table):
        """The rows of a table below its header, as text with single spaces."""
        return [[" ".join(cell.split()) for cell in row] for row in self.tables[table][1:]]
