"""Sign-in to the class server with an account and its password."""

from nativeauthenticator import NativeAuthenticator


class CourseAuthenticator(NativeAuthenticator):
    """A NativeAuthenticator that tolerates how people type names."""

    def normalize_username(self, username):
        """Strip the space that phone keyboards append to a name."""
        return super().normalize_username(username.strip())
