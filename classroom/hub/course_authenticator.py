"""Sign-in to the class server with an account and its password."""

import asyncio
import time

from guesses import Guesses
from nativeauthenticator import NativeAuthenticator


class CourseAuthenticator(NativeAuthenticator):
    """A NativeAuthenticator that slows down who guesses, and tolerates how people type names."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.guesses = Guesses()

    def normalize_username(self, username):
        """Strip the space that phone keyboards append to a name."""
        return super().normalize_username(username.strip())

    async def authenticate(self, handler, data):
        """Return the name of the account, None for a wrong password, after the delay that the address has earned."""
        address, now = handler.request.remote_ip, time.monotonic()
        await asyncio.sleep(self.guesses.delay(address, now))
        name = await super().authenticate(handler, data)
        if name:
            self.guesses.was_right(address, now)
        return name
