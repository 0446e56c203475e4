"""All routes, with one file for each subject."""

from fastapi import APIRouter, FastAPI


def add_routes(app: FastAPI, *routers: APIRouter) -> None:
    """Add routes as declared.

    ``include_router`` would analyse each route again for every application, at the first request
    of each process.
    """
    for router in routers:
        app.router.routes.extend(router.routes)
