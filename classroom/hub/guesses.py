"""Slows down those who guess passwords, by the address that they come from."""

from collections import OrderedDict

REMEMBERED = 300  # seconds that a wrong guess counts
MAX_ADDRESSES = 10_000  # whose guesses are remembered; the oldest is forgotten first
DELAY, MAX_DELAY = 0.25, 5  # seconds for each guess that counts, and at most: a class behind one address signs in


class Guesses:
    """How long the next guess from an address waits. No account is ever closed, so nobody can lock another one out."""

    def __init__(self):
        self.times = OrderedDict()  # {address: the times of its guesses that were wrong or are not yet answered}

    def delay(self, address, now):
        """Count a guess and return how many seconds it waits."""
        recent = [one for one in self.times.pop(address, ()) if now - one < REMEMBERED]
        self.times[address] = [*recent, now][-int(MAX_DELAY / DELAY) - 1 :]
        while len(self.times) > MAX_ADDRESSES:
            self.times.popitem(last=False)
        return min(MAX_DELAY, DELAY * len(recent))

    def forget(self, address, moment):
        """Forget one guess: the password was right."""
        if moment in self.times.get(address, ()):
            self.times[address].remove(moment)
