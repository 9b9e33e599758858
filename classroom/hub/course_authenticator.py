"""Sign-in to the class server with an account and its password."""

import asyncio
import time
from weakref import WeakValueDictionary

import bcrypt
from guesses import Guesses
from nativeauthenticator import NativeAuthenticator


class CourseAuthenticator(NativeAuthenticator):
    """A NativeAuthenticator that slows down guessing, and tolerates how people type names."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.guesses, self.turns = Guesses(), WeakValueDictionary()

    def normalize_username(self, username):
        """Strip the space that phone keyboards append to a name."""
        return super().normalize_username(username.strip())

    async def authenticate(self, handler, data):
        """Return the name of the account, None for a wrong password, after the delay that the address has earned.

        Hashing runs in a thread, so that the hub goes on, and once at a time for an address: others get their turn.
        """
        # What the proxy saw. `remote_ip` would believe an X-Real-Ip that the browser itself sends.
        address = handler.request.headers.get("X-Forwarded-For", handler.request.remote_ip).split(",")[-1].strip()
        now, turn = time.monotonic(), self.turns.setdefault(address, asyncio.Lock())
        await asyncio.sleep(self.guesses.delay(address, now))
        user = self.get_user(data["username"])
        if not user or not user.is_authorized:
            return None
        name, word, known = user.username, data["password"].encode()[:72], user.password  # bcrypt takes 72 bytes
        async with turn:
            if not await asyncio.to_thread(bcrypt.checkpw, word, known):
                return None
        self.guesses.forget(address, now)
        return name
