"""Studies of a server, over HTTP: the verbs of `stoic.Study`, and requests that are repeated."""

from stoic.remote.study import RemoteStudy, connect

__all__ = ["RemoteStudy", "connect"]
