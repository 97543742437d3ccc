"""The description of the API (OpenAPI), with what the table of routes says."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from stoic.server.access import TABLE

__all__ = ["described"]

_SCHEME = "token"
_KEYED = ("ask", "add", "enqueue")  # actions that may be repeated with a key
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same request with the same key has the same effect once.",
    "schema": {"type": "string", "maxLength": 200},
}


def described(app: FastAPI) -> dict[str, Any]:
    """The description, with the verb that each route needs, from the table of routes."""
    found = dict(app.openapi())
    found.setdefault("components", {})["securitySchemes"] = {
        _SCHEME: {"type": "http", "scheme": "bearer", "description": "Of `stoic token new`."}
    }
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            verb = TABLE[method.upper(), path].verb
            if verb is not None:
                operation["security"] = [{_SCHEME: [verb.value]}]
                operation["x-stoic-verb"] = verb.value
            if path.rpartition(":")[2] in _KEYED:
                operation["parameters"] = [*operation.get("parameters", ()), _KEY]
    return found
