"""Write the description of the API for the documentation.

``python -m stoic.server.describing docs/reference/openapi.json``
"""

from __future__ import annotations

import json
import sys

from stoic.files import write
from stoic.server.api.describing import described
from stoic.server.app import api_of
from stoic.server.settings import Settings
from stoic.server.watch.metrics import Metrics

__all__ = ["text"]


def text() -> str:
    """The description of this version, as a file."""
    app = api_of(Settings(), Metrics())
    return json.dumps(described(app), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    write(sys.argv[1], text())
