"""Let requests in: who sent them, whether the token grants the route, and how often."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, RedirectResponse, Response

from stoic.errors import StoicError
from stoic.server.access import SAFE, Access
from stoic.server.guard.rates import Rates
from stoic.server.page.rendering import page
from stoic.server.problems import Problem, busy, shown
from stoic.server.sessions import COOKIE, Session, Sessions
from stoic.server.settings import Settings
from stoic.server.tokens import EVERY_STUDY, LOCAL, Principal, TokenFile

if TYPE_CHECKING:
    from stoic.server.routing import Call

__all__ = ["Gate"]

_LOG = logging.getLogger("stoic.server")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_UID = re.compile("[0-9a-f]{32}")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="stoic"'}


class Gate:
    """Decides about every request by the table of routes."""

    def __init__(self, settings: Settings) -> None:
        self.settings, limits = settings, settings.limits
        self.tokens = None if settings.token_file is None else TokenFile(settings.token_file)
        if self.tokens is not None:
            self.tokens.records()  # refuses to start without a file of tokens
        self.sessions = Sessions()
        self._rates = Rates(limits.per_second, limits.burst)
        self._refusals = Rates(limits.refused_per_second, limits.refused_burst)

    async def admit(self, call: Call, access: Access) -> None:
        """Let a request in, and note who sent it; else raise a `Problem`."""
        writes = call.method not in SAFE
        if writes and self.settings.read_only and not access.serves_read_only:
            raise Problem(403, "access-denied", "expected a read: this server is read-only")
        call.browser = None
        if access.verb is None:
            self._rates.take(f"address {_address(call)}")
            call.browser = self._session(call)
            return
        who = call.who = self._who(call, access)
        call.scope["stoic.token"] = who.id
        self._rates.take(who.id)
        if access.study:
            await self._admit_to_study(call, who)
        if not who.may(access.verb):
            raise Problem(
                403,
                "access-denied",
                f"expected a token with the verb {access.verb.value!r} for this, got one without",
            )

    async def _admit_to_study(self, call: Call, who: Principal) -> None:
        """A study that the token may not see is answered as one that does not exist."""
        given = str(call.path_params["study"])
        named = EVERY_STUDY in who.studies or given in who.studies or _UID.fullmatch(given)
        # what is not granted is not even looked up, which would take another time
        found = await call.hub.resolve(given) if named else None
        if found is None or not who.sees(found.name):
            raise Problem(404, "unknown-study", f"expected a study of this server, got {given!r}")
        call.path_params["study"] = found

    # -- who ----------------------------------------------------------------------------------

    def _who(self, call: Call, access: Access) -> Principal:
        if self.tokens is None:
            self._check_direct(call)
            call.browser = self.sessions.anonymous
            return LOCAL
        given = call.headers.getlist("authorization")
        if given:
            return self._of_header(call, given)
        session = self._session(call)
        if session is not None and (call.method in SAFE or access.page):
            found = self.tokens.of_id(session.token)
            if found is not None:
                call.browser = session
                return found
        raise Problem(
            401,
            "access-denied",
            "expected a token in the header Authorization: Bearer stoic_…, got none",
            _CHALLENGE,
        )

    def _of_header(self, call: Call, given: list[str]) -> Principal:
        scheme, _, presented = given[0].partition(" ")
        found = None
        if len(given) == 1 and scheme.lower() == "bearer":
            found = self.sign_in(call, presented.strip())
        if found is None:
            raise Problem(
                401,
                "access-denied",
                "expected a valid token in the header Authorization: Bearer stoic_…, got one that "
                "is wrong, expired or revoked",
                _CHALLENGE,
            )
        return found

    def sign_in(self, call: Call, presented: str) -> Principal | None:
        """What a presented token grants; None where it is wrong, which may not happen often.

        A right one is let in however many wrong ones came from its address.
        """
        try:
            found = None if self.tokens is None else self.tokens.principal(presented)
        except StoicError as error:  # the file is gone or damaged; its path is not for clients
            _LOG.error("no token can be checked: %s", error)
            raise busy("expected to check tokens, which is not possible now", 10) from None
        if found is None:
            self._refusals.take(_address(call))
        return found

    def _session(self, call: Call) -> Session | None:
        if self.tokens is None:
            return self.sessions.anonymous
        return self.sessions.find(call.cookies.get(COOKIE))

    def _check_direct(self, call: Call) -> None:
        """Without tokens, refuse what a proxy passes on: it may come from anywhere."""
        if any(name in call.headers for name in _FORWARDED):
            raise Problem(
                403,
                "access-denied",
                "expected a direct connection, since this server has no tokens, got one through "
                "a proxy; start it with --token-file and --behind-proxy",
            )

    def still(self, call: Call) -> bool:
        """Whether who sent a request that goes on for long may still read."""
        return self.tokens is None or self.tokens.of_id(call.who.id) is not None

    def refusal(self, call: Call, problem: Problem) -> Response:
        """The reply to a browser: a page, and that to sign in where a token is needed."""
        if problem.status == 401 and call.method in SAFE:
            return RedirectResponse("/login", 303)
        return HTMLResponse(page("problem", **shown(problem)), problem.status, problem.headers)


def _address(call: Call) -> str:
    return call.client.host if call.client is not None else ""
