"""All routes, with one file for each subject."""

from fastapi import APIRouter, FastAPI


def add_routes(app: FastAPI, *routers: APIRouter) -> None:
    """Add routes as they were declared.

    ``include_router`` would analyse each of them once more for every application, at the first
    request of each process.
    """
    for router in routers:
        app.router.routes.extend(router.routes)
