"""Traps in the browser: everybody can answer them, or leave them out; nothing moves unasked."""

import pytest

from browser.conftest import barriers
from browser.fake_study import picture
from browser.participant import DESKTOP, PHONE
from browser.real_server import SETTINGS, AppServer
from browser.test_languages_page import INSIDE, go_on
from resemblance.study.creation import create_study
from resemblance.study.languages import find_language
from resemblance.study.live import open_stored
from resemblance.study.quality import Quality

pytestmark = pytest.mark.browser

LOADED = "() => document.querySelector('details img').naturalWidth"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    home = tmp_path_factory.mktemp("traps")
    (home / "pictures").mkdir()
    for number in range(5):
        (home / "pictures" / f"shape{number}.png").write_bytes(picture(str(number), 200))
    tasks = {"practice": 0, "per_participant": 1, "task_size": 1, "gold_share": 0.0}
    create_study(
        home / "study",
        images=home / "pictures",
        languages=["en", "ar"],
        settings=SETTINGS | {"tasks": tasks},
        pages={"consent": "# Taking part\n", "consent.ar": "# المشاركة\n"},
        traps=True,
    )
    server = AppServer(home, ["study"])
    yield server
    server.stop()


def to_the_traps(page):
    go_on(page)
    go_on(page)
    page.wait_for_selector("[data-open]")
    page.wait_for_timeout(170)
    page.keyboard.press("1")
    page.locator("details summary").wait_for()


def share_of_last(server):
    with open_stored(server.home / "study") as live:
        person = live.store.people.all(live.record)[-1]
        return Quality.of(live).measures(person.code)["traps"]


@pytest.mark.parametrize(("device", "language"), [(DESKTOP, "en"), (PHONE, "ar")])
def test_traps_fit_load_when_opened_and_are_answered(visit, server, device, language):
    page = visit(server.address("study"), device, locale=language)
    to_the_traps(page)
    words = find_language(language).traps
    with open_stored(server.home / "study") as live:
        pages = live.folder.spoken(language).traps
    for name, trap in pages.items():
        page.get_by_text(words[name[5:]]).wait_for()
        assert not page.locator("details img").is_visible()  # nothing moves before it is opened
        summary = page.get_by_text(words["show"])
        if device is PHONE:
            summary.tap()
        else:
            summary.focus()
            page.keyboard.press("Enter")
        page.locator("details img").wait_for()
        page.wait_for_function(f"{LOADED} && ({LOADED})() > 100")
        assert page.evaluate(INSIDE), name
        assert barriers(page) == [], name
        page.get_by_label(trap.fields[name[5:]].people, exact=True).check()
        go_on(page)
    page.locator("textarea").wait_for()
    assert share_of_last(server) == (1.0, 3)


def test_who_cannot_see_them_goes_on_and_is_not_counted(visit, server):
    """By keys alone, with what a screen reader says of picture and answers."""
    page = visit(server.address("study"), locale="en")
    to_the_traps(page)
    words = find_language("en").traps
    for name in ("larger", "shape", "turn"):
        group = page.get_by_role("group", name=words[name])
        group.wait_for()
        assert group.get_by_role("radio").count() == (4 if name != "turn" else 3)
        page.locator("details summary").press("Enter")
        assert page.get_by_role("img", name=words["alt"]).count() == 1
        if name != "turn":  # that one is left out
            page.get_by_role("radio").first.focus()
            page.keyboard.press("ArrowUp")
            assert page.get_by_role("radio", name=words["unsure"]).is_checked()
        page.get_by_role("button", name="Continue").press("Enter")
    page.locator("textarea").wait_for()
    assert share_of_last(server) == (None, 0)
