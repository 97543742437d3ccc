"""Persistent studies: ask and tell around the optimiser or any policy, kept in a database."""

from stoic.study.listing import delete, summaries
from stoic.study.records import Proposal, StudySummary, StudyTrial, TrialRecord
from stoic.study.store import Database, open_store
from stoic.study.study import Study

__all__ = [
    "Database",
    "Proposal",
    "Study",
    "StudySummary",
    "StudyTrial",
    "TrialRecord",
    "delete",
    "open_store",
    "summaries",
]
