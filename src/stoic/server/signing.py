"""Sign a browser in and out: a token is exchanged for a session's cookie."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse

from stoic.server.problems import Problem
from stoic.server.routing import Call, Routes
from stoic.server.sessions import COOKIE

__all__ = ["routes"]

routes = Routes("page")


@routes.add("POST", "/login", include_in_schema=False)
async def login(call: Call) -> Any:
    """Begin a session with a token; the cookie says nothing about it."""
    form = await call.form_body()
    found = call.gate.sign_in(call, form.get("token", ""))
    if found is None:
        return RedirectResponse("/login?wrong=1", 303)
    session = call.gate.sessions.begin(found.id)
    response = RedirectResponse("/", 303)
    response.set_cookie(
        COOKIE, session.key, path="/", httponly=True, samesite="strict",
        secure=call.gate.settings.behind_proxy,
    )  # fmt: skip
    return response


@routes.add("POST", "/logout", include_in_schema=False)
async def logout(call: Call) -> Any:
    """End a session."""
    await call.form_body()
    if call.browser is None:
        raise Problem(403, "access-denied", "expected a session, got none; sign in first")
    call.gate.sessions.end(call.browser)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response
