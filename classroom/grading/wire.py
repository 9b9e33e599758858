"""Messages over a pair of pipes between the judge and the sandbox, used by both sides."""

import os
import select
import struct
import time

from grading.plain_values import MAX_BYTES, NotPlain, pack, unpack

HEAD = 8  # bytes: the length of what follows
POLL = 0.05  # seconds between checks of the deadline


class Silent(Exception):
    """Raised when the other side is silent for too long."""


class Closed(Exception):
    """Raised when the other side has exited."""


class Wire:
    """One end of the connection. Each message starts with its length."""

    def __init__(self, source, sink, as_number=None, as_function=None):
        self.source, self.sink, self.buffer = source, sink, bytearray()
        self.as_number, self.as_function = as_number, as_function

    def send(self, value):
        """Send a value. Raises NotPlain if it is too large, Closed if the other side has exited."""
        message = pack(value, self.as_number)
        remaining = memoryview(struct.pack(">Q", len(message)) + message)
        try:
            while remaining:
                remaining = remaining[os.write(self.sink, remaining) :]
        except OSError:
            raise Closed from None

    def receive(self, seconds):
        """Return the next value. Raises Silent, Closed, or NotPlain for a malformed message."""
        deadline = time.monotonic() + seconds
        self._fill(HEAD, deadline)
        (length,) = struct.unpack_from(">Q", self.buffer)
        if length > MAX_BYTES:
            raise NotPlain(f"a message of {length:,} bytes")
        self._fill(HEAD + length, deadline)
        message = bytes(self.buffer[HEAD : HEAD + length])
        del self.buffer[: HEAD + length]
        return unpack(message, self.as_function)

    def _fill(self, count, deadline):
        """Read until the buffer holds `count` bytes. They stay there, so an interrupted read can be repeated."""
        while len(self.buffer) < count:
            ready, _, _ = select.select([self.source], [], [], POLL)
            if ready:
                chunk = os.read(self.source, min(count - len(self.buffer), 1 << 20))
                if not chunk:
                    raise Closed
                self.buffer += chunk
            if len(self.buffer) < count and time.monotonic() > deadline:
                raise Silent
