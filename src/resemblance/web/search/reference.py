"""The reference of an API as one plain page, drawn from its OpenAPI description."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

STYLE = """\
:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #191c1f);
  color: light-dark(#22262b, #e9e7e1);
}
a { color: light-dark(#1b6661, #79c8bd) }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; border-top: 1px solid; padding-top: 1rem; font-size: 1.1rem }
pre { overflow: auto; padding: .6rem .8rem; border: 1px solid; border-radius: .4rem }
"""


def reference(openapi: Mapping[str, Any]) -> str:
    """Draw the page: every route, its parameters, what it takes and gives, and its refusals."""
    schemas = openapi.get("components", {}).get("schemas", {})
    routes = [
        part
        for path, methods in openapi["paths"].items()
        for method, route in methods.items()
        for part in _route(f"{method.upper()} {path}", route)
    ]
    shapes = [f"<h2 id='{escape(n)}'>{escape(n)}</h2>{_json(s)}" for n, s in schemas.items()]
    title = escape(f"{openapi['info']['title']} {openapi['info']['version']}")
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title><link rel='stylesheet' href='/docs.css'></head><body><main>"
        f"<h1>{title}</h1><p>The same for programs: <a href='/openapi.json'>openapi.json</a>.</p>"
        f"{''.join(routes)}{''.join(shapes)}</main></body></html>"
    )


def _route(name: str, route: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>{escape(name)}</h2><p>{escape(route.get('description', ''))}</p><ul>"
    for parameter in route.get("parameters", ()):
        need = "" if parameter.get("required") else ", optional"
        yield f"<li><code>{escape(parameter['name'])}</code> ({escape(parameter['in'])}{need})</li>"
    if body := route.get("requestBody"):
        yield f"<li>takes {_shapes(body['content'])}</li>"
    for status, reply in route["responses"].items():
        said = escape(reply.get("description", ""))
        yield f"<li>{escape(status)}: {said} {_shapes(reply.get('content', {}))}</li>"
    yield "</ul>"


def _shapes(content: Mapping[str, Any]) -> str:
    """Link to the schemas that a content names."""
    text = json.dumps(content)
    names = [part.split('"')[0] for part in text.split("#/components/schemas/")[1:]]
    return ", ".join(f"<a href='#{escape(name)}'>{escape(name)}</a>" for name in names)


def _json(value: Any) -> str:
    return f"<pre tabindex='0'>{escape(json.dumps(value, indent=1))}</pre>"
