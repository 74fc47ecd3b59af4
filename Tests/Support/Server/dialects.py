"""The seam between the server and the documents' wire formats: one class per dialect, found by its number.

A dialect knows which requests are pushes and which pulls, reads them, and writes the answers. What a change does is
in engine.py, where a position lies in cursors.py; both are the same for all dialects. With full
fidelity the server is a replica itself, see full_004.py.
"""

from dialect_000 import Dialect000
from dialect_001 import Dialect001
from dialect_002 import Dialect002
from dialect_003 import Dialect003
from dialect_004 import Dialect004
from full_004 import Full004

DIALECTS = {
    ("000", "plain"): Dialect000,
    ("001", "plain"): Dialect001,
    ("002", "plain"): Dialect002,
    ("003", "plain"): Dialect003,
    ("004", "plain"): Dialect004,
    ("004", "full"): Full004,
}


def dialect(application):
    """The dialect that the settings name."""
    key = (application.settings["dialect"], application.settings["fidelity"])
    if key not in DIALECTS:
        raise KeyError(f"dialect {key[0]} with {key[1]} fidelity is not built")
    return DIALECTS[key](application)
