"""Routes that check who asks before anything else runs, by the one table of `access`.

FastAPI describes the routes (OpenAPI) and finds the one of a request. Arguments are read here:
strictly, and without the cost of its dependencies.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, get_type_hints
from urllib.parse import parse_qsl

from fastapi import Path, Query
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stoic.errors import StoicError, UnknownStudy
from stoic.server.access import TABLE, Access
from stoic.server.gate import Gate
from stoic.server.guard.bodies import parse_json, read_body
from stoic.server.hub import Hub
from stoic.server.problems import Problem, problem_of, reply
from stoic.server.sessions import Session, check_csrf
from stoic.server.settings import Limits
from stoic.server.store.writing import StudyRef
from stoic.server.tokens import Principal

__all__ = ["Call", "Endpoint", "Guarded", "Routes", "as_json"]

Endpoint = Callable[..., Awaitable[Any]]
_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_MAX_FIELDS = 1000
_MAX_PROBLEMS = 5  # of one body that a reply names


class Call(Request):
    """A request that was let in: who sent it, and what it may use."""

    who: Principal
    browser: Session | None

    @property
    def access(self) -> Access:
        """The row of the table of routes."""
        access: Access = self.scope["stoic.access"]
        return access

    @property
    def gate(self) -> Gate:
        """What let it in."""
        gate: Gate = self.scope["app"].state.gate
        return gate

    @property
    def hub(self) -> Hub:
        """What it may use."""
        hub: Hub = self.scope["app"].state.hub
        return hub

    @property
    def limits(self) -> Limits:
        """The limits of the server."""
        return self.gate.settings.limits

    async def json_body(self) -> Any:
        """The body as strict JSON."""
        kinds = self.headers.getlist("content-type")
        if len(kinds) != 1 or kinds[0].partition(";")[0].strip().lower() != _JSON:
            close = {"Connection": "close"}
            raise Problem(415, "not-json", f"expected the content type {_JSON}", close)
        body = await read_body(self.receive, self.headers, self.limits)
        return parse_json(body, self.limits.json_depth)

    async def form_body(self) -> dict[str, str]:
        """The fields of a form of this server's pages; its CSRF token is checked.

        Only the form to sign in has none to check: there is no session yet.
        """
        kinds = self.headers.getlist("content-type")
        if len(kinds) != 1 or kinds[0].partition(";")[0].strip().lower() != _FORM:
            close = {"Connection": "close"}
            raise Problem(415, "not-a-form", f"expected the content type {_FORM}", close)
        body = await read_body(self.receive, self.headers, self.limits)
        fields = _fields(body)
        if self.access.verb is not None or self.browser is not None:
            if self.browser is None:
                raise Problem(403, "access-denied", "expected a session; sign in first")
            check_csrf(self.browser, fields.pop("csrf", ""))
        return fields


class Guarded(APIRoute):
    """A route whose endpoint runs for requests alone that its row of the table allows."""

    def __init__(self, path: str, endpoint: Endpoint, **about: Any) -> None:
        hints = _arguments(endpoint)
        super().__init__(path, _described(endpoint, hints), **about)
        accesses = {TABLE[method, self.path_format] for method in self.methods or ()}
        (self.access,) = accesses  # KeyError: a route without a row is no route
        self._arguments, self._endpoint = hints, endpoint
        self.app = self._answer

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["stoic.access"] = self.access
        scope["stoic.route"] = self.path_format
        call = Call(scope, receive)
        try:
            await call.gate.admit(call, self.access)
            response = as_response(await self._endpoint(**await self._read(call)))
        except (Problem, StoicError) as error:
            study = call.path_params.get("study")
            if isinstance(error, UnknownStudy) and isinstance(study, StudyRef):
                call.hub.forget(study)  # it was deleted, and maybe made again
            problem = problem_of(error)
            response = call.gate.refusal(call, problem) if self.access.page else reply(problem)
        await response(scope, receive, send)

    async def _read(self, call: Call) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, kind in self._arguments.items():
            if kind is Call:
                found[name] = call
            elif name == "body":
                found[name] = validated(kind, await call.json_body())
            elif name == "query":
                found[name] = validated(kind, _query(call))
            else:
                found[name] = call.path_params[name]
        if "query" not in self._arguments and call.url.query and not self.access.page:
            raise Problem(422, "invalid-request", "expected no query, got one; drop it")
        return found


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body),
            encoding="utf-8", errors="strict", max_num_fields=_MAX_FIELDS,
        )  # fmt: skip
    except ValueError:  # UnicodeDecodeError is one
        raise Problem(400, "invalid-request", "expected the fields of a form") from None
    if len(dict(pairs)) != len(pairs):
        raise Problem(400, "invalid-request", "expected each field of a form once")
    return dict(pairs)


def _arguments(endpoint: Endpoint) -> dict[str, Any]:
    """The arguments of an endpoint: the call, the body, the query, and parts of the path."""
    hints = get_type_hints(endpoint)
    return {name: hints[name] for name in inspect.signature(endpoint).parameters}


def _described(endpoint: Endpoint, hints: Mapping[str, Any]) -> Endpoint:
    """The endpoint as FastAPI describes it: its arguments are never read by this function."""

    async def described() -> None:
        """Never called."""

    functools.update_wrapper(described, endpoint)
    shown = []
    for name, kind in hints.items():
        if kind is Call:
            continue
        if kind is StudyRef:
            kind = Annotated[str, Path(description="The name of a study, or its unique id.")]
        elif name == "query":
            kind = Annotated[kind, Query()]
        shown.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind))
    described.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return described


def _query(call: Call) -> dict[str, str]:
    pairs = call.query_params.multi_items()
    if len(dict(pairs)) != len(pairs):
        raise Problem(422, "invalid-request", "expected each parameter of the query once")
    return dict(pairs)


def validated(kind: type[BaseModel], data: object) -> BaseModel:
    """The data as a model, or a problem that names what is wrong, without quoting values."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        words = "; ".join(_words(each) for each in found[:_MAX_PROBLEMS])
        raise Problem(422, "invalid-request", words) from None


def _words(error: Mapping[str, Any]) -> str:
    where = ".".join(map(str, error["loc"])) or "body"
    return f"{where[:200]}: {error['msg']}"


def as_response(answer: Any) -> Response:
    """What an endpoint returned as a response; data become JSON."""
    return answer if isinstance(answer, Response) else as_json(answer)


def as_json(data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Data as a response."""
    body = json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
    return Response(body, status, headers, _JSON)


class Routes:
    """Endpoints with their methods and paths, in the order in which they are tried."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.found: list[tuple[str, str, Endpoint, dict[str, Any]]] = []

    def add(self, method: str, path: str, **about: Any) -> Callable[[Endpoint], Endpoint]:
        """Register an endpoint."""

        def register(endpoint: Endpoint) -> Endpoint:
            self.found.append((method, path, endpoint, about))
            return endpoint

        return register
