"""Messages through a pair of pipes, between the judge and the sandbox; both sides use it."""

import os
import select
import struct
import time

from grading.plain_values import MOST_BYTES, NotPlain, packed, unpacked

HEAD = 8  # bytes: the length of what follows
POLL = 0.05  # seconds: so often a reader looks whether it is to stop


class Silent(Exception):
    """Raised where the other side says nothing for too long."""


class Closed(Exception):
    """Raised where the other side has ended."""


class Wire:
    """One end of the line: `send` a value, `receive` one. Each message begins with its length."""

    def __init__(self, source, sink, as_number=None, as_function=None):
        self.source, self.sink, self.came = source, sink, bytearray()
        self.as_number, self.as_function = as_number, as_function

    def send(self, value):
        """Send a value. Raises NotPlain for one that is too large, Closed where nobody listens."""
        message = packed(value, self.as_number)
        left = memoryview(struct.pack(">Q", len(message)) + message)
        try:
            while left:
                left = left[os.write(self.sink, left) :]
        except OSError:
            raise Closed from None

    def receive(self, seconds):
        """Return the next value. Raises Silent, Closed, or NotPlain for bytes that are no message."""
        until = time.monotonic() + seconds
        self._fill(HEAD, until)
        (length,) = struct.unpack_from(">Q", self.came)
        if length > MOST_BYTES:
            raise NotPlain(f"a message of {length:,} bytes")
        self._fill(HEAD + length, until)
        message = bytes(self.came[HEAD : HEAD + length])
        del self.came[: HEAD + length]
        return unpacked(message, self.as_function)

    def _fill(self, count, until):
        """Read on until so many bytes are there. They stay: a reader who is stopped in the middle can begin anew."""
        while len(self.came) < count:
            ready, _, _ = select.select([self.source], [], [], POLL)
            if ready:
                piece = os.read(self.source, min(count - len(self.came), 1 << 20))
                if not piece:
                    raise Closed
                self.came += piece
            if len(self.came) < count and time.monotonic() > until:
                raise Silent
