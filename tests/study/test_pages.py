"""Pages: Markdown made safe HTML, and fields."""

import pytest

from resemblance.errors import FileError
from resemblance.study.pages import read_page

FORM = """# About you

Some *words*.

```form
[age]
label = "Age?"
type = "number"
min = 18
required = true
[mood]
label = "Mood?"
type = "scale"
[uses]
label = "Uses?"
type = "choice"
options = ["a", "b"]
multiple = true
[more]
label = "More?"
type = "text"
max_length = 5
```
"""


@pytest.fixture
def page(tmp_path):
    def page_(text):
        (tmp_path / "page.md").write_text(text)
        return read_page(tmp_path / "page.md", "you", "questionnaire")

    return page_


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,x)",
        "![x](javascript:alert(1))",
        "[x](vbscript:x)",
    ],
)
def test_nothing_in_a_page_runs(page, text):
    html = page(text).html
    assert "<script" not in html
    assert "<img" not in html
    assert "href" not in html


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"age": 18}, None),
        ({"age": 40, "mood": 7, "uses": ["a", "b"], "more": "x"}, None),
        ({"age": 40, "mood": None, "uses": [], "more": ""}, None),
        ({}, "'age' is needed"),
        ({"age": 17}, "'age' cannot be 17"),
        ({"age": "18"}, "'age' cannot be '18'"),
        ({"age": True}, "'age' cannot be True"),
        ({"age": 40, "mood": 8}, "'mood' cannot be 8"),
        ({"age": 40, "uses": ["a", "c"]}, "'uses' cannot be ['a', 'c']"),
        ({"age": 40, "more": "too long"}, "'more' cannot be 'too long'"),
        ({"age": 40, "extra": 1}, "no field 'extra' on this page"),
    ],
)
def test_values_are_checked(page, values, problem):
    assert page(FORM).problem(values) == problem


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ('[age]\nlabel = "x"\ntype = "date"\n', "age"),
        ('[age]\nlabel = "x"\ntype = "scale"\nmax = 1\n', "2 to 21 points"),
        ('[age]\ntype = "text"\n', "label is missing"),
        ('[age]\nlabel = "x"\ntype = "text"\nsize = 3\n', "unknown key"),
        ("[age\n", "write each field as a TOML table"),
    ],
)
def test_bad_forms_name_their_place(page, form, says):
    with pytest.raises(FileError, match=r"page\.md, form from line 4") as told:
        page(f"# Title\n\n```form\n{form}```\n")
    assert says in str(told.value)
