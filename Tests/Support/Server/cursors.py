"""Cursors: opaque to the client, a position in the order of rows to the server.

Rows are ordered by (updated_at, id); two collections may share an id, so the collection's name comes last.
"""

import base64
import json
import zlib


class Cursor:
    """A position, and what the next page has to know besides."""

    def __init__(self, position, epoch, high=None, turn=0):
        self.position = position
        """(updated_at in microseconds, id, entity) of the last row that was handed out."""
        self.epoch = epoch
        """The epoch in which the cursor was made."""
        self.high = high
        """In the middle of a pull, the furthest position known; None at the end of one."""
        self.turn = turn
        """Counts empty pages, so that cursors differ while the position stands."""

    def text(self):
        """The cursor as the client sees it."""
        parts = [list(self.position), self.epoch, None if self.high is None else list(self.high), self.turn]
        raw = json.dumps(parts, separators=(",", ":"), ensure_ascii=False).encode()
        return base64.urlsafe_b64encode(zlib.crc32(raw).to_bytes(4, "big") + raw).decode().rstrip("=")

    @staticmethod
    def read(text):
        """The cursor of a text; None for a text that this server never made."""
        try:
            raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            position, epoch, high, turn = json.loads(raw[4:])
            cursor = Cursor(tuple(position), epoch, None if high is None else tuple(high), turn)
        except (ValueError, TypeError):
            return None
        # Also finds a wrong checksum.
        return cursor if cursor.text() == text else None


START = (0, "", "")
"""The position before all rows."""
