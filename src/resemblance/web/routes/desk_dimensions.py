"""The sparse dimensions of a study at the desk: seen, named, downloaded."""

from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from resemblance.errors import SettingError, UnavailableError
from resemblance.failures import Failure
from resemblance.study.dimensions import Dimensions, dimensions_of, name_dimension
from resemblance.study.export.dimensions_page import dimensions_page
from resemblance.study.live import LiveStudy
from resemblance.web.desk.dimensions import ShownDimensions, as_csv
from resemblance.web.routes.common import refusals, shared_of
from resemblance.web.routes.desk import SENT, Form, Session, Who, download, gives
from resemblance.web.routes.desk_study import CHANGED, OF_PART, Condition, Live, back, tab

router = APIRouter(prefix="/desk", tags=["desk"])


@router.get("/{study}/dimensions", response_class=HTMLResponse, responses=OF_PART)
def dimensions_tab(
    live: Live, condition: Condition, request: Request, session: Session
) -> Response:
    """Show the dimensions of the last fit with their items and names."""
    dimensions = ShownDimensions(live.part(condition))
    return tab(request, live, session, "dimensions", condition=condition, shown=dimensions)


@router.post("/{study}/dimensions", responses=refusals(*SENT, "unknown_condition") | CHANGED)
def give_name(live: Live, condition: Condition, who: Who, form: Form) -> Response:
    """Name a dimension; nothing takes its name away."""
    place = number(form, "fit"), number(form, "dimension")
    try:
        name_dimension(live.store, live.part(condition).record, who, place, form.get("name", ""))
    except SettingError as error:
        raise Failure("invalid_request", f"The name is refused: {error}.") from None
    query = urlencode({"condition": condition} if condition else {})
    return back(live, {"tab": "dimensions", "query": query})


def number(form: dict[str, str], field: str) -> int:
    """Read a whole number of a form."""
    text = form.get(field, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Failure("invalid_request", f"{field} is {text[:20]!r}: send a whole number.")
    return int(text)


@router.get(
    "/{study}/dimensions.html",
    **gives("text/html", "One page with all in it.", "unknown_address", "unknown_condition"),
)
def whole_page(live: Live, condition: Condition, request: Request) -> Response:
    """Return the dimensions as one page that works without a network."""
    part = live.part(condition)
    newest(part)
    try:
        page = dimensions_page(live.folder.path, shared_of(request).database, condition)
    except UnavailableError as error:
        raise Failure("unavailable", f"The page failed: {error}") from None
    return file(part, page, "text/html", "html")


@router.get(
    "/{study}/dimensions.csv",
    **gives("text/csv", "A row for each item.", "unknown_address", "unknown_condition"),
)
def table(live: Live, condition: Condition) -> Response:
    """Return the loadings as a table: a row for each item, a column for each dimension."""
    part = live.part(condition)
    return file(part, as_csv(newest(part), part.folder.names).encode(), "text/csv", "csv")


def newest(live: LiveStudy) -> Dimensions:
    """Return the dimensions of the last fit."""
    dimensions = dimensions_of(live.store, live.record)
    if dimensions is None:
        raise Failure("unknown_address", "There are no dimensions yet.", "Wait for the first fit.")
    return dimensions


def file(live: LiveStudy, content: bytes, kind: str, suffix: str) -> Response:
    """Return a download."""
    name = f"{live.record.name.replace('/', '-')}-dimensions.{suffix}"
    return download(content, kind, name)
