"""Check that a study continues with the command and the metric that it began with."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from stoic.errors import StudyMismatch
from stoic.files import make_folder, write
from stoic.redaction import redacted_command
from stoic.tune.plan import Plan

__all__ = ["agree"]

_FILE = "tune.json"


def agree(plan: Plan, uid: str) -> None:
    """Refuse a study that began with another command or metric; record them for a new one.

    The store holds space, direction and seed. The command and the metric are in a small file in
    the study's folder, without secrets, which may change. If the file is missing, nothing is
    refused.
    """
    path = plan.folder / _FILE
    ours: dict[str, Any] = {
        "study": uid,
        "command": list(plan.template.public.arguments),
        "metric": str(plan.metric),
    }
    try:
        theirs = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        theirs = None
    if isinstance(theirs, dict) and isinstance(theirs.get("command"), list):
        theirs["command"] = redacted_command([str(word) for word in theirs["command"]])
    if isinstance(theirs, dict) and theirs.get("study") == uid:
        for key in ("command", "metric"):
            if theirs.get(key) != ours[key]:
                raise StudyMismatch(
                    f"expected the {key} that study {plan.name!r} was begun with, "
                    f"{_shown(theirs.get(key))}, got {_shown(ours[key])}; "
                    "repeat it to go on, or begin another study with --name"
                )
        return
    with suppress(OSError):  # the study continues without it
        make_folder(path.parent, 0o750 if plan.group_readable else 0o700)
        write(path, json.dumps(ours, indent=2), mode=plan.mode)


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
