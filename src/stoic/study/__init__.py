"""Studies that lose nothing: persistent ask and tell around the optimiser or any policy."""

from stoic.errors import MissingExtra

try:
    from stoic.study.listing import delete, summaries
    from stoic.study.records import StudySummary, StudyTrial, TrialRecord
    from stoic.study.study import Study
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "sqlalchemy":
        raise
    raise MissingExtra.of("sqlalchemy", "studies", "study") from missing

__all__ = [
    "Study",
    "StudySummary",
    "StudyTrial",
    "TrialRecord",
    "delete",
    "summaries",
]
