"""The server's clock: what time it is, and the stamps of its writes.

All times inside of the server are whole microseconds since 1970. Stamps are strictly increasing, one step (a
millisecond, or a microsecond where stamps are shown in microseconds) at least from one write to the next, so that
no row is ever written behind a position that a page has already reached. The switch `monotonic: false` takes that
away, as a server with a clock that jumps back does.
"""

from datetime import datetime, timedelta, timezone
import time

MILLISECOND = 1000

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Clock:
    """Tells the time and stamps writes by it."""

    def __init__(self, settings, store):
        self.settings = settings
        self.store = store

    def now(self):
        """The time in microseconds."""
        fixed = self.settings["clock_fixed_ms"]
        base = time.time_ns() // 1000 if fixed is None else fixed * MILLISECOND
        return base + self.settings["clock_offset_ms"] * MILLISECOND

    def stamp(self):
        """The time of a write that happens now; no other write has it."""
        step = 1 if self.settings["stamps"] == "iso_us" else MILLISECOND
        stamp = self.now() // step * step
        if self.settings["clock_monotonic"]:
            last = int(self.store.meta("last_stamp", 0))
            stamp = max(stamp, last // step * step + step)
        self.store.set_meta("last_stamp", stamp)
        return stamp

    def change(self, wanted):
        """Does what `{"clock": …}` asks for."""
        if "fixed_ms" in wanted:
            self.settings["clock_fixed_ms"] = wanted["fixed_ms"]
        if "offset_ms" in wanted:
            self.settings["clock_offset_ms"] = wanted["offset_ms"]
        if "advance_ms" in wanted:
            self.settings["clock_offset_ms"] += wanted["advance_ms"]
        if "monotonic" in wanted:
            self.settings["clock_monotonic"] = wanted["monotonic"]


def shown(microseconds, form):
    """A time as the wire has it: whole milliseconds, or ISO-8601 with three or six digits after the point."""
    if microseconds is None:
        return None
    if form == "ms":
        return microseconds // MILLISECOND
    moment = EPOCH + timedelta(microseconds=microseconds)
    digits = "microseconds" if form == "iso_us" else "milliseconds"
    return moment.replace(tzinfo=None).isoformat(timespec=digits) + "Z"


def read(value):
    """The microseconds of a time in any form that `shown` writes."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value * MILLISECOND
    moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return (moment - EPOCH) // timedelta(microseconds=1)
