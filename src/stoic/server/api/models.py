"""Bodies of requests and replies; strict: no conversion of types, no unknown fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "Add",
    "After",
    "Ask",
    "Asked",
    "Create",
    "Enqueue",
    "Exclude",
    "Fail",
    "Finals",
    "Log",
    "Note",
    "Nothing",
    "Outcome",
    "Page",
    "ProblemDetails",
    "Release",
    "Removal",
    "Renew",
    "Studies",
    "StudyState",
    "Tell",
    "Trials",
    "Widen",
]  # fmt: skip

Scalar = str | int | float | bool | None
Params = Annotated[dict[str, Scalar], Field(max_length=200)]
StudyName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
WorkerName = Annotated[str, StringConstraints(max_length=160, pattern=r"^[ -~]*$")]
Token = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(max_length=10_000)]
Number = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(gt=0, le=1e9)]
Value = Annotated[float, Field(allow_inf_nan=False)]
SpaceGiven = dict[str, Any] | Annotated[list[str | dict[str, Any]], Field(max_length=200)]


class Body(BaseModel):
    """A body of a request."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Create(Body):
    """A study to make, or to open where it has the same definition."""

    name: StudyName
    space: SpaceGiven
    direction: Literal["maximize", "minimize"]
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None
    method: Literal["auto", "random"] | None = None
    objective: Annotated[str, StringConstraints(max_length=200)] | None = None
    target: Literal["median", "mean"] | None = None
    bounds: Annotated[list[Value | None], Field(min_length=2, max_length=2)] | None = None
    baseline: Params | None = None


class Ask(Body):
    """How many trials, by whom, and for how long."""

    count: Annotated[int, Field(ge=1, le=100)] = 1
    worker: WorkerName = ""
    lease: Seconds = 600.0
    budget: Annotated[int, Field(ge=0, le=10**7)] | None = None


class Tell(Body):
    """A measurement."""

    trial: Number
    value: Value
    measurement: Annotated[int, Field(ge=0, le=2**31)] = 0
    lease: Token | None = None
    worker: WorkerName = ""


class Fail(Body):
    """A trial that gave no value."""

    trial: Number
    reason: Text = ""
    lease: Token | None = None
    worker: WorkerName = ""


class Renew(Body):
    """A lease to keep."""

    trial: Number
    lease: Token
    seconds: Seconds = 600.0


class Release(Body):
    """A lease to give back."""

    trial: Number
    lease: Token


class Add(Body):
    """A measurement that was made elsewhere."""

    params: Params
    value: Value
    worker: WorkerName = ""


class Enqueue(Body):
    """A configuration that is asked before any suggestion."""

    params: Params


class Note(Body):
    """A note on a trial."""

    trial: Number
    text: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class Finals(Body):
    """Finals to begin, with so many evaluations, or to end."""

    begin: Annotated[int, Field(ge=1, le=10**7)] | None = None
    contenders: Annotated[list[Params], Field(max_length=100)] | None = None
    end: bool = False


class Widen(Body):
    """A wider space, or a first baseline."""

    space: SpaceGiven | None = None
    baseline: Params | None = None


class Exclude(Body):
    """A measurement, a trial, all of a token, or of workers whose names begin so."""

    trial: Number | None = None
    measurement: Annotated[int, Field(ge=0, le=2**31)] | None = None
    token_id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{1,20}$")] | None = None
    worker: Annotated[WorkerName, Field(min_length=1)] | None = None


class Nothing(Body):
    """An empty object."""


class Query(BaseModel):
    """Parameters of a query, which are text."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Page(Query):
    """Which part of a list: what comes after the cursor."""

    cursor: Annotated[str, StringConstraints(max_length=18, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class After(Query):
    """Which part of a log: what comes after an entry."""

    after: Annotated[int, Field(ge=0, le=10**9)] = 0
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000


class Removal(Query):
    """Which study: its unique id, so that none is deleted by mistake."""

    uid: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


# -- replies -----------------------------------------------------------------------------------


class ProblemDetails(BaseModel):
    """An error, as of RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    detail: str


class Lease(BaseModel):
    """A lease: whoever has its token may renew and release it."""

    token: str
    seconds: float
    until: float


class Trial(BaseModel):
    """A trial to evaluate, and how it was chosen."""

    number: int
    params: dict[str, Scalar]
    attempt: int
    uid: str
    lease: Lease
    made: Literal["model", "batch", "earlier-model", "random", "queue", "again"]


class Asked(BaseModel):
    """Trials to evaluate; none where the budget is spent."""

    trials: list[Trial]
    finished: int


class Studies(BaseModel):
    """Studies with their counts."""

    studies: list[dict[str, Any]]
    cursor: str | None


class StudyState(BaseModel):
    """A study: its definition and its counts."""

    name: str
    uid: str
    definition: dict[str, Any]
    asked: int
    finished: int
    open: int
    failed: int
    entries: int


class Outcome(BaseModel):
    """A trial after a report."""

    trial: int
    state: Literal["open", "told", "failed"]
    finished: int


class Trials(BaseModel):
    """Trials by number."""

    trials: list[dict[str, Any]]
    next: str | None


class Log(BaseModel):
    """A part of the log."""

    uid: str
    entries: list[dict[str, Any]]
    last: int
