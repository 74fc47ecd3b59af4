"""What a server is told about itself; kept in its storage, so that a restart changes nothing."""

import json

DEFAULTS = {
    # Which document's wire format, and how much of a change travels.
    "dialect": "004",
    "fidelity": "plain",
    # The schema versions that are served; all others get 426.
    "min_schema_version": 1,
    "schema_version": 1,
    # The token that requests need, if any.
    "token": None,
    # The limits of a request; beyond them 413.
    "max_bytes": 16 << 20,
    "max_entries": 50,
    # The most rows of a page, whatever the client asks for.
    "max_page": 500,
    # How far before its cursor a pull starts again.
    "look_back_ms": 0,
    # How times are shown: "ms", "iso" or "iso_us".
    "stamps": "ms",
    # Which entities are logs.
    "logs": [],
    # Who makes the ids of rows: "client", "server" or, as a plain REST server does, "numbers".
    "ids": "client",
    # How long the cooldown of a new tracker lasts, in dialect 000.
    "cooldown_days": 7,
    # How far ahead of the server's clock a client's time may be; None for no check.
    "max_future_ms": None,
    # Whether a client gets its own writes back: "always" or "never".
    "echo": "always",
    # Whether a request of one entry is answered with the status code that its outcome has.
    "status_codes": False,
    # The clock, see clock.py.
    "clock_fixed_ms": None,
    "clock_offset_ms": 0,
    "clock_monotonic": True,
}


class Settings:
    """A dictionary with fixed names that writes itself into the store."""

    def __init__(self, store):
        self.store = store
        self.values = {**DEFAULTS, **json.loads(store.meta("settings", "{}"))}

    def __getitem__(self, name):
        return self.values[name]

    def __setitem__(self, name, value):
        if name not in DEFAULTS:
            raise KeyError(f"there is no setting {name}")
        self.values[name] = value
        self.store.set_meta("settings", json.dumps(self.values))
