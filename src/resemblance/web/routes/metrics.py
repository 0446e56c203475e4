"""What a monitor reads; there is no such address unless ``serve --metrics`` says so."""

from fastapi import APIRouter, Request, Response

from resemblance.failures import Failure
from resemblance.web.metrics import TYPE, Metrics
from resemblance.web.peers import comes_from

router = APIRouter()


@router.get("/metrics", include_in_schema=False)
def read(request: Request) -> Response:
    """Tell what is measured, to this machine and the networks that were named."""
    metrics: Metrics = request.app.state.metrics
    if not comes_from(request.scope, metrics.networks):
        raise Failure("not_from_here")
    return Response(metrics.tell(), media_type=TYPE)
