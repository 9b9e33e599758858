"""Who may come in to the class server: whoever has an account and its password."""

from nativeauthenticator import NativeAuthenticator


class CourseAuthenticator(NativeAuthenticator):
    """NativeAuthenticator for names as people type them."""

    def normalize_username(self, username):
        """Without the space that a telephone puts behind a name."""
        return super().normalize_username(username.strip())
