"""Routes for operators: health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from feint.server.owner import Here
from feint.server.refusals import Refusal, documented
from feint.server.shapes import Done
from feint.server.who import may

router = APIRouter(tags=["operation"])


@router.get("/healthz", responses={status: {"model": Refusal} for status in (429, 503)})
def healthz(request: Request, polls: Here) -> Done:
    """Report that the server runs and that its database accepts writes."""
    polls.ready()
    request.app.state.health.check(polls.write_something)
    return Done()


@router.get(
    "/metrics",
    dependencies=[may("measure")],
    responses=documented(),
    response_class=Response,
)
def metrics(request: Request) -> Response:
    """Return the metrics of this worker, for Prometheus. The owner's token is needed."""
    held = generate_latest(request.app.state.metrics.registry)
    return Response(held, headers={"Content-Type": CONTENT_TYPE_LATEST})
