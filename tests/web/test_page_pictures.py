"""Pictures on the pages of a study: they lie beside the page, and nothing else is shown."""

import pytest

from browser.fake_study import picture
from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from web.test_desk_study import log_in


@pytest.fixture
def page(make_study):
    page = make_study() / "pages" / "instructions.md"
    page.write_text("# Look\n\n![Two dots](dots.png)\n")
    (page.parent / "dots.png").write_bytes(picture("1", 20))
    return page


def test_the_page_and_the_desk_show_a_picture(page, serve):
    served = serve(page.parents[1])
    shown = served.live.folder.pages["instructions"]
    (name,) = shown.pictures
    assert f'<img src="media:{name}" alt="Two dots">' in shown.html
    assert f'src="/media/ties/{name}"' in log_in(served).client.get("/desk/ties/questions").text
    assert served.client.get(f"/media/ties/{name}").headers["content-type"] == "image/png"


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("other.png", "other.png"),
        ("../stimuli/dots.png", "not a picture in"),
        ("https://lab.example/dots.png", "not a picture in"),
        ("instructions.md", "not a picture in"),
    ],
)
def test_a_picture_elsewhere_is_refused(page, source, named):
    page.write_text(page.read_text().replace("dots.png", source))
    with pytest.raises(SettingError) as told:
        StudyFolder.open(page.parents[1])
    assert named in str(told.value)
    assert "instructions.md" in str(told.value)
