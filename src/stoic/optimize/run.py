"""Maximise or minimise a Python function: the whole loop in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from numbers import Real
from typing import Any

from stoic.checks import describe, integer, number
from stoic.errors import InvalidInput, InvalidPayoff
from stoic.optimize.answers import Trial
from stoic.optimize.optimizer import Optimizer
from stoic.optimize.progress import watching
from stoic.optimize.result import Result
from stoic.parallel import executor
from stoic.spaces import Space

__all__ = ["maximize", "minimize"]

_MISTAKES = (TypeError, NameError, AttributeError, ImportError)  # of the program, not the system
_PATIENCE = 5  # first evaluations that may all end in the same mistake
_LONGER = 20  # … or in the same error of another kind: much of a space may be out of bounds
_REASON = 200  # characters of an exception's message that are kept

Call = Callable[[Mapping[str, Any]], object]


def maximize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
) -> Result:
    """Find the configuration with the highest value of a noisy function.

    Nothing about the noise needs to be known. Heavy tails, absurd values and crashes are
    expected: an exception, NaN, infinity or None is a failed evaluation, and the search goes on.
    It stops with an error where something other than a number is returned, or where the first
    evaluations all end in the same exception (5 for a `TypeError` and the like, 20 for others).

    Parameters
    ----------
    fn
        Called by keywords, ``fn(threads=8, gc="zgc")``, where it takes the parameters' names;
        otherwise with one dict, ``fn({"threads": 8, "gc": "zgc"})``. By keywords, a parameter
        with a condition needs a default, as it is absent where it does not exist.
    space
        Such as ``{"lr": (1e-5, 1e-1, "log"), "depth": (2, 12), "opt": ["adam", "sgd"]}``.
    budget
        How many evaluations to make.
    seed
        Of all that is drawn. With ``jobs=1`` and a deterministic ``fn``, runs repeat exactly.
    jobs
        How many evaluations to run at a time, in threads: for functions that wait for another
        process, a server or a device. For processes and clusters, use `Optimizer` and its
        ``ask(pending=…)``.
    callback
        Called with each `Trial` as it ends; raises `StopIteration` to end the run there.
    progress
        Whether to show on stderr how it is going.

    Ctrl-C ends the run and keeps what was found: the result then has ``interrupted=True``.

    >>> result = maximize(lambda x: 1.0 - (x - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=12)
    >>> abs(result.best.params["x"] - 0.3) < 0.05
    True
    """
    optimizer = Optimizer(space, direction="maximize", seed=seed)
    return _run(fn, optimizer, budget, jobs, callback, progress)


def minimize(
    fn: Callable[..., object],
    space: Space | Mapping[str, Any],
    budget: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
) -> Result:
    """Find the configuration with the lowest value of a noisy function; see `maximize`."""
    optimizer = Optimizer(space, direction="minimize", seed=seed)
    return _run(fn, optimizer, budget, jobs, callback, progress)


def _run(
    fn: Callable[..., object],
    optimizer: Optimizer,
    budget: int,
    jobs: int,
    callback: Callable[[Trial], object] | None,
    progress: bool,
) -> Result:
    call = _caller(fn, optimizer.space)
    budget = integer(budget, "budget", at_least=1)
    jobs = integer(jobs, "jobs", at_least=1)
    if callback is not None and not callable(callback):
        raise InvalidInput(f"expected callback to be a function, got {describe(callback)}")
    interrupted = False
    try:
        with watching(optimizer, budget, progress) as watch:

            def ended() -> None:
                watch()
                if callback is not None:
                    callback(optimizer.trials[-1])

            with suppress(StopIteration):
                _Loop(optimizer, call, ended).run(budget, jobs)
    except KeyboardInterrupt:
        interrupted = True
    return Result.of(optimizer, objective=_name(fn), interrupted=interrupted)


class _Loop:
    """Asks, evaluates and tells until the budget is spent."""

    def __init__(self, optimizer: Optimizer, call: Call, ended: Callable[[], None]) -> None:
        self.optimizer, self.call, self.ended = optimizer, call, ended
        self._same: type[BaseException] | None = None  # how all evaluations have ended so far

    def run(self, budget: int, jobs: int) -> None:
        if jobs == 1:
            with executor(workers=0) as here:
                self._spend(budget, here, 1)
            return
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="stoic")
        try:
            self._spend(budget, pool, jobs)
        finally:  # evaluations under way can't be stopped, and nobody waits for them
            pool.shutdown(wait=False, cancel_futures=True)

    def _spend(self, budget: int, pool: Executor, slots: int) -> None:
        pending: dict[Future[object], Mapping[str, Any]] = {}
        while len(self.optimizer.trials) < budget:
            while len(pending) < min(slots, budget - len(self.optimizer.trials)):
                params = self.optimizer.ask(pending=list(pending.values()))
                pending[pool.submit(self.call, dict(params))] = params
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in [f for f in pending if f in done]:
                self._record(pending.pop(future), future)

    def _record(self, params: Mapping[str, Any], future: Future[object]) -> None:
        raised: Exception | None = None
        try:
            value = future.result()
        except Exception as error:
            raised, value = error, None
        if raised is not None:
            self.optimizer.fail(params, _reason(raised))
        elif (unusable := _unusable(value)) is not None:
            self.optimizer.fail(params, unusable)
        else:
            self.optimizer.tell(params, number(value, "the function's value", error=InvalidPayoff))
        self._consider(value, raised)
        self.ended()

    def _consider(self, value: object, raised: Exception | None) -> None:
        """Stop where every evaluation has ended in the same exception, or in None."""
        ended: type | None = type(raised) if raised is not None else type(value)
        n = len(self.optimizer.trials)
        self._same = ended if n == 1 or ended is self._same else None
        if raised is None and value is None and self._same and n >= _PATIENCE:
            raise InvalidPayoff(
                f"expected the function to return a real number, got None {n} times out of {n}; "
                "return the value to optimise"
            )
        patience = _PATIENCE if isinstance(raised, _MISTAKES) else _LONGER
        if raised is not None and self._same and n >= patience:
            raise InvalidInput(
                f"expected the function to give a value somewhere, got {_reason(raised)!r} and "
                f"its like {n} times out of {n}; call it with {dict(self._last())} and repair it"
            ) from raised

    def _last(self) -> Mapping[str, Any]:
        return self.optimizer.trials[-1].params


def _unusable(value: object) -> str | None:
    """Why a value of a legitimate type can't be told: a failure of the evaluation."""
    if value is None:
        return "returned None"
    try:
        number(value, "the function's value", error=InvalidPayoff)
    except InvalidPayoff:
        plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
        if isinstance(plain, bool) or not isinstance(plain, Real):
            raise
        return f"returned {plain!r}"[:_REASON]
    return None


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:_REASON] if text else name


def _caller(fn: Callable[..., object], space: Space) -> Call:
    """How to call ``fn`` with a configuration, or a typed error where there is no way."""
    if not callable(fn):
        raise InvalidInput(f"expected a function to optimise, got {describe(fn)}")
    if inspect.iscoroutinefunction(fn):
        raise InvalidInput(
            "expected a plain function, got a coroutine function; "
            "wrap it: lambda **params: asyncio.run(fn(**params))"
        )
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some built-in functions have none
        return fn
    names = dict.fromkeys(space.names)
    if _binds(signature, **names):
        always = {name: None for name in names if not space.parameters[name].when}
        if not _binds(signature, **always):
            raise InvalidInput(
                f"expected defaults for the parameters with a condition, got {signature}; "
                "give them one, such as None, for where they do not exist"
            )
        return lambda params: fn(**params)
    if _binds(signature, {}) and not set(names) & set(signature.parameters):
        return fn
    listed = ", ".join(names) if len(names) <= 10 else ", ".join([*names][:10]) + ", …"
    raise InvalidInput(
        f"expected a function of {listed}, or of one dict with them, got {signature}; "
        "make its parameters and the space agree"
    )


def _binds(signature: inspect.Signature, *args: object, **kwargs: object) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _name(fn: Callable[..., object]) -> str:
    name = getattr(fn, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "value"
