"""The routes of the pages: all studies, one study, what is new of it, and its forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import HTMLResponse, RedirectResponse, Response

from stoic.server.access import Verb
from stoic.server.page.charted import newer
from stoic.server.page.files import static_file
from stoic.server.page.rendering import digests, page, parts
from stoic.server.problems import Problem
from stoic.server.routing import Call, Routes, as_json
from stoic.server.store.writing import StudyRef
from stoic.study import Study

__all__ = ["routes"]

routes = Routes("page")
_MAX_DIGITS = 12  # of a number in a form
_PATIENCE_SECONDS = 0.25  # for the present figures, before earlier ones are shown
_NAMED = ("answer", "baseline")
_DONE = {
    "again": "It is asked next, before any suggestion.",
    "exclude": "Excluded: the estimates are computed again without it.",
    "include": "Taken back: the estimates are computed again with it.",
}


# -- reading --------------------------------------------------------------------------------------


@routes.add("GET", "/", include_in_schema=False)
async def studies(call: Call) -> Any:
    """All studies that the reader may see."""
    rows = []
    for each in reversed(await call.hub.studies()):
        if call.who.sees(each["name"]):
            known = call.hub.pages.known(each["uid"])
            goal = f"{each['direction'].capitalize()} {each['objective'][:200]}"
            headline = None if known is None else known["headline"]
            rows.append({**each, "name": each["name"][:200], "goal": goal, "headline": headline})
    return HTMLResponse(page("studies", studies=rows[: call.limits.page], **_about(call)))


@routes.add("GET", "/login", include_in_schema=False)
async def login(call: Call) -> Any:
    """The form to sign in."""
    if call.gate.tokens is None:
        return RedirectResponse("/", 303)
    return HTMLResponse(page("login", wrong="wrong" in call.query_params))


@routes.add("GET", "/static/{name}", include_in_schema=False)
async def static(call: Call, name: str) -> Any:
    """A script or a style."""
    found = static_file(name)
    if found is None:
        raise Problem(404, "not-found", "expected a file of the page, got another name")
    headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
    if call.headers.get("if-none-match") == found.tag:
        return Response(None, 304, headers)
    return Response(found.content, 200, headers, found.kind)


@routes.add("GET", "/studies/{study}", include_in_schema=False)
async def study(call: Call, study: StudyRef) -> Any:
    """One study, as it is now."""
    found = await call.hub.pages.get(study, _PATIENCE_SECONDS)
    done = _DONE.get(call.query_params.get("done", ""), "")
    about = _about(call)
    made = parts(found, _may(call), about["csrf"])
    return HTMLResponse(page("study", s=found, parts=made, done=done, **about))


@routes.add("GET", "/studies/{study}/live", include_in_schema=False)
async def live(call: Call, study: StudyRef) -> Any:
    """The parts of the page that differ from those that a browser has."""
    found = await call.hub.pages.get(study)
    known = digests(call.query_params.get("have", ""))
    made = parts(found, _may(call), _about(call)["csrf"])
    new = (
        str(text).replace('" data-digest=', '" hx-swap-oob="outerMorph" data-digest=', 1)
        for name, text in made.items()
        if name in known and f'data-digest="{known[name]}"' not in text[:200]
    )
    return HTMLResponse("".join(new))


@routes.add("GET", "/studies/{study}/points", include_in_schema=False)
async def points(call: Call, study: StudyRef) -> Any:
    """The points of the chart; with ``after``, those beyond that position alone."""
    found = await call.hub.pages.get(study)
    given = call.query_params.get("after", "0")
    after = _number(given, "after")
    chart = newer(found["chart"], after)
    return as_json(chart | {"version": found["version"], "objective": found["objective"]})


def _may(call: Call) -> dict[str, bool]:
    """What the reader's forms may do; without a session there are no forms."""
    writes = call.browser is not None and not call.gate.settings.read_only
    return {verb.value: writes and call.who.may(verb) for verb in (Verb.ASK, Verb.ADMIN)}


def _about(call: Call) -> dict[str, Any]:
    session = call.browser
    return {
        "csrf": "" if session is None else session.csrf,
        "signed_in": call.gate.tokens is not None and session is not None,
    }


# -- forms ----------------------------------------------------------------------------------------


@routes.add("POST", "/studies/{study}/again", include_in_schema=False)
async def again(call: Call, study: StudyRef) -> Any:
    """Measure a configuration again, before any suggestion."""
    form = await call.form_body()
    what = form.get("what", "trial")
    params: dict[str, Any] | None
    if what in _NAMED:
        found = await call.hub.pages.get(study, _PATIENCE_SECONDS)
        best = found["best"] or {}
        params = found["baseline"] if what == "baseline" else best.get("params")
        if params is None:
            raise Problem(422, "invalid-request", f"expected a study with a {what}, got none yet")
    else:
        number = _number(form.get("trial"), "trial")
        params = await call.hub.read(study, lambda study: _params_of(study, number))
    await call.hub.enqueue(study, params)
    return _done(call, study, "again")


@routes.add("POST", "/studies/{study}/exclude", include_in_schema=False)
async def exclude(call: Call, study: StudyRef) -> Any:
    """Exclude a measurement, a trial, or all of a worker."""
    await _mark(call, study, await call.form_body(), out=True)
    return _done(call, study, "exclude")


@routes.add("POST", "/studies/{study}/include", include_in_schema=False)
async def include(call: Call, study: StudyRef) -> Any:
    """Take an exclusion back."""
    await _mark(call, study, await call.form_body(), out=False)
    return _done(call, study, "include")


async def _mark(call: Call, ref: StudyRef, form: Mapping[str, str], *, out: bool) -> None:
    hub, worker = call.hub, form.get("worker")
    if worker:
        await (hub.exclude_worker(ref, worker) if out else hub.include_worker(ref, worker))
        return
    trial = _number(form.get("trial"), "trial")
    which = None if "measurement" not in form else _number(form["measurement"], "measurement")
    if out:
        await hub.exclude(ref, trial, which)
    elif not await hub.include(ref, trial, which):  # it was excluded with the whole trial
        await hub.include(ref, trial)


def _params_of(study: Study, number: int) -> dict[str, Any]:
    for record in study.trials[number : number + 1]:
        if record.number == number:
            return dict(record.params)
    raise Problem(404, "unknown-trial", f"expected a trial of this study, got {number}")


def _number(text: str | None, name: str) -> int:
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > _MAX_DIGITS:
        raise Problem(422, "invalid-request", f"expected {name} as a whole number")
    return int(text)


def _done(call: Call, ref: StudyRef, what: str) -> Response:
    """Say what was done: to a script as a part of the page, else as the page itself."""
    if call.headers.get("hx-request") == "true":
        text = f'<p class="done">{_DONE[what]}</p>'
        return HTMLResponse(f'<div id="notice" hx-swap-oob="innerHTML">{text}</div>')
    return RedirectResponse(f"/studies/{ref.uid}?done={what}", 303)
