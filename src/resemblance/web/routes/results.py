"""Results of a study for programs: read only, by a token, page after page."""

import hashlib
import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from resemblance.failures import Failure
from resemblance.study.export import Export
from resemblance.study.export.tables import when
from resemblance.study.live import LiveStudy
from resemblance.web.desk.overview import Overview
from resemblance.web.routes.common import refusals, shared_of, visitor

router = APIRouter(prefix="/api/results/{study}", tags=["results"])
ANSWERS, PEOPLE = 1000, 500  # on a page at most
READ = refusals("unknown_study", "unknown_key", "too_many", "invalid_request")
UNFITTED = refusals("unknown_condition", "unknown_address")


def readable(study: str, request: Request) -> LiveStudy:
    """Find a study whose results a request may read."""
    shared = shared_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    is_reader = scheme.lower() == "bearer" and shared.accounts.reads(token, study) is not None
    (request.app.state.limits.requests if is_reader else shared.strangers).take(visitor(request))
    if not is_reader:
        raise Failure("unknown_key")
    return shared.study(study)


Live = Annotated[LiveStudy, Depends(readable)]
Start = Annotated[int, Query(ge=0, le=2**62)]


def tagged(request: Request, content: Any) -> Response:
    """Return JSON with its tag, or that the reader has it already."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@router.get("/answers", responses=READ)
def answers(
    live: Live,
    request: Request,
    after: Start = 0,
    limit: Annotated[int, Query(ge=1, le=ANSWERS)] = ANSWERS,
) -> Response:
    """Return the answers after one of the log, as the table ``answers`` of an export has them."""
    export = Export(live)
    batch = live.store.answers.after(live.record, after, limit)
    following = batch[-1].id if len(batch) == limit else None
    return tagged(request, {"answers": [export.logged(a) for a in batch], "next": following})


@router.get("/people", responses=READ)
def people(
    live: Live,
    request: Request,
    start: Start = 0,
    limit: Annotated[int, Query(ge=1, le=PEOPLE)] = PEOPLE,
) -> Response:
    """Return people by their pseudonyms, in the order in which they entered; no ids."""
    rows, total = live.store.tallies.people(live.record, "oldest", "all", "", limit, start)
    entries = [
        {
            "observer": row.code,
            "source": row.source,
            "state": row.state,
            "arm": None,
            **live.settings.conditions.row(row.arm),
            "entered": when(row.created),
            "finished": row.finished and when(row.finished),
            "excluded": bool(row.excluded),
            **(row.figures or {}),
        }
        for row in rows
    ]
    following = start + len(rows) if start + len(rows) < total else None
    return tagged(request, {"people": entries, "total": total, "next": following})


def part(live: Live, condition: Annotated[str, Query(max_length=400)] = "") -> Overview:
    """Find what has a map: the study, or one of its conditions."""
    if condition and condition not in live.parts:
        raise Failure("unknown_condition")
    return Overview(live, condition)


Part = Annotated[Overview, Depends(part)]


@router.get("/space", responses=READ | UNFITTED)
def space(of: Part, request: Request) -> Response:
    """Return the newest map: items, their positions, and how sure each is."""
    if (newest := of.space) is None:
        raise Failure("unknown_address", "Nothing was fitted yet.", "Wait for the first fit.")
    items = of.part.folder.names[: len(newest.positions)]
    content = {"items": items, "positions": newest.positions, "deviation": newest.uncertainty}
    return tagged(request, {"made": when(newest.made), "answers": newest.answers, **content})


@router.get("/analysis", responses=READ | UNFITTED)
def analysis(of: Part, request: Request) -> Response:
    """Return what is known of the newest map: error, ceiling, verdict, advice; as the desk has."""
    if (last := of.last) is None:
        raise Failure("unknown_address", "Nothing was fitted yet.", "Wait for the first fit.")
    return tagged(request, {"made": when(last.made), "answers": last.answers, **last.scores})
