"""The plan of a tuning run: complete and checked before the first trial runs."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoic.errors import InvalidInput
from stoic.files import file_name
from stoic.optimize.aim import Bounds
from stoic.redaction import MASK
from stoic.runs.limits import Limits
from stoic.spaces import Space
from stoic.streams import is_stream
from stoic.tune.baseline import configuration
from stoic.tune.metric import Measured, Metric, metric_of
from stoic.tune.settings import Settings
from stoic.tune.template import Template

__all__ = ["Plan", "log_links", "logs_folder"]

_MAX_NAME_CHARACTERS = 200  # of a study's name
_INTERPRETERS = re.compile(
    r"(env|sh|bash|dash|zsh|fish|python|pypy|node|perl|ruby|Rscript|java|nice|time)[\d.]*"
)


_LOG = re.compile(r"[0-9]{4,9}\.txt")  # of a trial


@dataclass(frozen=True)
class Plan:
    """All settings of a tuning run."""

    template: Template
    space: Space
    direction: str
    limits: Limits
    baseline: dict[str, Any] | None  # None: of the study, or none where it is new
    metric: Metric
    objective: str
    target: str | None  # None: of the study, or the median where it is new
    bounds: Bounds | None
    timeout: float | None
    jobs: int
    engine: str
    scheduler: str | None
    repeat: int  # runs of each trial; 0 where the optimiser decides
    store: str
    name: str
    seed: int | None  # None: of the study, or 0 where it is new
    lease: float
    max_lost_leases: int | None
    report: Path | None
    group_readable: bool = False  # the store and the logs

    @classmethod
    def of(cls, given: Settings, *, report: bool = True) -> Plan:
        """The plan of these settings, or a typed error that names what is missing or wrong."""
        template = _template(given)
        direction = given.direction or ("minimize" if given.measure is not None else None)
        if direction is None:
            raise InvalidInput("expected --minimize or --maximize, got neither; add one")
        if given.budget is None and given.time is None:
            raise InvalidInput(
                "expected a number of trials or a time, got neither; add --budget 60 or --time 10m"
            )
        confirm = "auto" if given.confirm is None else given.confirm
        _check_engine(given)
        metric = metric_of(given.metric, given.json, given.measure)
        space = Space({each.name: each.parameter for each in given.params}, valid=given.valid)
        if space.valid:
            space.sample(1, 0)  # raises an error if hardly any configuration is valid
        name = given.name or _name(template)
        return cls(
            template=template,
            space=space,
            direction=direction,
            limits=Limits.of(given.budget, given.time, confirm, given.stop),
            baseline=None
            if given.baseline is None
            else configuration(space, given.params, given.baseline),
            metric=metric,
            objective=given.objective or _objective(metric),
            target=given.target,
            bounds=given.bounds or _bounds(metric),
            timeout=given.timeout,
            jobs=given.jobs or 1,
            engine=given.engine or "local",
            scheduler=given.scheduler,
            repeat=given.repeat or 0,
            store=given.store or "stoic.db",
            name=name,
            seed=given.seed,
            lease=given.lease or 600.0,
            max_lost_leases=5 if given.max_lost_leases is None else given.max_lost_leases or None,
            report=Path(given.report or f"{file_name(name)}.html") if report else None,
            group_readable=bool(given.group_readable),
        )

    @property
    def budget(self) -> int:
        """Trials in all; very many where time alone ends the run."""
        return self.limits.budget

    @property
    def mode(self) -> int:
        """Permissions of the store and the logs: for the owner, or readable by the group."""
        return 0o640 if self.group_readable else 0o600

    @property
    def folder(self) -> Path:
        """The folder of the trials' output."""
        return logs_folder(self.store, self.name)


def logs_folder(store: str, name: str) -> Path:
    """The folder of the trials' output: beside the store's file, or here for a server."""
    far = "://" in store and not store.startswith("sqlite:")
    local = re.sub(r"^sqlite:(///|//)?", "", store)
    base = Path("stoic.logs") if far else Path(f"{local}.logs").expanduser()  # as the store
    return base / file_name(name)


def log_links(folder: Path, page: Path) -> dict[int, str]:
    """The logs of trials in a folder, by trial, as addresses relative to a page."""
    base = Path.cwd() if is_stream(page) else page.absolute().parent
    try:
        found = [path.name for path in folder.iterdir() if _LOG.fullmatch(path.name)]
    except OSError:
        return {}
    way = os.path.relpath(folder.absolute(), base)
    return {int(name.partition(".")[0]): f"{way}/{name}" for name in found}


def _bounds(metric: Metric) -> Bounds | None:
    """Times and memory that are measured are never negative."""
    return (0.0, None) if isinstance(metric, Measured) else None


def _objective(metric: Metric) -> str:
    return f"{metric.name} ({metric.unit})" if isinstance(metric, Measured) else metric.name


def _check_engine(given: Settings) -> None:
    """Refuse half of the settings of a cluster."""
    if given.engine != "dask":
        if given.scheduler is not None:
            raise InvalidInput("expected --engine dask with --scheduler, got none; add it")
        return
    missing = "--scheduler" if given.scheduler is None else "--jobs"
    if None in (given.scheduler, given.jobs):
        example = "--engine dask --scheduler tcp://host:8786 --jobs 8"
        raise InvalidInput(f"expected {missing} with --engine dask, got none; give {example}")


def _template(given: Settings) -> Template:
    if not given.params:
        raise InvalidInput(
            "expected a parameter to tune, got none; add -p threads=1:64 or --space FILE"
        )
    template = Template(given.command or (), given.params, env=bool(given.env))
    if os.name != "posix":
        raise InvalidInput("expected a POSIX system to run programs on, got another; use Study")
    if template.program is not None and given.engine != "dask":
        _check_program(template.program)
    return template


def _check_program(program: str) -> None:
    """Refuse a program that can't be started, before anything is made."""
    if shutil.which(program) is not None:
        return
    here = Path(program)
    if os.sep not in program:
        hint = f"; for the file here write ./{program}" if here.is_file() else "; install it"
        raise InvalidInput(f"expected a program on the PATH, got {program!r}{hint}")
    if here.is_dir():
        raise InvalidInput(f"expected a program, got the folder {program}; name a file in it")
    if here.exists():
        raise InvalidInput(
            f"expected a program that may be executed, got {program}; chmod +x {program}"
        )
    raise InvalidInput(f"expected a program, got {program}, which does not exist")


def _name(template: Template) -> str:
    """A study's name from its command: that of the program, or of the script it runs."""
    arguments = template.public.arguments
    lines = [word.strip().partition("\n")[0] for word in arguments]  # of a script: one
    words = [re.sub(r"\{[^{}]*\}", "", line).strip()[:_MAX_NAME_CHARACTERS] for line in lines]
    for word in words:
        base = Path(word).name
        skipped = word.startswith("-") or not base or "=" in word or MASK in word
        if skipped or _INTERPRETERS.fullmatch(base):
            continue
        return _printable(Path(base).stem or base)
    return _printable(Path(words[0]).name)


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "-" for c in name).strip() or "study"
